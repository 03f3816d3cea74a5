"""Elements and symbols of Content MathML as data: how each operator is written."""

from __future__ import annotations

INFIX: dict[str, tuple[str, int]] = {
    "eq": ("=", 30), "neq": ("≠", 30), "lt": ("<", 30), "gt": (">", 30), "leq": ("≤", 30), "geq": ("≥", 30),
    "equivalent": ("≡", 30), "approx": ("≈", 30), "in": ("∈", 30), "notin": ("∉", 30), "subset": ("⊆", 30), "prsubset":
    ("⊂", 30), "notsubset": ("⊈", 30), "notprsubset": ("⊄", 30), "factorof": ("∣", 30), "tendsto": ("→", 30),
    "tendsto-above": ("→", 30), "tendsto-below": ("→", 30), "implies": ("⇒", 10), "and": ("∧", 20), "or": ("∨", 15),
    "xor": ("⊻", 15), "plus": ("+", 40), "minus": ("-", 40), "union": ("∪", 40), "intersect": ("∩", 45), "setdiff":
    ("∖", 40), "times": ("", 50), "cartesianproduct": ("×", 50), "vectorproduct": ("×", 50), "outerproduct": ("⊗", 50),
    "scalarproduct": ("⋅", 50), "compose": ("∘", 55), "rem": ("mod", 50), "formulae-sequence": (",", 5), "less-than":
    ("<", 30), "greater-than": (">", 30), "less-than-or-equals": ("≤", 30), "greater-than-or-equals": ("≥", 30),
    "not-equals": ("≠", 30), "iff": ("⇔", 10), "similar-to": ("∼", 30), "maps-to": ("↦", 30), "plus-or-minus": ("±",
    40), "direct-sum": ("⊕", 40), "tensor-product": ("⊗", 50), "divides": ("∣", 30), "proportional-to": ("∝", 30),
    "conditional": ("|", 12),
}
"""Element or symbol name → sign and precedence."""

FENCES: dict[str, tuple[str, str]] = {
    "abs": ("|", "|"), "card": ("|", "|"), "absolute-value": ("|", "|"), "floor": ("⌊", "⌋"), "ceiling": ("⌈", "⌉"),
    "norm": ("∥", "∥"), "set": ("{", "}"), "list": ("(", ")"), "vector": ("(", ")"), "open-interval": ("(", ")"),
    "closed-interval": ("[", "]"), "delimited-[]": ("[", "]"), "delimited-()": ("(", ")"), "delimited-⟨⟩": ("⟨", "⟩"),
}
"""Operators and constructors that put their arguments between fences."""

NAMED: dict[str, str] = {
    "infinity": "∞", "emptyset": "∅", "pi": "π", "exponentiale": "e", "imaginaryi": "i", "imaginary-unit": "i",
    "eulergamma": "γ", "reals": "ℝ", "integers": "ℤ", "naturalnumbers": "ℕ", "rationals": "ℚ", "complexes": "ℂ",
    "primes": "ℙ", "true": "⊤", "false": "⊥", "not": "¬", "forall": "∀", "exists": "∃", "for-all": "∀", "partialdiff":
    "∂", "grad": "∇", "laplacian": "Δ", "differential-d": "d", "real": "ℜ", "imaginary": "ℑ", "determinant": "det",
    "gcd": "gcd", "lcm": "lcm", "sum": "∑", "product": "∏", "int": "∫", "integral": "∫", "limit": "lim", "supremum":
    "sup", "infimum": "inf", "maximum": "max", "minimum": "min", "ident": "id", "codomain": "codomain", "image":
    "image", "domain": "domain", "arg": "arg", "contour-integral": "∮", "double-integral": "∬",
}
"""Empty elements and symbols that are one sign."""

BIG = frozenset({
    "sum", "product", "int", "limit", "max", "min", "forall", "exists", "integral", "supremum", "infimum", "lim",
})
"""Operators that bind a variable."""

QUALIFIERS = frozenset({
    "bvar", "lowlimit", "uplimit", "condition", "domainofapplication", "degree", "logbase", "momentabout",
})
_STRUCTURES = frozenset({
    "apply", "bind", "reln", "lambda", "interval", "piecewise", "piece", "otherwise", "matrix", "matrixrow", "declare",
    "share", "root", "power", "divide", "quotient", "factorial", "exp", "ln", "log", "conjugate", "transpose",
    "inverse", "selector", "diff", "mean", "max", "min", "fn", "subscript", "superscript",
})
_FUNCTIONS = frozenset({
    "sin", "cos", "tan", "sec", "csc", "cot", "sinh", "cosh", "tanh", "sech", "csch", "coth", "arcsin", "arccos",
    "arctan", "arccot", "arcsec", "arccsc", "arcsinh", "arccosh", "arctanh", "curl", "divergence",
})
CONTENT_ELEMENTS = _STRUCTURES | QUALIFIERS | _FUNCTIONS | BIG | (INFIX.keys() | FENCES.keys() | NAMED.keys())
LEAVES = frozenset({"ci", "cn", "csymbol", "cerror", "cs"})
"""Token elements."""
