"""How often each term of a channel counts in a query formula, which can have wildcards."""

from __future__ import annotations

from collections import Counter

from porism.analysis.analyzer import indexed_form
from porism.formula import LayoutTree, OperatorNode, OperatorTree, extract
from porism.formula.values import WHOLE_MARKS
from porism.retrieve.formulas.equal_values import VALUES

_STAND_INS = (("V", "x", 0.5), ("N", "2", 0.5))
"""What a wildcard stands for where terms need a symbol: kind, label, weight."""


def count_terms(channel: str, layout: LayoutTree, operators: OperatorTree) -> dict[str, float]:
    """How often a formula has each term that a channel sums over."""
    return dict(Counter(map(indexed_form, _summed(channel, layout, operators))))


def count_with_stand_ins(channel: str, layout: LayoutTree, operators: OperatorTree) -> dict[str, float]:
    """The same of a formula with wildcards: each wildcard once as a variable and once as a number."""
    counts: Counter[str] = Counter()
    for kind, label, weight in _STAND_INS:
        stand_in = OperatorTree(_replaced(operators.root, kind, label), operators.source)
        for term in map(indexed_form, extract(channel, layout, stand_in)):
            counts[term] += weight  # type: ignore[assignment]  # counters of numbers count halves as well
    return dict(counts)


def has_wildcard(operators: OperatorTree) -> bool:
    """Whether a formula is a pattern."""
    return any(node.kind == "W" for node in operators.root.walk())


def _summed(channel: str, layout: LayoutTree, operators: OperatorTree) -> list[str]:
    """The terms of a query formula that a channel sums over.

    The value of the whole formula is left out: it is searched by itself (:mod:`porism.retrieve.formulas.equal_values`),
    and would count twice.
    """
    terms = extract(channel, layout, operators)
    return [term for term in terms if term[:1] not in WHOLE_MARKS] if channel == VALUES else terms


def _replaced(root: OperatorNode, kind: str, label: str) -> OperatorNode:
    """A copy of a tree in which wildcards are leaves of this kind and label. Not recursive."""
    top = OperatorNode(root.label, root.kind, None, root.start, root.end)
    stack = [(root, top)]
    while stack:
        node, copy = stack.pop()
        if node.kind == "W":
            copy.kind, copy.label = kind, label
        for child in node.children:
            twin = OperatorNode(child.label, child.kind, None, child.start, child.end)
            copy.children.append(twin)
            stack.append((child, twin))
    return top
