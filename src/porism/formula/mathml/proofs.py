"""Proof trees in the MathML that MathJax makes of bussproofs: a table with a line for each inference."""

from __future__ import annotations

from porism.formula.layout import group_nodes
from porism.formula.tree import LayoutNode, Row

RULE, NAME = "bspr_inferenceRule", "bspr_prooflabel"
"""Marks of a table that is an inference, and of the name of an inference beside its table."""

_UPWARDS, _LEFT = f"{RULE}:up", f"{NAME}:left"
_BETWEEN_PREMISES = 36


def inference(lines: list[Row], attributes: str, start: int, end: int) -> Row:
    """The premises over the conclusion, as a fraction."""
    if _UPWARDS in attributes:
        lines = lines[::-1]
    node = LayoutNode("/", "F", start, end)
    node.over = [symbol for line in lines[:-1] for symbol in _premises(line)]
    node.under = lines[-1] if lines else []
    return [node]


def _premises(line: Row) -> Row:
    """The cells of a table of one line side by side; the empty ones only make room."""
    if len(line) != 1 or line[0].kind != "M" or not line[0].elements or len(line[0].elements) > 1:
        return line
    row: Row = []
    for cell in line[0].elements[0]:
        if row and cell:
            cell[0].space += _BETWEEN_PREMISES
        row += cell
    return row


def side_of(attributes: str) -> str:
    """On which side of an inference its name stands."""
    return "left" if _LEFT in attributes else "right"


def named(row: Row, names: dict[str, Row]) -> Row:
    """An inference with the names on its sides, which are scripts of it."""
    for side, slot in (("left", "pre_below"), ("right", "below")):
        if names.get(side):
            setattr(group_nodes(row, 0), slot, names[side])
    return row
