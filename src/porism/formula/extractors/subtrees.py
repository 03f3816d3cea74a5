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
    nodes = _preorder(operators.root)
    forms: dict[int, str] = {}
    sizes: dict[int, int] = {}
    terms: list[str] = []
    for node in reversed(nodes):
        if not node.children:
            forms[id(node)] = "v" if node.kind == "V" else node.label
            sizes[id(node)] = 1
            continue
        size = 1 + sum(sizes.get(id(child), LARGEST_SUBTREE) for child in node.children)
        sizes[id(node)] = size
        if size > LARGEST_SUBTREE:
            continue
        below = [forms[id(child)] for child in node.children]
        if node.kind == "U":
            below.sort()
        forms[id(node)] = f"{node.label}({','.join(below)})"
        terms.append(_renamed(node, forms))
    terms.reverse()
    return terms


def _preorder(root: OperatorNode) -> list[OperatorNode]:
    nodes: list[OperatorNode] = []
    for node in root.walk():
        if len(nodes) == MOST_NODES:
            break
        nodes.append(node)
    return nodes


def _renamed(root: OperatorNode, forms: dict[int, str]) -> str:
    names: dict[str, str] = {}
    pieces: list[str] = []
    stack: list[OperatorNode | str] = [root]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
        elif not node.children:
            pieces.append(names.setdefault(node.label, f"v{len(names)}") if node.kind == "V" else node.label)
        else:
            children = node.children
            if node.kind == "U":
                children = sorted(children, key=lambda child: forms[id(child)])
            pieces.append(f"{node.label}(")
            stack.append(")")
            for number in range(len(children) - 1, -1, -1):
                stack.append(children[number])
                if number:
                    stack.append(",")
    return "".join(pieces)
