"""Expressions compared: whether they have one value, and what that assumes."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from porism.formula.comparison import polynomials
from porism.formula.comparison.conventions import needed
from porism.formula.comparison.pairs import FormulaPair, only_if, renamings, written_point
from porism.formula.comparison.points import Evaluation, Number, Point, points
from porism.formula.comparison.polynomials import written_name, written_number
from porism.formula.comparison.relations import as_statement
from porism.formula.comparison.results import Comparison, Difference, Step
from porism.formula.comparison.statements import counterexample, truths
from porism.formula.values import equal_expressions, whole_value
from porism.formula.values.expressions import Expression, rename


def as_values(pair: FormulaPair, left: Expression, right: Expression) -> Comparison | None:
    """Two expressions of one value, with what that assumes."""
    if not equal_expressions(left, right):
        return None
    first, second = as_statement(left), as_statement(right)
    if first is not None and second is not None:
        if (_holds_always(left) and _holds_always(right)) or counterexample(pair, first, second) is not None:
            return None
        if clauses := needed(left, right, pair.layouts):
            return Comparison("conditional", only_if(clauses))
        return Comparison("same statement", "They say the same, whatever the values of the variables.")
    point = _point_apart(pair, left, right)
    if point is not None:
        if all(value > 0 for value in point.values()):
            return Comparison("different", "They differ.", difference=_numbers_at(pair, left, right, point))
        return Comparison(
            "conditional", "They are equal for positive values of the variables, but not for all.",
            difference=_numbers_at(pair, left, right, point),
        )
    if clauses := needed(left, right, pair.layouts):
        return Comparison("conditional", only_if(clauses))
    return Comparison(
        "same value", "They are equal for all values of the variables for which both are defined."
        if left.variables or right.variables else "They are equal.", tuple(_value_steps(left, right)),
    )


def _holds_always(statement: Expression) -> bool:
    """Whether an equation is an identity: such say nothing of their variables, and are compared by their sides."""
    sides = statement.children
    return statement.label == "eq" and len(sides) == 2 and equal_expressions(*sides)


def _value_steps(left: Expression, right: Expression) -> Iterator[Step]:
    """What both are when they are multiplied out, where they are quotients of polynomials."""
    forms = [polynomials.quotient(each) for each in (left, right)]
    if forms[0] is None or forms[1] is None:
        return
    done = "multiplied out" if forms[0].is_polynomial and forms[1].is_polynomial else "over one denominator"
    written = [polynomials.latex(form) for form in forms if form is not None]
    if written[0] == written[1]:
        yield Step(f"Both are, {done},", written[0])
        return
    yield Step(f"The first is, {done},", written[0])
    yield Step(f"The second is, {done},", written[1])
    yield Step("Each numerator times the other denominator gives the same.")


def after_renaming(pair: FormulaPair, left: Expression, right: Expression) -> Comparison | None:
    """Expressions of one value when the variables of the first have the names of those of the second.

    Only where they share none: what shares some is asked about with the names that it has.
    """
    values = [whole_value(tree).renamed for tree in pair.trees]
    if not values[0] or values[0] != values[1] or set(left.variables) & set(right.variables):
        return None
    for new in renamings(left, right):
        result = as_values(pair, rename(left, new), right)
        if result is not None and result.equal:
            names = tuple((written_name(old), written_name(name)) for old, name in new.items() if old is not name)
            return Comparison(
                "same value after renaming", "They are equal when the variables have other names.", result.steps, names
            )
    return None


def difference_at(pair: FormulaPair, left: Expression, right: Expression) -> Difference | None:
    """A point where two formulas are different numbers, or of two statements one is true and the other is not."""
    first, second = as_statement(left), as_statement(right)
    if first is not None and second is not None:
        point = counterexample(pair, first, second)
        return None if point is None else truths(first, second, point)
    if first is not None or second is not None:
        return None
    point = _point_apart(pair, left, right)
    return None if point is None else _numbers_at(pair, left, right, point)


def _point_apart(pair: FormulaPair, left: Expression, right: Expression) -> Point | None:
    """A point where two expressions are different numbers."""
    for point in points(left, right):
        here = Evaluation(point, pair.imaginary)
        first, second = here.number(left), here.number(right)
        if first is not None and second is not None and here.differ(first, second):
            return point
    return None


def _numbers_at(pair: FormulaPair, left: Expression, right: Expression, point: Point) -> Difference:
    here = Evaluation(point, pair.imaginary)
    numbers = [here.number(left), here.number(right)]
    shown = ["" if value is None else _shown(value) for value in numbers]
    return Difference(written_point(point), shown[0], shown[1])


def _shown(value: Number) -> str:
    if isinstance(value, Fraction):
        return written_number(value)
    if isinstance(value, complex):
        sign = "-" if value.imag < 0 else "+"
        return f"{value.real:.6g}{sign}{abs(value.imag):.6g}i"
    return f"{value:.6g}"
