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
    bar.v bar; , comma; ; semi; : colon; / slash; ! excl; ? quest; & amp; # hash; % percent; § section; d dif; D Dif;
    Α Alpha; Β Beta; Χ Chi; Ϝ Digamma; Ε Epsilon; Η Eta; Ι Iota; Κ Kappa; Μ Mu; Ν Nu; ℧ Omega.inv; Ο Omicron; Ρ Rho;
    Τ Tau; Ζ Zeta; ⋏ and.curly; ⟑ and.dot; ⩓ and.double; ∟ angle.right; ∢ angle.spheric; ≊ approx.eq; ⇢
    arrow.r.dashed; ⤇ arrow.r.double.bar arrow.r.double.long.bar; ⇏ arrow.r.double.not; ⇝ arrow.r.long.squiggly
    arrow.r.wave; ↬ arrow.r.loop; ↛ arrow.r.not; ⇥ arrow.r.stop; ⇸ arrow.r.struck; ⇻ arrow.r.dstruck; ⤔
    arrow.r.tail.struck; ⤕ arrow.r.tail.dstruck; ⥲ arrow.r.tilde; ⇛ arrow.r.triple; ⤖ arrow.r.twohead.tail; ⇾
    arrow.r.open; ↤ arrow.l.bar arrow.l.long.bar mapsfrom.long; ⇠ arrow.l.dashed; ⤆ arrow.l.double.bar
    arrow.l.double.long.bar; ⇍ arrow.l.double.not; ↫ arrow.l.loop; ↚ arrow.l.not; ⇜ arrow.l.squiggly arrow.l.wave; ⇤
    arrow.l.stop; ⇷ arrow.l.struck; ↢ arrow.l.tail; ⇚ arrow.l.triple; ↞ arrow.l.twohead; ⇽ arrow.l.open; ⇡
    arrow.t.dashed; ⇞ arrow.t.dstruck; ⇣ arrow.b.dashed; ⇟ arrow.b.dstruck; ⇎ arrow.l.r.double.not; ↮ arrow.l.r.not;
    ⇿ arrow.l.r.open; ↭ arrow.l.r.wave; ⇕ arrow.t.b.double; ⇗ arrow.tr.double; ⇘ arrow.br.double; ⇖ arrow.tl.double;
    ⇙ arrow.bl.double; ⤡ arrow.tl.br; ⤢ arrow.tr.bl; ↺ arrow.ccw; ↶ arrow.ccw.half; ↻ arrow.cw; ↷ arrow.cw.half; ↯
    arrow.zigzag; ⇇ arrows.ll; ⇈ arrows.tt; ⇊ arrows.bb; ⇅ arrows.tb; ⇵ arrows.bt; ⇶ arrows.rrr; ⊛ ast.op.o
    convolve.o; * ast.basic ast.low convolve; ⧆ ast.square; ≭ asymp.not; ⦀ bar.v.triple; ⋈
    bowtie.stroked; ⦃ brace.l.stroked; ⦄ brace.r.stroked; ⏞ brace.t; ⏟ brace.b; ⟦ bracket.l.stroked; ⟧
    bracket.r.stroked; ⎴ bracket.t; ⎵ bracket.b; • bullet.op circle.filled.small; ⦿ bullet.o; ◦ bullet.stroked; ⊜
    eq.o; ⦉ chevron.l.closed; ⦊ chevron.r.closed; ∘ circle.stroked circle.stroked.tiny; ◯ circle.stroked.big; ●
    circle.filled; ∷ colon.double; ⩴ colon.double.eq; ⊚ compose.o; ⌜ corner.l.t; ⌞ corner.l.b; ⌝ corner.r.t; ⌟
    corner.r.b; ◊ diamond.stroked lozenge.stroked; ⋄ diamond.stroked.small diamond.stroked.medium; ◆ diamond.filled;
    ⫮ divides.not.rev; ı dotless.i; ȷ dotless.j; ∅ emptyset.zero nothing.zero; ⩮ eq.ast; ≛ eq.star; ≕ eq.colon; ≐
    eq.dot; ≑ eq.dots; ≒ eq.dots.down; ≓ eq.dots.up; ≜ eq.delta; ≚ eq.equi; ≙ eq.est; ⋝ eq.gt; ⋜ eq.lt; ≞ eq.m; ⋞
    eq.prec; ⋟ eq.succ; ≡ eq.triple; ≢ eq.triple.not; ≣ eq.quad; ⊮ forces.not; ⧁ gt.o; ⋗ gt.dot; ⪆ gt.approx; ⪧
    gt.arc; ⊳ gt.closed; ⊵ gt.closed.eq; ⋭ gt.closed.eq.not gt.tri.eq.not; ⋫ gt.closed.not gt.tri.not; ⪢
    gt.double.nested; ⋛ gt.eq.lt; ≥ gt.equiv; ≷ gt.lt; ≹ gt.lt.not; ≩ gt.neq gt.nequiv; ⪊ gt.napprox; ⋧ gt.ntilde; ≵
    gt.tilde.not; ↿ harpoon.tl; ⇃ harpoon.bl; ⇂ harpoon.br; ⥎ harpoon.lt.rt; ⥐ harpoon.lb.rb; ⥋ harpoon.lb.rt; ⥊
    harpoon.lt.rb; ⊷ image; ∋ in.rev.small; ∈ in.small; ⨗ integral.arrow.hook; ⨑ integral.ccw; ∳ integral.cont.ccw;
    ∲ integral.cont.cw; ∱ integral.cw; ⨍ integral.dash; ⨎ integral.dash.double; ⨌ integral.quad; ⨏ integral.slash; ⨖
    integral.square; ∩ inter.serif; ⩀ inter.dot; ⋒ inter.double; ⊓ inter.sq.serif; ⩎ inter.sq.double; ⫼
    interleave.big; Δ Delta laplace; ⧫ lozenge.filled; ⧀ lt.o; ⋖ lt.dot; ⪅ lt.approx; ⪦ lt.arc; ⊲ lt.closed; ⊴
    lt.closed.eq; ⋬ lt.closed.eq.not lt.tri.eq.not; ⋪ lt.closed.not lt.tri.not; ⪡ lt.double.nested; ⋚ lt.eq.gt; ≤
    lt.equiv; ≶ lt.gt; ≸ lt.gt.not; ≨ lt.neq lt.nequiv; ⪉ lt.napprox; ⋦ lt.ntilde; ≴ lt.tilde.not; ↦ mapsto.long; ∸
    minus.dot; ≂ minus.tilde; ⧟ multimap.double; ⋎ or.curly; ⟇ or.dot; ⩔ or.double; ⊶ original; ⧣
    parallel.slanted.eq; ⧤ parallel.slanted.eq.tilde; ⟮ paren.l.flat; ⦇ paren.l.closed; ⦅ paren.l.stroked; ⟯
    paren.r.flat; ⦈ paren.r.closed; ⦆ paren.r.stroked; ⏜ paren.t; ⏝ paren.b; ℘ pee; ⨭ plus.o.l; ⨮ plus.o.r; ⟴
    plus.o.arrow; ∔ plus.dot; ⧺ plus.double; ⨣ plus.hat; ⪷ prec.approx; ≼ prec.curly.eq prec.equiv; ⋠
    prec.curly.eq.not; ⪻ prec.double; ⪹ prec.napprox; ⪱ prec.neq prec.nequiv; ⊀ prec.not; ⋨ prec.ntilde; ≾
    prec.tilde; ⟬ shell.l.stroked; ⟭ shell.r.stroked; ⊘ slash.o; ⫽ slash.double; □ square.stroked.medium; ■
    square.filled.medium; ⫉ subset.approx; ⫏ subset.closed; ⪽ subset.dot; ⫃ subset.eq.dot; ⋢ subset.eq.sq.not; ⊆
    subset.equiv; ⊊ subset.nequiv; ⪿ subset.plus; ⋤ subset.sq.neq; ⪸ succ.approx; ≽ succ.curly.eq succ.equiv; ⋡
    succ.curly.eq.not; ⪼ succ.double; ⪺ succ.napprox; ⪲ succ.neq succ.nequiv; ⊁ succ.not; ⋩ succ.ntilde; ≿
    succ.tilde; ⨋ sum.integral; ⫊ supset.approx; ⫐ supset.closed; ⪾ supset.dot; ⋑ supset.double; ⫄ supset.eq.dot; ⋣
    supset.eq.sq.not; ⊇ supset.equiv; ⊋ supset.nequiv; ⫀ supset.plus; ⋥ supset.sq.neq; ⊬ tack.r.not; ⟝ tack.r.long;
    ⊨ tack.rr; ⊭ tack.r.double.not tack.rr.not; ⫤ tack.l.double tack.ll; ⊥ tack.t; ⫫ tack.t.double tack.tt; ⊤
    tack.b; ⫪ tack.b.double tack.bb; ⟛ tack.l.r; ≄ tilde.eq.not; ⋍ tilde.eq.rev; ≇ tilde.equiv.not; ≆ tilde.nequiv;
    ∽ tilde.rev; ≌ tilde.rev.equiv; ≋ tilde.triple; ⨉ times.big; ⨴ times.o.l; ⨵ times.o.r; ⨶ times.o.hat; ⋇
    times.div; ⋋ times.three.l; ⋌ times.three.r; ▽ triangle.stroked.b triangle.stroked.small.b; ▷ triangle.stroked.r
    triangle.stroked.small.r; ◁ triangle.stroked.l triangle.stroked.small.l; △ triangle.stroked.small.t; ▲
    triangle.filled.t triangle.filled.small.t; ▼ triangle.filled.b triangle.filled.small.b; ▶ triangle.filled.r
    triangle.filled.small.r; ◀ triangle.filled.l triangle.filled.small.l; ∪ union.serif; ⊌ union.arrow; ⊍ union.dot;
    ⨃ union.dot.big; ⋓ union.double; ⊔ union.sq.serif; ⩏ union.sq.double; ⊕ xor; ⨁ xor.big;
"""

TYPST_SPACES = {
    "thin": "\\,", "med": "\\:", "thick": "\\;", "wide": "\\qquad", "space": "\\ ", "space.thin": "\\,",
    "space.med": "\\:", "space.quad": "\\quad", "zws": "{}", "wj": "{}", "zwj": "{}", "zwnj": "{}",
}  # fmt: skip
"""Typst's names of spaces, and of what has no width, beside LaTeX's."""

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
