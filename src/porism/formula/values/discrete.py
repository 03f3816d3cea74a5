"""Values of factorials and binomial coefficients."""

from __future__ import annotations

from fractions import Fraction

from porism.formula.values.evaluation import value, whole_shift
from porism.formula.values.expressions import Expression, leaf, make, number
from porism.formula.values.field import PRIMES, Value, add, integer_power, inverse, multiply, random, root

_SMALL = 40
"""Arguments from −40 to 40 are found by value, however they are written."""

_SMALL_VALUES = {whole % PRIMES[0]: whole for whole in range(-_SMALL, _SMALL + 1)}


def factorial(expression: Expression, level: int) -> Value | None:
    """n!; see :func:`factorial_of`."""
    return factorial_of(expression.children[0], level)


def factorial_of(argument: Expression, level: int) -> Value | None:
    """n! as a random function of n without its whole shift, times what the shift adds: (n+1)! is (n+1)·n!.

    Where the argument has the value of a small whole number it is the true factorial; a negative one has none. At
    halves it is that of the gamma function: (−1/2)! is √π.
    """
    if argument.exact is not None and argument.exact.denominator == 2:
        return _factorial_of_half(argument.exact, level)
    there = value(argument, 0)
    if there is None:
        return None
    whole = _SMALL_VALUES.get(there) if isinstance(there, int) else None
    p = PRIMES[level]
    if whole is not None:
        if whole < 0:
            return None
        product = 1
        for step in range(2, whole + 1):
            product = product * step % p
        return product
    shift = whole_shift(argument)
    here = value(argument, level)
    if here is None:
        return None
    return _shifted(random(level, "of factorial", add(there, -shift, 0)), add(here, -shift, level), shift, level)


def _shifted(known: Value | None, start: Value, shift: int, level: int) -> Value | None:
    """(start + shift)! where start! is known."""
    total: Value = 1
    for step in range(1, shift + 1) if shift > 0 else range(shift + 1, 1):
        total = multiply(total, add(start, step, level), level)
    if shift < 0:
        below = inverse(total, level)
        if below is None:
            return None
        total = below
    return None if known is None else multiply(known, total, level)


def _factorial_of_half(argument: Fraction, level: int) -> Value | None:
    shift = (argument + Fraction(1, 2)).numerator
    if abs(shift) > _SMALL:
        return random(level, "of factorial", argument)
    angle = value(leaf("C", "π"), level)
    assert angle is not None
    half = pow(2, -1, PRIMES[level])
    return _shifted(root(angle, 1, 2, level), -half % PRIMES[level], shift, level)


def double_factorial(expression: Expression, level: int) -> Value | None:
    """n!!, a random function where n is not a number; (n+2)!! is (n+2)·n!!."""
    argument = expression.children[0]
    there, here = value(argument, 0), value(argument, level)
    if there is None or here is None:
        return None
    shift = whole_shift(argument) // 2 * 2
    known: Value | None = random(level, "of factorial2", add(there, -shift, 0))
    start = add(here, -shift, level)
    step = 2 if shift > 0 else -2
    for move in range(0, shift, step):
        factor: Value | None = add(start, move + max(step, 0), level)
        if factor is not None and step < 0:
            factor = inverse(factor, level)
        known = None if known is None or factor is None else multiply(known, factor, level)
    return known


def binom(expression: Expression, level: int) -> Value | None:
    """The binomial coefficient: a polynomial where what is below is a small whole number, else n!/(k!·(n−k)!)."""
    above, below = expression.children
    there = value(below, 0)
    if there is None:
        return None
    whole = _SMALL_VALUES.get(there) if isinstance(there, int) else None
    if whole is not None:
        return _polynomial(above, whole, level)
    rest = make("plus", above, make("neg", below))
    parts = [factorial_of(argument, level) for argument in (above, below, rest)]
    if None in parts:
        return None
    total: Value | None = 1
    for part, exponent in zip(parts, (1, -1, -1), strict=True):
        power = None if part is None else integer_power(part, exponent, level)
        total = None if total is None or power is None else multiply(total, power, level)
    return total


def _polynomial(above: Expression, whole: int, level: int) -> Value | None:
    start = value(above, level)
    if start is None:
        return None
    total: Value = int(whole >= 0)
    divisor = 1
    for step in range(whole):
        total = multiply(total, add(start, -step, level), level)
        divisor = divisor * (step + 1)
    return multiply(total, pow(divisor, -1, PRIMES[level]), level)


def gamma(expression: Expression, level: int) -> Value | None:
    """Γ(z), which is (z − 1)!."""
    return factorial_of(make("plus", expression.children[0], number(-1)), level)
