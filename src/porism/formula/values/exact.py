"""Exact rational arithmetic, for the parts of an expression that are plain numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from fractions import Fraction
from types import MappingProxyType

MAX_BITS = 512
"""Numbers with more bits than these above or below are not kept exactly (their values in the field are)."""

MAX_FACTORIAL = 60


def _kept(value: Fraction) -> Fraction | None:
    small = value.numerator.bit_length() <= MAX_BITS and value.denominator.bit_length() <= MAX_BITS
    return value if small else None


def _plus(*terms: Fraction) -> Fraction | None:
    return _kept(sum(terms, Fraction(0)))


def _times(*factors: Fraction) -> Fraction | None:
    product = Fraction(1)
    for factor in factors:
        product *= factor
        if _kept(product) is None:
            return None
    return product


def _divide(*parts: Fraction) -> Fraction | None:
    return _kept(parts[0] / parts[1]) if len(parts) == 2 and parts[1] else None


def _neg(*parts: Fraction) -> Fraction | None:
    return -parts[0]


def _sup(*parts: Fraction) -> Fraction | None:
    if len(parts) != 2:
        return None
    base, exponent = parts
    if exponent.denominator != 1:
        return exact_root(base, exponent.denominator, exponent.numerator)
    power = exponent.numerator
    if not base and power < 0:
        return None
    bits = max(base.numerator.bit_length(), base.denominator.bit_length())
    if abs(base) == 1:
        power %= 2
    elif bits * abs(power) > MAX_BITS:
        return None
    return base**power


def exact_root(base: Fraction, degree: int, power: int = 1) -> Fraction | None:
    """The rational number base^(power/degree), if it is one."""
    if degree < 1 or degree > 64 or abs(power) > 64 or (base <= 0 and (degree % 2 == 0 or not base)):
        return None
    above, below = _whole_root(abs(base.numerator), degree), _whole_root(base.denominator, degree)
    if above is None or below is None:
        return None
    root = Fraction(-above if base < 0 else above, below)
    return _sup(root, Fraction(power))


def _whole_root(value: int, degree: int) -> int | None:
    if degree == 1 or value <= 1:
        return value
    if degree == 2:
        guess = math.isqrt(value)
    else:
        guess = 1 << (value.bit_length() + degree - 1) // degree  # Newton from above
        while True:
            smaller = ((degree - 1) * guess + value // guess ** (degree - 1)) // degree
            if smaller >= guess:
                break
            guess = smaller
    return guess if guess**degree == value else None


def _root(*parts: Fraction) -> Fraction | None:
    degree = parts[1] if len(parts) == 2 else Fraction(2)
    if degree.denominator != 1 or degree < 2 or not parts[0]:
        return None
    return exact_root(parts[0], degree.numerator)


def _factorial(*parts: Fraction) -> Fraction | None:
    value = parts[0]
    if value.denominator != 1 or not 0 <= value <= MAX_FACTORIAL:
        return None
    return Fraction(math.factorial(value.numerator))


def _factorial2(*parts: Fraction) -> Fraction | None:
    value = parts[0]
    if value.denominator != 1 or not 0 <= value <= MAX_FACTORIAL:
        return None
    return Fraction(math.prod(range(value.numerator, 0, -2)))


def _binom(*parts: Fraction) -> Fraction | None:
    above, below = parts
    if below.denominator != 1 or abs(below) > MAX_FACTORIAL:
        return None
    product = Fraction(int(below >= 0))
    for step in range(below.numerator):
        product = product * (above - step) / (step + 1)
        if _kept(product) is None:
            return None
    return product


def _abs(*parts: Fraction) -> Fraction | None:
    return abs(parts[0])


def _floor(*parts: Fraction) -> Fraction | None:
    return Fraction(math.floor(parts[0]))


def _ceil(*parts: Fraction) -> Fraction | None:
    return Fraction(math.ceil(parts[0]))


def _percent(*parts: Fraction) -> Fraction | None:
    return parts[0] / 100


EXACT: Mapping[str, Callable[..., Fraction | None]] = MappingProxyType({
    "plus": _plus, "times": _times, "divide": _divide, "neg": _neg, "sup": _sup, "sqrt": _root, "root": _root,
    "factorial": _factorial, "factorial2": _factorial2, "binom": _binom, "abs": _abs, "floor": _floor, "ceil": _ceil,
    "percent": _percent,
})
"""By label: the number that an operator gives for numbers, or None where it gives none or one that is too large."""
