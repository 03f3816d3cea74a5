r"""Symbols of Isabelle as characters: ``\<forall>`` gives ``∀``. Most are named as in LaTeX; others are in a table."""

from __future__ import annotations

import re
from functools import lru_cache

from porism.formula.tables.alphabets import styled
from porism.formula.tables.lookup import SYMBOLS, blackboard

_CHARACTERS = dict(
    pair.split() for pair in r"""
    open ‹; close ›; and ∧; or ∨; not ¬; And ⋀; Or ⋁; noteq ≠; union ∪; inter ∩; Union ⋃; Inter ⋂; lbrakk ⟦; rbrakk ⟧;
    lparr ⦇; rparr ⦈; lblot ⦃; rblot ⦄; Sum ∑; Prod ∏; Coprod ∐; integral ∫; ointegral ∮; infinity ∞; nat ℕ; int ℤ; rat
    ℚ; real ℝ; complex ℂ; bool 𝔹; turnstile ⊢; Turnstile ⊨; tturnstile ⊩; TTurnstile ⊫; stileturn ⊣; bar ¦; squnion ⊔;
    sqinter ⊓; Squnion ⨆; Sqinter ⨅; bottom ⊥; box □; diamond ◇; up ↑; down ↓; updown ↕; Up ⇑; Down ⇓; inverse ¯; acute
    ´; Parallel ∥; lless ≪; ggreater ≫; sqdot ⊡; bind ⤜; then ⪢; hole ⌑; index ı; comment ―; hyphen -; section §; zero
    𝟬; one 𝟭; Longrightarrow ⟹; Longleftarrow ⟸; Longleftrightarrow ⟷; longrightarrow ⟶; longleftarrow ⟵;
    longleftrightarrow ⟷; longmapsto ⟼; longlongrightarrow ⤏; longlonglongrightarrow ⇢; phi φ; epsilon ε; proof proof;
    guillemotleft «; guillemotright »; cdot ⋅; bullet ∙; Ztypecolon ⦂; Zpfun ⇸; Zcomp ⨾; Zsemi ⨟; newline ⏎; onehalf ½
    """.split(";")
)
"""Symbols that LaTeX names in another way, or that have another character there."""
_CHARACTERS |= {"^sub": "_", "^sup": "^", "^bsub": "_(", "^esub": ")", "^bsup": "^(", "^esup": ")", "^bold": ""}
"""What sets the next symbols lower, higher or bold."""

_SYMBOL = re.compile(r"\\<(\^?\w+)>")


def with_characters(text: str) -> str:
    """A text of Isabelle with characters for its symbols. Unknown ones stay; lines stay where they are."""
    return _SYMBOL.sub(lambda match: _character(match.group(1), match.group()), text) if "\\<" in text else text


@lru_cache(maxsize=10_000)
def _character(name: str, written: str) -> str:
    if name in _CHARACTERS:
        return _CHARACTERS[name]
    if len(name) == 1 and name.isascii() and name.isalpha():
        return styled(name, "cal") if name.isupper() else name
    if len(name) == 2 and name[0] == name[1] and name.isalpha():
        return styled(name[0], "frak")
    if name.startswith("bbb") and len(name) == 4:
        return blackboard(name[-1])
    return SYMBOLS.get(f"\\{name}", (written, ""))[0]
