"""Values of sums, products, integrals, limits and derivatives: operators that bind a variable.

Their first operand is the body with the bound variable replaced by a leaf that no formula contains, the second that
leaf, the others the bounds; so renaming the bound variable changes nothing.

Over a few numbers a sum or product is written out. Otherwise a sum, integral, limit or derivative is a random *linear*
function of its body: c₁·body(r₁) + c₂·body(r₂) + … at fixed points with coefficients that depend on the bounds. So
constants move out, sums split, any algebra in the body is seen through, and the sum of 1 from a to b is b−a+1 and its
integral b−a. A product is the same in the exponents.

Of a sum, what is polynomial or a power in the variable has its closed form (:mod:`porism.formula.values.closed`), and
the linear function gives the rest; for sums of k it agrees with the closed form, however k is written. The variable of
a sum or product is shifted so that the lower bound has no whole number in it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from porism.formula.values.closed import Places, closed_sum
from porism.formula.values.evaluation import opaque_of, value, whole_shift
from porism.formula.values.expressions import MAX_TERMS, Expression, leaf, make, number, put
from porism.formula.values.field import (
    LEVELS,
    MINUS,
    PRIMES,
    TURN,
    Value,
    absolute,
    add,
    inverse,
    is_positive,
    multiply,
    negative,
    pair,
    random,
)

_POINTS = 2
_SUM_POINTS = 3
_SUM_WORK = 4
"""Evaluations of the body of a sum: at its points, and what the closed form takes."""


def places(count: int = _POINTS, shift: int = 0) -> list[Expression]:
    """The fixed points, as values of the bound variable."""
    fixed = [leaf("S", f"point {place}") for place in range(count)]
    return [make("plus", place, number(shift)) for place in fixed] if shift else fixed


def points(expression: Expression, shift: int = 0) -> list[Expression]:
    """The body of an operator at the fixed points."""
    body, bound = expression.children[:2]
    return [put(body, bound, place) for place in places(shift=shift)]


def _whole_bounds(expression: Expression) -> tuple[int, int] | None:
    """First and last number of a sum or product that can be written out."""
    if len(expression.children) != 4:
        return None
    lower, upper = expression.children[2].exact, expression.children[3].exact
    if lower is None or upper is None or lower.denominator != 1 or upper.denominator != 1:
        return None
    first, last = lower.numerator, upper.numerator
    return (first, last) if first - 1 <= last < first + MAX_TERMS else None


def _written_out(expression: Expression, bounds: tuple[int, int], level: int) -> Iterator[Value | None]:
    body, bound = expression.children[:2]
    for step in range(bounds[0], bounds[1] + 1):
        yield value(put(body, bound, number(step)), level)


def _linear(expression: Expression, coefficients: tuple[Value, Value], level: int, shift: int = 0) -> Value | None:
    total: Value = 0
    for at, coefficient in zip(points(expression, shift), coefficients, strict=True):
        height = value(at, level)
        if height is None:
            return None
        total = add(total, multiply(height, coefficient, level), level)
    return total


def _shift(expression: Expression) -> int:
    """The whole number in the lower bound of a sum or product over an interval."""
    return whole_shift(expression.children[2]) if len(expression.children) == 4 else 0


def _coefficients(expression: Expression, label: str, level: int, shifted: int = 0) -> tuple[Value, Value] | None:
    """The coefficients of a linear function, by operator and bounds less ``shifted``.

    Between two bounds they are differences of a function of either bound, so that intervals can be joined and swapped,
    and add up to the length of the interval.
    """
    bounds = expression.children[2:]
    keys = [value(bound, 0) for bound in bounds]
    if None in keys:
        return None
    if len(bounds) != 2:
        return random(level, label, 0, *keys), random(level, label, 1, *keys)
    lower, upper = value(bounds[0], level), value(bounds[1], level)
    if lower is None or upper is None:
        return None
    ends: list[Value] = []
    for key, shift in zip(keys, (0, 0 if label == "int" else 1), strict=True):
        assert key is not None
        ends.append(random(level, label, add(key, shift - shifted, 0)))
    first = add(ends[1], negative(ends[0], level), level)
    length = add(upper, negative(lower, level), level)
    if label != "int":
        length = add(length, 1, level)
    return first, add(length, negative(first, level), level)


def total(expression: Expression, level: int) -> Value | None:
    """A sum."""
    bounds = _whole_bounds(expression)
    if bounds is not None:
        result: Value = 0
        for term in _written_out(expression, bounds, level):
            if term is None:
                return None
            result = add(result, term, level)
        return result
    if len(expression.children) != 4:
        coefficients = _coefficients(expression, "sum", level)
        return None if coefficients is None else _linear(expression, coefficients, level)
    return _over_interval(expression, level)


def _over_interval(expression: Expression, level: int) -> Value | None:
    """A sum between two bounds: the closed form of what has one, and a linear function of the rest."""
    body, bound, lower, upper = expression.children
    shift = _shift(expression)
    where = places(_SUM_POINTS, shift)
    weights = _weights(expression, shift, level)
    if weights is None:
        return None
    heights = [value(put(body, bound, place), level) for place in where]
    rest: list[Value] = []
    result: Value = 0
    # By label: a leaf kept from before the memory was emptied would not be that of the expression.
    finite = all(part.label != "∞" for limit in (lower, upper) for part in limit.leaves)
    closed = None
    if finite:
        closed = closed_sum(body, bound, Places(lower, make("plus", upper, number(1)), where), level)
    if closed is not None:
        result = closed.total
    for position, height in enumerate(heights):
        if height is None:
            return None
        known = closed.at_points[position] if closed is not None else 0
        rest.append(add(height, negative(known, level), level))
    for weight, height in zip(weights, rest, strict=True):
        result = add(result, multiply(weight, height, level), level)
    return result


def _weights(expression: Expression, shift: int, level: int) -> list[Value] | None:
    """The coefficients of the body at the points of a sum.

    Differences of a function of either bound. They sum 1 and k as these sum up, and a random multiple of the second
    divided difference, which is 0 for both, is added.
    """
    first, second, third = (value(place, level) for place in places(_SUM_POINTS))
    assert isinstance(first, int)
    assert isinstance(second, int)
    assert isinstance(third, int)
    p = PRIMES[level]
    spread = pow(second - first, -1, p)
    difference = [
        pow((point - other) * (point - last) % p, -1, p)
        for point, other, last in ((first, second, third), (second, first, third), (third, first, second))
    ]
    ends: list[list[Value]] = []
    for bound, plus in zip(expression.children[2:], (0, 1), strict=True):
        key, here = value(bound, 0), value(bound, level)
        if key is None or here is None:
            return None
        place = add(here, plus - shift, level)
        chance = random(level, "sum", add(key, plus - shift, 0))
        sum_of_k = multiply(multiply(place, add(place, -1, level), level), pow(2, -1, p), level)
        with_second = multiply(add(sum_of_k, multiply(place, -first % p, level), level), spread, level)
        particular: tuple[Value, ...] = (add(place, negative(with_second, level), level), with_second, 0)
        ends.append([add(part, chance * share % p, level) for part, share in zip(particular, difference, strict=True)])
    return [add(upper, negative(lower, level), level) for lower, upper in zip(*ends, strict=True)]


def product(expression: Expression, level: int) -> Value | None:
    """A product."""
    bounds = _whole_bounds(expression)
    result: Value = 1
    if bounds is not None:
        for factor in _written_out(expression, bounds, level):
            if factor is None:
                return None
            result = multiply(result, factor, level)
        return result
    if level == LEVELS - 1:
        return opaque_of("prod", (*points(expression), *expression.children[2:]), level)
    # from 1, so that the variable itself is positive where it mostly begins
    shift = _shift(expression) - 1 if len(expression.children) == 4 else 0
    coefficients = _coefficients(expression, "prod", level + 1, shift)
    if coefficients is None:
        return None
    p = PRIMES[level]
    at_points = points(expression, shift)
    for position, (at, coefficient) in enumerate(zip(at_points, coefficients, strict=True)):
        body = value(at, level)
        if body is None:
            return None
        a, b = pair(coefficient)
        exponent = (a + b * TURN[level + 1]) % (p >> 1)
        if isinstance(body, tuple):
            result = multiply(result, random(level, "prod", body, exponent), level)
            continue
        result = multiply(result, pow(absolute(body, level), exponent, p), level)
        if position == 0 and body and not is_positive(body, level):
            result = multiply(result, MINUS[level], level)
    return result


def integral(expression: Expression, level: int) -> Value | None:
    """An integral between bounds or over a domain."""
    coefficients = _coefficients(expression, "int", level)
    return None if coefficients is None else _linear(expression, coefficients, level)


def limit(label: str) -> Callable[[Expression, int], Value | None]:
    """The rule of a limit: linear, and the limit of a constant is the constant."""

    def rule(expression: Expression, level: int) -> Value | None:
        keys = [value(bound, 0) for bound in expression.children[2:]]
        if None in keys:
            return None
        first = random(level, label, *keys)
        return _linear(expression, (first, (1 - first) % PRIMES[level]), level)

    return rule


def antiderivative(expression: Expression, level: int) -> Value | None:
    """An integral without bounds: linear, and that of 1 is the variable."""
    variable = expression.children[1]
    here, key = value(variable, level), value(variable, 0)
    if here is None or key is None:
        return None
    first = random(level, "antiderivative", key)
    rest = add(here, -first % PRIMES[level], level)
    return _of_variable(expression.children[0], variable, first, rest, level)


def derivative(expression: Expression, level: int) -> Value | None:
    """A derivative of the body at a point: linear, that of a constant 0 and that of the variable 1."""
    body, bound, point = expression.children
    near, far = make("near", point), make("far", point)
    steps = [value(place, level) for place in (near, far, put(body, bound, near), put(body, bound, far))]
    if any(step is None for step in steps):
        return None
    start, stop, low, high = (step for step in steps if step is not None)
    slope = inverse(add(stop, negative(start, level), level), level)
    return None if slope is None else multiply(add(high, negative(low, level), level), slope, level)


def _of_variable(body: Expression, variable: Expression, first: Value, second: Value, level: int) -> Value | None:
    """A linear function of a body at two points that depend on the variable, which stays free."""
    near, far = (value(put(body, variable, make(label, variable)), level) for label in ("near", "far"))
    if near is None or far is None:
        return None
    return add(multiply(near, first, level), multiply(far, second, level), level)


def other(expression: Expression, level: int) -> Value | None:
    """Any other big operator: a random function of body and bounds."""
    return opaque_of(expression.label, (*points(expression), *expression.children[2:]), level)


def work(expression: Expression) -> int:
    """How many more evaluations than nodes a sum or product takes."""
    bounds = _whole_bounds(expression)
    times = _POINTS if bounds is None else bounds[1] - bounds[0] + 1
    if bounds is None and expression.label == "sum":
        times = _SUM_WORK
    return times * expression.children[0].work
