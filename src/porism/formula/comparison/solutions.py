"""Statements about one number, compared by their solutions.

Where their sides are polynomials of low degree this is exact: between the points where a side changes its sign, nothing
changes.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import pairwise

from porism.formula.comparison.points import Evaluation, Point
from porism.formula.comparison.polynomials import Polynomial, quotient
from porism.formula.comparison.relations import CLOSED, EQUATIONS, RELATIONS, holds, infinite, inside, is_word, minus
from porism.formula.values.exact import exact_root
from porism.formula.values.expressions import Expression, make

_MAX_CASES = 3
"""Of so many absolute values both signs are tried."""


def same_solutions(first: Expression, second: Expression) -> bool | Point | None:
    """Whether two statements about one number have the same solutions: a point where only one of them is true if not;
    None where that cannot be decided exactly, or both are always or never true, which says nothing."""
    variables = tuple(dict.fromkeys((*first.variables, *second.variables)))
    if len(variables) != 1:
        return None
    roots: set[Fraction] = set()
    for relation, difference in (*_differences(first), *_differences(second)):
        for case in _cases(difference):
            zeros = _zeros(case, relation in EQUATIONS)
            if zeros is None:
                return None
            roots |= zeros
    between = [(left + right) / 2 for left, right in pairwise(sorted(roots))]
    beyond = [min(roots) - 1, max(roots) + 1] if roots else [Fraction(0)]
    truths: set[bool] = set()
    for candidate in (*sorted(roots, key=abs), *beyond, *between):
        point = {variables[0]: candidate}
        left, right = holds(first, Evaluation(point)), holds(second, Evaluation(point))
        if left is None or right is None:
            return None
        if left != right:
            return point
        truths.add(left)
    return True if len(truths) > 1 else None


def _differences(statement: Expression) -> Iterator[tuple[str, Expression]]:
    """The differences whose signs decide whether a statement is true, each with its relation to 0."""
    label, children = statement.label, statement.children
    if label in RELATIONS:
        yield from ((label, difference) for difference in _of_sides(*children))
    elif label in ("in", "notin"):
        yield from _of_members(*children)
    else:
        for child in children:
            if not is_word(child):
                yield from _differences(child)


def _of_sides(left: Expression, right: Expression) -> Iterator[Expression]:
    for side, other in ((left, right), (right, left)):
        if side.label == "pm":
            yield make("plus", other, *side.children)
            yield minus(other, side.children[0])
            return
    if not infinite(left) and not infinite(right):
        yield minus(left, right)


def _of_members(member: Expression, members: Expression) -> Iterator[tuple[str, Expression]]:
    if members.label == "setbuilder":
        yield from _differences(inside(member, members))
    elif members.label in CLOSED or members.label in ("tuple", "set"):
        relation = "eq" if members.label == "set" else "lt"
        for bound in members.children:
            yield from ((relation, difference) for difference in _of_sides(member, bound))
    else:
        for child in members.children:
            yield from _of_members(member, child)


def _cases(difference: Expression, left: int = _MAX_CASES) -> Iterator[Expression | None]:
    """The difference with either sign of each absolute value in it, and what is between the bars."""
    inner = next((node for node in _walk(difference) if node.label == "abs"), None)
    if inner is None:
        yield difference
        return
    if not left:
        yield None
        return
    between = inner.children[0]
    yield from _cases(between, left - 1)
    yield from _cases(_replaced(difference, inner, between), left - 1)
    yield from _cases(_replaced(difference, inner, make("neg", between)), left - 1)


def _walk(expression: Expression) -> Iterator[Expression]:
    stack = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack += node.children


def _replaced(expression: Expression, old: Expression, new: Expression) -> Expression:
    if expression is old:
        return new
    if not expression.children:
        return expression
    return make(expression.label, *[_replaced(child, old, new) for child in expression.children])


def _zeros(difference: Expression | None, is_equation: bool) -> set[Fraction] | None:
    """Where a quotient of polynomials of degree 2 at most is 0 or has no value; None of anything else, and where a
    zero is not rational, or for equations not real."""
    form = quotient(difference) if difference is not None else None
    if form is None:
        return None
    above, below = _roots(form.above, is_equation), _roots(form.below, is_equation)
    return None if above is None or below is None else above | below


def _roots(polynomial: Polynomial, is_equation: bool) -> set[Fraction] | None:
    coefficients = [Fraction(0)] * 3
    for monomial, coefficient in polynomial.items():
        degree = monomial[0][1] if monomial else 0
        if degree > 2 or len(monomial) > 1:
            return None
        coefficients[degree] += coefficient
    constant, linear, square = coefficients
    if not square:
        return {-constant / linear} if linear else set()
    discriminant = linear * linear - 4 * square * constant
    if discriminant < 0:
        return None if is_equation else set()
    root = exact_root(discriminant, 2) if discriminant else Fraction(0)
    if root is None:
        return None
    return {(-linear + root) / (2 * square), (-linear - root) / (2 * square)}
