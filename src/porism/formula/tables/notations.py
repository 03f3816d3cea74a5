"""The names of symbols beside those of LaTeX, as data: in AsciiMath, Typst, Lean and spoken English.

An entry is a canonical label of :mod:`porism.formula.tables.symbols` and its names in one notation; the first of them
is the one that is written. LaTeX's own names, without the backslash, are read too where they are not listed for
something else. What takes arguments is in :mod:`porism.formula.tables.structures`.
"""

from __future__ import annotations

from typing import get_args

from porism.formula.tables.lookup import blackboard
from porism.formula.tables.spoken import SPOKEN_NAMES
from porism.types import PlainNotation

PLAIN_NOTATIONS: tuple[PlainNotation, ...] = get_args(PlainNotation)
"""The notations of formulas beside LaTeX and MathML."""

_SIGNS = r"""
    ≤ <=; ≥ >=; ≠ !=; → ->; ⇒ =>; ⇔ <=>; ↔ <->; ↦ |->; ≔ :=; … ...;
"""
"""Signs of ASCII that all these notations have."""

_ASCIIMATH = r"""
    ⋅ *; * **; ⋆ ***; / //; ∖ \\ setminus; × xx; ⋉ |><; ⋊ ><|; ⋈ |><|; ÷ -:; ∘ @; ⊕ o+; ⊗ ox; ⊙ o.; ∧ ^^ and; ⋀ ^^^;
    ∨ vv or; ⋁ vvv; ∩ nn; ⋂ nnn; ∪ uu; ⋃ uuu; ∑ sum; ∏ prod; ∫ int; ∮ oint; ≪ mlt; ≫ mgt; ≺ -<; ≼ -<=; ≻ >-; ≽ >-=;
    ∈ in; ∉ !in; ⊂ sub; ⊃ supset; ⊆ sube; ⊇ supe; ≡ -=; ≅ ~=; ≈ ~~; ∼ ~; ∝ prop; ¬ not; ⇒ implies; ⇔ iff; ∀ AA; ∃ EE;
    ⊥ _|_; ⊤
    TT; ⊢ |-- |-; ⊨ |== |=; ⟨ (: <<; ⟩ :) >>; ⌊ |__; ⌋ __|; ⌈ |~; ⌉ ~|; ± +-; ∓ -+; ∅ O/; ∞ oo; ℵ aleph;
    ∴ :.; ∵ :'; ∠ /_; △ /_\; ⋄ diamond; □ square box; ↑ uarr; ↓ darr; → rarr; ↣ >->; ↠ ->>; ⤖ >->>; ← larr; ↔ harr;
    ⇒ rArr; ⇐ lArr; ⇔ hArr; ∂ del; ∇ grad; ℂ CC; ℕ NN; ℚ QQ; ℝ RR; ℤ ZZ; ε varepsilon eps; ϵ epsilon epsi; ϕ phi;
    φ varphi; mod mod;
"""

_TYPST = r"""
    ε epsilon; ϵ epsilon.alt; φ phi; ϕ phi.alt; ϑ theta.alt; ϰ kappa.alt; ϖ pi.alt; ϱ rho.alt; ς sigma.alt; + plus; -
    minus; ± plus.minus; ∓ minus.plus; × times; ÷ div; ⋅ dot dot.op dot.c; * ast ast.op; ∘ compose circle.small; •
    bullet; ⋆ star star.op; ★ star.filled; ☆ star.stroked; ⊕ plus.circle plus.o; ⊗ times.circle times.o; ⊖
    minus.circle minus.o; ⊙ dot.circle dot.o; ⊞ plus.square; ⊟ minus.square; ⊠ times.square; ⊡ dot.square; ⊎
    union.plus; ∪ union; ∩ inter sect; ⊔ union.sq; ⊓ inter.sq sect.sq; ∖ without backslash; △ triangle triangle.t
    triangle.stroked.t; ∧ and; ∨ or; ¬ not; ⋀ and.big; ⋁ or.big; ⋃ union.big; ⋂ inter.big sect.big; ⨁ plus.circle.big
    plus.o.big; ⨂ times.circle.big times.o.big; ⨀ dot.circle.big dot.o.big; ⨆ union.sq.big; ⨅ inter.sq.big
    sect.sq.big; ⨄ union.plus.big; ∑ sum; ∏ product; ∐ product.co; ∫ integral; ∬ integral.double; ∭ integral.triple; ∮
    integral.cont; ∯ integral.surf; ∰ integral.vol; = eq; ≠ eq.not; ≡ equiv; ≢ equiv.not; ≈ approx; ≉ approx.not; ≅
    tilde.equiv; ≃ tilde.eq; ∼ tilde.op tilde; ≁ tilde.not; ∝ prop; ≔ colon.eq; ≝ eq.def; ≟ eq.quest; < lt; > gt; ≤
    lt.eq lt.eq.slant; ≥ gt.eq gt.eq.slant; ≪ lt.double lt.lt <<; ≫ gt.double gt.gt >>; ⋘ lt.triple <<<; ⋙ gt.triple
    >>>; ≮ lt.not; ≯ gt.not; ≰ lt.eq.not; ≱ gt.eq.not; ≲ lt.tilde; ≳ gt.tilde; ≺ prec; ≻ succ; ≼ prec.eq; ≽ succ.eq; ∈
    in; ∉ in.not; ∋ in.rev; ∌ in.rev.not; ⊂ subset; ⊃ supset; ⊆ subset.eq; ⊇ supset.eq; ⊄ subset.not; ⊅ supset.not; ⊈
    subset.eq.not; ⊉ supset.eq.not; ⊊ subset.neq; ⊋ supset.neq; ⊏ subset.sq; ⊐ supset.sq; ⊑ subset.eq.sq; ⊒
    supset.eq.sq; ⋐ subset.double; ∣ divides; ∤ divides.not; ∥ parallel bar.v.double; ∦ parallel.not; ⊥ perp bot; ⊤
    top; ⊢ tack.r; ⊣ tack.l; ⊨ tack.r.double models; ⊩ forces; ⊲ lt.tri; ⊳ gt.tri; ⊴ lt.tri.eq; ⊵ gt.tri.eq; ⋈ join; ≀
    wreath; ⋊ times.r; ⋉ times.l; → arrow.r arrow.r.long -->; ← arrow.l arrow.l.long <- <--; ↔ arrow.l.r
    arrow.l.r.long <-->; ↦ arrow.r.bar arrow.r.long.bar; ⇒ arrow.r.double arrow.r.double.long ==>; ⇐ arrow.l.double
    arrow.l.double.long <==; ⇔ arrow.l.r.double arrow.l.r.double.long <==>; ↪ arrow.r.hook; ↩ arrow.l.hook; ↠
    arrow.r.twohead ->>; ↣ arrow.r.tail >->; ↑ arrow.t; ↓ arrow.b; ↕ arrow.t.b; ⇑ arrow.t.double; ⇓ arrow.b.double; ↗
    arrow.tr; ↘ arrow.br; ↙ arrow.bl; ↖ arrow.tl; ⇝ arrow.r.squiggly ~>; ⇀ harpoon.rt; ⇁ harpoon.rb; ↼ harpoon.lt; ↽
    harpoon.lb; ⇌ harpoons.rtlb; ⇋ harpoons.ltrb; ⇉ arrows.rr; ⇄ arrows.rl; ⇆ arrows.lr; ↾ harpoon.tr; ∞ infinity oo;
    ∅ emptyset nothing; ∂ partial diff; ∇ nabla gradient; ∀ forall; ∃ exists; ∄ exists.not; … dots dots.h dots.h.c; ⋮
    dots.v; ⋱ dots.down; ⋰ dots.up; ′ prime; ‵ prime.rev; ∠ angle; ∡ angle.arc; ℓ ell; ℏ planck planck.reduce; ℵ aleph
    alef; ∴ therefore; ∵ because; ° degree; ■ qed square.filled; □ square square.stroked; ◊ lozenge; ⋄ diamond; †
    dagger; ‡ dagger.double; ∁ complement; ♯ sharp; ♭ flat; ♮ natural; ⟨ angle.l chevron.l; ⟩ angle.r chevron.r; ⟪
    angle.l.double chevron.l.double; ⟫ angle.r.double chevron.r.double; ⌊ floor.l; ⌋ floor.r; ⌈ ceil.l; ⌉ ceil.r; ⟦
    bracket.l.double; ⟧ bracket.r.double; ( paren.l; ) paren.r; [ bracket.l; ] bracket.r; { brace.l; } brace.r; |
    bar.v; , comma; ; semi; : colon; / slash; ! excl; ? quest; & amp; # hash; % percent; § section; d dif; D Dif;
"""

_LEAN = r"""
    ℝ Real; ℕ Nat; ℤ Int; ℚ Rat; ℂ Complex; π Real.pi; ⋅ * •; ∧ /\ && And; ∨ \/ || Or; ¬ Not; ∃ exists ∃!; ⇔ Iff <->
    ↔; ↦ =>; ∖ \; ∀ forall; ∈ in; ∪ Union; sin Real.sin; cos Real.cos; tan Real.tan; cot Real.cot; arcsin
    Real.arcsin; arccos Real.arccos; arctan Real.arctan; sinh Real.sinh; cosh Real.cosh; tanh Real.tanh; exp Real.exp;
    log Real.log; ln Real.log; det Matrix.det; tr Matrix.trace; rank Matrix.rank; gcd Nat.gcd; lcm Nat.lcm; deg
    Polynomial.degree; dim Module.finrank; ker LinearMap.ker; card Finset.card; sgn SignType.sign; ℜ Complex.re; ℑ
    Complex.im; sup sSup; inf sInf; mod %;
"""


def _entries(lines: str) -> dict[str, list[str]]:
    """Label → names; the semicolon is itself a symbol, so that only one that a name precedes ends an entry."""
    names: dict[str, list[str]] = {}
    label = ""
    for word in lines.split():
        ends = len(word) > 1 and word[-1] == ";"
        name = word[:-1] if ends else word
        if label:
            names.setdefault(label, []).append(name)
        label = "" if ends else label or name
    return names


_DOUBLED = "".join(f"{blackboard(letter)} {letter}{letter}; " for letter in "ABCDEFGHIJKLMNOPQRSTUVWXYZ")

SYMBOL_NAMES: dict[PlainNotation, dict[str, list[str]]] = {
    "unicode": _entries(_SIGNS),
    "asciimath": _entries(_ASCIIMATH + _SIGNS),
    "typst": _entries(_TYPST + _DOUBLED + _SIGNS),
    "lean": _entries(_LEAN + _SIGNS),
    "spoken": SPOKEN_NAMES,
}
"""Notation → label → the names that its symbol has there beside its character and LaTeX's name."""
