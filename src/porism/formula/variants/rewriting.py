"""Rewriting a formula as an equal one: rules, each of which changes one node of an operator tree."""

from __future__ import annotations

from random import Random

from porism.formula.operators.rules import MIRRORED
from porism.formula.tree import OperatorNode
from porism.formula.variants.editing import EditRule, become, copied, node_of, number, relabel, rule_table, same

_ARROWS = frozenset({"to", "gets"})
"""Arrows of maps and limits, which stay as they are."""
_SHIFTED = frozenset({"eq", "lt", "gt", "leq", "geq", "neq"})
_MAX_DISTRIBUTED = 6


def _is(node: OperatorNode, label: str, arity: int) -> bool:
    return node.label == label and len(node.children) == arity


def _is_number(node: OperatorNode, label: str) -> bool:
    return node.kind == "N" and node.label == label


def _is_minus_one(node: OperatorNode) -> bool:
    return _is(node, "neg", 1) and _is_number(node.children[0], "1")


def mirror(node: OperatorNode) -> str:
    """What a relation or a chain of them is called when it is written backwards; empty for one that cannot be."""
    parts = [MIRRORED.get(part) or (part if part in _SHIFTED else "") for part in node.label.split("-")]
    return "-".join(reversed(parts)) if all(parts) and not _ARROWS.intersection(parts) else ""


def _mirrored(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    label = mirror(node)
    if not label or label == node.label == "eq" or len(node.children) < 2:
        return False
    node.children.reverse()
    return relabel(node, label)


def _to_power(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) != 2 or _is_differential(node):
        return False
    over, under = node.children
    power = node_of("sup", under, number(-1))
    return become(node, power if _is_number(over, "1") else node_of("times", over, power))


def _is_differential(fraction: OperatorNode) -> bool:
    return any(node.label in ("diff", "partial") for child in fraction.children for node in child.walk())


def _to_product(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) != 2 or _is_number(node.children[0], "1") or _is_differential(node):
        return False
    over, under = node.children
    factors = over.children if over.label == "times" else [over]
    taken = random.randrange(len(factors)) if len(factors) > 1 and random.random() < 0.5 else None
    if taken is None:
        return become(node, node_of("times", *factors, node_of("divide", number(1), under)))
    rest = factors[:taken] + factors[taken + 1 :]
    return become(node, node_of("times", *rest, node_of("divide", factors[taken], under)))


def _to_fraction(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """A product with a fraction, or with a power of -1, becomes one fraction."""
    for place, factor in enumerate(node.children):
        rest = node.children[:place] + node.children[place + 1 :]
        if not rest:
            return False
        if _is(factor, "divide", 2) and not _is_differential(factor):
            over, under = factor.children
            whole = rest if _is_number(over, "1") else [*rest, over]
        elif _is(factor, "sup", 2) and _is_minus_one(factor.children[1]):
            whole, under = rest, factor.children[0]
        else:
            continue
        return become(node, node_of("divide", whole[0] if len(whole) == 1 else node_of("times", *whole), under))
    return False


def _inverse(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) != 2 or not _is_minus_one(node.children[1]):
        return False
    return become(node, node_of("divide", number(1), node.children[0]))


def _root_to_power(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) not in (1, 2):
        return False
    index = node.children[1] if len(node.children) == 2 else number(2)
    return become(node, node_of("sup", node.children[0], node_of("divide", number(1), index)))


def _power_to_root(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) != 2 or not _is(node.children[1], "divide", 2):
        return False
    over, under = node.children[1].children
    if not _is_number(over, "1"):
        return False
    base = node.children[0]
    return become(node, node_of("sqrt", base) if _is_number(under, "2") else node_of("root", base, under))


def _exponential(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if _is(node, "exp", 1):
        return become(node, node_of("sup", OperatorNode("e", "V"), node.children[0]))
    if _is(node, "sup", 2) and node.children[0].kind == "V" and node.children[0].label == "e":
        return become(node, node_of("exp", node.children[1]))
    return False


def _power_to_product(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) != 2 or node.children[1].kind != "N" or node.children[1].label not in ("2", "3"):
        return False
    base = node.children[0]
    if base.kind in "CVT" and base.label in ("ℝ", "ℂ", "ℤ", "ℕ", "ℚ"):
        return False
    return become(node, node_of("times", *(copied(base) for _ in range(int(node.children[1].label)))))


def _product_to_power(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    factors = node.children
    for place, factor in enumerate(factors):
        for other in range(place + 1, len(factors)):
            if same(factor, factors[other]):
                rest = [child for number_, child in enumerate(factors) if number_ not in (place, other)]
                squared = node_of("sup", factor, number(2))
                return become(node, node_of("times", squared, *rest) if rest else squared)
    return False


def _negative(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """``-(a+b)`` becomes ``-a-b``, ``-(ab)`` becomes ``(-a)b``, ``-(a/b)`` becomes ``(-a)/b``, and ``-(-a)`` ``a``."""
    if len(node.children) != 1:
        return False
    inner = node.children[0]
    if inner.label == "plus" and len(inner.children) > 1:
        return become(node, node_of("plus", *(_negated(term) for term in inner.children)))
    if inner.label in ("times", "divide") and len(inner.children) > 1 and not _is_differential(inner):
        first, *rest = inner.children
        return become(node, node_of(inner.label, _negated(first), *rest))
    return bool(inner.label == "neg" and inner.children) and become(node, inner.children[0])


def _negated(term: OperatorNode) -> OperatorNode:
    return term.children[0] if _is(term, "neg", 1) else node_of("neg", term)


def _distributed(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    for place, factor in enumerate(node.children):
        if factor.label == "plus" and 2 <= len(factor.children) <= _MAX_DISTRIBUTED and len(node.children) > 1:
            rest = node.children[:place] + node.children[place + 1 :]
            return become(node, node_of("plus", *(_product(rest, term) for term in factor.children)))
    return False


def _product(factors: list[OperatorNode], term: OperatorNode) -> OperatorNode:
    if _is(term, "neg", 1):
        return node_of("neg", node_of("times", *map(copied, factors), term.children[0]))
    return node_of("times", *map(copied, factors), term)


def _shifted(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """``a=b`` becomes ``a-b=0``, and ``a-b=0`` becomes ``a=b``."""
    if len(node.children) != 2 or any(child.kind in "WTE" for child in node.children):
        return False
    left, right = node.children
    if _is_number(right, "0") and left.label == "plus" and len(left.children) > 1:
        *kept, moved = left.children
        node.children = [kept[0] if len(kept) == 1 else node_of("plus", *kept), _negated(moved)]
        return True
    if _is_number(right, "0") or node is not root:  # within others it is a bound or a condition
        return False
    terms = right.children if right.label == "plus" else [right]
    first = left.children if left.label == "plus" else [left]
    node.children = [node_of("plus", *first, *map(_negated, terms)), number(0)]
    return True


_QUOTIENTS = {"tan": ("sin", "cos"), "cot": ("cos", "sin"), "sec": ("", "cos"), "csc": ("", "sin")}


def _quotient(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) != 1:
        return False
    over, under = _QUOTIENTS[node.label]
    inner = node.children[0]
    top = node_of(over, copied(inner)) if over else number(1)
    return become(node, node_of("divide", top, node_of(under, inner)))


def _binomial(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    if len(node.children) != 2:
        return False
    above, below = node.children
    difference = node_of("plus", *(above.children if above.label == "plus" else [above]), _negated(below))
    return become(node, node_of(
        "divide", node_of("factorial", copied(above)),
        node_of("times", node_of("factorial", copied(below)), node_of("factorial", copied(difference))),
    ))


def _scripts(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """``x_i^2`` as one node with two scripts, or as a power of ``x_i``."""
    if _is(node, "subsup", 3):
        base, below, above = node.children
        return become(node, node_of("sup", node_of("sub", base, below), above))
    if _is(node, "sup", 2) and _is(node.children[0], "sub", 2):
        return become(node, node_of("subsup", *node.children[0].children, node.children[1]))
    return False


REWRITES = (
    EditRule("relation mirrored", frozenset(), _mirrored),
    EditRule("fraction as power", frozenset({"divide"}), _to_power),
    EditRule("fraction as product", frozenset({"divide"}), _to_product),
    EditRule("product as fraction", frozenset({"times"}), _to_fraction),
    EditRule("inverse as fraction", frozenset({"sup"}), _inverse),
    EditRule("root as power", frozenset({"sqrt", "root"}), _root_to_power),
    EditRule("power as root", frozenset({"sup"}), _power_to_root),
    EditRule("exponential", frozenset({"exp", "sup"}), _exponential),
    EditRule("power as product", frozenset({"sup"}), _power_to_product),
    EditRule("product as power", frozenset({"times"}), _product_to_power),
    EditRule("negative moved", frozenset({"neg"}), _negative),
    EditRule("product distributed", frozenset({"times"}), _distributed),
    EditRule("sides moved", _SHIFTED, _shifted),
    EditRule("quotient of functions", frozenset(_QUOTIENTS), _quotient),
    EditRule("binomial by factorials", frozenset({"binom"}), _binomial),
    EditRule("scripts", frozenset({"subsup", "sup"}), _scripts),
)
"""Ways to write a part of a formula differently."""

REWRITE_TABLE = rule_table(REWRITES)


def reorder(root: OperatorNode, random: Random) -> bool:
    """Shuffles the operands of operators whose order does not count, in place; whether any order is another now."""
    changed = False
    for node in root.walk():
        if node.kind == "U" and len(node.children) > 1:
            before = list(node.children)
            random.shuffle(node.children)
            changed = changed or any(child is not other for child, other in zip(before, node.children, strict=True))
    return changed
