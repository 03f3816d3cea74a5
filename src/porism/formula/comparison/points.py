"""Numbers that expressions give at rational points: what shows that two of them differ.

Values in a prime field (:mod:`porism.formula.values`) say that expressions are equal under conventions, such as that
variables are positive. Here they are evaluated as a reader would: exactly where that is possible, else in floating
point. What has no number, or none that can be trusted, is left out.
"""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import islice

from porism.formula.values.exact import EXACT
from porism.formula.values.expressions import Expression, number, put

Number = Fraction | float | complex
Point = Mapping[Expression, Fraction]

TOLERANCE = 1e-9
"""Floating-point numbers are different if they differ by more than this share of the largest number on the way."""

LARGEST = 1e9
"""A larger floating-point number on the way is not trusted."""

POINTS = 64
"""So many points are tried."""

MAX_SUMMANDS = 60

NATURAL_NAMES = frozenset("ijklmn")
"""Letters that are natural numbers where they count or are exponents."""

_COUNTED = frozenset({"factorial", "factorial2", "binom", "sum", "prod"})
_VALUES = tuple(map(Fraction, "2 3 1 5 0 -1 -2 1/2 -3 7 -1/2 3/2 -7/3".split()))
_NATURALS = tuple(map(Fraction, (2, 3, 1, 5, 4, 0, 7, 6)))
_CONSTANTS: Mapping[str, Number] = {"e": math.e, "π": math.pi, "i": 1j}
_STEPS = (1, 5, 7, 11, 3, 2, 9, 4)
_REAL: Mapping[str, Callable[[float], float]] = {
    "sin": math.sin, "cos": math.cos, "tan": math.tan, "cot": lambda x: 1 / math.tan(x),
    "sec": lambda x: 1 / math.cos(x), "csc": lambda x: 1 / math.sin(x), "sinh": math.sinh, "cosh": math.cosh,
    "tanh": math.tanh, "coth": lambda x: 1 / math.tanh(x), "sech": lambda x: 1 / math.cosh(x),
    "csch": lambda x: 1 / math.sinh(x), "arcsin": math.asin, "arccos": math.acos, "arctan": math.atan,
    "arcsinh": math.asinh, "arctanh": math.atanh, "exp": math.exp, "ln": math.log,
}
_COMPLEX: Mapping[str, Callable[[complex], complex]] = {
    "sin": cmath.sin, "cos": cmath.cos, "tan": cmath.tan, "sinh": cmath.sinh, "cosh": cmath.cosh, "tanh": cmath.tanh,
    "exp": cmath.exp, "ln": cmath.log, "cis": lambda x: cmath.exp(1j * x),
}


@dataclass
class Evaluation:
    """Evaluates expressions at one point; :attr:`largest` is the largest number on the way.

    With ``imaginary`` the letter i is the imaginary unit, and roots and powers have their principal values.
    """

    point: Point
    imaginary: bool = False
    largest: float = 1.0
    _known: dict[Expression, Number | None] = field(default_factory=dict)

    def number(self, expression: Expression) -> Number | None:
        """The number that an expression is here; None where it has none, or it is not known."""
        if expression not in self._known:
            self._known[expression] = self._checked(expression)
        return self._known[expression]

    def differ(self, first: Number, second: Number) -> bool:
        """Whether two numbers that were found here are different beyond all errors of rounding."""
        if isinstance(first, Fraction) and isinstance(second, Fraction):
            return first != second
        return abs(_plain(first) - _plain(second)) > TOLERANCE * self.largest

    def _checked(self, expression: Expression) -> Number | None:
        try:
            result = self._evaluated(expression)
            if result is None or isinstance(result, Fraction):
                return result
            if isinstance(result, complex) and not self.imaginary:
                return None
            size = abs(result)
        except (ArithmeticError, ValueError):  # outside of the domain, or beyond what a float can be
            return None
        if not size <= LARGEST:  # not a number is neither
            return None
        self.largest = max(self.largest, size)
        return result

    def _evaluated(self, expression: Expression) -> Number | None:
        if expression.exact is not None:
            return expression.exact
        if expression in self.point:
            return self.point[expression]
        label = expression.label
        if expression.kind:
            is_known = expression.kind == "C" and (label != "i" or self.imaginary)
            return _CONSTANTS.get(label) if is_known else None
        if label in ("sum", "prod") and len(expression.children) == 4:
            return self._repeated(expression)
        numbers = [self.number(child) for child in expression.children]
        operands = [operand for operand in numbers if operand is not None]
        if len(operands) < len(numbers):
            return None
        exact = [operand for operand in operands if isinstance(operand, Fraction)]
        if len(exact) == len(operands) and label in EXACT and (result := EXACT[label](*exact)) is not None:
            return result
        return self._combined(label, operands)

    def _combined(self, label: str, operands: list[Number]) -> Number | None:
        """What an operator makes of numbers, in floating point where it must."""
        first = operands[0]
        if label == "plus":
            return _sum(operands)
        if label == "neg":
            return -first
        if label == "times":
            return _product(operands)
        if label == "divide":
            divisor = operands[1]
            if abs(_plain(divisor)) <= TOLERANCE * self.largest:
                return None
            return _plain(first) / _plain(divisor)
        if label == "sup":
            return self._power(first, operands[1])
        if label in ("sqrt", "root"):
            return self._power(first, 1 / (operands[1] if label == "root" else Fraction(2)))
        if label == "abs":
            return abs(first) if isinstance(first, Fraction) else abs(_plain(first))
        if label in ("max", "min") and not any(isinstance(operand, complex) for operand in operands):
            return self._extreme(label, operands)
        if label == "log" and len(operands) == 2:
            return self._combined("divide", [self._logarithm(operand) for operand in operands])
        if label in ("log", "ln"):
            return self._logarithm(first)
        if self.imaginary:
            return _COMPLEX[label](complex(first)) if label in _COMPLEX else None
        return None if label not in _REAL or isinstance(first, complex) else _REAL[label](float(first))

    @staticmethod
    def _extreme(label: str, operands: list[Number]) -> Number:
        """The largest or the smallest of real numbers."""
        ordered = sorted(operands, key=lambda operand: float(operand.real))
        return ordered[-1] if label == "max" else ordered[0]

    def _logarithm(self, operand: Number) -> Number:
        return cmath.log(complex(operand)) if self.imaginary else math.log(float(operand))  # type: ignore[arg-type]

    def _power(self, base: Number, exponent: Number) -> Number | None:
        if isinstance(exponent, Fraction) and exponent.denominator == 1:
            whole = exponent.numerator
            if abs(whole) > 200 or (not base and whole < 0):
                return None
            if isinstance(base, Fraction):
                return base**whole if abs(whole) * base.numerator.bit_length() < 2_000 else None
            return base**whole
        if self.imaginary:
            return complex(base) ** complex(exponent) if base else None
        if isinstance(base, complex) or isinstance(exponent, complex) or base < 0 or (not base and exponent <= 0):
            return None
        return math.pow(base, exponent)

    def _repeated(self, expression: Expression) -> Number | None:
        """A sum or product between numbers that are whole here."""
        body, bound, lower, upper = expression.children
        first, last = self.number(lower), self.number(upper)
        if not isinstance(first, Fraction) or not isinstance(last, Fraction):
            return None
        if first.denominator * last.denominator > 1:
            return None
        if not -1 <= last - first <= MAX_SUMMANDS:  # no reader agrees what sums to less than nothing are
            return None
        numbers = []
        for step in range(first.numerator, last.numerator + 1):
            known = self.number(put(body, bound, number(step)))
            if known is None:
                return None
            numbers.append(known)
        return _sum(numbers) if expression.label == "sum" else _product(numbers)


def _plain(value: Number) -> float | complex:
    return float(value) if isinstance(value, Fraction) else value


def _sum(operands: list[Number]) -> Number:
    total: Number = Fraction(0)
    for operand in operands:
        exact = isinstance(total, Fraction) and isinstance(operand, Fraction)
        total = total + operand if exact else _plain(total) + _plain(operand)
    return total


def _product(operands: list[Number]) -> Number:
    total: Number = Fraction(1)
    for operand in operands:
        exact = isinstance(total, Fraction) and isinstance(operand, Fraction)
        total = total * operand if exact else _plain(total) * _plain(operand)
    return total


def points(*expressions: Expression) -> Iterator[Point]:
    """Rational points at which expressions are worth comparing, the same each time.

    Numbers that are in the expressions, and those around them, come after small ones.
    """
    variables = tuple(dict.fromkeys(variable for each in expressions for variable in each.variables))
    if any(_depends(name, variables) for name in variables):
        return
    natural = frozenset().union(*map(_naturals, expressions))
    numbers = sorted(frozenset().union(*map(_numbers, expressions)))
    near = [known + step for known in numbers for step in (0, Fraction(1, 2), Fraction(-1, 2))]
    of_any = tuple(dict.fromkeys([*_VALUES, *near[:30], *(-value for value in near[:30])]))
    if not variables:
        yield {}
        return

    def drawn() -> Iterator[Point]:
        for turn in range(4 * len(of_any)):
            yield {
                variable: _choice(_NATURALS if variable in natural else of_any, turn, place)
                for place, variable in enumerate(variables)
            }

    yield from islice(drawn(), POINTS if len(variables) > 1 else len(of_any))


def _depends(name: Expression, variables: tuple[Expression, ...]) -> bool:
    """Whether a name is that of something made of another variable, which it then is not free of: x′, z̄."""
    if name.label == "sub":  # u_{xy} may be u_{yx}
        return any(other is not name and other.label == "sub" and other.leaves == name.leaves for other in variables)
    inside = name.children[0] if name.children else None
    return inside is not None and (inside in variables or _depends(inside, variables))


def _choice(values: tuple[Fraction, ...], turn: int, place: int) -> Fraction:
    """One of the values: other variables have others, and all pairs of them come up."""
    step = _STEPS[place % len(_STEPS)] + (turn // len(values) if place else 0)
    return values[(turn * step + place) % len(values)]


def _naturals(expression: Expression) -> frozenset[Expression]:
    """The variables that are natural numbers, by where they are and what they are called."""
    natural: set[Expression] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        stack += node.children
        inside = node.children if node.label in _COUNTED else node.children[1:] if node.label == "sup" else ()
        natural.update(
            variable for child in inside for variable in child.variables
            if node.label in ("factorial", "factorial2", "binom") or variable.label in NATURAL_NAMES
        )
    return frozenset(natural)


def _numbers(expression: Expression) -> frozenset[Fraction]:
    """The numbers in an expression that are small."""
    known: set[Fraction] = set()
    stack = [expression]
    while stack:
        node = stack.pop()
        stack += node.children
        if node.exact is not None and abs(node.exact) < 100:
            known.add(node.exact)
    return frozenset(known)
