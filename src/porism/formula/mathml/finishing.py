"""What rows of MathML say once they are complete: binomials, primes, roots, relations of several signs."""

from __future__ import annotations

from porism.formula.layout import is_plain, matrix
from porism.formula.normalisation import CARRIED_SLOTS, join_primes
from porism.formula.tree import LayoutNode, Row

BARE_STACK = "stack"
"""Label of a fraction without a line until it is known whether parentheses make it a binomial."""
_ROOT_SIGNS = {"√": "", "∛": "3", "∜": "4"}
_TO_FINISH = frozenset({BARE_STACK, "′", *_ROOT_SIGNS})
_RELATIONS = {(":", ":", "="): "⩴", (":", ":"): "∷", ("=", ":"): "≕", ("-", ":"): "∹"}
"""Signs that MathJax sets side by side as one relation of mathtools → the relation."""


def join_relation(row: Row) -> None:
    """Makes one symbol of a relation that its signs spell, as ``:``, ``:`` and ``=``."""
    i = 0
    while i < len(row):
        for signs, relation in _RELATIONS.items():
            end = i + len(signs)
            spells = tuple(node.label for node in row[i:end]) == signs and all(map(is_plain, row[i:end]))
            if spells and (signs[0] == ":" or row[end:end + 1] == [] or row[end].label != ":"):
                row[i:end] = [LayoutNode(relation, "O", row[i].start, row[end - 1].end)]
                break
        i += 1


def finish_row(row: Row) -> Row:
    """Makes binomials of fractions without a line in parentheses, scripts of primes, and roots of radical signs."""
    if not any(node.label in _TO_FINISH for node in row):
        return row
    join_primes(row)
    _join_roots(row)
    finished: Row = []
    i = 0
    while i < len(row):
        node = row[i]
        if node.kind == "F" and node.label == BARE_STACK:
            before, after = (finished[-1] if finished else None), (row[i + 1] if i + 1 < len(row) else None)
            if before and after and before.label == "(" and after.label == ")" and _bare(before):
                finished.pop()
                node.label = "choose"
                node.start, node.end = before.start, after.end
                node.above, node.below = after.above, after.below
                i += 1
        finished.append(node)
        i += 1
    return finished


def _join_roots(row: Row) -> None:
    """Radical signs that are symbols take the parentheses or the symbol after them, without their scripts."""
    for i in range(len(row) - 1, -1, -1):
        sign = row[i]
        if sign.kind != "O" or sign.label not in _ROOT_SIGNS:
            continue
        last = _closing(row, i + 1) if i + 1 < len(row) and row[i + 1].label == "(" else min(i + 1, len(row) - 1)
        operand = row[last]
        node = LayoutNode("√", "R", sign.start, operand.end)
        node.space = sign.space
        node.within = row[i + 2:last] if last > i + 1 else row[i + 1:last + 1]
        index = _ROOT_SIGNS[sign.label]
        node.pre_above = [LayoutNode(index, "N", sign.start, sign.end)] if index else None
        bearer = operand if last > i else sign
        node.above, node.below, bearer.above, bearer.below = bearer.above, bearer.below, None, None
        row[i:last + 1] = [node]


def _closing(row: Row, opening: int) -> int:
    """The position of the parenthesis that closes the one at ``opening``, which is its own where none does."""
    depth = 0
    for i in range(opening, len(row)):
        depth += (row[i].label == "(") - (row[i].label == ")")
        if not depth:
            return i
    return opening


def finish_stacks(row: Row) -> None:
    """Turns the fractions without a line that are left in a row into displays of two lines."""
    for i in range(len(row) - 1, -1, -1):
        node = row[i]
        if node.kind == "F" and node.label == BARE_STACK:
            stacked = matrix("lines", "", [[node.over or []], [node.under or []]], node.start, node.end)
            if stacked and stacked[0].kind == "M":
                for slot in CARRIED_SLOTS:
                    if slot not in ("over", "under"):
                        setattr(stacked[0], slot, getattr(node, slot))
            row[i:i + 1] = stacked


def _bare(node: LayoutNode) -> bool:
    return node.above is None and node.below is None and node.over is None and node.under is None


def is_empty_stack(node: LayoutNode) -> bool:
    """Whether a node is a fraction without a line and without content."""
    return node.label == BARE_STACK and node.kind == "F" and not (node.over or node.under)
