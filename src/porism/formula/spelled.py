"""Symbols that several characters spell: numbers with points and commas, relations that were typed, rows of dots."""

from __future__ import annotations

import re

from porism.formula.layout import is_plain
from porism.formula.tables.spaces import QUAD
from porism.formula.tree import LayoutNode, Row

_NUMBER = re.compile(r"[0-9]+\.[0-9]+|[1-9][0-9]{0,2}(?:,[0-9]{3})*,000(?:\.[0-9]+)?")
_DIGITS = re.compile(r"[0-9.]+")
_TYPED = {(":", "="): "≔", ("<", "="): "≤", (">", "="): "≥", ("-", ">"): "→"}
FIRST_PARTS = frozenset({".", ",", "⋅", *(first for first, _ in _TYPED)})
"""Labels of which a row must have one if it has anything to join."""
MAX_PARTS = 9
"""Of how many nodes a number is put together at most."""

_MARKS = re.compile(
    r"[.:<>&](?:(?<=\.)(?:[\s{}]{1,9}[0-9.．]|\.{3})|(?<=[:<>])(?:[\s{}]{1,9}|\\[a-zA-Z]{1,20}[\s{}]{0,9})=|[lg]t;)"
)
"""What to look for first, quick to be found missing."""
_IN_LATEX = re.compile(
    r"[.．][\s{}]{1,9}[0-9.．]|[0-9][\s{}]{1,9}\.[\s{}]{0,9}[0-9]|．|,[\s{}]{0,9}000"
    r"|[:<>](?:[\s{}]{1,9}|\\[a-zA-Z]{1,20}[\s{}]{0,9})=|(?:\\colon|\\[lg]t|&[lg]t;)[\s{}]{0,9}=|-[\s{}]{0,9}(?:\\gt|&gt;|[\s{}]>)"
    r"|\.{4}|\\cdot\s{0,9}\\cdot\s{0,9}\\cdot"
)


def may_be_spelled(latex: str) -> bool:
    """Whether LaTeX may have something that :func:`join_spelled` joins: what is one token is joined already."""
    has_mark = (
        ("." in latex or ":" in latex or "<" in latex or ">" in latex or "&" in latex)
        and (_MARKS.search(latex) is not None or ("-" in latex and ">" in latex))
    )
    if not has_mark and not (
        "000" in latex or "\\gt" in latex or "\\lt" in latex or "\\colon" in latex or "．" in latex
        or ("\\cdot" in latex and latex.count("\\cdot") > 2)
    ):
        return False  # by far the most frequent case, and quickly seen
    return _IN_LATEX.search(latex) is not None


def join_spelled(row: Row) -> None:
    """Makes one node of what several spell: ``57 . 2``, ``12 , 000``, ``: =``, ``⋅ ⋅ ⋅``."""
    i = 0
    while i < len(row) - 1:
        node, after = row[i], row[i + 1]
        if node.kind == "N":
            _join_number(row, i)
        elif after.kind == "O" and node.kind == "O" and not after.space and is_plain(node):
            label = _TYPED.get((node.label, after.label))
            if label is not None:
                row[i:i + 2] = [_joined(label, "O", node, after)]
            elif node.label in ("⋅", "."):
                _join_dots(row, i)
        i += 1


def _join_number(row: Row, i: int) -> None:
    if row[i + 1].kind != "O" or row[i + 1].label not in (".", ","):
        return
    parts = _parts_of_number(row, i)
    for count in range(len(parts), 2, -1):
        text = "".join(node.label for node in parts[:count])
        if _NUMBER.fullmatch(text):
            row[i:i + count] = [_joined(text.replace(",", ""), "N", parts[0], parts[count - 1])]
            return


def _parts_of_number(row: Row, i: int) -> Row:
    """The digits, points and commas from ``row[i]`` on, less than a quad apart; only the last may have scripts."""
    parts: Row = []
    for node in row[i:i + MAX_PARTS]:
        is_part = _DIGITS.fullmatch(node.label) is not None if node.kind == "N" else node.label in (".", ",")
        if not is_part or node.over is not None or node.under is not None:
            break
        if parts and (node.space >= QUAD or not is_plain(parts[-1]) or parts[-1].kind == node.kind):
            break
        parts.append(node)
    return parts


def _join_dots(row: Row, i: int) -> None:
    """Three full stops, or three points or more at half height, are dots."""
    last = i
    while (
        last + 1 < len(row) and is_plain(row[last]) and not row[last + 1].space
        and row[last + 1].label == row[i].label
    ):
        last += 1
    if last - i == 2 or (last - i > 2 and row[i].label == "⋅"):
        row[i:last + 1] = [_joined("…", "O", row[i], row[last])]


def _joined(label: str, kind: str, first: LayoutNode, last: LayoutNode) -> LayoutNode:
    node = LayoutNode(label, kind, first.start, last.end, first.font)
    node.space = first.space
    node.above, node.below, node.over, node.under = last.above, last.below, last.over, last.under
    return node
