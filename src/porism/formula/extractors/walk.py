"""One walk over each tree of a formula, as flat arrays that several extractors read."""

from __future__ import annotations

from porism.formula.operators.notation import tangent_label
from porism.formula.operators.rules import leaf_label
from porism.formula.tree import LayoutNode, LayoutTree, OperatorNode, OperatorTree, Row

MAX_NODES = 4_000
"""Symbols of a formula beyond these make no terms: no real formula has as many, and it bounds a hostile one."""

MAX_LOCATION_LENGTH = 16
"""A location (the path from the first symbol or the root) is cut after so many edges and then ends in ``+``."""


class LayoutWalk:
    """The layout tree as Tangent sees it: each symbol hangs from the one before it or from the one that it is written
    around.

    Parallel lists, parents before children. ``labels`` are ``V!x N!2 T!if O!divide O!binom O!root M!()1x2 W!x E!foo
    G!`` or the bare operator; ``parents`` are positions (-1 for the first symbol); ``edges`` one letter: ``n`` next,
    ``a`` above, ``b`` below, ``o`` over, ``u`` under, ``w`` within, ``e`` element, ``c`` above before, ``d`` below
    before; ``paths`` the edges from the first symbol; ``outgoing`` the edges that leave a symbol, ``n`` last.
    """

    __slots__ = ("edges", "labels", "outgoing", "parents", "paths")

    def __init__(self, layout: LayoutTree) -> None:
        self.labels: list[str] = []
        self.parents: list[int] = []
        self.edges: list[str] = []
        self.paths: list[str] = []
        self.outgoing: list[str] = []
        if layout.row:
            self._walk(layout.row)

    def _walk(self, top: Row) -> None:
        labels, parents, edges, paths, outgoing = self.labels, self.parents, self.edges, self.paths, self.outgoing
        stack: list[tuple[Row, int, str, str]] = [(top, -1, "", "")]
        while stack:
            row, parent, edge, path = stack.pop()
            last = len(row) - 1
            room = MAX_NODES - len(labels)
            if last >= room:
                last = room - 1
                if last < 0:
                    return
            for number in range(last + 1):
                node = row[number]
                position = len(labels)
                kind = node.kind
                if kind == "O":
                    labels.append(node.label)
                elif kind == "V" or kind == "N":
                    label = leaf_label(node.label, node.font) if node.font else node.label
                    labels.append(f"{kind}!{label}")
                else:
                    labels.append(_structure_label(node))
                parents.append(parent)
                edges.append(edge)
                if len(path) > MAX_LOCATION_LENGTH:
                    path = path[:MAX_LOCATION_LENGTH] + "+"
                paths.append(path)
                if (
                    node.above is None and node.below is None and node.within is None and node.over is None
                    and node.under is None and node.elements is None and node.pre_above is None
                    and node.pre_below is None
                ):
                    outgoing.append("n" if number < last else "")
                else:
                    outgoing.append(_push_children(node, position, path, stack) + ("n" if number < last else ""))
                parent = position
                edge = "n"
                path += "n"


def _push_children(node: LayoutNode, position: int, path: str, stack: list[tuple[Row, int, str, str]]) -> str:
    letters = ""
    for letter, row in (
        ("c", node.pre_above), ("d", node.pre_below), ("o", node.over), ("u", node.under), ("w", node.within),
        ("a", node.above), ("b", node.below),
    ):
        if row:
            stack.append((row, position, letter, path + letter))
            letters += letter
    if node.elements is not None:
        cells = [cell for line in node.elements for cell in line if cell]
        if cells:
            letters += "e"
            stack.extend((cell, position, "e", path + "e") for cell in cells[:MAX_NODES])
    return letters


def _structure_label(node: LayoutNode) -> str:
    kind = node.kind
    if kind == "F":
        return "O!divide" if node.label == "/" else "O!binom" if node.label == "choose" else f"O!{node.label}"
    if kind == "R":
        return "O!root"
    if kind == "M":
        rows = node.elements or []
        columns = max((len(line) for line in rows), default=0)
        return f"M!{node.label}{len(rows)}x{columns}"
    if kind == "T":
        return f"T!{' '.join(node.label.split())}"
    return f"{kind}!{node.label}"


_UNORDERED = "0" * MAX_NODES
_ORDERED = "012345678" + "9" * (MAX_NODES - 9)


class OperatorWalk:
    """The operator tree in preorder. ``labels`` are ``U!eq O!SUP V!x N!2 …``, ``parents`` positions (-1 for the root).

    ``edges`` are the numbers of children as Tangent-S gives them: from 0, at most 9, and 0 for every child of an
    unordered operator. ``nodes`` are the nodes themselves; a tree is cut after :data:`MAX_NODES`.
    """

    __slots__ = ("edges", "labels", "nodes", "parents")

    def __init__(self, operators: OperatorTree) -> None:
        root = operators.root
        nodes = [root]
        parents = [-1]
        edges = [""]
        parent = 0
        children = zip(root.children, _UNORDERED if root.kind == "U" else _ORDERED, strict=False)
        above: list[tuple[int, zip[tuple[OperatorNode, str]]]] = []
        while len(nodes) <= MAX_NODES:
            for node, edge in children:
                nodes.append(node)
                parents.append(parent)
                edges.append(edge)
                if node.children:
                    above.append((parent, children))
                    parent = len(nodes) - 1
                    children = zip(node.children, _UNORDERED if node.kind == "U" else _ORDERED, strict=False)
                    break
            else:
                if not above:
                    break
                parent, children = above.pop()
        if len(nodes) > MAX_NODES:
            for cut in (nodes, parents, edges):
                del cut[MAX_NODES:]
        self.nodes = nodes
        self.parents = parents
        self.edges = edges
        self.labels = [tangent_label(node) if node.children else f"{node.kind}!{node.label}" for node in nodes]


_layout_walk: tuple[LayoutTree | None, LayoutWalk | None] = (None, None)
_operator_walk: tuple[OperatorTree | None, OperatorWalk | None] = (None, None)


def layout_walk(layout: LayoutTree) -> LayoutWalk:
    """The walk over a layout tree. The last one is remembered, since extractors are called one after the other."""
    global _layout_walk
    known, walk = _layout_walk
    if known is not layout or walk is None:
        walk = LayoutWalk(layout)
        _layout_walk = (layout, walk)  # one assignment, so that threads at worst walk twice
    return walk


def operator_walk(operators: OperatorTree) -> OperatorWalk:
    """The walk over an operator tree, remembered like that of a layout."""
    global _operator_walk
    known, walk = _operator_walk
    if known is not operators or walk is None:
        walk = OperatorWalk(operators)
        _operator_walk = (operators, walk)
    return walk
