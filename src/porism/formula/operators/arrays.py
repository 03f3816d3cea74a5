"""Matrices, cases and aligned displays as operator nodes."""

from __future__ import annotations

from porism.formula.layout import child_rows
from porism.formula.operators.rules import (
    ADD,
    CLOSE,
    COMMA,
    LATTICE,
    LEAF,
    LOGIC,
    MULTIPLY,
    OPEN,
    RELATION,
    RULES,
    rule_of_unknown,
)
from porism.formula.tree import LayoutNode, OperatorNode, Row

_JOINING = frozenset({RELATION, ADD, MULTIPLY, LATTICE, LOGIC})
"""Roles of symbols that stand between two operands."""
_SIGNS = frozenset("-±∓")
_ACROSS_LINES = frozenset("↑↓↕⇑⇓⇕↖↗↘↙⇖⇗⇘⇙")
"""Arrows from one line to another, which only a diagram has."""

_LABELS = {"||": "det", "∥∥": "norm", "{": "cases", "}": "cases"}


def line_rows(node: LayoutNode) -> list[Row] | None:
    """The lines of an aligned display, cells joined, or None for a matrix or cases.

    A display is aligned when its label says so (``lines``). It is aligned too when it has no fences, is not a diagram,
    and some cell after the first of its line begins with a relation. A line that begins with a relation or an operator
    continues the one above it, and so does one below a line that ends with such: ``a &= b \\\\ &= c`` is one chain.
    """
    elements = node.elements or []
    if node.label == "" and any(
        symbol.label in _ACROSS_LINES for cells in elements for cell in cells for symbol in cell
    ):
        return None
    if node.label != "lines" and (
        node.label or not any(cell and _is_relation(cell[0]) for cells in elements for cell in cells[1:])
    ):
        return None
    lines: list[Row] = []
    for cells in elements:
        line = [symbol for cell in cells for symbol in cell]
        if lines and line and _continues(lines[-1], line):
            lines[-1].extend(line)
        elif line:
            lines.append(line)
    return lines


def _role(node: LayoutNode) -> int:
    if node.kind != "O":
        return LEAF
    return (RULES.get(node.label) or rule_of_unknown(node.label, node.kind)).role


def _is_relation(node: LayoutNode) -> bool:
    return _role(node) == RELATION


def _continues(above: Row, line: Row) -> bool:
    """Whether a line goes on with what the one above says. After a sign it may as well be a statement of its own."""
    role = _role(line[0])
    if role == ADD and line[0].label in _SIGNS:
        return not any(map(_is_relation, line))
    if role == LOGIC and _is_list(above):
        return False
    return role in _JOINING or (_role(above[-1]) in _JOINING and child_rows(above[-1]) == [])


def _is_list(row: Row) -> bool:
    """Whether a row has a comma outside of fences."""
    depth = 0
    for role in map(_role, row):
        if role == COMMA and not depth:
            return True
        depth += (role == OPEN) - (role == CLOSE)
    return False


def array_node(node: LayoutNode, lines: list[Row] | None, nodes: dict[int, OperatorNode | None]) -> OperatorNode:
    """The node of an array whose rows were read into ``nodes`` (by the ``id`` of the row)."""
    start, end = node.start, node.end
    if lines is not None:
        known = [line for row in lines if (line := nodes.get(id(row))) is not None]
        if len(known) == 1:
            return known[0]
        if not known:
            return OperatorNode("", "E", None, start, end)
        return OperatorNode("lines", "O", known, start, end)
    is_cases = node.label in ("{", "}")
    rows: list[OperatorNode] = []
    for cells in node.elements or []:
        children = [nodes.get(id(cell)) or OperatorNode("", "E", None, start, end) for cell in cells]
        if not children:
            continue
        if is_cases and len(children) == 1:
            rows.append(children[0])
            continue
        rows.append(OperatorNode("branch" if is_cases else "row", "O", children, children[0].start, children[-1].end))
    if not rows:
        return OperatorNode("", "E", None, start, end)
    label = _LABELS.get(node.label, "matrix")
    if label == "norm":
        return OperatorNode("norm", "O", [OperatorNode("matrix", "O", rows, start, end)], start, end)
    return OperatorNode(label, "O", rows, start, end)
