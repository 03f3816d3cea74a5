"""Which rule finds the value of which operator; every operator that is not named here is a random function."""

from __future__ import annotations

from collections.abc import Callable

from porism.formula.values import arithmetic, binders, discrete, powers
from porism.formula.values.arithmetic import is_ordered
from porism.formula.values.expressions import COMBINATIONS, EXTRA_WORK, PI, ROOT, RULES, Combination, Expression
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


def _work_of_angle(expression: Expression) -> int:
    return expression.children[-1].work if expression.flags & PI else 1


def _product(expression: Expression) -> Combination | None:
    if expression.flags & ROOT or is_ordered(expression):
        return None
    return arithmetic.times if expression.label == "times" else arithmetic.divide


def _power(expression: Expression) -> Combination | None:
    base, exponent = expression.children
    if exponent.exact is None or expression.flags & ROOT or base.label == "abs":
        return None
    return arithmetic.whole_power


def install() -> None:
    """Fills the tables that expressions are made and evaluated by."""
    COMBINATIONS.update({
        "plus": lambda expression: None if is_ordered(expression) else arithmetic.plus,
        "times": _product, "divide": _product, "sup": _power,
        "neg": lambda expression: arithmetic.neg, "pm": lambda expression: arithmetic.pm,
        "mp": lambda expression: arithmetic.mp, "percent": lambda expression: arithmetic.percent,
    })
    RULES.update({
        "plus": arithmetic.dotted, "times": arithmetic.product_rule, "divide": arithmetic.product_rule,
        "sqrt": arithmetic.roots, "root": arithmetic.roots, "abs": arithmetic.absolute_value,
        "sup": powers.sup, "exp": powers.exp, "cis": powers.cis, "ln": powers.logarithm, "log": powers.logarithm,
        "lg": powers.decimal_logarithm,
        "factorial": discrete.factorial, "factorial2": discrete.double_factorial, "binom": discrete.binom,
        "gamma": discrete.gamma,
        "sum": binders.total, "sum over": binders.total, "prod": binders.product, "prod over": binders.product,
        "int": binders.integral, "int over": binders.integral, "antiderivative": binders.antiderivative,
        "derivative": binders.derivative, "big over": binders.other,
    })
    RULES.update(powers.TRIGONOMETRIC)
    RULES.update(dict.fromkeys(powers.ODD, powers.odd))
    RULES.update({label: binders.limit(label) for label in ("lim", "limsup", "liminf")})
    COMBINATIONS.update({label: equation(label) for label in ("eq", "neq", "equiv", "approx")})
    COMBINATIONS.update({label: inequality(label) for label in ("lt", "gt", "leq", "geq", "ll", "gg")})
    EXTRA_WORK.update(dict.fromkeys(
        ("sum", "sum over", "prod", "prod over", "int", "int over", "antiderivative", "derivative", "big over", "lim",
         "limsup", "liminf"), binders.work,
    ))
    EXTRA_WORK.update(dict.fromkeys(("sup", "exp", "cis", *powers.TRIGONOMETRIC), _work_of_angle))
    EXTRA_WORK.update(dict.fromkeys(("binom", "factorial", "factorial2", "gamma"), lambda expression: expression.size))
