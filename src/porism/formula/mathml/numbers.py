"""Numbers of Content MathML: the types of ``<cn>``."""

from __future__ import annotations

import re

from porism.formula.mathml.leaves import identifier, number, operator
from porism.formula.tree import LayoutNode, Row

SEPARATOR = "\x1f"
"""Stands for ``<sep/>`` in the text of a ``<cn>``."""

SUM, PRODUCT, ATOM = 40, 50, 99
"""Precedences in Content MathML."""

_FLOAT = re.compile(r"([0-9]*\.?[0-9]+|[0-9]+\.)[eE]([+\-−]?[0-9]+)")


def typed_number(text: str, kind: str, base: str, start: int, end: int) -> tuple[Row, int]:
    """The row of a ``<cn>`` whose parts :data:`SEPARATOR` divides, and its precedence in Content MathML."""
    parts = [part.strip() for part in text.split(SEPARATOR)]
    if len(parts) == 1:
        match = _FLOAT.fullmatch(parts[0])
        if match is None:
            row, signed = _signed(parts[0], start, end)
            if base not in ("", "10") and row:
                row[-1].below = number(base, "", end, end)
            return row, SUM if signed else ATOM
        parts, kind = [match[1], match[2].lstrip("+")], "e-notation"
    first, signed = _signed(parts[0], start, end)
    second, negative = _signed(parts[1], start, end)
    if kind == "e-notation":
        ten = LayoutNode("10", "N", end, end)
        ten.above = second
        return [*first, LayoutNode("⋅", "O", start, end), ten], PRODUCT
    if kind == "complex-cartesian":
        sign = second[:1] if negative else [LayoutNode("+", "O", start, end)]
        return [*first, *sign, *second[negative:], LayoutNode("i", "V", end, end)], SUM
    if kind == "complex-polar":
        power = LayoutNode("e", "V", start, end)
        power.above = [LayoutNode("i", "V", end, end), *second]
        return [*first, power], PRODUCT
    sign = first[:1] if signed else []
    node = LayoutNode("/", "F", start, end)
    node.over, node.under = first[signed:], second
    return [*sign, node], SUM if signed else ATOM


def _signed(text: str, start: int, end: int) -> tuple[Row, bool]:
    sign = text[:1] if text[:1] in ("-", "−") else ""
    plain = text[len(sign):].strip()
    read = number if plain[:1].isdigit() or plain[:1] == "." else identifier
    row = read(plain, "", start, end)
    return [*operator(sign, "", start, end), *row] if sign else row, bool(sign)
