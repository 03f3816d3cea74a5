"""Changing a formula into one that is nearly equal but different: rules, each of which changes one place."""

from __future__ import annotations

from random import Random

from porism.formula.tree import OperatorNode
from porism.formula.variants.editing import EditRule, become, copied, node_of, number, relabel, rule_table
from porism.formula.variants.renaming import NAME_CHANGES, is_variable

_CONFUSED = (
    "sin cos tan cot sec csc", "sinh cosh tanh coth", "arcsin arccos arctan", "log ln exp", "sum prod",
    "bigcup bigcap", "max min", "supremum infimum", "lim limsup liminf", "floor ceil", "union inter setminus", "and or",
    "forall exists", "plus times", "lt leq gt geq eq neq", "in notin", "subset subseteq supset supseteq in",
    "closed open closed_open open_closed", "prime prime2 prime3", "sup sub", "dot ddot", "gcd lcm", "det tr",
    "oplus otimes", "implies iff", "equiv eq", "bar hat tilde vec", "arg abs norm", "pm mp",
)
_OTHERS: dict[str, list[str]] = {}
for _group in _CONFUSED:
    for _label in _group.split():
        _OTHERS.setdefault(_label, []).extend(other for other in _group.split() if other != _label)

_BIG = frozenset({
    "sum", "prod", "int", "iint", "iiint", "oint", "bigcup", "bigcap", "lim", "limsup", "liminf", "bigoplus",
})
_ORDERED = frozenset({
    "divide", "sup", "sub", "binom", "lt", "gt", "leq", "geq", "subset", "subseteq", "in", "implies", "to", "setminus",
    "compose", "mod", "modulo", "divides", "tuple", "apply", "root",
})
_DROPPED = frozenset({"sqrt", "factorial", "abs", "neg", "sin", "cos", "log", "ln", "exp", "prime", "floor", "not"})


def _number(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """Another number: one more or less, another small one, or with another digit."""
    if node.kind != "N":
        return False
    if not node.label.isdecimal() or not node.label.isascii() or len(node.label) > 12:
        digits = [place for place, sign in enumerate(node.label) if sign in "0123456789"]
        if not digits:
            return False
        place = random.choice(digits)
        other = random.choice([digit for digit in "123456789" if digit != node.label[place]])
        node.label = node.label[:place] + other + node.label[place + 1 :]
        return True
    value = int(node.label)
    near = {value + 1, value + 2, 2 * value, abs(value - 1), random.randrange(10)} - {value}
    node.label = str(random.choice(sorted(near)))
    return True


def _sign(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """One term of a sum, or one side or factor, gets the other sign."""
    if not node.children:
        return False
    place = random.randrange(len(node.children))
    child = node.children[place]
    node.children[place] = (
        child.children[0] if child.label == "neg" and len(child.children) == 1 else node_of("neg", child)
    )
    return True


def _operator(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    return bool(node.children) and relabel(node, random.choice(_OTHERS[node.label]))


def _chain(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """One relation of a chain of different ones becomes another."""
    parts = node.label.split("-")
    known = [place for place, part in enumerate(parts) if part in _OTHERS]
    if len(parts) < 2 or not known or not node.children:
        return False
    place = random.choice(known)
    parts[place] = random.choice(_OTHERS[parts[place]])
    return relabel(node, "-".join(parts) if len(set(parts)) > 1 else parts[0])


def _swapped(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """Two operands whose order counts trade places."""
    if len(node.children) < 2:
        return False
    first, second = random.sample(range(len(node.children)), 2)
    node.children[first], node.children[second] = node.children[second], node.children[first]
    return True


def _bound(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """A bound of a big operator becomes another, or goes."""
    places = [place for place in range(1, len(node.children)) if node.children[place].label != "diff"]
    if not places:
        return False
    place = random.choice(places)
    bound = node.children[place]
    if bound.label in ("eq", "to", "in", "geq", "leq") and len(bound.children) == 2:
        bound.children[1] = _other_bound(bound.children[1], random)
    elif random.random() < 0.2:
        del node.children[place]
    else:
        node.children[place] = _other_bound(bound, random)
    return True


def _other_bound(bound: OperatorNode, random: Random) -> OperatorNode:
    choices = [
        number(0), number(1), OperatorNode("∞", "C"), OperatorNode("n", "V"), node_of("plus", copied(bound), number(1)),
        node_of("plus", copied(bound), number(-1)), node_of("neg", copied(bound)),
    ]
    return random.choice([choice for choice in choices if (choice.label, choice.kind) != (bound.label, bound.kind)])


def _exponent(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """A power of a sum, a product, a fraction or a function becomes that of one part of it, or the reverse."""
    if node.label != "sup":
        powers = [place for place, child in enumerate(node.children) if _is_power(child)]
        if not powers:
            return False
        place = random.choice(powers)
        base, exponent = node.children[place].children
        node.children[place] = base
        return become(node, node_of("sup", OperatorNode(node.label, node.kind, node.children), exponent))
    if len(node.children) != 2 or not node.children[0].children:
        return False
    base, exponent = node.children
    place = random.randrange(len(base.children))
    base.children[place] = node_of("sup", base.children[place], exponent)
    return become(node, base)


def _is_power(node: OperatorNode) -> bool:
    return node.label == "sup" and len(node.children) == 2


def _dropped(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """An operator of one operand goes, or one operand of several does."""
    if node.label in _DROPPED and len(node.children) == 1:
        return become(node, node.children[0])
    if len(node.children) < 3 or node.label in _BIG:
        return False
    del node.children[random.randrange(len(node.children))]
    return True


def _added(node: OperatorNode, root: OperatorNode, random: Random) -> bool:
    """A term, a factor or an exponent is added to a variable or an operator."""
    if not (is_variable(node) or node.label in ("plus", "times", "sup", "apply", "divide")):
        return False
    inner = OperatorNode(node.label, node.kind, node.children)
    kind = random.choice(("plus", "times", "sup"))
    return become(node, node_of(kind, inner, number(random.choice((1, 2, 3)) if kind == "plus" else 2)))


CHANGES = (
    EditRule("number", frozenset(), _number),
    EditRule("sign", frozenset({"plus", "times", "eq", "sup", "apply", "leq", "lt", "divide", "exp"}), _sign),
    EditRule("operator", frozenset(_OTHERS), _operator),
    EditRule("relation in a chain", frozenset(), _chain),
    EditRule("operands swapped", _ORDERED, _swapped),
    EditRule("bound", _BIG, _bound),
    EditRule(
        "exponent moved", frozenset({"sup", "plus", "times", "sin", "cos", "divide", "abs", "ln", "log"}), _exponent
    ),
    EditRule("part dropped", frozenset(), _dropped),
    EditRule("part added", frozenset(), _added),
    *NAME_CHANGES,
)
"""Ways to change the meaning of a formula a little."""

CHANGE_TABLE = rule_table(CHANGES)
