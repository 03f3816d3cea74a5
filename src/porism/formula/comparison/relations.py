"""What equations, inequalities and intervals say: whether they hold at a point, and whether two say the same.

``-2\\le x\\le 7`` and ``x\\in[-2,7]`` are read as the same two conditions. Conditions say the same if the differences
of their sides are equal up to a factor that is a number, for inequalities a positive one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from porism.formula.comparison.points import Evaluation, Number
from porism.formula.values.evaluation import value, value_where
from porism.formula.values.expressions import Expression, leaf, make, rename
from porism.formula.values.field import PRIMES, Value, inverse, multiply

EQUATIONS = frozenset({"eq", "neq"})
_SMALLER = {"lt": "lt", "leq": "leq", "gt": "lt", "geq": "leq"}
_FLIPPED = frozenset({"gt", "geq"})
RELATIONS = EQUATIONS | _SMALLER.keys()
CLOSED = {"closed": (True, True), "closed_open": (True, False), "open_closed": (False, True), "open": (False, False)}
_SETS = frozenset({*CLOSED, "tuple", "set", "union", "inter", "setminus", "setbuilder", "name ℝ"})
ELEMENT = Expression("V", "x", ())
"""An element of a set that stands by itself."""

_MAX_FACTOR = 10**6


@dataclass(frozen=True, slots=True)
class Condition:
    """A difference of two sides, and what it is to 0: ``eq``, ``neq``, ``lt`` or ``leq``."""

    relation: str
    difference: Expression


@dataclass(frozen=True, slots=True)
class Factor:
    """What the difference of one relation is of that of another: a number, None where it is constant but not
    rational."""

    number: Fraction | None


def is_statement(expression: Expression) -> bool:
    """Whether an expression is made of equations, inequalities and memberships of intervals."""
    label = expression.label
    if label == "chain":
        return all(map(is_statement, expression.children))
    if label in RELATIONS:
        return len(expression.children) == 2
    if label in ("in", "notin"):
        return len(expression.children) == 2 and is_set(expression.children[1])
    if label == "list" and _is_choice(expression):
        return False
    if label in ("and", "or", "list") and expression.children:
        return all(is_statement(part) or is_word(part) for part in expression.children) and not is_word(
            expression.children[0]
        )
    return False


def is_set(expression: Expression) -> bool:
    """Whether an expression is an interval or made of some; points in brackets may be one."""
    label, children = expression.label, expression.children
    if label in ("name ℝ", "set"):
        return True
    if label in CLOSED or label == "tuple":
        return len(children) == 2
    if label == "setbuilder":
        return len(children) == 2 and _element(children[0]) is not None and is_statement(children[1])
    return label in _SETS and bool(children) and all(map(is_set, children))


def as_statement(expression: Expression) -> Expression | None:
    """A statement, or a set as that something is in it; None of anything else."""
    if expression.label == "eq" and len(expression.children) > 2:
        expression = make("chain", *[make("eq", *sides) for sides in pairwise(expression.children)])
    if is_statement(expression):
        return expression
    bare = expression.label not in ("tuple", "set", "name ℝ", "union", "inter", "setminus")
    return make("in", ELEMENT, expression) if bare and is_set(expression) else None


def _is_choice(listed: Expression) -> bool:
    """Whether a list gives the values of one thing, ``x=1, x=2``: the comma may stand for *and* as well as for *or*."""
    parts = listed.children
    return all(part.label == "eq" for part in parts) and len({part.children[0] for part in parts}) < len(parts)


def is_word(expression: Expression) -> bool:
    """Whether an expression is the word between two statements."""
    return expression.kind == "C" and expression.label in ("T and", "T or")


def _element(binding: Expression) -> Expression | None:
    """The variable that a set in braces is about."""
    name = binding.children[0] if binding.label == "in" and len(binding.children) == 2 else binding
    return name if name.is_name else None


def inside(member: Expression, built: Expression) -> Expression:
    """What ``{x : …}`` says of a member."""
    name = _element(built.children[0])
    assert name is not None
    return rename(built.children[1], {name: member})


# -- at a point --------------------------------------------------------------------------------------------------------


def holds(expression: Expression, here: Evaluation) -> bool | None:
    """Whether a statement is true at a point; None where its sides have no values."""
    label, children = expression.label, expression.children
    if label == "chain" or label == "and":
        return _all(holds(child, here) for child in children)
    if label in ("or", "list"):
        parts = [holds(child, here) for child in children if not is_word(child)]
        return _any(parts) if label == "or" or any(child.label == "T or" for child in children) else _all(parts)
    if label in ("in", "notin"):
        known = _contains(children[1], children[0], here)
        return known if label == "in" or known is None else not known
    sides = [_signs(child, here) for child in children]
    if sides[0] is None or sides[1] is None:
        return None
    results = [_relates(label, left, right, here) for left in sides[0] for right in sides[1]]
    return _any(results)


def _signs(side: Expression, here: Evaluation) -> list[Number] | None:
    """The numbers that a side may be: ``±2`` is two of them; infinity is none here."""
    if side.label == "pm" and len(side.children) == 1:
        size = here.number(side.children[0])
        return None if size is None else [size, -size]
    if (sign := infinite(side)) is not None:
        return [Fraction(sign * 10**30)]
    known = here.number(side)
    return None if known is None else [known]


def infinite(side: Expression) -> int | None:
    """Which infinity a bound is, if it is one."""
    if side.label == "neg" and len(side.children) == 1:
        return -1 if infinite(side.children[0]) == 1 else None
    if side.label == "plus" and len(side.children) == 1:
        return infinite(side.children[0])
    return 1 if side.kind == "C" and side.label == "∞" else None


def _relates(label: str, left: Number, right: Number, here: Evaluation) -> bool | None:
    differ = here.differ(left, right)
    if label in EQUATIONS:
        return differ == (label == "neq")
    if isinstance(left, complex) or isinstance(right, complex):
        return None
    if not differ:
        exact = isinstance(left, Fraction) and isinstance(right, Fraction)
        return label in ("leq", "geq") if exact else None
    return (left < right) != (label in _FLIPPED)


def _contains(members: Expression, member: Expression, here: Evaluation) -> bool | None:
    label, children = members.label, members.children
    if label == "name ℝ":
        return None if here.number(member) is None else True
    if label == "set":
        return _any(holds(make("eq", member, child), here) for child in children)
    if label == "setbuilder":
        return holds(inside(member, members), here)
    if label in CLOSED or label == "tuple":
        left, right = CLOSED.get(label, (False, False))
        return _all((
            holds(make("leq" if left else "lt", children[0], member), here),
            holds(make("leq" if right else "lt", member, children[1]), here),
        ))
    parts = [_contains(child, member, here) for child in children]
    if label == "union":
        return _any(parts)
    if label == "setminus":
        return _all([parts[0], *(None if part is None else not part for part in parts[1:])])
    return _all(parts)


def _all(parts: Iterator[bool | None] | tuple[bool | None, ...] | list[bool | None]) -> bool | None:
    known = list(parts)
    return False if False in known else None if None in known else True


def _any(parts: Iterator[bool | None] | list[bool | None]) -> bool | None:
    known = list(parts)
    return True if True in known else None if None in known else False


# -- as conditions of differences --------------------------------------------------------------------------------------


def conditions(expression: Expression) -> list[Condition] | None:
    """The conditions all of which a statement demands; None where it demands one of several."""
    label, children = expression.label, expression.children
    if label in ("chain", "and", "list"):
        if any(child.label == "T or" for child in children):
            return None
        return _joined([conditions(child) for child in children if not is_word(child)])
    if label == "in":
        return _membership(*children)
    if label not in RELATIONS or any(child.label == "pm" for child in children):
        return None
    left, right = children if label not in _FLIPPED else reversed(children)
    if label in EQUATIONS:
        return None if infinite(left) or infinite(right) else [Condition(label, minus(left, right))]
    if infinite(left) == -1 or infinite(right) == 1:
        return [] if label in ("lt", "gt") else None
    if infinite(left) or infinite(right):
        return None
    relation = _SMALLER[label]
    if left.label == "abs":
        between = left.children[0]
        return [Condition(relation, minus(between, right)), Condition(relation, minus(make("neg", between), right))]
    return [Condition(relation, minus(left, right))]


def _membership(member: Expression, members: Expression) -> list[Condition] | None:
    label, children = members.label, members.children
    if label == "name ℝ":
        return []
    if label in CLOSED or label == "tuple":
        left, right = CLOSED.get(label, (False, False))
        bounds = (
            make("leq" if left and not infinite(children[0]) else "lt", children[0], member),
            make("leq" if right and not infinite(children[1]) else "lt", member, children[1]),
        )
        return _joined([conditions(bound) for bound in bounds])
    if label == "set" and len(children) == 1:
        return conditions(make("eq", member, children[0]))
    if label == "setbuilder":
        return conditions(inside(member, members))
    if label == "inter":
        return _joined([_membership(member, child) for child in children])
    if label == "setminus" and all(child.label == "set" for child in children[1:]):
        outside = [conditions(make("neq", member, point)) for child in children[1:] for point in child.children]
        return _joined([_membership(member, children[0]), *outside])
    return None


def _joined(parts: list[list[Condition] | None]) -> list[Condition] | None:
    known = [part for part in parts if part is not None]
    return list(dict.fromkeys(each for part in known for each in part)) if len(known) == len(parts) else None


def minus(left: Expression, right: Expression) -> Expression:
    """left − right."""
    return left if right.exact == 0 else make("plus", left, make("neg", right))


def factor(first: Condition, second: Condition) -> Factor | None:
    """By what number the difference of the second is multiplied to be that of the first, so that both say the same.

    None where there is no such number, and for conditions of constants alone.
    """
    variables = tuple(dict.fromkeys((*first.difference.variables, *second.difference.variables)))
    if first.relation != second.relation or not variables:
        return None
    ratios: set[Value] = set()
    for point in range(3):
        new = {variable: leaf("S", f"ratio {point} {value(variable, 0)}") for variable in variables}
        left, right = value_where(first.difference, new), value_where(second.difference, new)
        below = None if not right else inverse(right, 0)
        if not left or below is None:
            return None
        ratios.add(multiply(left, below, 0))
    if len(ratios) != 1:
        return None
    ratio = ratios.pop()
    exact = _reconstructed(ratio) if isinstance(ratio, int) else None
    if first.relation in EQUATIONS:
        return Factor(exact)
    return Factor(exact) if exact is not None and exact > 0 else None


def _reconstructed(ratio: int) -> Fraction | None:
    """The rational number of small numerator and denominator that an element of the field is (Wang 1981)."""
    before, now, before_factor, now_factor = PRIMES[0], ratio, 0, 1
    while now > _MAX_FACTOR:
        times = before // now
        before, now = now, before - times * now
        before_factor, now_factor = now_factor, before_factor - times * now_factor
    return Fraction(now, now_factor) if now_factor and abs(now_factor) <= _MAX_FACTOR else None


def matched(first: list[Condition], second: list[Condition]) -> list[tuple[Condition, Condition, Factor]] | None:
    """Pairs of conditions that say the same, None where any is left over."""
    if len(first) != len(second) or not first:
        return None
    pairs: list[tuple[Condition, Condition, Factor]] = []
    left_over = list(second)
    for condition in first:
        for other in left_over:
            by = factor(condition, other)
            if by is not None:
                pairs.append((condition, other, by))
                left_over.remove(other)
                break
        else:
            return None
    return pairs
