"""Expressions of the value channel: operator trees in which equal subtrees are one object, so that each is read once.

An expression is interned, whatever formula contains it: its value, its variables and its terms are found once. Leaves
in it can be replaced, which again gives interned expressions; renaming, bound variables and sums over numbers come
down to that.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import TypeVar, cast

from porism.formula.values.exact import EXACT
from porism.formula.values.field import Value

F = TypeVar("F")
R = TypeVar("R")

MAX_EXPRESSION = 60
"""Larger expressions have no value: they hardly ever occur twice."""

MAX_WORK = 2_000
"""An expression that takes more evaluations than these has no value; sums over numbers are what costs."""

MAX_TERMS = 60
"""A sum or product over more numbers than these is not written out."""

# What an expression contains.
PI = 1
LOGARITHM = 2
BOUND = 4
ROOT = 8

_FLAGS = {"ln": LOGARITHM, "log": LOGARITHM, "lg": LOGARITHM, "sqrt": ROOT, "root": ROOT, "abs": ROOT}
_NUMBER = re.compile(r"(?=\.?\d)\d{0,60}(?:\.\d{0,60})?", re.ASCII)
_MARKS = frozenset({
    "sub", "bar", "hat", "tilde", "vec", "vecleft", "vecboth", "dot", "ddot", "dddot", "check", "breve", "acute",
    "grave", "ring", "widehat", "widetilde", "overline", "underline", "prime", "prime2", "prime3", "primes",
    "backprime",
})
"""What makes another variable of a variable: x_1, x′, x̄."""

Rule = Callable[["Expression", int], Value | None]
"""Finds the value of an operator at a level; None where it has none."""

Combination = Callable[["Expression", list[Value], int], Value | None]
"""Finds the value of an operator at a level from the values of its operands at that level alone."""

RULES: dict[str, Rule] = {}
"""By label; an operator without a rule is a random function. Filled by :mod:`porism.formula.values.rules`."""

COMBINATIONS: dict[str, Callable[[Expression], Combination | None]] = {}
"""By label: the combination that does for an expression, None if it takes the rule. Filled likewise."""

EXTRA_WORK: dict[str, Callable[[Expression], int]] = {}
"""By label: evaluations beyond one for each node. Filled likewise."""


class Expression:
    """A node of an operator tree with what is known of it.

    ``kind`` is that of a leaf: ``V`` variable, ``N`` number, ``C`` constant, ``S`` what a variable is replaced by,
    ``B`` bound variable; and empty for an operator. ``variables`` are those that can be renamed, in order of first
    appearance; ``is_name`` says that the whole is one, such as ``x_1``. ``size`` counts nodes, ``work`` evaluations and
    ``own`` those of this node. ``exact`` is the rational number that it is, where that is known. ``known`` holds values
    by level, and ``elsewhere`` those at level 0 by what the variables were replaced by.
    """

    __slots__ = (
        "_leaves",
        "children",
        "combination",
        "elsewhere",
        "exact",
        "flags",
        "is_name",
        "kind",
        "known",
        "label",
        "named",
        "own",
        "renamed",
        "rule",
        "size",
        "variables",
        "work",
    )

    def __init__(self, kind: str, label: str, children: tuple[Expression, ...]) -> None:
        self.kind = kind
        self.label = label
        self.children = children
        self.exact: Fraction | None = None
        self.known: dict[int, Value | None] = {}
        self.elsewhere: dict[object, Value | None] | None = None
        self.named: str | None = None
        self.renamed: str | None = None
        self.combination: Combination | None = None
        self.rule: Rule | None = None
        self._leaves: frozenset[Expression] | None = None
        self.is_name = kind == "V"
        self.variables: tuple[Expression, ...] = (self,) if kind == "V" else ()
        self.flags = 0
        self.size = self.work = self.own = 1
        if not kind:
            self._look_below(label, children)
        elif kind == "B":
            self.flags = BOUND
        elif kind == "C" and label == "π":
            self.flags = PI

    def _look_below(self, label: str, children: tuple[Expression, ...]) -> None:
        flags = _FLAGS.get(label, 0)
        size = 1
        work = 0
        variables: tuple[Expression, ...] = ()
        numbers: list[Fraction] = []
        for child in children:
            flags |= child.flags
            size += child.size
            work += child.work
            below = child.variables
            if below:
                if variables and below is not variables:
                    variables = tuple(dict.fromkeys(variables + below))
                else:
                    variables = below
            elif child.exact is not None:
                numbers.append(child.exact)
        if label == "sup" and (exponent := children[1].exact) is not None and exponent.denominator > 1:
            flags |= ROOT
        self.flags = flags
        self.size = size
        extra = EXTRA_WORK.get(label)
        if extra is not None:
            self.own += extra(self)
        self.work = work + self.own
        self.variables = variables
        if label in _MARKS and children[0].is_name and (label == "sub") == (len(children) == 2):
            if label != "sub" or _is_index(children[1]):
                self.is_name = True
                self.variables = (self,)
        elif len(numbers) == len(children) and label in EXACT:
            self.exact = EXACT[label](*numbers)
        choose = COMBINATIONS.get(label)
        if choose is not None:
            self.combination = choose(self)
        if self.combination is None:
            self.rule = RULES.get(label)

    @property
    def leaves(self) -> frozenset[Expression]:
        """The leaves that are not numbers, those within names such as ``x_i`` too."""
        leaves = self._leaves
        if leaves is None:
            if self.kind:
                leaves = frozenset() if self.kind == "N" else frozenset((self,))
            else:
                leaves = frozenset().union(*[child.leaves for child in self.children])
            self._leaves = leaves
        return leaves


def _is_index(expression: Expression) -> bool:
    """Whether what is below makes one name with the letter: ``x_1 x_i x_{ij} x_{\\max}``, not ``x_{i+1}``."""
    if expression.flags & BOUND:
        return False
    return bool(expression.kind) or expression.label == "index" or expression.is_name


class _Table(threading.local):
    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], Expression] = {}
        self.last: tuple[object, object] = (None, None)


MAX_KNOWN = 1 << 14
"""So many expressions are remembered from one formula to the next."""

_table = _Table()


def forget() -> None:
    """Empties the memory where it is full; called between formulas, since variables are compared by identity."""
    if len(_table.known) > MAX_KNOWN:
        _table.known = {}
        _table.last = None, None


def once(formula: F, read: Callable[[F], R]) -> R:
    """What ``read`` makes of a formula, always in the same way; that of the last one is remembered."""
    known, result = _table.last
    if known is not formula:
        forget()
        result = read(formula)
        _table.last = formula, result
    return cast(R, result)


def make(label: str, *children: Expression) -> Expression:
    """The expression of an operator."""
    known = _table.known
    key = (label, *children)
    expression = known.get(key)
    if expression is None:
        expression = known[key] = Expression("", label, children)
    return expression


def leaf(kind: str, label: str) -> Expression:
    """The expression of a letter, constant or other leaf; :func:`number` makes those of numbers."""
    known = _table.known
    key = (kind, label)
    expression = known.get(key)
    if expression is None:
        expression = known[key] = Expression(kind, label, ())
    return expression


def number(value: Fraction | int) -> Expression:
    """The expression of a rational number."""
    known = _table.known
    key = ("N", value)
    expression = known.get(key)
    if expression is None:
        expression = known[key] = Expression("N", str(value), ())
        expression.exact = Fraction(value)
    return expression


def numeral(label: str) -> Expression:
    """The expression of a number as it is written; what is not a decimal number is a constant of that name."""
    known = _table.known
    key = ("numeral", label)
    expression = known.get(key)
    if expression is None:
        if _NUMBER.fullmatch(label) is None:
            expression = leaf("C", "N " + label)
        else:
            value = Fraction(label)
            expression = number(value.numerator if value.denominator == 1 else value)
        known[key] = expression
    return expression


def rename(expression: Expression, new: Mapping[Expression, Expression]) -> Expression:
    """The expression with its variables replaced, each wherever it occurs as a whole (not ``x`` in ``x_1``)."""
    if not expression.variables:
        return expression
    if expression.is_name:
        return new.get(expression, expression)
    return make(expression.label, *[rename(child, new) for child in expression.children])


def put(expression: Expression, old: Expression, new: Expression) -> Expression:
    """The expression with a leaf replaced everywhere, within names as well (``x_i`` becomes ``x_1``)."""
    if old not in expression.leaves:
        return expression
    if expression is old:
        return new
    children = [put(child, old, new) for child in expression.children]
    if expression.label == "sub" and (index := children[1].exact) is not None:
        children[1] = number(index)
    return make(expression.label, *children)
