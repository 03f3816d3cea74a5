"""Subexpressions of two formulas that have one value."""

from __future__ import annotations

from typing import NamedTuple

from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values import expression_values

MAX_SHARED = 50
"""So many pairs of subexpressions are listed."""


class SharedValue(NamedTuple):
    """Subexpressions with the same value, by preorder position in either operator tree.

    ``renamed`` is True if they are equal only after renaming variables; ``size`` counts the nodes of the first.
    """

    first: int
    second: int
    renamed: bool
    size: int


def shared_values(first: OperatorTree, second: OperatorTree) -> list[SharedValue]:
    """The largest subexpressions of the first that have the value of one of the second, by name where possible, else
    up to renaming; none within another."""
    of_first, of_second = expression_values(first), expression_values(second)
    sizes, second_sizes = subtree_sizes(first.root), subtree_sizes(second.root)
    chosen: list[SharedValue] = []
    covered: list[tuple[int, int]] = []
    for kind in ("named", "renamed"):
        where: dict[str, int] = {}
        for expression in of_second:
            if term := getattr(expression, kind):
                where.setdefault(term, expression.position)
        for expression in of_first:
            term, place = getattr(expression, kind), expression.position
            position = where.get(term) if term else None
            if position is None or any(start <= place < stop for start, stop in covered):
                continue
            covered.append((place, place + sizes[place]))
            if position < len(second_sizes):
                chosen.append(SharedValue(place, position, kind == "renamed", sizes[place]))
    return chosen[:MAX_SHARED]


def subtree_sizes(root: OperatorNode) -> list[int]:
    """The number of nodes of each subtree, in preorder. Not recursive."""
    nodes = list(root.walk())
    sizes: dict[int, int] = {}
    for node in reversed(nodes):
        sizes[id(node)] = 1 + sum(sizes[id(child)] for child in node.children)
    return [sizes[id(node)] for node in nodes]
