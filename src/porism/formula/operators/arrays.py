"""Matrices, cases and aligned displays as operator nodes."""

from __future__ import annotations

from porism.formula.operators.rules import BAR, RELATION, RULES, rule_of_unknown
from porism.formula.tree import LayoutNode, OperatorNode, Row

_LABELS = {"||": "det", "∥∥": "norm", "{": "cases", "}": "cases"}


def line_rows(node: LayoutNode) -> list[Row] | None:
    """The lines of an aligned display, cells joined, or None for a matrix or cases.

    A display is aligned when its label says so (``lines``), or when it has no fences and some cell after the first
    of its line begins with a relation. A line that begins with a relation continues the one above it:
    ``a &= b \\\\ &= c`` is one chain.
    """
    elements = node.elements or []
    if node.label != "lines" and (
        node.label or not any(cell and _is_relation(cell[0]) for cells in elements for cell in cells[1:])
    ):
        return None
    lines: list[Row] = []
    for cells in elements:
        line = [symbol for cell in cells for symbol in cell]
        if lines and line and _is_relation(line[0]):
            lines[-1].extend(line)
        elif line:
            lines.append(line)
    return lines


def _is_relation(node: LayoutNode) -> bool:
    if node.kind != "O":
        return False
    rule = RULES.get(node.label) or rule_of_unknown(node.label, node.kind)
    return rule.role == RELATION and rule.role != BAR


def array_node(node: LayoutNode, lines: list[Row] | None, nodes: dict[int, OperatorNode | None]) -> OperatorNode:
    """The node of an array whose rows were read into ``nodes`` (by the ``id`` of the row)."""
    start, end = node.start, node.end
    if lines is not None:
        found = [line for row in lines if (line := nodes.get(id(row))) is not None]
        if len(found) == 1:
            return found[0]
        if not found:
            return OperatorNode("", "E", None, start, end)
        return OperatorNode("lines", "O", found, start, end)
    is_cases = node.label in ("{", "}")
    rows: list[OperatorNode] = []
    for cells in node.elements or []:
        children = [nodes.get(id(cell)) or OperatorNode("", "E", None, start, end) for cell in cells]
        if not children:
            continue
        if is_cases and len(children) == 1:
            rows.append(children[0])
            continue
        rows.append(
            OperatorNode("branch" if is_cases else "row", "O", children, children[0].start, children[-1].end)
        )
    if not rows:
        return OperatorNode("", "E", None, start, end)
    label = _LABELS.get(node.label, "matrix")
    if label == "norm":
        return OperatorNode("norm", "O", [OperatorNode("matrix", "O", rows, start, end)], start, end)
    return OperatorNode(label, "O", rows, start, end)
