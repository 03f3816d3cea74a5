"""Editing operator trees in place, and applying one of many rules somewhere in a tree."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from random import Random
from typing import NamedTuple

from porism.formula.operators.rules import UNORDERED
from porism.formula.tree import OperatorNode

Edit = Callable[[OperatorNode, OperatorNode, Random], bool]
"""Changes a node (first argument) of the tree below a root (second) in place; whether it did."""

_FLAT = frozenset({"plus", "times"})
_MAX_TRIED = 24


class EditRule(NamedTuple):
    """One kind of change: its ``name``, the labels of the nodes that it may change (of all nodes where there are none),
    and how."""

    name: str
    labels: frozenset[str]
    edit: Edit


Rules = tuple[Mapping[str, Sequence[EditRule]], Sequence[EditRule]]
"""Rules by the label of a node, and those for nodes of any label."""


def rule_table(rules: Iterable[EditRule]) -> Rules:
    """Rules arranged so that those of a node are found at once."""
    by_label: dict[str, list[EditRule]] = defaultdict(list)
    everywhere = []
    for rule in rules:
        if not rule.labels:
            everywhere.append(rule)
        for label in rule.labels:
            by_label[label].append(rule)
    return dict(by_label), everywhere


def apply_one(rules: Rules, root: OperatorNode, random: Random, without: Collection[str] = ()) -> EditRule | None:
    """Applies a rule to a node of a tree, both by chance; returns it, None where none was found that changes it.

    :param without: the names of rules that are not applied.
    """
    by_label, everywhere = rules
    sites: dict[str, list[tuple[EditRule, OperatorNode]]] = defaultdict(list)
    for node in root.walk():
        for rule in (*by_label.get(node.label, ()), *everywhere):
            if rule.name not in without:
                sites[rule.name].append((rule, node))
    for _ in range(_MAX_TRIED):
        if not sites:
            return None
        name = random.choice(list(sites))  # a rule first, so that those of many places do not drown the others
        of_rule = sites[name]
        rule, node = of_rule.pop(random.randrange(len(of_rule)))
        if not of_rule:
            del sites[name]
        if rule.edit(node, root, random):
            return rule
    return None


def node_of(label: str, *children: OperatorNode) -> OperatorNode:
    """An operator with operands."""
    return OperatorNode(label, "U" if label in UNORDERED else "O", list(children))


def number(value: int) -> OperatorNode:
    """A whole number."""
    return OperatorNode(str(value), "N") if value >= 0 else node_of("neg", OperatorNode(str(-value), "N"))


def become(node: OperatorNode, other: OperatorNode) -> bool:
    """Makes a node what another one is; always true, as what an edit answers."""
    node.label, node.kind, node.children = other.label, other.kind, other.children
    return True


def relabel(node: OperatorNode, label: str) -> bool:
    """Gives an operator another label, and the kind that goes with it; always true."""
    node.label, node.kind = label, "U" if label in UNORDERED else "O"
    return True


def copied(node: OperatorNode) -> OperatorNode:
    """A tree of its own, without offsets, as parsing gives it: sums within sums and products within products are flat.
    """
    root = OperatorNode(node.label, node.kind)
    stack = [(node, root)]
    while stack:
        source, target = stack.pop()
        pending = list(reversed(source.children))
        while pending:
            child = pending.pop()
            if child.label == target.label and child.label in _FLAT and child.children:
                pending.extend(reversed(child.children))
                continue
            made = OperatorNode(child.label, child.kind)
            target.children.append(made)
            if child.children:
                stack.append((child, made))
    return root


def same(first: OperatorNode, second: OperatorNode) -> bool:
    """Whether two trees are equal, node by node."""
    return signature(first) == signature(second)


def signature(node: OperatorNode) -> tuple[tuple[str, str, int], ...]:
    """What two trees share if and only if they are equal: kind, label and number of operands of each node."""
    return tuple((inner.kind, inner.label, len(inner.children)) for inner in node.walk())
