"""Statements that only a wide space divides: ``u=c \\qquad v=d``."""

from __future__ import annotations

from porism.formula.operators.rules import (
    ADD,
    BAR,
    BIG,
    CLOSE,
    COLON,
    COMMA,
    FUNCTION,
    INTEGRAL,
    LEAF,
    LOGIC,
    MODULO,
    OPEN,
    POSTFIX,
    PREFIX,
    QUANTIFIER,
    RELATION,
    RULES,
    SEMICOLON,
    WIDE_SPACE,
    Rule,
    rule_of_unknown,
)
from porism.formula.tables.spaces import QUAD
from porism.formula.tree import LayoutNode, Row

_SAYS = frozenset({RELATION, LOGIC, QUANTIFIER})
"""Roles of symbols that make a statement."""
_SEPARATES = frozenset({COMMA, SEMICOLON, COLON})
_ENDS = frozenset({LEAF, CLOSE, POSTFIX})
"""Roles of symbols at which an operand can end."""
_BEGINS = frozenset({LEAF, OPEN, FUNCTION, BIG, INTEGRAL, PREFIX, QUANTIFIER})


def divided(row: Row) -> Row:
    """The row with a separator at each wide space that divides: one between operands, beside which something is said.

    A space around an operator, as in ``a \\quad = \\quad b``, and one between operands alone do not divide, nor does
    one before ``(mod m)``. Words are divided from a statement before them only.
    """
    places: set[int] = set()
    said = [False]
    waiting: list[list[int]] = [[]]  # at each level the spaces with nothing said before them
    roles = [_role(node) for node in row]
    for position, (node, role) in enumerate(zip(row, roles, strict=True)):
        if node.space >= QUAD and position and _stands_between(row, roles, position):
            if said[-1]:
                places.add(position)
            elif node.kind != "T":
                waiting[-1].append(position)
        if role in _SAYS:
            said[-1] = True
            places.update(waiting[-1])
            waiting[-1] = []
        elif role in _SEPARATES:
            said[-1], waiting[-1] = False, []
        elif role == OPEN:
            said.append(False)
            waiting.append([])
        elif role == CLOSE and len(said) > 1:
            said.pop()
            waiting.pop()
    if not places:
        return row
    pieces: Row = []
    for position, node in enumerate(row):
        if position in places:
            pieces.append(LayoutNode(WIDE_SPACE, "O", row[position - 1].end, node.start))
        pieces.append(node)
    return pieces


def _role(node: LayoutNode) -> int:
    if node.kind not in "VO":
        return LEAF
    rule: Rule = RULES.get(node.label) or rule_of_unknown(node.label, node.kind)
    return rule.role


def _stands_between(row: Row, roles: list[int], position: int) -> bool:
    """Whether the space before a symbol is between the end of an operand and the beginning of another."""
    before, after = roles[position - 1], roles[position]
    narrow = position + 1 < len(row) and row[position + 1].space < QUAD
    if after == OPEN and position + 1 < len(row) and roles[position + 1] == MODULO:
        return False
    ends = before in _ENDS or (before == BAR and row[position - 1].space < QUAD)
    return ends and (after in _BEGINS or (after in (BAR, ADD) and narrow))
