"""What the signs of Lean are: operators between operands, and the labels that these have in LaTeX."""

from __future__ import annotations

from functools import lru_cache

from porism.formula.latex.parser import parse_latex
from porism.formula.operators.builder import operator_tree
from porism.formula.tables.lean import BINDERS, INFIX, OPERATORS, Operator


@lru_cache(4_096)
def operator_of(sign: str) -> Operator:
    """The operator that a sign is: that of its character in LaTeX, where it has one."""
    operator = OPERATORS.get(sign)
    if operator is not None:
        return operator
    root = operator_tree(parse_latex(f"x {sign} y")).root
    if [(child.kind, child.label) for child in root.children] == [("V", "x"), ("V", "y")] and root.kind in "UO":
        return Operator(root.label, root.kind) if root.label not in ("list", "apply") else Operator(sign)
    return Operator(sign)


@lru_cache(4_096)
def is_infix(sign: str) -> bool:
    """Whether a sign that is not listed stands between operands."""
    return sign in INFIX or sign[0] in INFIX or operator_of(sign) != Operator(sign)


OPERATOR_LABELS = frozenset((
    *(operator_of(sign).label for sign in INFIX), *(label for label, _ in BINDERS.values()),
    *(operator.label for operator in OPERATORS.values()),
    "apply", "sub", "sup", "subsup", "diff", "setbuilder", "set", "tuple", "list",
))  # fmt: skip
"""Labels of operators that are no functions with a name."""
