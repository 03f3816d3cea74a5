"""Values of subexpressions as terms: equal expressions share them, however they are written."""

from __future__ import annotations

from porism.formula.tree import OperatorTree
from porism.formula.values import chain_values, expression_values, whole_value


def values(operators: OperatorTree) -> list[str]:
    """The values of a formula (:mod:`porism.formula.values`): ``=…`` by name and ``~…`` up to renaming of variables.

    Two terms for each subexpression that has a value that says something, and for the relations that chains say; and
    two for the whole formula, ``≡…`` and ``≅…``.
    """
    terms: list[str] = []
    for _, named, renamed in expression_values(operators):
        terms.append(named)
        if renamed:
            terms.append(renamed)
    terms += chain_values(operators)
    terms.extend(term for term in whole_value(operators)[:2] if term)
    return terms
