"""Upright names that are symbols and no functions: chemical elements beside each other, and units."""

from __future__ import annotations

from porism.formula.operators.rules import LEAF, Rule
from porism.formula.tables.packages.mhchem import ELEMENTS
from porism.formula.tables.packages.siunitx import UPRIGHT_UNITS
from porism.formula.tree import LayoutNode, Row

SYMBOL = Rule(LEAF, "")
UPRIGHT_SYMBOLS = UPRIGHT_UNITS | {element for element in ELEMENTS if len(element) > 1}


def is_upright_symbol(row: Row, position: int) -> bool:
    """Whether one of :data:`UPRIGHT_SYMBOLS` stands for itself here: ``Cl`` does in ``NaCl``, not in ``Cl(K)``."""
    if row[position].label in UPRIGHT_UNITS:
        return True
    if position and _is_element(row[position - 1]):
        return True
    following = position + 1
    while following < len(row) and row[following].kind == "O" and row[following].label in "([":
        following += 1
    return following < len(row) and _is_element(row[following])


def _is_element(node: LayoutNode) -> bool:
    """Whether a node is the symbol of an element: two letters, or one that is upright."""
    return node.kind == "V" and node.label in ELEMENTS and (len(node.label) > 1 or node.font == "rm")
