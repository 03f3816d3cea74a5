"""How two formulas match: their matching parts, and the substitution of variables."""

from __future__ import annotations

from dataclasses import dataclass

from porism.explanation import Explanation
from porism.types import Formula


@dataclass(frozen=True, slots=True)
class NodePair:
    """A node of the query's operator tree and the matching node of the found formula, by preorder position.

    ``worth`` is between 0 and 1: 1 for the same symbol, less for another variable, number or operator of its class.
    """

    query: int
    found: int
    worth: float


@dataclass(frozen=True, slots=True)
class Substitution:
    """The replacement of a variable or wildcard of the query in the found formula, both as LaTeX (``i ↦ k``).

    ``found_at`` are the preorder positions of the replacement in the found operator tree.
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
    """Subexpressions of the query and the found formula with the same value, by preorder position.

    ``renamed`` is True if they are equal only after renaming variables.
    """

    query: int
    found: int
    renamed: bool


@dataclass(frozen=True, slots=True)
class FormulaMatch:
    """The match of a found formula with a query formula.

    ``explanation`` is a tree of contributions that adds up to ``score``. Positions in ``pairs``, ``substitutions`` and
    ``values`` are preorder positions in ``operator_tree(parse(query))`` and ``operator_tree(parse(found))``.
    ``query_share`` and ``found_share`` (0 to 1) are the matched shares of the two formulas.
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
