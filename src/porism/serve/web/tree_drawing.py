"""Operator trees as SVG: laid out from the leaves up, a level a row, without styles that a page would have to allow."""

from __future__ import annotations

from html import escape
from typing import NamedTuple

from porism.formula import OperatorNode

ROW = 58
GAP = 18
CHARACTER = 8.6
HEIGHT = 28

WIDE = 560
"""A wider tree keeps its size and scrolls; others shrink to what is there, on a phone to two thirds at least."""

_SIGNS = {
    "eq": "=", "plus": "+", "minus": "−", "times": "×", "divide": "÷", "sum": "∑", "product": "∏", "int": "∫",
    "sup": "power", "sub": "index", "subsup": "index, power", "leq": "≤", "geq": "≥", "lt": "<", "gt": ">",
    "neq": "≠", "in": "∈", "root": "√", "lim": "lim",
}
"""What is drawn for an operator that has a better known sign than its name."""


class _Drawn(NamedTuple):
    """A node with its centre and its width."""

    node: OperatorNode
    x: float
    y: float
    width: float


def draw_tree(root: OperatorNode) -> str:
    """An operator tree as an ``<svg>`` element: operators in boxes, leaves in rounded ones, edges between them."""
    nodes = list(root.walk())
    width = {id(node): max(30.0, CHARACTER * len(_label(node)) + 18) for node in nodes}
    span: dict[int, float] = {}
    for node in reversed(nodes):
        below = sum(span[id(child)] for child in node.children) + GAP * max(0, len(node.children) - 1)
        span[id(node)] = max(width[id(node)], below)
    placed: dict[int, _Drawn] = {}
    stack: list[tuple[OperatorNode, float, int]] = [(root, 0.0, 0)]
    deepest = 0
    while stack:
        node, left, depth = stack.pop()
        deepest = max(deepest, depth)
        placed[id(node)] = _Drawn(node, left + span[id(node)] / 2, depth * ROW + HEIGHT / 2 + 1, width[id(node)])
        below = sum(span[id(child)] for child in node.children) + GAP * max(0, len(node.children) - 1)
        at = left + (span[id(node)] - below) / 2
        for child in node.children:
            stack.append((child, at, depth + 1))
            at += span[id(child)] + GAP
    edges, boxes = [], []
    for node in nodes:
        own = placed[id(node)]
        for child in node.children:
            below_it = placed[id(child)]
            top, bottom = own.y + HEIGHT / 2, below_it.y - HEIGHT / 2
            middle = (top + bottom) / 2
            edges.append(
                f'<path class="edge" d="M{own.x:.1f} {top:.1f}C{own.x:.1f} {middle:.1f} '
                f'{below_it.x:.1f} {middle:.1f} {below_it.x:.1f} {bottom:.1f}"/>'
            )
        kind = "operator" if node.children else "wildcard" if node.kind == "W" else "leaf"
        boxes.append(
            f'<g class="{kind}"><rect x="{own.x - own.width / 2:.1f}" y="{own.y - HEIGHT / 2:.1f}" '
            f'width="{own.width:.1f}" height="{HEIGHT}" rx="{5 if node.children else HEIGHT / 2}"/>'
            f'<text x="{own.x:.1f}" y="{own.y + 5:.1f}">{escape(_label(node))}</text></g>'
        )
    total, height = span[id(root)] + 2, deepest * ROW + HEIGHT + 2
    look = "tree wide" if total > WIDE else "tree"
    return (
        f'<svg class="{look}" xmlns="http://www.w3.org/2000/svg" viewBox="-1 0 {total:.0f} {height}" '
        f'width="{total:.0f}" height="{height}" role="img" aria-label="Operator tree">'
        f"{''.join(edges)}{''.join(boxes)}</svg>"
    )


def _label(node: OperatorNode) -> str:
    label = _SIGNS.get(node.label, node.label) if node.children else node.label
    label = f"?{label}" if node.kind == "W" else label
    return label if len(label) <= 24 else f"{label[:23]}…"
