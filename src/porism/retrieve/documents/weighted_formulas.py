"""The most informative formulas of a query, and the weight of a full match of each."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping
from typing import NamedTuple

from porism.analysis.analyzer import read_formula
from porism.formula import layout_key
from porism.retrieve.documents.match_settings import Matches
from porism.retrieve.formulas.alignment import QueryTree
from porism.retrieve.formulas.retriever import QueryFormula
from porism.types import Formula, Query


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
