"""What a formula search can say about one hit: which parts of two formulas match, under which substitution."""

from __future__ import annotations

from dataclasses import dataclass

from porism.explanation import Explanation
from porism.types import Formula


@dataclass(frozen=True, slots=True)
class NodePair:
    """A node of the query's operator tree and the node of the found one that it matches, by preorder position.

    ``worth`` is between 0 and 1: 1 for the same symbol, less for another variable, number or operator of its class.
    """

    query: int
    found: int
    worth: float


@dataclass(frozen=True, slots=True)
class Substitution:
    """What a variable or wildcard of the query stands for in the found formula, both as LaTeX (``i ↦ k``).

    ``found_at`` are the preorder positions of what it stands for in the found operator tree.
    """

    query: str
    found: str
    found_at: tuple[int, ...] = ()

    @property
    def identical(self) -> bool:
        """Whether the symbol stands for itself."""
        return self.query == self.found


@dataclass(frozen=True, slots=True)
class ValuePair:
    """A subexpression of the query and one of the found formula that have the same value, by preorder position.

    ``renamed`` says that they are equal only after renaming variables.
    """

    query: int
    found: int
    renamed: bool


@dataclass(frozen=True, slots=True)
class FormulaMatch:
    """How a found formula answers a query formula.

    ``score`` is the formula's score and ``explanation`` a tree of contributions that adds up to it. Positions in
    ``pairs``, ``substitutions`` and ``values`` are preorder positions in ``operator_tree(parse(query))`` and
    ``operator_tree(parse(found))``. ``query_share`` and ``found_share`` (0 to 1) say how much of either is matched.
    """

    query: Formula
    found: Formula
    score: float
    pairs: tuple[NodePair, ...]
    substitutions: tuple[Substitution, ...]
    values: tuple[ValuePair, ...]
    query_share: float
    found_share: float
    explanation: Explanation
