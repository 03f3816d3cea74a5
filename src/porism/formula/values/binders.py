"""Values of sums, products, integrals, limits and derivatives: operators that bind a variable.

Their first operand is the body with the bound variable replaced by a leaf that no formula contains, the second that
leaf, the others the bounds; so renaming the bound variable changes nothing.

Over a few numbers a sum or product is written out. Otherwise a sum, integral, limit or derivative is a random *linear*
function of its body: c₁·body(r₁) + c₂·body(r₂) at two fixed points with coefficients that depend on the bounds. So
constants move out, sums split, any algebra in the body is seen through, and the sum of 1 from a to b is b−a+1 and its
integral b−a. A product is the same in the exponents.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from porism.formula.values.evaluation import opaque_of, value
from porism.formula.values.expressions import MOST_TERMS, Expression, leaf, make, number, put
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


def points(body: Expression, bound: Expression) -> list[Expression]:
    """The body at the fixed points."""
    return [put(body, bound, leaf("S", f"point {number}")) for number in range(_POINTS)]


def _whole_bounds(expression: Expression) -> tuple[int, int] | None:
    """First and last number of a sum or product that can be written out."""
    if len(expression.children) != 4:
        return None
    lower, upper = expression.children[2].exact, expression.children[3].exact
    if lower is None or upper is None or lower.denominator != 1 or upper.denominator != 1:
        return None
    first, last = lower.numerator, upper.numerator
    return (first, last) if first - 1 <= last < first + MOST_TERMS else None


def _written_out(expression: Expression, bounds: tuple[int, int], level: int) -> Iterator[Value | None]:
    body, bound = expression.children[:2]
    for step in range(bounds[0], bounds[1] + 1):
        yield value(put(body, bound, number(step)), level)


def _linear(expression: Expression, coefficients: tuple[Value, Value], level: int) -> Value | None:
    total: Value = 0
    for at, coefficient in zip(points(*expression.children[:2]), coefficients, strict=True):
        found = value(at, level)
        if found is None:
            return None
        total = add(total, multiply(found, coefficient, level), level)
    return total


def _coefficients(expression: Expression, label: str, level: int) -> tuple[Value, Value] | None:
    """The coefficients of a linear function, by operator and bounds.

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
        ends.append(random(level, label, add(key, shift, 0)))
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
    coefficients = _coefficients(expression, "sum", level)
    return None if coefficients is None else _linear(expression, coefficients, level)


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
        return opaque_of("prod", (*points(*expression.children[:2]), *expression.children[2:]), level)
    coefficients = _coefficients(expression, "prod", level + 1)
    if coefficients is None:
        return None
    p = PRIMES[level]
    for position, (at, coefficient) in enumerate(zip(points(*expression.children[:2]), coefficients, strict=True)):
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
    """A derivative: linear, that of a constant 0 and that of the variable 1."""
    variable = expression.children[1]
    near, far = (value(make(label, variable), level) for label in ("near", "far"))
    if near is None or far is None:
        return None
    slope = inverse(add(far, negative(near, level), level), level)
    if slope is None:
        return None
    return _of_variable(expression.children[0], variable, negative(slope, level), slope, level)


def _of_variable(body: Expression, variable: Expression, first: Value, second: Value, level: int) -> Value | None:
    """A linear function of a body at two points that depend on the variable, which stays free."""
    near, far = (value(put(body, variable, make(label, variable)), level) for label in ("near", "far"))
    if near is None or far is None:
        return None
    return add(multiply(near, first, level), multiply(far, second, level), level)


def other(expression: Expression, level: int) -> Value | None:
    """Any other big operator: a random function of body and bounds."""
    body, bound = expression.children[:2]
    return opaque_of(expression.label, (*points(body, bound), *expression.children[2:]), level)


def work(expression: Expression) -> int:
    """How many more evaluations than nodes a sum or product takes."""
    bounds = _whole_bounds(expression)
    times = _POINTS if bounds is None else bounds[1] - bounds[0] + 1
    return times * expression.children[0].work
