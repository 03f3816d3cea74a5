"""No two formulas are said to be equal that differ at a rational point, nor to differ where they are equal."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from hypothesis import given, settings
from hypothesis import strategies as st
from long_forms import examples

from porism.formula.comparison import EQUAL, compare
from porism.types import Formula

Value = Fraction | float
Written = tuple[str, Callable[[dict[str, Value]], Value]]
"""A formula in LaTeX, and what it is at a point by Python's own arithmetic."""

POINTS = [
    {"x": Fraction(x), "y": Fraction(y)}
    for x, y in ((2, 3), (-1, 2), (0, 1), (Fraction(1, 2), -3), (-2, -2), (5, Fraction(-1, 3)), (1, 0), (-4, 7))
]


def _leaf(text: str) -> Written:
    return (text, lambda point: point[text]) if text in "xy" else (text, lambda point: Fraction(text))


def _binary(pattern: str, combine: Callable[[Value, Value], Value]) -> Callable[[Written, Written], Written]:
    return lambda left, right: (
        pattern.replace("L", left[0]).replace("R", right[0]), lambda point: combine(left[1](point), right[1](point))
    )


def _root(value: Value) -> Value:
    return math.sqrt(value)


def _power(base: Value, exponent: Value) -> Value:
    if isinstance(base, Fraction) and base < 0 and isinstance(exponent, Fraction) and exponent.denominator > 1:
        raise ValueError("no real number")
    return base**exponent


_SUM = _binary("(L+R)", lambda left, right: left + right)
_MINUS = _binary("(L-R)", lambda left, right: left - right)
_TIMES = _binary("(L)(R)", lambda left, right: left * right)
_OVER = _binary(r"\frac{L}{R}", lambda left, right: left / right)


def _square(inner: Written) -> Written:
    return f"({inner[0]})^2", lambda point: inner[1](point) ** 2


def _bars(inner: Written) -> Written:
    return rf"\left|{inner[0]}\right|", lambda point: abs(inner[1](point))


def _sqrt(inner: Written) -> Written:
    return rf"\sqrt{{{inner[0]}}}", lambda point: _root(inner[1](point))


def _power_of(inner: Written, above: int, below: int) -> Written:
    return f"({inner[0]})^{{{above}/{below}}}", lambda point: _power(inner[1](point), Fraction(above, below))


def _half(inner: Written) -> Written:
    return _power_of(inner, 3, 2)


def _negative(inner: Written) -> Written:
    return f"-({inner[0]})", lambda point: -inner[1](point)


def _larger(below: st.SearchStrategy[Written]) -> st.SearchStrategy[Written]:
    return st.one_of(
        *[st.builds(binary, below, below) for binary in (_SUM, _MINUS, _TIMES, _OVER)],
        *[st.builds(unary, below) for unary in (_square, _bars, _sqrt, _half)],
    )


formulas = st.recursive(st.sampled_from(["x", "y", "1", "2", "3"]).map(_leaf), _larger, max_leaves=4)


def _rewritten(formula: Written) -> st.SearchStrategy[Written]:
    """Formulas that look equal, of which some are not: roots of squares, products of roots, other signs."""
    text, at = formula
    same = st.sampled_from([
        (f"({text})+0", at), (f"2({text})-({text})", at), (rf"\frac{{3({text})}}{{3}}", at), _sqrt(_square(formula)),
        _bars(formula), _negative(formula), _square(_power_of(formula, 1, 2)), _power_of(_square(formula), 1, 2),
    ])
    return st.one_of(same, formulas)


pairs = formulas.flatmap(lambda formula: st.tuples(st.just(formula), _rewritten(formula)))


def _at(formula: Written, point: dict[str, Value]) -> Value | None:
    try:
        value = formula[1](point)
    except (ArithmeticError, ValueError):
        return None
    return value if not isinstance(value, complex) and abs(value) < 1e9 else None


def _apart(left: Value, right: Value) -> bool:
    return abs(left - right) > 1e-6 * max(1, abs(left), abs(right))


@settings(max_examples=examples(600), deadline=None)
@given(pairs)
def test_equal_formulas_are_equal_at_every_point(pair: tuple[Written, Written]) -> None:
    first, second = pair
    known = compare(Formula(first[0]), Formula(second[0]))
    differ = []
    for point in POINTS:
        left, right = _at(first, point), _at(second, point)
        if left is not None and right is not None and _apart(left, right):
            differ.append(point)
    if known.relation in EQUAL - {"renamed", "same value after renaming"}:
        assert not differ, (first[0], second[0], known, differ)
    if known.relation == "different" and known.difference is not None and not known.names:
        point = {name: _number(value) for name, value in known.difference.point}
        left, right = _at(first, {"x": 0, "y": 0, **point}), _at(second, {"x": 0, "y": 0, **point})
        assert left is not None, (first[0], second[0], known)
        assert right is not None, (first[0], second[0], known)
        assert _apart(left, right), (first[0], second[0], known)


def _number(latex: str) -> Fraction:
    """A rational number from its LaTeX."""
    return Fraction(latex.replace(r"\frac{", "").replace("}{", "/").replace("}", ""))


coefficients = st.integers(-3, 3)
relations = st.sampled_from(["<", r"\le", "=", ">", r"\ge", r"\ne"])
_TRUE: dict[str, Callable[[Fraction], bool]] = {
    "<": lambda d: d < 0, r"\le": lambda d: d <= 0, "=": lambda d: d == 0, ">": lambda d: d > 0,
    r"\ge": lambda d: d >= 0, r"\ne": lambda d: d != 0,
}
GRID = [Fraction(number, 6) for number in range(-30, 31)]


@st.composite
def statements(draw: st.DrawFn) -> tuple[str, Callable[[Fraction], bool]]:
    """A statement about x, and whether it is true of a number."""
    if draw(st.booleans()):
        low, high = sorted((draw(coefficients), draw(coefficients)))
        left, right = draw(st.sampled_from("([")), draw(st.sampled_from(")]"))

        def within(x: Fraction) -> bool:
            return (low < x or (left == "[" and low == x)) and (x < high or (right == "]" and x == high))

        return rf"x\in{left}{low},{high}{right}", within
    slope, shift, bound, sign = draw(coefficients), draw(coefficients), draw(coefficients), draw(relations)
    bars = draw(st.booleans())
    inside = f"{slope}x+({shift})"
    text = rf"\left|{inside}\right|{sign} {bound}" if bars else f"{inside}{sign} {bound}"
    return text, lambda x: _TRUE[sign]((abs(slope * x + shift) if bars else slope * x + shift) - bound)


@settings(max_examples=examples(400), deadline=None)
@given(statements(), statements())
def test_statements_that_say_the_same_have_the_same_solutions(
    first: tuple[str, Callable[[Fraction], bool]], second: tuple[str, Callable[[Fraction], bool]]
) -> None:
    known = compare(Formula(first[0]), Formula(second[0]))
    same = all(first[1](x) == second[1](x) for x in GRID)
    if known.equal or known.relation == "different":
        assert known.equal == same, (first[0], second[0], known)
    if known.relation == "unknown":  # what has no x in it, and what is always or never true
        told = [{statement[1](x) for x in GRID} for statement in (first, second)]
        vacuous = same and len(told[0]) == 1
        assert vacuous or "0x" in first[0] or "0x" in second[0], (first[0], second[0], known)
