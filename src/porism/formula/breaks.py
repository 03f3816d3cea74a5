"""Line breaks outside of environments: ``a=b \\\\ c=d`` is a display of two lines, as in ``gathered``."""

from __future__ import annotations

from porism.formula.layout import matrix
from porism.formula.tables.lookup import token_class
from porism.formula.tree import LayoutNode, Row

BREAK = "\\\\"
"""Label of a line break."""


def line_break(start: int, end: int) -> LayoutNode:
    """What stands in a row for a line break until the row is whole."""
    return LayoutNode(BREAK, "O", start, end)


def is_break(node: LayoutNode) -> bool:
    """Whether a node stands for a line break."""
    return node.label == BREAK and node.kind == "O"


def break_lines(row: Row) -> None:
    """Makes a display of the lines of a row.

    A break inside fences is white space: a long line goes on in the next one. After a brace that nothing closes the
    lines are those after the brace.
    """
    opened: list[int] = []
    breaks: list[tuple[int, int]] = []  # where it is, and how many fences are open there
    first = 0
    for position, node in enumerate(row):
        if is_break(node):
            breaks.append((position, len(opened)))
        elif node.kind == "O":
            fence = token_class(node.label)
            if fence == "open":
                opened.append(position)
            elif fence == "close" and opened:
                opened.pop()
                while breaks and breaks[-1][1] > len(opened):
                    breaks.pop()
    if breaks and opened and opened[0] < breaks[0][0] and row[opened[0]].label == "{":
        first = opened[0] + 1
    lines: list[list[Row]] = []
    start = first
    for position in [*(position for position, _ in breaks), len(row)]:
        lines.append([[node for node in row[start:position] if not is_break(node)]])
        start = position + 1
    if len(lines) == 1:
        row[:] = [node for node in row if not is_break(node)]
    else:
        content = row[first:]
        row[first:] = matrix("lines", "", lines, content[0].start, max(node.end for node in content))
