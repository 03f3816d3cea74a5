"""The term counts of a query formula in each channel; the formula may have wildcards."""

from __future__ import annotations

from collections import Counter

from porism.analysis.term_columns import indexed_form
from porism.formula import LayoutTree, OperatorNode, OperatorTree, extract
from porism.formula.values import WHOLE_MARKS
from porism.retrieve.formulas.equal_formulas import VALUES

_STAND_INS = (("V", "x", 0.5), ("N", "2", 0.5))
"""The symbols that stand for a wildcard in terms: kind, label, weight."""


def count_terms(channel: str, layout: LayoutTree, operators: OperatorTree) -> dict[str, float]:
    """The count of each term of a formula in a channel."""
    return dict(Counter(map(indexed_form, _summed(channel, layout, operators))))


def count_with_stand_ins(channel: str, layout: LayoutTree, operators: OperatorTree) -> dict[str, float]:
    """:func:`count_terms` for a formula with wildcards, each once as a variable and once as a number."""
    counts: Counter[str] = Counter()
    for kind, label, weight in _STAND_INS:
        stand_in = OperatorTree(_replaced(operators.root, kind, label), operators.source)
        for term in map(indexed_form, extract(channel, layout, stand_in)):
            counts[term] += weight  # type: ignore[assignment]  # counters of numbers count halves as well
    return dict(counts)


def has_wildcard(operators: OperatorTree) -> bool:
    """Whether a formula has a wildcard."""
    return any(node.kind == "W" for node in operators.root.walk())


def _summed(channel: str, layout: LayoutTree, operators: OperatorTree) -> list[str]:
    """The terms of a query formula in a channel.

    The value of the whole formula is left out: it has its own search (:mod:`porism.retrieve.formulas.equal_formulas`),
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
