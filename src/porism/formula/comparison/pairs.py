"""Two formulas that are compared, read once."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations

from porism.formula.comparison.points import Point
from porism.formula.comparison.polynomials import written_name, written_number
from porism.formula.extractors.walk import operator_walk
from porism.formula.notation import parse
from porism.formula.operators.builder import operator_tree
from porism.formula.tree import LayoutTree
from porism.formula.values.expressions import Expression, forget
from porism.formula.values.reading import Letters, expressions_of
from porism.types import Formula

MAX_RENAMED = 4
"""Formulas of more variables are compared by their own names only."""


@dataclass
class FormulaPair:
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


def only_if(clauses: list[str]) -> str:
    """The explanation of an equality that assumes something."""
    return f"They are equal only if {' and '.join(clauses)}."


def renamings(first: Expression, second: Expression) -> Iterator[dict[Expression, Expression]]:
    """All ways to give the variables of one expression the names of another's, where they share none."""
    variables, others = first.variables, second.variables
    if len(variables) == len(others) <= MAX_RENAMED and not set(variables) & set(others):
        for order in permutations(others):
            yield dict(zip(variables, order, strict=True))


def written_point(point: Point) -> tuple[tuple[str, str], ...]:
    """A point in LaTeX: each variable with its value."""
    return tuple(
        (written_name(name), written_number(value)) for name, value in point.items()
    )
