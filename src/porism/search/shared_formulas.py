"""What the formulas of two documents have in common: equal ones, sums with other bounds, subexpressions."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from porism.formula import OperatorNode, OperatorTree, layout_key, operator_tree, parse
from porism.formula.comparison.names import renaming
from porism.formula.operators.rules import BIG, INTEGRAL, RULES
from porism.formula.values import whole_value
from porism.formula.values.shared import subtree_sizes
from porism.system.concurrency.caching import cached_property
from porism.types import Formula

MAX_COMPARED = 80
"""Of a document's formulas the longest so many are compared with those of another."""

MIN_PART = 5
"""A part that two formulas share has at least so many nodes: ``1/n²`` has, ``n²`` has not."""

MIN_PART_SHARE = 0.15
"""A subexpression that two formulas share is at least this share of the larger one."""

_BINDERS = frozenset(rule.label for rule in RULES.values() if rule.role in (BIG, INTEGRAL))

Kind = Literal["same", "renamed", "equal value", "other bounds", "part"]


@dataclass(frozen=True, slots=True)
class SharedFormula:
    """Formulas of two documents that correspond: their numbers in reading order, and how.

    ``part`` is the preorder position in the left formula's operator tree of what both have: of a sum or integral that
    has ``other bounds`` on the right, or of a subexpression.
    """

    left: tuple[int, ...]
    right: tuple[int, ...]
    kind: Kind
    share: float = 1.0
    part: int = 0


class _Side:
    """A distinct formula of a document and where it is."""

    def __init__(self, formula: Formula, numbers: tuple[int, ...]) -> None:
        self.formula, self.numbers = formula, numbers
        self.tree = operator_tree(parse(formula))
        self.nodes = list(self.tree.root.walk())

    @cached_property
    def value(self) -> frozenset[str]:
        """The terms of its value as a whole."""
        whole = whole_value(self.tree)
        return frozenset(term for term in whole[:2] if term) if whole.telling else frozenset()

    @cached_property
    def parts(self) -> dict[tuple[str, str], tuple[int, int]]:
        """What is in it, by kind and value up to names: the largest place and its size."""
        parts: dict[tuple[str, str], tuple[int, int]] = {}
        for position, (node, size) in enumerate(zip(self.nodes, subtree_sizes(self.tree.root), strict=True)):
            for kind, name in self._named(node, size):
                parts.setdefault((kind, name), (position, size))
        return parts

    def _named(self, node: OperatorNode, size: int) -> Iterator[tuple[Kind, str]]:
        if node.label in _BINDERS and node.children and node.children[0].children:
            body = whole_value(OperatorTree(node.children[0], self.tree.source))
            if body.telling and body.renamed:
                yield "other bounds", f"{node.label} {body.renamed}"
        if MIN_PART <= size < len(self.nodes):
            own = whole_value(OperatorTree(node, self.tree.source))
            if own.telling:
                yield "part", own.renamed or own.named


def shared_formulas(lefts: Sequence[Formula], rights: Sequence[Formula]) -> Iterator[SharedFormula]:
    """The formulas of two documents that correspond, those of the left one longest first.

    Of each distinct formula on the left the closest kind that there is counts. Letters and numbers alone do not.
    """
    left_sides, right_sides = _sides(lefts), _sides(rights)
    by_value: defaultdict[str, list[_Side]] = defaultdict(list)
    by_part: defaultdict[tuple[str, str], list[_Side]] = defaultdict(list)
    for side in list(right_sides.values())[:MAX_COMPARED]:
        for term in side.value:
            by_value[term].append(side)
        for part in side.parts:
            by_part[part].append(side)
    for key, side in list(left_sides.items())[:MAX_COMPARED]:
        kind: Kind = "same"
        others = [right_sides[key]] if key in right_sides else []
        if not others:
            kind = "renamed"
            others = [
                other for other in right_sides.values()
                if len(other.nodes) == len(side.nodes) and renaming(side.tree, other.tree) is not None
            ]
        if not others:
            kind = "equal value"
            others = list(dict.fromkeys(other for term in side.value for other in by_value[term]))
        if others:
            yield SharedFormula(side.numbers, _numbers(others), kind)
            continue
        known = [
            (name[0] == "other bounds", size, position, by_part[name])
            for name, (position, size) in side.parts.items() if name in by_part
        ]
        if known:
            is_bound, size, position, others = max(known, key=lambda entry: entry[:2])
            share = size / max(len(other.nodes) for other in (side, *others))
            if is_bound or share >= MIN_PART_SHARE:
                kind = "other bounds" if is_bound else "part"
                yield SharedFormula(side.numbers, _numbers(others), kind, round(share, 3), position)


def _sides(formulas: Sequence[Formula]) -> dict[str, _Side]:
    """The distinct formulas that are more than a letter or a number, by normalised form, the longest first."""
    places: dict[str, list[int]] = {}
    for number, formula in enumerate(formulas):
        places.setdefault(layout_key(parse(formula)), []).append(number)
    sides = {key: _Side(formulas[numbers[0]], tuple(numbers)) for key, numbers in places.items()}
    return {
        key: side for key, side in sorted(sides.items(), key=lambda entry: -len(entry[1].formula.source))
        if side.tree.root.children
    }


def _numbers(sides: Sequence[_Side]) -> tuple[int, ...]:
    return tuple(sorted(number for side in sides for number in side.numbers))
