"""The value of an expression at a level of the tower of fields, and what its constant part is."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from porism.formula.operators.rules import UNORDERED
from porism.formula.values.exact import EXACT
from porism.formula.values.expressions import Expression, rename
from porism.formula.values.field import EULER, Value, random, rational

_SYMMETRIC = UNORDERED | {"max", "min", "gcd", "lcm", "chain"}


def value(expression: Expression, level: int) -> Value | None:
    """The value of an expression modulo the prime of a level; None where it has none, as 1/0 has not."""
    known = expression.known
    if level in known:
        return known[level]
    result: Value | None
    if expression.exact is not None:
        result = rational(expression.exact, level)
    elif expression.kind:
        result = _leaf_value(expression, level)
    elif expression.combination is not None:
        operands = []
        for child in expression.children:
            below = child.known
            operand = below[level] if level in below else value(child, level)
            if operand is None:
                known[level] = None
                return None
            operands.append(operand)
        result = expression.combination(expression, operands, level)
    elif expression.rule is not None:
        result = expression.rule(expression, level)
    else:
        result = opaque_of(expression.label, expression.children, level, expression.label in _SYMMETRIC)
    known[level] = result
    return result


def value_where(expression: Expression, new: Mapping[Expression, Expression]) -> Value | None:
    """The value at level 0 where variables are replaced by other leaves.

    That of :func:`~porism.formula.values.expressions.rename`, mostly without making that expression.
    """
    variables = expression.variables
    if not variables:
        return value(expression, 0)
    if expression.is_name:
        return value(new[expression], 0)
    key: object = new[variables[0]] if len(variables) == 1 else tuple([new[variable] for variable in variables])
    elsewhere = expression.elsewhere
    if elsewhere is None:
        elsewhere = expression.elsewhere = {}
    elif key in elsewhere:
        return elsewhere[key]
    result: Value | None
    if expression.rule is not None:
        result = value(rename(expression, new), 0)
    else:
        operands = []
        for child in expression.children:
            if child.variables:
                operand = value_where(child, new)
            else:
                operand = child.known[0] if 0 in child.known else value(child, 0)
            if operand is None:
                break
            operands.append(operand)
        if len(operands) < len(expression.children):
            result = None
        elif expression.combination is not None:
            result = expression.combination(expression, operands, 0)
        else:
            result = _random_function(expression.label, operands, 0, expression.label in _SYMMETRIC)
    elsewhere[key] = result
    return result


def _leaf_value(expression: Expression, level: int) -> Value:
    if expression.kind == "C":
        if expression.label == "e":
            return EULER[level]
        if expression.label == "i":
            return (0, 1)
    return random(level, expression.kind, expression.label)


def opaque_of(label: str, children: tuple[Expression, ...], level: int, symmetric: bool = False) -> Value | None:
    """A random function of a label and of the values of expressions, in any order if ``symmetric``."""
    operands = []
    for child in children:
        operand = value(child, 0)
        if operand is None:
            return None
        operands.append(operand)
    return _random_function(label, operands, level, symmetric)


def _random_function(label: str, operands: list[Value], level: int, symmetric: bool) -> int:
    if symmetric:
        operands.sort(key=repr)
    return random(level, "of " + label, *operands)


_LINEAR = frozenset({"plus", "times", "neg", "divide", "sup", "percent"})


def constant_term(expression: Expression) -> Fraction | None:
    """What remains of a polynomial when everything that is not a number is taken as 0; None where that cannot be
    said."""
    if expression.exact is not None:
        return expression.exact
    label = expression.label
    if label not in _LINEAR or (label == "sup" and (expression.children[1].exact or 0) <= 0):
        return Fraction(0)
    parts = [constant_term(child) for child in expression.children]
    numbers = [part for part in parts if part is not None]
    return EXACT[label](*numbers) if len(numbers) == len(parts) else None


def whole_shift(expression: Expression) -> int:
    """The constant term as a small whole number, 0 where it is none: how far a factorial or power is shifted."""
    term = constant_term(expression)
    if term is None or term.denominator != 1 or abs(term) > 40:
        return 0
    return term.numerator
