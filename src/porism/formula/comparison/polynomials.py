"""Quotients of polynomials with rational coefficients: what expressions of letters and numbers are, multiplied out."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from porism.formula.values.expressions import Expression

Monomial = tuple[tuple[Expression, int], ...]
Polynomial = dict[Monomial, Fraction]

MAX_TERMS = 40
MAX_EXPONENT = 12
_ONE: Polynomial = {(): Fraction(1)}


@dataclass(frozen=True)
class Quotient:
    """A polynomial over another, not reduced."""

    above: Polynomial
    below: Polynomial

    @property
    def is_polynomial(self) -> bool:
        """Whether there is nothing below but 1."""
        return self.below == _ONE


def quotient(expression: Expression) -> Quotient | None:
    """An expression multiplied out; None of what is not made of letters and numbers, or is large."""
    if expression.exact is not None:
        return Quotient({(): expression.exact} if expression.exact else {}, _ONE)
    if expression.is_name:
        return Quotient({((expression, 1),): Fraction(1)}, _ONE)
    if expression.kind or expression.label not in ("plus", "neg", "times", "divide", "sup"):
        return None
    if expression.label == "sup":
        return _power(*expression.children)
    parts = [quotient(child) for child in expression.children]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    total = known[0]
    if expression.label == "neg":
        return Quotient(_times(total.above, {(): Fraction(-1)}), total.below)
    for part in known[1:]:
        if expression.label == "plus":
            if part.below == total.below:
                total = Quotient(_plus(total.above, part.above), total.below)
            else:
                above = _plus(_times(total.above, part.below), _times(part.above, total.below))
                total = Quotient(above, _times(total.below, part.below))
        elif expression.label == "times":
            total = Quotient(_times(total.above, part.above), _times(total.below, part.below))
        elif not part.above:
            return None
        else:
            total = Quotient(_times(total.above, part.below), _times(total.below, part.above))
        if len(total.above) + len(total.below) > MAX_TERMS:
            return None
    constant = total.below.get(()) if len(total.below) == 1 else None
    if constant:
        total = Quotient({monomial: factor / constant for monomial, factor in total.above.items()}, _ONE)
    return total


def _power(base: Expression, exponent: Expression) -> Quotient | None:
    whole, total = exponent.exact, quotient(base)
    if total is None or whole is None or whole.denominator > 1 or abs(whole) > MAX_EXPONENT:
        return None
    if whole < 0:
        if not total.above:
            return None
        total = Quotient(total.below, total.above)
    result = Quotient(_ONE, _ONE)
    for _ in range(abs(whole.numerator)):
        result = Quotient(_times(result.above, total.above), _times(result.below, total.below))
        if len(result.above) + len(result.below) > MAX_TERMS:
            return None
    return result


def _plus(left: Polynomial, right: Polynomial) -> Polynomial:
    total = dict(left)
    for monomial, factor in right.items():
        total[monomial] = total.get(monomial, Fraction(0)) + factor
    return {monomial: factor for monomial, factor in total.items() if factor}


def _times(left: Polynomial, right: Polynomial) -> Polynomial:
    total: Polynomial = {}
    for one, factor in left.items():
        for other, second in right.items():
            powers = dict(one)
            for letter, exponent in other:
                powers[letter] = powers.get(letter, 0) + exponent
            monomial = tuple(sorted(powers.items(), key=lambda entry: written_name(entry[0])))
            total[monomial] = total.get(monomial, Fraction(0)) + factor * second
    return {monomial: factor for monomial, factor in total.items() if factor}


def latex(form: Quotient) -> str:
    """The quotient in LaTeX: high degrees first, letters in their order."""
    above = _written(form.above)
    return above if form.is_polynomial else rf"\frac{{{above}}}{{{_written(form.below)}}}"


def _written(polynomial: Polynomial) -> str:
    def place(monomial: Monomial) -> tuple[int, list[tuple[str, int]]]:
        return -sum(exponent for _, exponent in monomial), [(written_name(name), -power) for name, power in monomial]

    text = ""
    for monomial in sorted(polynomial, key=place):
        factor = polynomial[monomial]
        text += "-" if factor < 0 else "+" if text else ""
        letters = "".join(
            written_name(name) + (f"^{{{exponent}}}" if exponent > 9 else f"^{exponent}" if exponent > 1 else "")
            for name, exponent in monomial
        )
        text += written_number(abs(factor)) if abs(factor) != 1 or not letters else ""
        text += letters
    return text or "0"


def written_number(value: Fraction) -> str:
    """A rational number in LaTeX."""
    if value.denominator == 1:
        return str(value.numerator)
    return ("-" if value < 0 else "") + rf"\frac{{{abs(value.numerator)}}}{{{value.denominator}}}"


_MARKS = {"bar": r"\bar", "hat": r"\hat", "tilde": r"\tilde", "vec": r"\vec", "dot": r"\dot", "ddot": r"\ddot"}


def written_name(name: Expression) -> str:
    """A variable in LaTeX: ``x``, ``x_{1}``, ``x'``."""
    if name.exact is not None:
        return written_number(name.exact)
    if not name.children:
        return name.label
    inner = [written_name(child) for child in name.children]
    if name.label == "sub":
        return f"{inner[0]}_{{{inner[1]}}}"
    if name.label in _MARKS:
        return f"{_MARKS[name.label]}{{{inner[0]}}}"
    if name.label.startswith("prime"):
        return inner[0] + "'" * int(name.label[5:] or 1) if name.label != "primes" else inner[0] + "'"
    return "".join(inner)
