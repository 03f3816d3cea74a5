"""Values of subexpressions: the same number for equal expressions, however they are written.

Every subexpression of a formula is evaluated in a prime field, its variables at fixed random points, so that
``(a+b)^2`` and ``a^2+2ab+b^2`` have one value and share an index term; ``docs/explanation/values.md`` says what is
covered. After Schwartz, *Fast probabilistic algorithms for verification of polynomial identities* (J. ACM 27, 1980),
and Gonnet, *Determining equivalence of expressions in random polynomial time* (STOC 1984).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import combinations, groupby, pairwise, permutations
from operator import itemgetter
from typing import NamedTuple

from xxhash import xxh3_64_hexdigest

from porism.formula.extractors.walk import operator_walk
from porism.formula.operators.lists import relates
from porism.formula.tree import OperatorNode, OperatorTree
from porism.formula.values.evaluation import value, value_where
from porism.formula.values.expressions import Expression, forget, leaf, make, once
from porism.formula.values.field import PRIMES, Value, is_simple
from porism.formula.values.reading import Letters, expressions_of
from porism.formula.values.rules import install

install()

MAX_FORMULA_WORK = 10_000
"""Evaluations that one formula may take; what comes after them has no value."""

MAX_RENAMED = 8
"""Expressions of more variables than these have no value up to renaming."""

POINTS = 3
"""Sets of values of the variables; one after the first is used only where the ones before it gave no value."""


class SubexpressionValue(NamedTuple):
    """The value of one subexpression, as the terms that stand for it in an index.

    ``position`` is its preorder position in the operator tree; ``named`` is shared with equal expressions in the same
    variables, ``renamed`` with those that are equal after renaming variables. The latter is empty for expressions of
    too many variables, and for all but whole formulas, the sides of their relations, the items of lists and the like.
    """

    position: int
    named: str
    renamed: str


def expression_values(operators: OperatorTree) -> list[SubexpressionValue]:
    """The values of all subexpressions of a formula that say something, in preorder.

    The value is None for leaves, for what is a plain number or a single variable in value (``x+0``), and for what
    contains a wildcard. It is None too for expressions of more than 60 nodes, and for what has no value anywhere
    (``1/(x-x)``). Total and bounded in time.
    """
    nodes, expressions = _read(operators)
    values: list[SubexpressionValue] = []
    spent = 0
    wholes = _wholes(operators.root)
    for position, expression in enumerate(expressions):
        if expression is None or expression.kind:
            continue
        spent += _cost(expression)  # remembered or not, so that a formula always has the same terms
        if spent > MAX_FORMULA_WORK:
            break
        named = expression.named
        if named is None:
            named = expression.named = _named(expression)
        if not named:
            continue
        renamed = ""
        if id(nodes[position]) in wholes:
            if expression.renamed is None:
                expression.renamed = _renamed(expression) if expression.variables else "~" + named[1:]
            renamed = expression.renamed
        values.append(SubexpressionValue(position, named, renamed))
    return values


MAX_EQUATED = 5
"""Of a chain of equations with more sides only neighbours are paired."""


def chain_values(operators: OperatorTree) -> list[str]:
    """The terms, by name and up to renaming, of the relations that chains say beside themselves.

    ``0<a\\le b`` says ``0<a`` and ``a\\le b``, and ``a=b=c`` says ``a=c`` as well. Total and bounded in time.
    """
    nodes, expressions = _read(operators)
    if not any(len(node.children) > 2 and (node.label in _RELATIONS or "-" in node.label) for node in nodes):
        return []
    terms: list[str] = []
    spent = 0
    for expression in expressions:
        if expression is None:
            continue
        links: Sequence[Expression] = ()
        if expression.label == "chain":
            links = expression.children
        elif expression.label in _RELATIONS and len(expression.children) > 2:
            sides = expression.children
            pairs = combinations(sides, 2) if len(sides) <= MAX_EQUATED else pairwise(sides)
            links = [make(expression.label, *pair) for pair in pairs]
        for link in links:
            spent += _cost(link)
            if spent > MAX_FORMULA_WORK:
                return terms
            if named := _named(link):
                renamed = _renamed(link) if link.variables else "~" + named[1:]
                terms += [term for term in (named, renamed) if term]
    return terms


WHOLE_MARKS = ("≡", "≅")
"""How the terms of whole formulas begin: by name, and up to renaming."""


class WholeValue(NamedTuple):
    """The value of a whole formula as two index terms, empty where there is none: of formulas equal to it in the same
    variables (``named``), and after renaming variables (``renamed``).

    ``telling`` says that the value is more than a number or a variable, so that a part which has it is worth finding.
    """

    named: str
    renamed: str
    telling: bool


def whole_value(operators: OperatorTree) -> WholeValue:
    """The value of a formula as a whole, also where that is a plain number: ``\\sin^2x+\\cos^2x`` is ``1``.

    None for a single letter, and none for a relation whose sides are one number. Total and bounded in time.
    """
    expression = _read(operators).expressions[0]
    if expression is None or (expression.kind and expression.exact is None) or _cost(expression) > MAX_FORMULA_WORK:
        return WholeValue("", "", False)
    named = _named(expression)
    if named:
        renamed = expression.renamed
        if renamed is None:
            renamed = expression.renamed = _renamed(expression) if expression.variables else "~" + named[1:]
        return WholeValue("≡" + named[1:], "≅" + renamed[1:] if renamed else "", True)
    known = value(expression, 0)
    if known is None or expression.label in _RELATIONS:
        return WholeValue("", "", False)
    return WholeValue("≡" + _digest(0, known), "", False)


class _Reading(NamedTuple):
    """The nodes of a formula in preorder, and the expression of each, None where there is none."""

    nodes: Sequence[OperatorNode]
    expressions: Sequence[Expression | None]


def _read(operators: OperatorTree) -> _Reading:
    """The expressions of a formula; of the last one they are remembered, since it is asked for in several ways."""
    return once(operators, _reading)


def _reading(operators: OperatorTree) -> _Reading:
    nodes = operator_walk(operators).nodes
    return _Reading(nodes, expressions_of(nodes, _letters(nodes)))


def _wholes(root: OperatorNode) -> set[int]:
    """The identities of the nodes that stand for themselves: the whole, what it relates or lists, and so on."""
    wholes = {id(root)}
    stack = [root]
    while stack:
        node = stack.pop()
        if relates(node.label):
            for child in node.children:
                wholes.add(id(child))
                stack.append(child)
    return wholes


def equal(first: OperatorTree, second: OperatorTree) -> bool:
    """Whether two formulas have the same value, the same letters being the same variables.

    Equal ones that are covered always are; of others one pair in about 10^17 (``docs/explanation/values.md``). False if
    either has no value.
    """
    forget()
    walks = [operator_walk(tree).nodes for tree in (first, second)]
    letters = Letters.of(*walks)
    left, right = (expressions_of(nodes, letters)[0] for nodes in walks)
    return left is not None and right is not None and equal_expressions(left, right)


def equal_expressions(left: Expression, right: Expression) -> bool:
    """:func:`equal` for expressions that were read together."""
    for point in range(POINTS):
        here, there = _value_at(left, point), _value_at(right, point)
        if here is not None and there is not None:
            return here == there
    return False


def _letters(nodes: Sequence[OperatorNode]) -> Letters:
    special = any(node.label == "i" or node.label == "D" for node in nodes)
    return Letters.of(nodes) if special else _PLAIN


_PLAIN = Letters(False, False)


def _cost(expression: Expression) -> int:
    variables = min(len(expression.variables), MAX_RENAMED)
    return expression.own * (1 + variables) + (expression.work if variables > 2 else 0)


def _value_at(expression: Expression, point: int) -> Value | None:
    if not point:
        return value(expression, 0)
    new = {variable: leaf("S", f"{point} {value(variable, 0)}") for variable in expression.variables}
    return value_where(expression, new)


def _named(expression: Expression) -> str:
    known = value(expression, 0)
    point = 0
    while known is None and expression.variables and point < POINTS - 1:
        point += 1
        known = _value_at(expression, point)
    if known is None or _is_trivial(expression, known, point):
        return ""
    return "=" + _digest(point, known)


def _digest(*values: object) -> str:
    return xxh3_64_hexdigest(repr(values).encode())


_RELATIONS = frozenset({"eq", "neq", "equiv", "approx", "lt", "gt", "leq", "geq"})


def _is_trivial(expression: Expression, result: Value, point: int) -> bool:
    """Whether the value says nothing: a plain number, a variable or its negative, or that such a value is itself."""
    if expression.exact is not None or expression.is_name or is_simple(result, 0):
        return True
    if isinstance(result, int):
        for variable in expression.variables:
            known = _value_at(variable, point)
            if known == result or known == PRIMES[0] - result:
                return True
    if expression.label in _RELATIONS:
        sides = [_value_at(child, point) for child in expression.children]
        first = sides[0]
        if first is not None and sides.count(first) == len(sides):
            return bool(expression.children[0].kind) or _is_trivial(expression.children[0], first, point)
    return False


def _renamed(expression: Expression) -> str:
    """The term that stays the same when variables are renamed.

    With one variable the value at a fixed number, with two the values of both ways round. With more, each variable is
    first known by the value where it alone differs from all others; sorted by that, they are given fixed numbers. Where
    some are known by the same value, all their orders are tried if they are few; else they stay as they appear.
    """
    variables = expression.variables
    count = len(variables)
    if count > MAX_RENAMED:
        return ""
    if count == 1:
        return "~" + _digest(1, _first_of(expression, variables, (0,)))
    if count == 2:
        ways = [_first_of(expression, variables, (0, 1)), _first_of(expression, variables, (1, 0))]
        return "~" + _digest(2, *sorted(ways, key=repr))
    marked = [
        (repr(_first_of(expression, variables, [int(each is variable) for each in variables])), variable)
        for variable in variables
    ]
    marked.sort(key=itemgetter(0))  # keeps the order of appearance among equals
    numbers = range(count)
    digests = {repr(_first_of(expression, order, numbers)) for order in _orders(marked)}
    return "~" + _digest(count, *sorted(digests))


MAX_ORDERS = 6


def _orders(marked: list[tuple[str, Expression]]) -> list[tuple[Expression, ...]]:
    """The variables by their marks; those of the same mark in every order, if these are at most six in all."""
    groups = [tuple(variable for _, variable in group) for _, group in groupby(marked, key=itemgetter(0))]
    count = math.prod(math.factorial(len(group)) for group in groups)
    orders: list[tuple[Expression, ...]] = [()]
    for group in groups:
        ways = list(permutations(group)) if count <= MAX_ORDERS else [group]
        orders = [order + way for order in orders for way in ways]
    return orders


def _first_of(
    expression: Expression, variables: tuple[Expression, ...], numbers: Sequence[int]
) -> tuple[int, Value | None]:
    """The value where the variables have the fixed numbers of these places, at the first point where there is one."""
    for point in range(POINTS):
        standard = _STANDARD[point]
        new = {variable: standard[number] for variable, number in zip(variables, numbers, strict=True)}
        known = value_where(expression, new)
        if known is not None:
            break
    return point, known


_STANDARD = [
    [Expression("S", f"standard {place} {point}", ()) for place in range(MAX_RENAMED)] for point in range(POINTS)
]
"""By point: the numbers that variables get to be compared up to renaming."""
