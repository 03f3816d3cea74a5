"""Values of relations: random functions of the difference of their sides.

Where the difference is a plain number, as in ``1+1=2`` or ``x<x+1``, they are random functions of both sides.
"""

from __future__ import annotations

from collections.abc import Callable

from porism.formula.values.expressions import Combination, Expression
from porism.formula.values.field import Value, add, is_simple, multiply, negative, random

_FLIPPED = {"gt": "lt", "geq": "leq", "gg": "ll"}


def equation(label: str) -> Callable[[Expression], Combination | None]:
    """What a relation says of a difference whatever its sign; if that is 0, of either side."""

    def combine(expression: Expression, operands: list[Value], level: int) -> Value | None:
        if len(operands) != 2:
            return random(level, label, *sorted(operands, key=repr))
        difference = _difference(operands, level)
        if difference == 0:
            return random(level, label + " same", operands[0])
        if is_simple(difference, level):
            return random(level, label, *sorted(operands, key=repr))
        return random(level, label, multiply(difference, difference, level))

    return lambda expression: combine


def inequality(label: str) -> Callable[[Expression], Combination | None]:
    """What an order relation says: of b − a for a < b and b > a."""
    smaller_first = _FLIPPED.get(label, label)

    def combine(expression: Expression, operands: list[Value], level: int) -> Value | None:
        if smaller_first != label:
            operands = operands[::-1]
        if len(operands) != 2:
            return random(level, smaller_first, *operands)
        difference = _difference(operands, level)
        if difference == 0:
            return random(level, smaller_first + " same", operands[0])
        if is_simple(difference, level):
            return random(level, smaller_first, *operands)
        return random(level, smaller_first, difference)

    return lambda expression: combine


def _difference(operands: list[Value], level: int) -> Value:
    return add(operands[1], negative(operands[0], level), level)
