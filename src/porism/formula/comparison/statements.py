"""Equations, inequalities and intervals compared: whether they say the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from itertools import product

from porism.formula.comparison import polynomials
from porism.formula.comparison.conventions import needed
from porism.formula.comparison.pairs import FormulaPair, only_if, renamings, written_point
from porism.formula.comparison.points import Evaluation, Point, points
from porism.formula.comparison.polynomials import written_name, written_number
from porism.formula.comparison.relations import (
    Condition,
    Factor,
    as_statement,
    conditions,
    factor,
    holds,
    matched,
)
from porism.formula.comparison.results import Comparison, Difference, Step
from porism.formula.comparison.solutions import same_solutions
from porism.formula.values.expressions import Expression, make, number, rename


def as_statements(pair: FormulaPair, left: Expression, right: Expression) -> Comparison | None:
    """Two statements that say the same, or of which one is true where the other is not."""
    first, second = as_statement(left), as_statement(right)
    if first is None or second is None:
        return None
    result = _same_statement(pair, first, second)
    if result is not None and result.relation != "different":
        return result
    renamed = _renamed_statement(pair, first, second)
    return renamed or result


def _same_statement(pair: FormulaPair, first: Expression, second: Expression) -> Comparison | None:
    solutions = same_solutions(first, second)
    demanded = conditions(first), conditions(second)
    pairs = None
    if demanded[0] is not None and demanded[1] is not None:
        pairs = matched(demanded[0], demanded[1])
    if isinstance(solutions, Mapping):
        return Comparison(
            "different", "They do not have the same solutions.", difference=truths(first, second, solutions)
        )
    if solutions is None and pairs is None:
        return _where_not_zero(pair, first, second, demanded)
    if solutions is None and (point := counterexample(pair, first, second)) is not None:
        if all(value > 0 for value in point.values()):
            return Comparison("different", "They differ.", difference=truths(first, second, point))
        return Comparison(
            "conditional", "They say the same for positive values of the variables only.",
            difference=truths(first, second, point),
        )
    if solutions is None:
        clauses = _assumed(pair, pairs or [])
        if clauses:
            return Comparison("conditional", only_if(clauses))
    explanation = "They have the same solutions." if pairs is None else _by_factors([by for _, _, by in pairs])
    return Comparison("same statement", explanation, tuple(_statement_steps(pairs or [])))


def _where_not_zero(
    pair: FormulaPair, first: Expression, second: Expression,
    demanded: tuple[list[Condition] | None, list[Condition] | None],
) -> Comparison | None:
    """Equations that say the same where a variable is not 0: ``P=nRT/V`` and ``PV=nRT``."""
    single = [each[0] for each in demanded if each is not None and len(each) == 1]
    if len(single) < 2 or {condition.relation for condition in single} != {"eq"}:
        return None
    one, other = single
    if counterexample(pair, first, second) is not None:
        return None
    for variable, power in product(one.difference.variables, (1, 2)):
        for left, right in ((one, other), (other, one)):
            if factor(Condition("eq", make("times", *[variable] * power, left.difference)), right) is not None:
                name = written_name(variable)
                return Comparison(
                    "conditional", f"They say the same where {name} is not 0: one is the other times "
                    f"{name}{'²' if power == 2 else ''}."
                )
    return None


def _by_factors(factors: list[Factor]) -> str:
    if all(by.number == 1 for by in factors):
        return "The differences of their sides are the same."
    return "The differences of their sides are equal up to a factor that is not 0."


def _assumed(pair: FormulaPair, pairs: list[tuple[Condition, Condition, Factor]]) -> list[str]:
    clauses: dict[str, None] = {}
    for first, second, by in pairs:
        scaled = second.difference if by.number is None else make("times", number(by.number), second.difference)
        clauses.update(dict.fromkeys(needed(first.difference, scaled, pair.layouts, by.number is not None)))
    return list(clauses)


_SIGNS = {"eq": "=", "neq": r"\ne ", "lt": "<", "leq": r"\le "}


def _statement_steps(pairs: list[tuple[Condition, Condition, Factor]]) -> Iterator[Step]:
    """Both with all on one side, and the factor between them."""
    for first, second, by in pairs:
        forms = [polynomials.quotient(each.difference) for each in (first, second)]
        if forms[0] is None or forms[1] is None or by.number is None:
            return
        written = [f"{polynomials.latex(form)}{_SIGNS[first.relation]}0" for form in forms if form is not None]
        if by.number == 1:
            yield Step("Both say", written[0])
        else:
            yield Step("The first says", written[0])
            yield Step("The second says", written[1])
            yield Step("The left side of the first is that of the second times", written_number(by.number))


def _renamed_statement(pair: FormulaPair, first: Expression, second: Expression) -> Comparison | None:
    """Statements that say the same with other names, where neither shares a variable with the other."""
    for new in renamings(first, second):
        renamed = rename(first, new)
        result = _same_statement(pair, renamed, second)
        if result is not None and result.relation == "same statement":
            names = tuple((written_name(old), written_name(name)) for old, name in new.items())
            return Comparison(
                "same value after renaming", "They say the same when the variables have other names.", result.steps,
                names,
            )
    return None


def counterexample(pair: FormulaPair, first: Expression, second: Expression) -> Point | None:
    """A point where one of two statements is true and the other is not."""
    for point in _points_on(first, second):
        here = Evaluation(point, pair.imaginary)
        left, right = holds(first, here), holds(second, here)
        if left is not None and right is not None and left != right:
            return point
    return None


def _points_on(first: Expression, second: Expression) -> Iterator[Point]:
    """Points at which statements are worth comparing: those where an equation holds too."""
    demanded = [conditions(each) for each in (first, second)]
    equations = [
        condition.difference for each in demanded for condition in each or () if condition.relation == "eq"
    ]
    for point in points(first, second):
        yield point
        for difference in equations:
            for variable in difference.variables:
                if (solved := _solved(difference, variable, point)) is not None:
                    yield solved


def _solved(difference: Expression, variable: Expression, point: Point) -> Point | None:
    """The point with another value of one variable, in which the difference is linear, so that it is 0."""
    at = [Evaluation({**point, variable: Fraction(value)}).number(difference) for value in (0, 1)]
    if not isinstance(at[0], Fraction) or not isinstance(at[1], Fraction) or at[0] == at[1]:
        return None
    solved = {**point, variable: at[0] / (at[0] - at[1])}
    known = Evaluation(solved).number(difference)
    return solved if known == 0 else None


def truths(first: Expression, second: Expression, point: Point) -> Difference:
    """A point with whether each of two statements is true there."""
    words = {True: "true", False: "false", None: "not defined"}
    truths = [words[holds(each, Evaluation(point))] for each in (first, second)]
    return Difference(written_point(point), truths[0], truths[1], True)
