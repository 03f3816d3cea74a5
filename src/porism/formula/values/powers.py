"""Values of powers with any exponent, exponentials, logarithms, and trigonometric and hyperbolic functions.

Exponents are evaluated at the next level of the tower (:mod:`porism.formula.values.field`). e^{a+bi} is e^{a + b·turn}
with a random ``turn``, but for what is a rational multiple of π in b: e^{iπ/6} and its like are the roots of unity.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from porism.formula.values.arithmetic import constant_exponent, factors, is_ordered, product
from porism.formula.values.evaluation import opaque_of, value, whole_shift
from porism.formula.values.expressions import LOGARITHM, PI, ROOT, Expression, leaf, make, number, put
from porism.formula.values.field import (
    EULER,
    LEVELS,
    MINUS,
    PRIMES,
    ROOTS_OF_UNITY,
    TURN,
    TWELFTHS,
    Value,
    absolute,
    add,
    complex_value,
    integer_power,
    inverse,
    is_positive,
    multiply,
    negative,
    pair,
    random,
)

_LOGARITHMS = frozenset({"ln", "log"})


def sup(expression: Expression, level: int) -> Value | None:
    """A power."""
    base, exponent = expression.children
    constant = exponent.exact
    if constant is not None:
        if constant.denominator > 1 or expression.flags & ROOT:
            return product(factors(expression), level)
        below = value(base.children[0] if base.label == "abs" and constant.numerator % 2 == 0 else base, level)
        return None if below is None else integer_power(below, constant.numerator, level)
    if exponent.kind == "C" and exponent.label not in ("e", "i", "π"):  # x^* and its like
        return opaque_of("sup", (base, exponent), level)
    return power(base, exponent, level)


def power(base: Expression, exponent: Expression, level: int) -> Value | None:
    """base^exponent, the exponent not a known number: the product of the powers of the factors of the base."""
    if base.exact is None and not base.kind:
        total: Value = 1
        for part, constant in split(base):
            raised = exponent if constant is None else make("times", constant, exponent)
            factor = _power_of_factor(part, raised, level)
            if factor is None:
                return None
            total = multiply(total, factor, level)
        return total
    return _power_of_factor(base, exponent, level)


def split(expression: Expression) -> list[tuple[Expression, Expression | None]]:
    """What an expression is a product of, as bases and exponents of any kind (None for 1)."""
    factors: list[tuple[Expression, Expression | None]] = []
    stack: list[tuple[Expression, Expression | None]] = [(expression, None)]
    while stack:
        node, exponent = stack.pop()
        label = node.label
        children = node.children
        if node.exact is not None:
            factors.append((node, exponent))
        elif label == "times" and not is_ordered(node):
            stack.extend((child, exponent) for child in children)
        elif label == "divide":
            minus = number(-1) if exponent is None else make("neg", exponent)
            stack.append((children[1], minus))
            stack.append((children[0], exponent))
        elif label == "neg":
            factors.append((number(-1), exponent))
            stack.append((children[0], exponent))
        elif label in ("sup", "sqrt", "root"):
            constant = constant_exponent(node)
            own = children[1] if constant is None else number(_plain(constant))
            stack.append((children[0], own if exponent is None else make("times", own, exponent)))
        elif label == "exp":
            own = children[0]
            factors.append((leaf("C", "e"), own if exponent is None else make("times", own, exponent)))
        else:
            factors.append((node, exponent))
    return factors


def _plain(constant: Fraction) -> Fraction | int:
    return constant.numerator if constant.denominator == 1 else constant


def _power_of_factor(base: Expression, exponent: Expression, level: int) -> Value | None:
    if base.kind == "C" and base.label == "e":
        return exponential(exponent, level)
    below = value(base, level)
    if below is None:
        return None
    if exponent.exact is not None:
        return product(iter([(base, exponent.exact)]), level)
    if base.exact == 1:
        return 1
    if base.exact == -1:
        return _sign_power(exponent, level)
    if level == LEVELS - 1:
        return opaque_of("power", (base, exponent), level)
    above = value(exponent, level + 1)
    if above is None:
        return None
    if below == 0:
        return 0
    p = PRIMES[level]
    a, b = pair(above)
    if isinstance(below, int):
        if base.exact is not None and base.exact > 0:
            below = absolute(below, level)
        if is_positive(below, level):
            return pow(below, (a + b * TURN[level + 1]) % (p >> 1), p)
    shift = whole_shift(exponent)  # a negative base: what is whole in the exponent counts as such
    known = integer_power(below, shift, level)
    if known is None:
        return None
    if isinstance(below, tuple):
        return multiply(known, random(level, "power", below, add(above, -shift, level + 1)), level)
    rest = (a - shift + b * TURN[level + 1]) % (p >> 1)
    return multiply(known, pow(MINUS[level] * (p - below) % p, rest, p), level)


def _sign_power(exponent: Expression, level: int) -> Value | None:
    """(−1)^exponent, in which even multiples and whole numbers in the exponent count for what they are."""
    sign = 1
    odd: list[tuple[Expression, int]] = []
    for term, plus in terms(exponent):
        if term.exact is not None and term.exact.denominator == 1:
            sign *= -1 if term.exact.numerator % 2 else 1
            continue
        coefficient = 1
        rest = [term]
        if term.label == "times":
            known = [child.exact for child in term.children if child.exact is not None]
            rest = [child for child in term.children if child.exact is None]
            if any(constant.denominator > 1 for constant in known):
                rest, known = [term], []
            for constant in known:
                coefficient *= constant.numerator
        if coefficient % 2:
            odd.append((rest[0] if len(rest) == 1 else make("times", *rest), plus))
    if not odd:
        return sign % PRIMES[level]
    if level == LEVELS - 1:
        return opaque_of("sign", (exponent,), level)
    total: Value = 0
    for term, _ in odd:  # (−1)^n is (−1)^(−n)
        shift = whole_shift(term)
        residue = value(term, level + 1)
        if residue is None:
            return None
        sign *= -1 if shift % 2 else 1
        total = add(total, add(residue, -shift, level + 1), level + 1)
    a, b = pair(total)
    p = PRIMES[level]
    return sign * pow(MINUS[level], (a + b * TURN[level + 1]) % (p >> 1), p) % p


def terms(expression: Expression) -> list[tuple[Expression, int]]:
    """What an expression is a sum of, each with its sign."""
    signed = []
    stack = [(expression, 1)]
    while stack:
        node, sign = stack.pop()
        if node.label == "plus":
            stack.extend((child, sign) for child in reversed(node.children))
        elif node.label == "neg":
            stack.append((node.children[0], -sign))
        else:
            signed.append((node, sign))
    return signed


def exponential(exponent: Expression, level: int) -> Value | None:
    """e^exponent, in which e^{c·ln a} is a^c."""
    if not exponent.flags & LOGARITHM:
        return _exponential(exponent, False, level)
    total: Value = 1
    for term, sign in terms(exponent):
        factor = _exponential_of_term(term, sign, level)
        if factor is None:
            return None
        total = multiply(total, factor, level)
    return total


def _exponential_of_term(term: Expression, sign: int, level: int) -> Value | None:
    parts = split(term)
    logarithms = [
        part for part, raised in parts if raised is None and part.label in _LOGARITHMS and len(part.children) == 1
    ]
    if len(logarithms) == 1:
        rest = [
            part if raised is None else make("sup", part, raised) for part, raised in parts if part is not logarithms[0]
        ]
        if sign < 0:
            rest.append(number(-1))
        base = logarithms[0].children[0]
        if not rest:
            return value(base, level)
        return value(make("sup", base, rest[0] if len(rest) == 1 else make("times", *rest)), level)
    result = _exponential(term, False, level)
    return result if result is None or sign > 0 else inverse(result, level)


def _exponential(exponent: Expression, turned: bool, level: int) -> Value | None:
    """e^exponent, or e^{i·exponent} if ``turned``."""
    if level == LEVELS - 1:
        return opaque_of("exp i" if turned else "exp", (exponent,), level)
    above = value(exponent, level + 1)
    if above is None:
        return None
    a, b = pair(above)
    if turned:
        a, b = -b, a
    known: Value = 1
    if exponent.flags & PI and (twelfths := _multiple_of_pi(exponent, turned, level + 1)):
        known = ROOTS_OF_UNITY[level][twelfths % 24]
        angle = value(leaf("C", "π"), level + 1)
        assert isinstance(angle, int)
        b -= angle * twelfths * pow(12, -1, PRIMES[level + 1])
    p = PRIMES[level]
    return multiply(known, pow(EULER[level], (a + b * TURN[level + 1]) % (p >> 1), p), level)


def _multiple_of_pi(exponent: Expression, turned: bool, level: int) -> int:
    """How many times iπ/12 is in an exponent (in i·exponent if ``turned``), 0 if no whole number of times.

    The exponent is evaluated with another number for π as well; where it is linear in π, the difference shows it.
    """
    angle, other = leaf("C", "π"), leaf("S", "π")
    here, there = value(exponent, level), value(put(exponent, angle, other), level)
    first, second = value(angle, level), value(other, level)
    assert isinstance(first, int)
    assert isinstance(second, int)
    if here is None or there is None:
        return 0
    ratio = inverse(first - second, level)
    assert ratio is not None
    slope = pair(multiply(add(here, negative(there, level), level), ratio, level))
    return TWELFTHS[level].get(slope[0 if turned else 1], 0)


def exp(expression: Expression, level: int) -> Value | None:
    """exp(a), which is e^a."""
    return exponential(expression.children[0], level)


def cis(expression: Expression, level: int) -> Value | None:
    """cos a + i·sin a."""
    return _exponential(expression.children[0], True, level)


def logarithm(expression: Expression, level: int) -> Value | None:
    """The natural logarithm (``log`` without a base is read as that), or the one to the base that is given.

    ln(ab) is ln a + ln b and ln(a^b) is b·ln a, where the argument is written as a product or power, and for numbers.
    """
    above = _natural_logarithm(expression.children[0], level)
    if len(expression.children) == 1 or above is None:
        return above
    base = _natural_logarithm(expression.children[1], level)
    below = None if base is None else inverse(base, level)
    return None if below is None else multiply(above, below, level)


def decimal_logarithm(expression: Expression, level: int) -> Value | None:
    """``lg``: a logarithm to a base that texts do not agree on, a random multiple of the natural one."""
    above = _natural_logarithm(expression.children[0], level)
    return None if above is None else multiply(above, random(level, "lg"), level)


def _natural_logarithm(expression: Expression, level: int) -> Value | None:
    total: Value = 0
    for part, exponent in split(expression):
        if part.exact is not None:
            logarithm = _logarithm_of_number(part.exact, level)
        elif part.kind == "C" and part.label == "e":
            logarithm = 1
        else:
            logarithm = None if value(part, 0) == 0 else opaque_of("ln", (part,), level)
        if logarithm is None:
            return None
        if exponent is not None:
            times = value(exponent, level)
            if times is None:
                return None
            logarithm = multiply(logarithm, times, level)
        total = add(total, logarithm, level)
    return total


def _logarithm_of_number(argument: Fraction, level: int) -> Value | None:
    if not argument:
        return None
    total = 0 if argument > 0 else random(level, "ln", -1)
    for left, sign in ((abs(argument.numerator), 1), (argument.denominator, -1)):
        for prime in range(2, 1000):
            if prime * prime > left:
                break
            while left % prime == 0:
                left //= prime
                total += sign * random(level, "ln", prime)
        if left > 1:
            total += sign * random(level, "ln", left)
    return total % PRIMES[level]


def _trigonometric(name: str) -> Callable[[Expression, int], Value | None]:
    inner = "arc" + name
    base, upside_down, turned = _FUNCTIONS[name]

    def rule(expression: Expression, level: int) -> Value | None:
        argument = expression.children[0]
        if argument.label == inner and len(argument.children) == 1:
            return value(argument.children[0], level)
        forwards = _exponential(argument, True, level) if turned else exponential(argument, level)
        backwards = None if forwards is None else inverse(forwards, level)
        if forwards is None or backwards is None:
            return None
        half = pow(2, -1, PRIMES[level])
        cosine = multiply(add(forwards, backwards, level), half, level)
        sine = multiply(add(forwards, negative(backwards, level), level), half, level)
        if turned:
            sine = multiply(sine, complex_value(0, -1, level), level)
        result: Value | None = sine if base == "s" else cosine
        if base == "t":
            below = inverse(cosine, level)
            result = None if below is None else multiply(sine, below, level)
        if result is None:  # the tangent of a right angle; its inverse is 0
            return 0 if upside_down else None
        return inverse(result, level) if upside_down else result

    return rule


_FUNCTIONS = {
    "sin": ("s", False, True), "cos": ("c", False, True), "tan": ("t", False, True), "csc": ("s", True, True),
    "sec": ("c", True, True), "cot": ("t", True, True), "sinh": ("s", False, False), "cosh": ("c", False, False),
    "tanh": ("t", False, False), "csch": ("s", True, False), "sech": ("c", True, False), "coth": ("t", True, False),
}
"""Whether it comes from sine, cosine or tangent, is one over it, and is of e^{ix} rather than e^x."""

TRIGONOMETRIC = {name: _trigonometric(name) for name in _FUNCTIONS}
"""The rules of trigonometric and hyperbolic functions, by label."""

ODD = frozenset({"arcsin", "arctan", "arcsinh", "arctanh", "erf", "sgn", "Si"})
"""Functions of which no more is known than that f(−x) = −f(x)."""


def odd(expression: Expression, level: int) -> Value | None:
    """A random odd function."""
    operand = value(expression.children[0], 0)
    if operand is None:
        return None
    other = negative(operand, 0)
    if operand == other:
        return 0
    swapped = min(operand, other, key=repr) == other
    result = random(level, "of " + expression.label, other if swapped else operand)
    return -result % PRIMES[level] if swapped else result
