"""Operator trees in the notation of Tangent."""

from __future__ import annotations

from porism.formula.tree import OperatorNode, OperatorTree

_SCRIPTS = frozenset({"sup", "sub", "subsup"})


def tangent_label(node: OperatorNode) -> str:
    """A node as Tangent names it: ``U!eq``, ``V!x``; scripts are ``O!SUP O!SUB O!SUBSUP``."""
    label = node.label
    return f"{node.kind}!{label.upper() if node.children and label in _SCRIPTS else label}"


def operator_string(tree: OperatorTree | OperatorNode) -> str:
    """The tree in the notation of Tangent: ``[U!eq,0[V!x],1[N!2]]``. Not recursive."""
    pieces: list[str] = []
    stack: list[OperatorNode | str] = [tree.root if isinstance(tree, OperatorTree) else tree]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            pieces.append(node)
            continue
        pieces.append("[" + tangent_label(node))
        stack.append("]")
        for number in range(len(node.children) - 1, -1, -1):
            stack.append(node.children[number])
            stack.append(f",{number}")
    return "".join(pieces)
