"""Closed forms of sums: polynomials and powers in the summation variable, up to a symbolic bound.

A summand may be made of polynomials in its variable k and of powers ``c^(linear in k)``. These are combined by sums,
products, whole powers and quotients by what has no k. Such a summand is Σ P_ρ(j)·t_ρ(j) with j = k − first and
polynomials P_ρ. Here t_ρ(0) = 1 and t_ρ(j+1) = ρ·t_ρ(j). Its sum over j < m is

* for ρ = 1 Newton's  Σ_i C(m, i+1)·Δ^i P(0);
* else  Q(m)·t(m) − Q(0)  with  Q = Σ_i (−ρ)^i / (ρ−1)^(i+1) · Δ^i P,  since then  ρ·Q(j+1) − Q(j) = P(j).

Powers with symbolic exponents are evaluated in the tower like any other, so that t(m) is ``x^{n+1}`` where a formula
says so.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from porism.formula.values.arithmetic import constant_exponent, is_ordered
from porism.formula.values.evaluation import value
from porism.formula.values.expressions import Expression, make, number, put
from porism.formula.values.field import PRIMES, Value, add, inverse, multiply, negative

MAX_DEGREE = 24
"""Polynomials of a higher degree are not summed in closed form."""
MAX_PARTS = 16
"""So many different powers can a summand have."""

Key = tuple[Value, ...]
"""Of a power t: its values at the second place, after the last place, and at each of the points."""

Parts = dict[Key, list[Value]]
"""By power: the coefficients of its polynomial in j, the constant one first."""


class _TooMuch(Exception):
    """The summand is too large, or has no value somewhere."""


class Places(NamedTuple):
    """Where a summand is looked at: the first value of its variable, the one after the last, and some points."""

    first: Expression
    end: Expression
    points: Sequence[Expression]


class ClosedSum(NamedTuple):
    """The sum of the part of a summand that has a closed form, and the values of that part at the points."""

    total: Value
    at_points: list[Value]


def closed_sum(body: Expression, bound: Expression, places: Places, level: int) -> ClosedSum | None:
    """The closed form of what has one in a summand; None where there is nothing, or something has no value.

    The rest of the summand counts as 0: it is what depends on k in other ways.
    """
    try:
        return _Summand(bound, places, level).sum(body)
    except _TooMuch:
        return None


class _Summand:
    def __init__(self, bound: Expression, places: Places, level: int) -> None:
        self.bound, self.places, self.level = bound, places, level
        first = self._value(places.first)
        self.first = first
        self.offsets = [self._minus(self._value(place), first) for place in (places.end, *places.points)]
        self.one: Key = (1,) * (2 + len(places.points))

    def sum(self, body: Expression) -> ClosedSum | None:
        parts = {key: _trimmed(polynomial) for key, polynomial in self.parts(body).items()}
        parts = {key: polynomial for key, polynomial in parts.items() if polynomial}
        if not parts:
            return None
        total: Value = 0
        at_points: list[Value] = [0] * len(self.places.points)
        for key, polynomial in parts.items():
            total = self._plus(total, self._sum_of(key, polynomial))
            for number_, offset in enumerate(self.offsets[1:]):
                term = self._times(self._at(polynomial, offset), key[2 + number_])
                at_points[number_] = self._plus(at_points[number_], term)
        return ClosedSum(total, at_points)

    def _sum_of(self, key: Key, polynomial: list[Value]) -> Value:
        degree = len(polynomial) - 1
        count = self.offsets[0]
        ratio, after = key[:2]
        if ratio == 1:
            if after != 1:
                raise _TooMuch
            steps = self._differences([self._at(polynomial, step) for step in range(degree + 1)])
            total: Value = 0
            choose = count
            for order, step in enumerate(steps):
                total = self._plus(total, self._times(choose, step))
                choose = self._times(self._times(choose, self._minus(count, order + 1)), self._inverse(order + 2))
            return total
        below = self._inverse(self._minus(ratio, 1))
        ends: list[Value] = []
        for start in (0, count):
            steps = self._differences([self._at(polynomial, self._plus(start, step)) for step in range(degree + 1)])
            running: Value = 0
            factor = below
            for step in steps:
                running = self._plus(running, self._times(factor, step))
                factor = self._times(negative(self._times(factor, ratio), self.level), below)
            ends.append(running)
        return self._minus(self._times(ends[1], after), ends[0])

    def parts(self, node: Expression) -> Parts:
        """The polynomials and powers in an expression."""
        if self.bound not in node.leaves:
            return {self.one: [self._value(node)]}
        if node is self.bound:
            return {self.one: [self.first, 1]}
        label, children = node.label, node.children
        if label == "plus" and not is_ordered(node):
            return self._sum(self.parts(child) for child in children)
        if label == "neg":
            return self._product(self.parts(children[0]), {self.one: [PRIMES[self.level] - 1]})
        if label == "times" and not is_ordered(node):
            total: Parts = {self.one: [1]}
            for child in children:
                total = self._product(total, self.parts(child))
            return total
        if label == "divide":
            below = self._inverted(self.parts(children[1]), children[1])
            return self._product(self.parts(children[0]), below) if below else {}
        if label == "binom" and (below_exact := children[1].exact) is not None:
            return self._binomial(children[0], int(below_exact)) if 0 <= below_exact <= MAX_DEGREE else {}
        if label in ("sup", "exp"):
            return self._power(node)
        return {}

    def _power(self, node: Expression) -> Parts:
        constant = constant_exponent(node) if node.label == "sup" else None
        if constant is not None:
            if constant.denominator != 1 or abs(constant) > MAX_DEGREE:
                return {}
            base = self.parts(node.children[0])
            if constant < 0:
                base = self._inverted(base, node.children[0])
            total: Parts = {self.one: [1]}
            for _ in range(abs(constant.numerator)) if base else ():
                total = self._product(total, base)
            return total if base else {}
        exponent = node.children[-1]
        if (self.bound in node.children[0].leaves and node.label == "sup") or _degree(exponent, self.bound) != 1:
            return {}
        places = (make("plus", self.places.first, number(1)), self.places.end, *self.places.points)
        start = self._value(put(node, self.bound, self.places.first))
        below = self._inverse(start)
        key = tuple(self._times(self._value(put(node, self.bound, place)), below) for place in places)
        return {key: [start]}

    def _binomial(self, above: Expression, below: int) -> Parts:
        polynomial = self.parts(above)
        total: Parts = {self.one: [1]}
        for step in range(below):
            lower = self._sum([polynomial, {self.one: [-step % PRIMES[self.level]]}])
            total = self._product(total, self._product(lower, {self.one: [self._inverse(step + 1)]}))
        return total

    def _inverted(self, parts: Parts, node: Expression) -> Parts:
        """One over a single power without polynomial, if the expression is nothing else; else nothing."""
        if len(parts) != 1 or not _is_pure(node, self.bound):
            return {}
        ((key, polynomial),) = parts.items()
        polynomial = _trimmed(polynomial)
        if len(polynomial) != 1:
            return {}
        return {tuple(map(self._inverse, key)): [self._inverse(polynomial[0])]}

    def _sum(self, several: Iterable[Parts]) -> Parts:
        total: Parts = {}
        for parts in several:
            for key, polynomial in parts.items():
                known = total.get(key, [])
                size = max(len(known), len(polynomial))
                padded = [[*part, *[0] * (size - len(part))] for part in (known, polynomial)]
                total[key] = [self._plus(a, b) for a, b in zip(*padded, strict=True)]
        return total

    def _product(self, left: Parts, right: Parts) -> Parts:
        if len(left) * len(right) > MAX_PARTS:
            raise _TooMuch
        products: list[Parts] = []
        for first_key, first in left.items():
            for second_key, second in right.items():
                if len(first) + len(second) > MAX_DEGREE + 2:
                    raise _TooMuch
                key = tuple(self._times(a, b) for a, b in zip(first_key, second_key, strict=True))
                product: list[Value] = [0] * (len(first) + len(second) - 1)
                for i, a in enumerate(first):
                    for j, b in enumerate(second):
                        product[i + j] = self._plus(product[i + j], self._times(a, b))
                products.append({key: product})
        return self._sum(products)

    def _at(self, polynomial: list[Value], place: Value) -> Value:
        total: Value = 0
        for coefficient in reversed(polynomial):
            total = self._plus(self._times(total, place), coefficient)
        return total

    def _differences(self, values: list[Value]) -> list[Value]:
        """Newton's forward differences at the first of the places."""
        differences: list[Value] = []
        while values:
            differences.append(values[0])
            values = [self._minus(later, sooner) for sooner, later in itertools.pairwise(values)]
        return differences

    def _value(self, expression: Expression) -> Value:
        known = value(expression, self.level)
        if known is None:
            raise _TooMuch
        return known

    def _inverse(self, operand: Value) -> Value:
        inverted = inverse(operand, self.level)
        if inverted is None:
            raise _TooMuch
        return inverted

    def _plus(self, left: Value, right: Value) -> Value:
        return add(left, right, self.level)

    def _minus(self, left: Value, right: Value) -> Value:
        return add(left, negative(right, self.level), self.level)

    def _times(self, left: Value, right: Value) -> Value:
        return multiply(left, right, self.level)


def _trimmed(polynomial: list[Value]) -> list[Value]:
    size = len(polynomial)
    while size and polynomial[size - 1] == 0:
        size -= 1
    return polynomial[:size]


def _degree(expression: Expression, bound: Expression) -> int:
    """1 where an expression is linear in the variable, 0 without it, 2 for anything else."""
    if bound not in expression.leaves:
        return 0
    if expression is bound:
        return 1
    degrees = [_degree(child, bound) for child in expression.children]
    match expression.label:
        case "plus" if not is_ordered(expression):
            return max(degrees)
        case "neg" | "percent":
            return degrees[0]
        case "times" if not is_ordered(expression):
            return min(2, sum(degrees))
        case "divide" if degrees[1] == 0:
            return degrees[0]
        case _:
            return 2


def _is_pure(expression: Expression, bound: Expression) -> bool:
    """Whether an expression is a product of powers of which :class:`_Summand` sees all."""
    if bound not in expression.leaves:
        return True
    if expression.label in ("times", "divide", "neg"):
        return not is_ordered(expression) and all(_is_pure(child, bound) for child in expression.children)
    if expression.label == "exp":
        return True
    return expression.label == "sup" and (
        bound not in expression.children[0].leaves or _is_pure(expression.children[0], bound)
    )
