"""The settings of matching formulas, and the most informative formulas of a query, each with its weight."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Literal, NamedTuple

from porism.analysis.analyzer import read_formula
from porism.errors import ConfigError
from porism.formula import layout_key
from porism.retrieve.formulas.alignment import QueryTree
from porism.retrieve.formulas.retriever import QueryFormula
from porism.retrieve.weightings.base import HEAVIEST
from porism.settings import Settings
from porism.types import Formula, Query


@dataclass(frozen=True, slots=True)
class Matches(Settings):
    """How the formulas of a document add to its score (:mod:`porism.retrieve.documents.matched_formulas`).

    A query formula gives ``weight · √n · mass^mass_power · ((s − least) / (1 − least))²``. Here s is the similarity of
    the best formula of the document, and n the number of times the query has the formula, weighted by field. Its mass,
    the sum of the inverse document frequencies of its terms, grows with size and rarity. A document gains the sum over
    query formulas or, if ``combine`` is ``best``, the largest. Only the first ``candidates`` results of a query formula
    are compared, only those more similar than ``least`` (0 to 1) count, and only the ``formulas`` of largest mass.
    Query formulas of a single symbol never count; a ``weight`` of 0 is off.

    With ``equal`` above 0 (to 10), formulas that are equal to the query formula in value or contain it, up to renaming
    of variables, match too, whatever their terms. An equal formula is a full match; the share is ``renamed`` if
    variables must be renamed, and ``part`` if the formula is only contained. The document gains what its score by terms
    lacks, compared with a document that has the query formula itself. That gain is multiplied by the share and by
    ``equal``. If D of N documents have such a formula, it is also multiplied by ``2 − 3 · ln D / ln N`` (from 0 to 1);
    if the query has words too, by ``beside_words``.

    :raises ConfigError: a number is out of its range.
    """

    weight: float = 0.045
    least: float = 0.75
    candidates: int = 100
    formulas: int = 24
    mass_power: float = 1.0
    combine: Literal["sum", "best"] = "sum"
    equal: float = 0.0
    renamed: float = 0.9
    part: float = 0.8
    beside_words: float = 0.3

    def __post_init__(self) -> None:
        shares = (self.renamed, self.part, self.beside_words)
        if not (0 <= self.equal <= 10 and all(0 <= share <= 1 for share in shares)):
            raise ConfigError(
                f"matches cannot have 'equal' {self.equal}, 'renamed' {self.renamed}, 'part' {self.part} and "
                f"'beside_words' {self.beside_words}",
                hint="Use 0 to 10 for 'equal', and shares from 0 to 1.",
            )
        if self.combine not in ("sum", "best") or not 0 <= self.mass_power <= 10:
            raise ConfigError(
                f"matches cannot be combined by {self.combine!r} with a mass power of {self.mass_power}",
                hint="Combine them by 'sum' or 'best'; the power is from 0 to 10.",
            )
        if not (0 <= self.weight <= HEAVIEST and 0 <= self.least < 1 and self.candidates >= 1 and self.formulas >= 1):
            raise ConfigError(
                f"matches cannot have the weight {self.weight}, the least similarity {self.least}, {self.candidates} "
                f"candidates and {self.formulas} formulas",
                hint="Use a weight ≥ 0, a similarity from 0 to below 1, and at least one candidate and one formula.",
            )


class WeightedFormula(NamedTuple):
    """A query formula, the weight of a full match, and the query fields that contain it."""

    formula: QueryFormula
    weight: float
    fields: tuple[str, ...]


class WeightedFormulas:
    """Reads the formulas of queries; safe to share between threads.

    :param read: reads a formula with its terms.
    """

    def __init__(
        self, settings: Matches, query_field_weights: Mapping[str, float], read: Callable[[Formula], QueryFormula]
    ) -> None:
        self._settings, self._field_weights, self._read_terms = settings, query_field_weights, read
        self._last: tuple[Query | None, list[WeightedFormula]] = (None, [])

    def of(self, query: Query) -> list[WeightedFormula]:
        """The most informative formulas of a query with their weights; the last query's are cached."""
        known, formulas = self._last
        if known is not query:
            formulas = self._weighted(query)
            self._last = query, formulas  # one assignment, so that threads at worst compute it twice
        return formulas

    def _weighted(self, query: Query) -> list[WeightedFormula]:
        counts: defaultdict[str, float] = defaultdict(float)
        read: dict[str, QueryFormula] = {}
        fields: defaultdict[str, list[str]] = defaultdict(list)
        known: dict[tuple[str, str], str] = {}
        for name, content in query.fields.items():
            for formula in content.formulas:
                key = known.get((formula.notation, formula.source))
                if key is None:
                    parsed = self._read(Formula(formula.source, formula.notation))
                    key = known[formula.notation, formula.source] = layout_key(parsed.layout)
                    read.setdefault(key, parsed)
                counts[key] += self._field_weights.get(name, 1.0)
                fields[key].append(name)
        telling = [key for key in read if len(read[key].tree.labels) > 1 and read[key].mass > 0 and counts[key] > 0]
        telling.sort(key=lambda key: -read[key].mass)
        return [
            WeightedFormula(
                read[key], self._settings.weight * counts[key] ** 0.5 * read[key].mass**self._settings.mass_power,
                tuple(fields[key]),
            )
            for key in telling[: self._settings.formulas]
        ]

    def _read(self, formula: Formula) -> QueryFormula:
        """Reads a query formula; if only equal formulas count, it has no terms, and its mass is its number of nodes."""
        if self._settings.weight > 0:
            return self._read_terms(formula)
        layout, operators = read_formula(formula.source, formula.notation)
        tree = QueryTree.of(operators)
        return QueryFormula(formula, layout, operators, tree, {}, float(len(tree.labels)))
