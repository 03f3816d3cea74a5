"""Values of sums, products, quotients, powers with constant exponents, roots and absolute values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from porism.formula.values.evaluation import opaque_of, value
from porism.formula.values.exact import exact_root
from porism.formula.values.expressions import Expression
from porism.formula.values.field import (
    PRIMES,
    Value,
    absolute,
    add,
    integer_power,
    inverse,
    multiply,
    negative,
    random,
    rational,
    root,
)

_HALF = Fraction(1, 2)
_DOTS = frozenset("…⋯⋮⋱")
_POWERS = frozenset({"sqrt", "root", "sup"})
_ARRAYS = frozenset({"matrix", "vmatrix", "cases", "row"})


def plus(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """A sum."""
    total = 0
    for operand in operands:
        if not isinstance(operand, int):
            break
        total += operand
    else:
        return total % PRIMES[level]
    result: Value = 0
    for operand in operands:
        result = add(result, operand, level)
    return result


def dotted(expression: Expression, level: int) -> Value | None:
    """A sum or product with dots, or a product of arrays: a random function of its operands in order."""
    return opaque_of(expression.label, expression.children, level)


def neg(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """−a."""
    return negative(operands[0], level)


def pm(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """±a: a random even function."""
    return random(level, "pm", multiply(operands[0], operands[0], level)) if operands[0] else 0


def mp(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """∓a, the negative of ±a."""
    return PRIMES[level] - random(level, "pm", multiply(operands[0], operands[0], level)) if operands[0] else 0


def times(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """A product."""
    total: Value = operands[0]
    for operand in operands[1:]:
        total = multiply(total, operand, level)
    return total


def divide(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """A quotient."""
    above, below = operands
    under = inverse(below, level)
    return None if under is None else multiply(above, under, level)


def percent(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """a/100."""
    return multiply(operands[0], pow(100, -1, PRIMES[level]), level)


def whole_power(expression: Expression, operands: list[Value], level: int) -> Value | None:
    """A power with a whole exponent."""
    exponent = expression.children[1].exact
    assert exponent is not None
    return integer_power(operands[0], exponent.numerator, level)


def product_rule(expression: Expression, level: int) -> Value | None:
    """A product or quotient with roots in it."""
    if is_ordered(expression):
        return dotted(expression, level)
    return product(factors(expression), level)


def is_ordered(expression: Expression) -> bool:
    """Whether a sum or product has dots, which may stand for anything between their neighbours, or several arrays."""
    arrays = 0
    for child in expression.children:
        if child.label in _DOTS:
            return True
        arrays += child.label in _ARRAYS
    return arrays > 1 and expression.label == "times"


def roots(expression: Expression, level: int) -> Value | None:
    """A root with a constant index."""
    return product(factors(expression), level)


def constant_exponent(expression: Expression) -> Fraction | None:
    """The exponent of a power or root, if it is a known rational number."""
    children = expression.children
    if expression.label == "sqrt":
        return _HALF
    exponent = children[1].exact
    if expression.label == "root":
        return 1 / exponent if exponent else None
    return exponent


def factors(expression: Expression) -> Iterator[tuple[Expression, Fraction]]:
    """What an expression is a product of, as bases and constant exponents.

    ``(ab)^2`` is taken apart, ``\\sqrt{ab}`` is not: for negative a and b it is not √a·√b.
    """
    stack = [(expression, Fraction(1))]
    while stack:
        node, exponent = stack.pop()
        label = node.label
        children = node.children
        if node.exact is not None:
            yield node, exponent
        elif label == "times" and not is_ordered(node):
            stack.extend((child, exponent) for child in children)
        elif label == "divide":
            stack.append((children[1], -exponent))
            stack.append((children[0], exponent))
        elif label in _POWERS and (inner := constant_exponent(node)) is not None:
            if inner.denominator == 1:
                stack.append((children[0], inner * exponent))
            else:
                yield children[0], inner * exponent
        else:
            yield node, exponent


def product(parts: Iterator[tuple[Expression, Fraction]], level: int) -> Value | None:
    """The product of powers, in which √a·√b is √(ab) and √a·√a is a whatever the sign of a."""
    exponents: dict[Value, Fraction] = {}
    exact: dict[Value, Fraction] = {}
    total: Value = 1
    for part, exponent in parts:
        base = value(part, level)
        if base is None:
            return None
        if exponent.denominator == 1:
            power = integer_power(base, exponent.numerator, level)
            if power is None:
                return None
            total = multiply(total, power, level)
        else:
            exponents[base] = exponents.get(base, Fraction(0)) + exponent
            if part.exact is not None:
                exact[base] = part.exact
    under: dict[int, Value] = {}
    for base, exponent in exponents.items():
        number = exact.get(base)
        if number is not None:
            found = _root_of_number(number, exponent, level)
        else:
            whole, rest = divmod(exponent.numerator, exponent.denominator)
            found = integer_power(base, whole, level)
            radicand = integer_power(base, rest, level)
            if radicand is None:
                return None
            degree = exponent.denominator
            under[degree] = multiply(under.get(degree, 1), radicand, level)
        if found is None:
            return None
        total = multiply(total, found, level)
    for degree, radicand in under.items():
        found = radicand if degree == 1 else root(radicand, 1, degree, level)
        if found is None:
            return None
        total = multiply(total, found, level)
    return total


def _root_of_number(base: Fraction, exponent: Fraction, level: int) -> Value | None:
    """number^exponent, the exponent not whole: of a positive number the positive root, whichever elements of the field
    happen to be squares."""
    power, degree = exponent.numerator, exponent.denominator
    found = exact_root(base, degree, power)
    if found is not None:
        return rational(found, level)
    if not base:
        return 0 if power > 0 else None
    if degree > 64:
        known = rational(abs(base), level)
        return None if known is None else root(known, power, degree, level)
    # a/b = ab^(degree-1) / b^degree; what is a power in it is taken out, since roots in the field are known up to sign
    inside = abs(base.numerator) * base.denominator ** (degree - 1)
    outside = Fraction(1, base.denominator)
    divisor = 2
    while divisor < 100 and divisor**degree <= inside:
        while inside % divisor**degree == 0:
            inside //= divisor**degree
            outside *= divisor
        divisor += 1
    taken, left = rational(outside, level), rational(Fraction(inside), level)
    if taken is None or left is None:
        return None
    size = root(absolute(left, level), 1, degree, level)
    if size is None:
        return None
    result = integer_power(multiply(taken, size, level), power, level)
    if result is None or base > 0:
        return result
    sign = root(PRIMES[level] - 1, power, degree, level)
    return None if sign is None else multiply(result, sign, level)


def absolute_value(expression: Expression, level: int) -> Value | None:
    """|a|: a random function that is multiplicative and even.

    |ab| is |a|·|b|, |−a| is |a|, |a|² is a² and |a| is not a.
    """
    return _absolute(expression.children[0], level)


def _absolute(operand: Expression, level: int) -> Value | None:
    total: Value = 1
    for part, exponent in factors(operand):
        size: Value | None
        if part.exact is not None:
            size = rational(abs(part.exact), level)
        elif part.label == "neg" or part.label == "abs":
            size = _absolute(part.children[0], level)
        else:
            size = value(part, level)
            if exponent.numerator % 2 == 0 and exponent.denominator == 1:
                pass
            elif isinstance(size, int):
                p = PRIMES[level]
                size = pow(absolute(size, level), random(level, "abs") % (p >> 1), p)
            elif size is not None:
                size = random(level, "abs", min(size, negative(size, level), key=repr))
        found = None if size is None else _power(size, exponent, level)
        if found is None:
            return None
        total = multiply(total, found, level)
    return total


def _power(base: Value, exponent: Fraction, level: int) -> Value | None:
    if exponent.denominator == 1:
        return integer_power(base, exponent.numerator, level)
    return root(base, exponent.numerator, exponent.denominator, level)
