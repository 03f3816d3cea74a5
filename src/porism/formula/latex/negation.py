"""Symbols struck through: ``\\not`` before them, or a combining stroke after them."""

from __future__ import annotations

from typing import Any

from porism.formula.latex.frames import LatexFrame
from porism.formula.latex.machine import Machine
from porism.formula.tables.lookup import RELATION_CLASSES, negated, token_class
from porism.formula.tree import LayoutNode, Row

STROKES = frozenset("\u0337\u0338\u20d2\u20e5")
"""Combining characters that strike through the character before them."""


def negation(machine: Machine, payload: Any, i: int) -> None:
    """``\\not`` strikes through the symbol after it, or the relation in the group after it."""
    machine.command(i, 1, _build_negation)


def _build_negation(machine: Machine, frame: LatexFrame, end: int) -> None:
    content = frame.arguments[0]
    machine.row.extend(content)
    struck = strike_through(content)
    if struck is None:
        machine.problem(frame.start, "\\not before something that is not a symbol")
    for node in (struck, *content[:1]):
        if node is not None:
            node.start = min(node.start, frame.start)


def strike_through(row: Row) -> LayoutNode | None:
    """Strikes through the only symbol of a row, or its first relation, and hands it over; None if there is none."""
    while len(row) == 1 and row[0].kind == "G" and row[0].within:
        row = row[0].within
    symbols = row if len(row) == 1 else [node for node in row if token_class(node.label, node.kind) in RELATION_CLASSES]
    for node in symbols:
        if _is_symbol(node):
            node.label = negated(node.label)
            return node
    return None


def _is_symbol(node: LayoutNode) -> bool:
    return node.kind in "VO" and len(node.label) == 1
