"""Chemical formulas in the MathML that MathJax makes of ``\\ce``."""

from __future__ import annotations

import re

from porism.formula.layout import child_rows, is_plain
from porism.formula.mathml.leaves import identifier
from porism.formula.tables.packages.mhchem import STATES
from porism.formula.tree import LayoutNode, Row

_EVIDENCE = re.compile("-mhchem|[\ue408-\ue42e]|&#xE4[0-2].;|<mpadded width=\"0\">\\s*<mphantom>\\s*<mi>A</mi>")
"""The arrows and bonds of mhchem, and the letter that is not seen and carries its scripts."""
_ELEMENTS = re.compile(r"[A-Z][a-z]?(?:[A-Z][a-z]?)+")
_ELEMENT = re.compile(r"[A-Z][a-z]?")


def is_chemical(source: str) -> bool:
    """Whether a formula has signs that only chemical formulas have."""
    return ("mjx" in source or "mphantom" in source) and _EVIDENCE.search(source) is not None


def chemical_name(text: str, start: int, end: int) -> Row:
    """The elements of a name that is made of several, ``NaCl``; nothing for another name or a Roman numeral."""
    row: Row = []
    if _ELEMENTS.fullmatch(text) and text.strip("IVX"):
        for element in _ELEMENT.findall(text):
            row += identifier(element, "normal", start, end)
    return row


def join_states(top: Row) -> None:
    """Makes states of matter, ``(aq)``, one text each, in all rows of a tree."""
    rows = [top]
    for row in rows:
        for node in row:
            if not is_plain(node):
                rows.extend(child_rows(node))
        i = 0
        while i + 2 < len(row):
            if _is_state(*row[i:i + 3]):
                opening, state, closing = row[i:i + 3]
                whole = LayoutNode(f"({state.label})", "T", opening.start, closing.end)
                whole.above, whole.below, whole.space = closing.above, closing.below, opening.space
                row[i:i + 3] = [whole]
            i += 1


def _is_state(opening: LayoutNode, state: LayoutNode, closing: LayoutNode) -> bool:
    is_upright = state.font == "rm" or len(state.label) > 1
    is_bare = is_plain(opening) and is_plain(state)
    return opening.label == "(" and closing.label == ")" and state.label in STATES and is_upright and is_bare
