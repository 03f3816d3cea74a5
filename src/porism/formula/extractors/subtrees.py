"""Subexpressions as terms, variables renamed: ``a²+b²`` inside any formula is the term of ``x²+y²``.

Whole subtrees as terms, with variables unified, are the idea of MIaS (Sojka and Líška, *The art of mathematics
retrieval*, 2011); here they come from the operator tree, so that the order of commutative operands does not matter.
"""

from __future__ import annotations

from porism.formula.extractors.walk import MOST_NODES
from porism.formula.tree import OperatorNode, OperatorTree

LARGEST_SUBTREE = 30
"""Larger subexpressions make no term: they hardly ever occur twice, and this bounds the work to linear."""


def subtrees(operators: OperatorTree) -> list[str]:
    """One term for each operator with at most :data:`LARGEST_SUBTREE` nodes below and with it: ``label(child,…)``.

    Operands of unordered operators are sorted by their form with all variables alike; then variables are numbered
    ``v0, v1, …`` by first appearance in the subtree. Numbers and constants stay.
    """
    forms: dict[int, str] = {}
    tokens: dict[int, list[str]] = {}
    sizes: dict[int, int] = {}
    terms: list[str] = []
    for node in reversed(_preorder(operators.root)):
        key = id(node)
        children = node.children
        if not children:
            sizes[key] = 1
            if node.kind == "V":
                forms[key] = "v"
                tokens[key] = ["\0" + node.label]
            else:
                forms[key] = node.label
                tokens[key] = [node.label]
            continue
        size = 1
        for child in children:
            size += sizes.get(id(child), LARGEST_SUBTREE)
        sizes[key] = size
        if size > LARGEST_SUBTREE:
            continue
        below = [id(child) for child in children]
        if node.kind == "U":
            below.sort(key=forms.__getitem__)
        opening = node.label + "("
        forms[key] = f"{opening}{','.join([forms[child] for child in below])})"
        flat = [opening]
        for operand in below:
            flat += tokens[operand]
            flat.append(",")
        flat[-1] = ")"
        tokens[key] = flat
        names: dict[str, str] = {}
        terms.append("".join([
            token if token[:1] != "\0" else names[token] if token in names
            else names.setdefault(token, f"v{len(names)}")
            for token in flat
        ]))
    terms.reverse()
    return terms


def _preorder(root: OperatorNode) -> list[OperatorNode]:
    nodes: list[OperatorNode] = []
    for node in root.walk():
        if len(nodes) == MOST_NODES:
            break
        nodes.append(node)
    return nodes
