"""Are two formulas equal? In which sense, by which steps; or at which point do they differ, and what do they share?

"Equal" is said only of what is: values in a prime field (:mod:`porism.formula.values`) must agree, no rational point
may show a difference, and what the equality assumes is named. ``docs/explanation/equality.md`` has what is covered.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from porism.formula.comparison.conventions import needed
from porism.formula.comparison.names import renaming
from porism.formula.comparison.numbers import after_renaming, as_values, difference_at
from porism.formula.comparison.pairs import FormulaPair, only_if
from porism.formula.comparison.results import EQUAL, Comparison, Difference, Relation, Step
from porism.formula.comparison.statements import as_statements
from porism.formula.keys import layout_key
from porism.formula.values.expressions import number
from porism.formula.values.shared import shared_values
from porism.types import Formula

__all__ = ["EQUAL", "Comparison", "Difference", "Relation", "Step", "compare"]

MIN_COMMON = 3
"""A common part has at least so many nodes."""


def compare(first: Formula, second: Formula) -> Comparison:
    """What two formulas are to each other. Total and bounded in time."""
    pair = FormulaPair((first, second))
    if layout_key(pair.layouts[0]) == layout_key(pair.layouts[1]):
        return Comparison("identical", "They are the same formula.")
    names = renaming(*pair.trees)
    if names is not None and not _clashes(names, pair):
        changed = _changed(names)
        clauses = [] if pair.expressions is None else _bold(pair)
        if clauses:
            return Comparison("conditional", only_if(clauses))
        if not changed:
            return Comparison("same value", "They are the same formula, set in another way.")
        return Comparison("renamed", "They are the same formula with other names.", names=changed)
    if pair.expressions is None:
        return _with_common(pair, Comparison(
            "unknown", "One of them has a wildcard, or is too large to be compared in value."
        ))
    left, right = pair.expressions
    result = as_statements(pair, left, right) or as_values(pair, left, right) or after_renaming(pair, left, right)
    if result is None:
        difference = difference_at(pair, left, right)
        also = "" if names is None else " With other names they are the same formula."
        if difference is not None:
            result = Comparison(
                "different", f"They differ.{also}", difference=difference, names=_changed(names or {})
            )
        else:
            result = Comparison(
                "unknown", f"No equality was found, and no point where they differ.{also}", names=_changed(names or {})
            )
    return result if result.equal else _with_common(pair, result)


def _clashes(names: Mapping[str, str], pair: FormulaPair) -> bool:
    """Whether a variable gets another name though one of both names means something in both: a−b is not b−a."""
    if pair.expressions is None:
        return any(old != new and new in names for old, new in names.items())
    free = [{leaf.label for name in each.variables for leaf in name.leaves} for each in pair.expressions]
    both = free[0] & free[1]
    return any(old != new and (old in both or new in both) for old, new in names.items())


def _changed(names: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((old, new) for old, new in names.items() if old != new)


def _bold(pair: FormulaPair) -> list[str]:
    """What is assumed of letters alone, for formulas of one tree."""
    assert pair.expressions is not None
    constant = number(0)
    return needed(constant, constant, pair.layouts)


def _with_common(pair: FormulaPair, comparison: Comparison) -> Comparison:
    shared = [each for each in shared_values(*pair.trees) if each.size >= MIN_COMMON and each.first]
    shared.sort(key=lambda each: -each.size)
    return replace(comparison, common=tuple(shared))
