"""Rows of nodes for Content MathML: signs, arguments in parentheses, lists, scripts."""

from __future__ import annotations

from porism.formula.layout import nucleus
from porism.formula.mathml.elements import Child
from porism.formula.tables.lookup import character
from porism.formula.tree import LayoutNode, Row


def sign_node(label: str, start: int, end: int) -> LayoutNode:
    """The node of a sign or a name."""
    entry = character(label) if len(label) == 1 else None
    if entry is not None:
        return LayoutNode(entry[0], entry[1], start, end, entry[2])
    return LayoutNode(label, "O" if label == "mod" else "V", start, end)


def fenced(child: Child, precedence: int, start: int, end: int) -> Row:
    """The row of an argument, in parentheses if it binds less than ``precedence``."""
    if child.precedence < precedence:
        return [LayoutNode("(", "O", start, start), *child.row, LayoutNode(")", "O", end, end)]
    return child.row


def joined(rows: list[Row], start: int, end: int) -> Row:
    """Rows with commas between them."""
    row: Row = []
    for position, part in enumerate(rows):
        row += [LayoutNode(",", "O", start, end), *part] if position else part
    return row


def listed(rows: list[Row], opening: str, closing: str, start: int, end: int, condition: Row | None = None) -> Row:
    """A list between fences, with the condition of its members after a bar."""
    row = [LayoutNode(opening, "O", start, start), *joined(rows, start, end)]
    if condition:
        row += [LayoutNode("∣", "O", start, end), *condition]
    return [*row, LayoutNode(closing, "O", end, end)]


def scripted(row: Row, slot: str, content: Row) -> Row:
    """The row with a script on all of it, after the script that it has."""
    node = nucleus(row, 0, slot)
    taken = getattr(node, slot)
    setattr(node, slot, content if taken is None else [*taken, *content])
    return row
