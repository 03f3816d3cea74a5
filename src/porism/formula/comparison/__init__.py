"""Are two formulas equal? In which sense, by which steps; or at which point do they differ, and what do they share?

"Equal" is said only of what is: values in a prime field (:mod:`porism.formula.values`) must agree, no rational point may
show a difference, and what the equality assumes is named. ``docs/explanation/equality.md`` has what is covered.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import permutations, product
from typing import Literal

from porism.formula.comparison import polynomials
from porism.formula.comparison.conventions import needed
from porism.formula.comparison.names import renaming
from porism.formula.comparison.points import Evaluation, Number, Point, points
from porism.formula.comparison.polynomials import written_name, written_number
from porism.formula.comparison.relations import (
    Condition,
    Factor,
    as_statement,
    conditions,
    factor,
    holds,
    matched,
    same_solutions,
)
from porism.formula.extractors.walk import operator_walk
from porism.formula.keys import layout_key
from porism.formula.notation import parse
from porism.formula.operators.builder import operator_tree
from porism.formula.tree import LayoutTree
from porism.formula.values import equal_expressions, whole_value
from porism.formula.values.expressions import Expression, forget, make, number, rename
from porism.formula.values.reading import Letters, expressions_of
from porism.formula.values.shared import SharedValue, shared_values
from porism.types import Formula

Relation = Literal[
    "identical", "renamed", "same value", "same statement", "same value after renaming", "conditional", "different",
    "unknown",
]
"""What two formulas are to each other. The first five are equal in some sense; ``conditional`` are equal under an
assumption, ``different`` differ at a point that is known, and of ``unknown`` ones neither is known."""

EQUAL = frozenset({"identical", "renamed", "same value", "same statement", "same value after renaming"})

MAX_RENAMED = 4
"""Statements of more variables are compared by their own names only."""

MIN_COMMON = 3
"""A common part has at least so many nodes."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step of an equality: a line of text, and the formula in LaTeX that it leads to, if any."""

    text: str
    latex: str = ""


@dataclass(frozen=True, slots=True)
class Difference:
    """A point, as LaTeX of each variable with its value, and what each of the formulas is there, in LaTeX or words."""

    point: tuple[tuple[str, str], ...]
    first: str
    second: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """What two formulas are to each other, and why.

    ``names`` are the variables that have another name in the second formula, with that name, in LaTeX. ``common`` are
    the largest parts of one value, where the formulas are not equal.
    """

    relation: Relation
    explanation: str
    steps: tuple[Step, ...] = ()
    names: tuple[tuple[str, str], ...] = ()
    difference: Difference | None = None
    common: tuple[SharedValue, ...] = ()

    @property
    def equal(self) -> bool:
        """Whether they are equal in some sense, without assumptions."""
        return self.relation in EQUAL


@dataclass
class _Pair:
    """Two formulas, read once."""

    formulas: tuple[Formula, Formula]
    layouts: tuple[LayoutTree, LayoutTree] = field(init=False)

    def __post_init__(self) -> None:
        self.layouts = parse(self.formulas[0]), parse(self.formulas[1])
        self.trees = operator_tree(self.layouts[0]), operator_tree(self.layouts[1])
        forget()
        walks = [operator_walk(tree).nodes for tree in self.trees]
        self.letters = Letters.of(*walks)
        first, second = (expressions_of(nodes, self.letters)[0] for nodes in walks)
        self.expressions = (first, second) if first is not None and second is not None else None
        self.imaginary = self.letters.imaginary and any(node.label == "i" for nodes in walks for node in nodes)


def compare(first: Formula, second: Formula) -> Comparison:
    """What two formulas are to each other. Total and bounded in time."""
    pair = _Pair((first, second))
    if layout_key(pair.layouts[0]) == layout_key(pair.layouts[1]):
        return Comparison("identical", "They are the same formula.")
    names = renaming(*pair.trees)
    if names is not None and not _clashes(names, pair):
        changed = _changed(names)
        clauses = [] if pair.expressions is None else _bold(pair)
        if clauses:
            return Comparison("conditional", _only_if(clauses))
        if not changed:
            return Comparison("same value", "They are the same formula, set in another way.")
        return Comparison("renamed", "They are the same formula with other names.", names=changed)
    if pair.expressions is None:
        return _with_common(pair, Comparison(
            "unknown", "One of them has a wildcard, or is too large to be compared in value."
        ))
    left, right = pair.expressions
    result = _as_statements(pair, left, right) or _as_values(pair, left, right) or _after_renaming(pair, left, right)
    if result is None:
        difference = _difference(pair, left, right)
        also = "" if names is None else " With other names they are the same formula."
        if difference is not None:
            result = Comparison(
                "different", f"They differ.{also}", difference=difference, names=_changed(names or {})
            )
        else:
            result = Comparison(
                "unknown", f"No equality was found, and no point where they differ.{also}", names=_changed(names or {})
            )
    return result if result.equal else _with_common(pair, result)


def _clashes(names: Mapping[str, str], pair: _Pair) -> bool:
    """Whether a variable gets another name though one of both names means something in both: a−b is not b−a."""
    if pair.expressions is None:
        return any(old != new and new in names for old, new in names.items())
    free = [{leaf.label for name in each.variables for leaf in name.leaves} for each in pair.expressions]
    both = free[0] & free[1]
    return any(old != new and (old in both or new in both) for old, new in names.items())


def _changed(names: Mapping[str, str]) -> tuple[tuple[str, str], ...]:
    return tuple((old, new) for old, new in names.items() if old != new)


def _bold(pair: _Pair) -> list[str]:
    """What is assumed of letters alone, for formulas of one tree."""
    assert pair.expressions is not None
    constant = number(0)
    return needed(constant, constant, pair.layouts)


def _only_if(clauses: list[str]) -> str:
    return f"They are equal only if {' and '.join(clauses)}."


# -- equations, inequalities, intervals ----------------------------------------------------------------------------------


def _as_statements(pair: _Pair, left: Expression, right: Expression) -> Comparison | None:
    """Two statements that say the same, or of which one is true where the other is not."""
    first, second = as_statement(left), as_statement(right)
    if first is None or second is None:
        return None
    found = _same_statement(pair, first, second)
    if found is not None and found.relation != "different":
        return found
    renamed = _renamed_statement(pair, first, second)
    return renamed or found


def _same_statement(pair: _Pair, first: Expression, second: Expression) -> Comparison | None:
    solutions = same_solutions(first, second)
    demanded = conditions(first), conditions(second)
    pairs = None
    if demanded[0] is not None and demanded[1] is not None:
        pairs = matched(demanded[0], demanded[1])
    if isinstance(solutions, Mapping):
        return Comparison(
            "different", "They do not have the same solutions.", difference=_truths(first, second, solutions)
        )
    if solutions is None and pairs is None:
        return _where_not_zero(pair, first, second, demanded)
    if solutions is None and (point := _counterexample(pair, first, second)) is not None:
        return Comparison("conditional", "They say the same for positive values of the variables only.",
                          difference=_truths(first, second, point))
    if solutions is None:
        clauses = _assumed(pair, pairs or [])
        if clauses:
            return Comparison("conditional", _only_if(clauses))
    explanation = "They have the same solutions." if pairs is None else _by_factors([by for _, _, by in pairs])
    return Comparison("same statement", explanation, tuple(_statement_steps(pairs or [])))


def _where_not_zero(
    pair: _Pair, first: Expression, second: Expression, demanded: tuple[list[Condition] | None, list[Condition] | None]
) -> Comparison | None:
    """Equations that say the same where a variable is not 0: ``P=nRT/V`` and ``PV=nRT``."""
    one, other = ((each or [None])[0] if each and len(each) == 1 else None for each in demanded)
    if one is None or other is None or {one.relation, other.relation} != {"eq"}:
        return None
    if _counterexample(pair, first, second) is not None:
        return None
    for variable, power in product(one.difference.variables, (1, 2)):
        for left, right in ((one, other), (other, one)):
            if factor(Condition("eq", make("times", *[variable] * power, left.difference)), right) is not None:
                name = written_name(variable)
                times = f"${name}^2$" if power == 2 else f"${name}$"
                return Comparison(
                    "conditional", f"They say the same where ${name}$ is not 0: one is the other times {times}."
                )
    return None


def _by_factors(factors: list[Factor]) -> str:
    if all(by.number == 1 for by in factors):
        return "They say the same: the difference of the sides is the same."
    return "They say the same: the differences of the sides are equal up to a factor that is not 0."


def _assumed(pair: _Pair, pairs: list[tuple[Condition, Condition, Factor]]) -> list[str]:
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


def _renamed_statement(pair: _Pair, first: Expression, second: Expression) -> Comparison | None:
    """Statements that say the same with other names, where neither shares a variable with the other."""
    for new in _renamings(first, second):
        renamed = rename(first, new)
        found = _same_statement(pair, renamed, second)
        if found is not None and found.relation == "same statement":
            names = tuple((written_name(old), written_name(name)) for old, name in new.items())
            return Comparison(
                "same value after renaming", "They say the same when the variables have other names.", found.steps,
                names,
            )
    return None


def _renamings(first: Expression, second: Expression) -> Iterator[dict[Expression, Expression]]:
    variables, others = first.variables, second.variables
    if len(variables) == len(others) <= MAX_RENAMED and not set(variables) & set(others):
        for order in permutations(others):
            yield dict(zip(variables, order, strict=True))


def _counterexample(pair: _Pair, first: Expression, second: Expression) -> Point | None:
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


# -- values --------------------------------------------------------------------------------------------------------------


def _as_values(pair: _Pair, left: Expression, right: Expression) -> Comparison | None:
    """Two expressions of one value, with what that assumes."""
    if not equal_expressions(left, right):
        return None
    first, second = as_statement(left), as_statement(right)
    if first is not None and second is not None:
        if (_holds_always(left) and _holds_always(right)) or _counterexample(pair, first, second) is not None:
            return None
        if clauses := needed(left, right, pair.layouts):
            return Comparison("conditional", _only_if(clauses))
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
        return Comparison("conditional", _only_if(clauses))
    return Comparison(
        "same value", "They are equal for all values of the variables for which both are defined."
        if left.variables or right.variables else "They are the same number.", tuple(_value_steps(left, right)),
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


def _after_renaming(pair: _Pair, left: Expression, right: Expression) -> Comparison | None:
    """Expressions of one value when the variables of the first have the names of those of the second.

    Only where they share none: what shares some is asked about with the names that it has.
    """
    values = [whole_value(tree).renamed for tree in pair.trees]
    if not values[0] or values[0] != values[1] or set(left.variables) & set(right.variables):
        return None
    for new in _renamings(left, right):
        found = _as_values(pair, rename(left, new), right)
        if found is not None and found.equal:
            names = tuple((written_name(old), written_name(name)) for old, name in new.items() if old is not name)
            return Comparison(
                "same value after renaming", "They are equal when the variables have other names.", found.steps, names
            )
    return None


# -- differences ---------------------------------------------------------------------------------------------------------


def _difference(pair: _Pair, left: Expression, right: Expression) -> Difference | None:
    first, second = as_statement(left), as_statement(right)
    if first is not None and second is not None:
        point = _counterexample(pair, first, second)
        return None if point is None else _truths(first, second, point)
    if first is not None or second is not None:
        return None
    point = _point_apart(pair, left, right)
    return None if point is None else _numbers_at(pair, left, right, point)


def _point_apart(pair: _Pair, left: Expression, right: Expression) -> Point | None:
    """A point where two expressions are different numbers."""
    for point in points(left, right):
        here = Evaluation(point, pair.imaginary)
        numbers = here.number(left), here.number(right)
        if numbers[0] is not None and numbers[1] is not None and here.differ(*numbers):
            return point
    return None


def _numbers_at(pair: _Pair, left: Expression, right: Expression, point: Point) -> Difference:
    here = Evaluation(point, pair.imaginary)
    numbers = [here.number(left), here.number(right)]
    shown = ["" if value is None else _shown(value) for value in numbers]
    return Difference(_written_point(point), shown[0], shown[1])


def _truths(first: Expression, second: Expression, point: Point) -> Difference:
    words = {True: "true", False: "false", None: "not defined"}
    truths = [words[holds(each, Evaluation(point))] for each in (first, second)]
    return Difference(_written_point(point), truths[0], truths[1])


def _written_point(point: Point) -> tuple[tuple[str, str], ...]:
    return tuple(
        (written_name(name), written_number(value)) for name, value in point.items()
    )


def _shown(value: Number) -> str:
    if isinstance(value, Fraction):
        return written_number(value)
    if isinstance(value, complex):
        sign = "-" if value.imag < 0 else "+"
        return f"{value.real:.6g}{sign}{abs(value.imag):.6g}i"
    return f"{value:.6g}"


def _with_common(pair: _Pair, comparison: Comparison) -> Comparison:
    shared = [each for each in shared_values(*pair.trees) if each.size >= MIN_COMMON and each.first]
    shared.sort(key=lambda each: -each.size)
    return Comparison(
        comparison.relation, comparison.explanation, comparison.steps, comparison.names, comparison.difference,
        tuple(shared),
    )
