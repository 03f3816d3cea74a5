"""Operator trees as bytes: how an index stores them, and how they are read back.

A packed tree begins with its number of nodes n and the number of children of each node in preorder (n + 1 little-endian
16-bit numbers). Then the nodes' labels follow, each with its kind letter in front and a line feed behind:
``Uplus Vx N2``. So many trees, one after the other, are split by one pass of compiled code
(:mod:`porism.index.engine.trees`).
"""

from __future__ import annotations

import struct

from porism.formula.extractors.walk import operator_walk
from porism.formula.tree import OperatorNode, OperatorTree

MAX_PACKED_NODES = 512
"""Trees are cut in preorder after so many nodes: it bounds what comparing two trees costs."""


def pack_tree(tree: OperatorTree) -> bytes:
    """The tree as bytes, at most :data:`MAX_PACKED_NODES` nodes; children that were cut are not counted."""
    walk = operator_walk(tree)
    nodes = walk.nodes
    if len(nodes) > MAX_PACKED_NODES:
        nodes = nodes[:MAX_PACKED_NODES]
        arities = [0] * len(nodes)
        for parent in walk.parents[1 : len(nodes)]:
            arities[parent] += 1
    else:
        arities = [len(node.children) for node in nodes]
    labels = "\n".join([node.kind + node.label for node in nodes])
    if labels.count("\n") != len(nodes) - 1:  # a label that has a line feed itself
        labels = "\n".join((node.kind + node.label).replace("\n", " ") for node in nodes)
    return struct.pack(f"<{len(nodes) + 1}H", len(nodes), *arities) + f"{labels}\n".encode("utf-8", "surrogatepass")


def unpack_tree(data: bytes) -> OperatorNode:
    """The root of a packed tree; the nodes have no offsets into a source.

    :raises ValueError: these are not the bytes of a packed tree.
    """
    try:
        (count,) = struct.unpack_from("<H", data)
        arities = struct.unpack_from(f"<{count}H", data, 2)
        *labels, rest = data[2 + 2 * count :].decode("utf-8", "surrogatepass").split("\n")
    except (struct.error, UnicodeDecodeError) as error:
        raise ValueError(f"not a packed tree: {error}") from None
    if rest or not len(labels) == count > 0 or not all(labels) or sum(arities) != count - 1:
        raise ValueError("not a packed tree: numbers and labels do not fit together")
    root = OperatorNode(labels[0][1:], labels[0][0])
    open_nodes = [(root, arities[0])] if arities[0] else []
    for label, arity in zip(labels[1:], arities[1:], strict=True):
        if not open_nodes:
            raise ValueError("not a packed tree: there are nodes that hang from none")
        parent, missing = open_nodes.pop()
        node = OperatorNode(label[1:], label[0])
        parent.children.append(node)
        if missing > 1:
            open_nodes.append((parent, missing - 1))
        if arity:
            open_nodes.append((node, arity))
    return root
