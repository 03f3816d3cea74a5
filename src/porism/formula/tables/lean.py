"""How tightly the operators of Lean and Mathlib bind, and what its signs and names are called elsewhere, as data."""

from __future__ import annotations

from typing import NamedTuple


class Binding(NamedTuple):
    """How an operator binds: its precedence, and whether the operand on its right may have the same."""

    precedence: int
    is_right: bool = False


class Operator(NamedTuple):
    """The label and kind of an operator."""

    label: str
    kind: str = "O"


_INFIX = r"""
    100l ⊗; 90r ∘; 85l ∘ₗ; 82r ×ˢ; 80r ≫ ⋙ ⊚ ⊳ ⊲; 80l '' ⁻¹'; 75r ^; 73r • +ᵥ; 72l ᵥ* ⬝ᵥ ⋅ᵥ; 71l *ᵥ; 70l * / % ⋅ ∩ ∗ ⋆ ⋊
    ⋉ \ ∖; 69l ⊓; 68l ⊔; 67r
    ::; 65l + - ∪ ++ -ᵥ ± ∓ && || ∆; 60r ⇨; 50l = ≠ < ≤ > ≥ ∈ ∉ ∋ ⊆ ⊂ ⊇ ⊃ ⊈ ∣ ∤ ≡ ≢ ≈ ∼ ~ == != ⋖ ⩿
    ≺ ≼ ⊏ ⊑ ≪ ⊣ ∥ ⟂ ≍ =o =O =Θ; 35r ∧ ×; 30r ∨ ⊕; 26r ⥤; 25r → ⇒ ≃ ↪ ↠ ≅ ≌ ⊢; 20l ↔ ⇔; 60l ∂; 12l ..; 10r <| $ ▸;
    10l |>; 10r ⟶; 3l given
"""
"""Precedence and side, then operators; those with letters or signs behind them (``→ₗ``, ``≃ₜ``) bind as without."""

INFIX = {
    sign: Binding(int(level[:-1]), level[-1] == "r")
    for level, *signs in map(str.split, _INFIX.split(";")) for sign in signs
}
AFTER_MEASURE = 70
"""Operators that bind less are outside of an integral whose measure is before them."""
UNKNOWN_INFIX = Binding(65)
"""How an operator binds that is not listed."""

OPERATORS = {
    "↔": Operator("iff", "U"), "⇔": Operator("iff", "U"), "×": Operator("product"), "⟶": Operator("hom"),
    "•": Operator("smul"), "*": Operator("times", "U"), "+": Operator("plus", "U"), "/": Operator("divide"),
    "^": Operator("sup"), "%": Operator("mod"), "''": Operator("image"), "⁻¹'": Operator("preimage"),
    "⊗": Operator("otimes", "U"), "∂": Operator("∂"), "\\": Operator("setminus"), "∣": Operator("divides"),
}
"""Sign → operator, where it is not the one that the character has in LaTeX."""

PREFIX = {
    "¬": ("not", 40), "-": ("neg", 75), "√": ("sqrt", 100), "∛": ("root", 100), "∜": ("root", 100), "#": ("card", 100),
    "⋃₀": ("sUnion", 110), "⋂₀": ("sInter", 110), "!": ("not", 40), "∇": ("nabla", 100),
}
"""Sign → the label of its operator, and the precedence of its operand."""

DEGREES = {"∛": "3", "∜": "4"}
"""Sign → the degree of the root."""

POSTFIX = {
    "!": "factorial", "‼": "factorial2", "ᶜ": "complement", "ᵀ": "transpose", "ᴴ": "adjoint", "†": "adjoint",
    "ᵒᵖ": "op", "ᵐᵒᵖ": "op", "ᵃᵒᵖ": "op", "ᵒᵈ": "dual", "ˣ": "units", "⁺": "pospart", "⁻": "negpart", "ᗮ": "orthogonal",
    "₊": "plus_part", "ₑ": "e_part",
}
"""Sign behind an operand → the label of its operator."""

BINDERS = {
    "∀": ("forall", 0), "∃": ("exists", 0), "∃!": ("exists1", 0), "fun": ("mapsto", 0), "λ": ("mapsto", 0),
    "Σ": ("sum", 67), "Π": ("prod", 67), "∑": ("sum", 67), "∏": ("prod", 67), "∑'": ("sum", 67), "∏'": ("prod", 67),
    "∑ᶠ": ("sum", 67), "∏ᶠ": ("prod", 67), "∫": ("int", 60), "∫⁻": ("int", 60), "⨍": ("average", 60),
    "⨆": ("bigsqcup", 60), "⨅": ("bigsqcap", 60), "⋃": ("bigcup", 60), "⋂": ("bigcap", 60), "⨁": ("bigoplus", 60),
    "⨂": ("bigotimes", 60), "∃ᶠ": ("frequently", 0), "∀ᶠ": ("eventually", 0), "∀ᵐ": ("almost", 0),
}
"""Sign that introduces variables → the label of its operator, and the precedence of what follows the comma."""

VARIABLE_FIRST = frozenset("forall exists exists1 mapsto frequently eventually almost".split())
"""Operators whose variable comes before what is said of it; else after, as it is below a big operator."""

BRACKETS = {
    "(": ")", "[": "]", "{": "}", "⟨": "⟩", "⦃": "⦄", "⌊": "⌋", "⌈": "⌉", "⟪": "⟫", "⟦": "⟧", "‹": "›", "|": "|",
    "‖": "‖",
}
ENCLOSING = {
    "⌊": Operator("floor"), "⌈": Operator("ceil"), "⟪": Operator("inner"), "⟦": Operator("class"),
    "[": Operator("list"), "{": Operator("set", "U"), "⟨": Operator("tuple"), "(": Operator("tuple"),
    "|": Operator("abs"), "‖": Operator("norm"), "⦃": Operator("set", "U"), "‹": Operator("proof"),
}
"""Opening bracket → what it makes of its content."""

NAMES = {
    "choose": "binom", "lambda": "λ", "Icc": "closed", "Ico": "closed_open", "Ioc": "open_closed", "Real": "ℝ",
    "Nat": "ℕ", "Int": "ℤ", "Rat": "ℚ", "Complex": "ℂ", "pi": "π", "True": "⊤",
    "sup": "supremum", "inf": "infimum", "sub": "minus", "prime": "is_prime",
}
"""Name, the last part of it where it has several → what it is called elsewhere; powers, indices and primes are labels
of trees."""
