"""Values of subexpressions as terms: equal expressions share them, however they are written."""

from __future__ import annotations

from porism.formula.tree import OperatorTree
from porism.formula.values import expression_values


def values(operators: OperatorTree) -> list[str]:
    """Two terms for each subexpression that has a value that says something: ``=…`` by name, ``~…`` up to renaming of
    variables (see :mod:`porism.formula.values`)."""
    terms: list[str] = []
    for _, named, renamed in expression_values(operators):
        terms.append(named)
        if renamed:
            terms.append(renamed)
    return terms
