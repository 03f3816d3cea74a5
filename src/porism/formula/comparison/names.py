"""Formulas that are the same up to the names of their variables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from porism.formula.operators.rules import is_fixed_name
from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values.reading import may_be_imaginary


def renaming(first: OperatorTree, second: OperatorTree) -> Mapping[str, str] | None:
    """The one to one renaming of variables that makes the operator tree of the first that of the second.

    It has every variable, those that keep their names too; None where there is no such renaming. Numbers that have
    letters, such as e, π and the imaginary unit, keep them.
    """
    nodes, others = list(first.root.walk()), list(second.root.walk())
    if len(nodes) != len(others):
        return None
    there: dict[str, str] = {}
    back: dict[str, str] = {}
    for left, right in zip(nodes, others, strict=True):
        if left.kind != right.kind or len(left.children) != len(right.children):
            return None
        if left.kind == "V" and not left.children:
            if there.setdefault(left.label, right.label) != right.label:
                return None
            if back.setdefault(right.label, left.label) != left.label:
                return None
        elif left.label != right.label:
            return None
    fixed = any(old != new and (is_fixed_name(old) or is_fixed_name(new)) for old, new in there.items())
    return None if fixed or _renames_unit(there, nodes, others) else there


def _renames_unit(there: Mapping[str, str], nodes: Sequence[OperatorNode], others: Sequence[OperatorNode]) -> bool:
    """Whether the letter i is renamed where it is the imaginary unit."""
    changed = {name for pair in there.items() for name in pair if pair[0] != pair[1]}
    return "i" in changed and any(
        may_be_imaginary(own) and any(node.label == "i" for node in own) for own in (nodes, others)
    )
