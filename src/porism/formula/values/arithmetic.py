"""Values of sums, products, quotients, powers with constant exponents, roots and absolute values."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from porism.formula.values.evaluation import opaque_of, value
from porism.formula.values.exact import exact_root
from porism.formula.values.expressions import Expression, make, number
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

    ``(ab)^2`` is taken apart, ``\\sqrt{ab}`` is not: for negative a and b it is not √a·√b. But ``√(a²b)`` is
    ``|a|·√b``.
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
            elif inner.denominator % 2:
                yield children[0], inner * exponent
            else:
                yield from _even_root(children[0], inner, exponent)
        elif label == "abs":
            yield from _absolute_factors(node, exponent)
        else:
            yield node, exponent


def _even_root(radicand: Expression, inner: Fraction, exponent: Fraction) -> Iterator[tuple[Expression, Fraction]]:
    """The factors of radicand^(inner·exponent), ``inner`` with an even denominator: √(x²y) is |x|·√y."""
    rest: list[Expression] = []
    taken = False
    for part, power in factors(_as_square(radicand)):
        if part.exact is None and power.denominator == 1 and power.numerator % 2 == 0:
            taken = True
            yield from _absolute_power(part, power * inner * exponent)
        else:
            rest.append(part if power == 1 else make("sup", part, number(_plain(power))))
    if not taken:
        yield radicand, inner * exponent
    elif rest:
        yield rest[0] if len(rest) == 1 else make("times", *rest), inner * exponent


def _plain(power: Fraction) -> Fraction | int:
    return power.numerator if power.denominator == 1 else power


def _absolute_power(part: Expression, power: Fraction) -> Iterator[tuple[Expression, Fraction]]:
    """The factors of |part|^power; an even power needs no bars, and what is positive none at all."""
    even = power.denominator == 1 and power.numerator % 2 == 0
    if part.label == "abs" or even or _is_positive(part):
        yield part, power
    else:
        yield make("abs", part), power


def _absolute_factors(node: Expression, exponent: Fraction) -> Iterator[tuple[Expression, Fraction]]:
    """The factors of |a|^exponent: those of a, each in bars."""
    inside = node.children[0]
    while inside.label in ("neg", "abs"):
        inside = inside.children[0]
    for part, power in factors(inside):
        if part.exact is not None:
            yield number(abs(part.exact)), power * exponent
        elif power.denominator % 2 == 0 or (power.denominator == 1 and power.numerator % 2 == 0):
            yield part, power * exponent
        else:
            yield from _absolute_power(part, power * exponent)


def _is_positive(part: Expression) -> bool:
    return part.kind == "C" and part.label in ("e", "π")


def _as_square(radicand: Expression) -> Expression:
    """A sum a² ± 2ab + b² as the square of a ± b, any other expression as it is."""
    if radicand.label != "plus" or len(radicand.children) != 3:
        return radicand
    whole = value(radicand, 0)
    for left_out in range(3):
        left, right = (_base_of_square(child) for place, child in enumerate(radicand.children) if place != left_out)
        if left is None or right is None:
            continue
        for inner in (make("plus", left, right), make("plus", left, make("neg", right))):
            square = make("sup", inner, number(2))
            if whole is not None and value(square, 0) == whole:
                return square
    return radicand


def _base_of_square(term: Expression) -> Expression | None:
    """What a term is the square of, if it is written as such a product or is the square of a rational number."""
    bases: list[Expression] = []
    for part, power in factors(term):
        if part.exact is not None:
            known = exact_root(part.exact**power.numerator, 2) if power.denominator == 1 else None
            if known is None:
                return None
            bases.append(number(known.numerator if known.denominator == 1 else known))
        elif power.denominator == 1 and power.numerator % 2 == 0:
            bases.append(part if power == 2 else make("sup", part, number(power.numerator // 2)))
        else:
            return None
    return bases[0] if len(bases) == 1 else make("times", *bases) if bases else None


def product(parts: Iterator[tuple[Expression, Fraction]], level: int) -> Value | None:
    """The product of powers, in which √a·√b is √(ab), √a·√a is a whatever the sign of a, and ``|a|·|a|`` is a²."""
    exponents: dict[Value, Fraction] = {}
    exact: dict[Value, Fraction] = {}
    bars: dict[Value, tuple[Expression, Fraction]] = {}
    total: Value = 1
    for part, exponent in parts:
        if part.label == "abs":
            inside = value(part.children[0], level)
            if inside is None:
                return None
            key = min(inside, negative(inside, level), key=repr)
            bars[key] = part, exponent + bars.get(key, (part, Fraction(0)))[1]
            continue
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
    for inside, (part, exponent) in bars.items():
        # |a|² is a²; what is left is |a| or a root of it
        even = exponent.numerator // 2 * 2 if exponent.denominator == 1 else 0
        power = integer_power(inside, even, level)
        size = value(part, level)
        if power is None or size is None:
            return None
        total = multiply(total, power, level)
        if exponent.denominator > 1:
            exponents[size] = exponents.get(size, Fraction(0)) + exponent
        elif exponent != even:
            total = multiply(total, size, level)
    under: dict[int, Value] = {}
    for base, exponent in exponents.items():
        known = exact.get(base)
        if known is not None:
            factor = _root_of_number(known, exponent, level)
        else:
            whole, rest = divmod(exponent.numerator, exponent.denominator)
            factor = integer_power(base, whole, level)
            radicand = integer_power(base, rest, level)
            if radicand is None:
                return None
            degree = exponent.denominator
            under[degree] = multiply(under.get(degree, 1), radicand, level)
        if factor is None:
            return None
        total = multiply(total, factor, level)
    for degree, radicand in under.items():
        factor = radicand if degree == 1 else root(radicand, 1, degree, level)
        if factor is None:
            return None
        total = multiply(total, factor, level)
    return total


def _root_of_number(base: Fraction, exponent: Fraction, level: int) -> Value | None:
    """number^exponent, the exponent not whole: of a positive number the positive root, whichever elements of the field
    happen to be squares."""
    power, degree = exponent.numerator, exponent.denominator
    exact = exact_root(base, degree, power)
    if exact is not None:
        return rational(exact, level)
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
    """The absolute value: a random function that is multiplicative and even.

    ``|ab|`` is ``|a|·|b|``, ``|−a|`` is ``|a|``, ``|a|²`` is ``a²`` and ``|a|`` is not ``a``.
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
            even = exponent.numerator % 2 == 0 and exponent.denominator == 1
            if even or exponent.denominator % 2 == 0 or _is_positive(part):
                pass
            elif isinstance(size, int):
                p = PRIMES[level]
                size = pow(absolute(size, level), random(level, "abs") % (p >> 1), p)
            elif size is not None:
                size = random(level, "abs", min(size, negative(size, level), key=repr))
        factor = None if size is None else _power(size, exponent, level)
        if factor is None:
            return None
        total = multiply(total, factor, level)
    return total


def _power(base: Value, exponent: Fraction, level: int) -> Value | None:
    if exponent.denominator == 1:
        return integer_power(base, exponent.numerator, level)
    return root(base, exponent.numerator, exponent.denominator, level)
