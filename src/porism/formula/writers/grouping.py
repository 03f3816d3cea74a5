"""Which parts of a formula need parentheses on one line, where fractions, roots and scripts lose their shape."""

from __future__ import annotations

from porism.formula.tables.lookup import RELATION_CLASSES, token_class
from porism.formula.tree import LayoutNode, Row

_LOOSE = RELATION_CLASSES | {
    "additive", "set-operator", "separator", "text", "dots", "big-operator", "integral", "limit"
}
FREE_BEFORE = _LOOSE | {"open"}
"""Classes after which a fraction keeps its extent without parentheses."""
FREE_AFTER = (_LOOSE - {"big-operator", "integral", "limit"}) | {"close"}
"""The same for classes before which it does."""
PRODUCTS = frozenset("⋅×*")
"""Signs with which ``a⋅b/c`` is the same, wherever the fraction begins."""
_DIFFERENTIALS = frozenset({"d", "∂"})


def has_scripts(node: LayoutNode) -> bool:
    """Whether something is above or below a node on either side (of a root, its index does not count)."""
    rows = [node.above, node.below, node.pre_below] + ([] if node.kind == "R" else [node.pre_above])
    return any(row is not None for row in rows)


def is_inline_fraction(node: LayoutNode) -> bool:
    """Whether a node is written ``a/b``."""
    return node.kind == "F" and node.label != "choose"


def is_derivation(node: LayoutNode) -> bool:
    """Whether a fraction is an operator on what follows it: ``d/dx``, ``∂²/∂x²``."""
    over = node.over or []
    return (
        is_inline_fraction(node) and len(over) == 1 and over[0].label in _DIFFERENTIALS and is_differential(node.under)
    )


def is_differential(row: Row | None) -> bool:
    """Whether a row is ``dx``, ``∂²u``, ``∂x∂y``: differentials, each of one symbol."""
    if not row or len(row) % 2:
        return False
    return all(
        sign.label in _DIFFERENTIALS and symbol.kind == "V" and sign.below is None
        for sign, symbol in zip(row[::2], row[1::2], strict=True)
    )


def is_one_thing(row: Row) -> bool:
    """Whether a numerator or denominator of several symbols holds together: ``f(x)``, ``(a+b)``, ``n!``, ``dx``."""
    if is_differential(row):
        return True
    if len(row) == 2 and row[0].kind in "VN" and row[1].label == "!":
        return True
    above = row[0].above if row else None
    is_power = above is not None and len(above) > 0 and above[-1].label != "′"  # 1/eˣ(x + 1) would be a product
    start = 1 if len(row) > 1 and row[0].kind == "V" and not is_power else 0
    classes = [token_class(node.label, node.kind) for node in row[start:]]
    if not classes or classes[0] != "open" or classes[-1] != "close" or has_scripts(row[-1]):
        return False
    depth = 0
    for number, sign_class in enumerate(classes, start=1):
        depth += (sign_class == "open") - (sign_class == "close")
        if depth == 0 and number < len(classes):
            return False
    return depth == 0


def needs_parentheses(row: Row, number: int, in_integral: bool, within_bars: bool) -> bool:
    """Whether a fraction in a row would swallow a neighbour, or be swallowed: ``(a/b)c``, ``2(1/2)``, ``sin(x/2)``.

    ``within_bars`` says that a bar before it is still open: ``|a/b|``.
    """
    before = row[number - 1] if number else None
    after = row[number + 1] if number + 1 < len(row) else None
    if before is not None and not _is_free(before, FREE_BEFORE, within_bars):
        return True
    if after is None or is_derivation(row[number]) or (in_integral and after.label == "d"):
        return False
    return not _is_free(after, FREE_AFTER | {"division"}, within_bars)


def _is_free(node: LayoutNode, classes: frozenset[str], within_bars: bool) -> bool:
    kind = token_class(node.label, node.kind)
    return kind in classes or (kind == "bar" and within_bars) or node.label in PRODUCTS
