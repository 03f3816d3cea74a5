"""Formulas with a part whose value is that of the query formula, found by one index term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.term_columns import indexed_form
from porism.formula import OperatorTree
from porism.formula.extractors.values import values
from porism.formula.values import whole_value
from porism.index.engine.units import FormulaUnits
from porism.retrieve.formulas.exact import MIN_NODES
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.lexical.global_statistics import CollectionStatistics, global_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever, SearchTerms
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import BM25, LexicalChannel

VALUES = "values"
"""The channel that has the values."""

MAX_EQUAL = 100
"""The largest number of results for a value, by name and up to renaming each."""

_WEIGHTING = BM25()


class _ByValue(NamedTuple):
    """A term for a value, in a query for which the query formula itself scores 1.

    ``worth`` is the largest similarity it gives; if ``graded``, longer formulas get less.
    """

    worth: float
    terms: dict[str, dict[str, float]]
    graded: bool

    def similar(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """The similarities (float64) of formulas with these scores."""
        similar: NDArray[np.float64] = self.worth * (
            np.minimum(1.0, scores) ** 2 if self.graded else (scores > 0).astype(np.float64)
        )
        return similar


class EqualValues:
    """Searches the channel of values for the value of a query formula."""

    channel = VALUES

    def __init__(
        self, units: Sequence[FormulaUnits], model: FormulaModel, collection: CollectionStatistics | None = None,
        search_terms: SearchTerms = LexicalRetriever,
    ) -> None:
        self.lexical = search_terms(units, {VALUES: LexicalChannel(1.0, _WEIGHTING)}, **global_statistics(collection))
        self._worths = (model.equal, model.renamed_equal, model.value, model.renamed_value)
        self._last: tuple[OperatorTree | None, list[_ByValue]] = (None, [])

    def search(self, operators: OperatorTree) -> UnitResults:
        """The formulas that have the value of the query formula, as a whole or in a part; the shortest if many.

        The scores are those of :meth:`similarities`.
        """
        nothing = np.zeros(0, np.int32)
        hits = [UnitResults(nothing, nothing, np.zeros(0))]
        hits += self.searches(operators)
        segments = np.concatenate([part.segments for part in hits])
        units = np.concatenate([part.units for part in hits])
        _, first = np.unique(segments.astype(np.int64) << 32 | units, return_index=True)
        every = UnitResults(segments[first], units[first], np.zeros(len(first)))
        similar = self.similarities(operators, every)
        order = np.argsort(-similar, kind="stable")
        return UnitResults(every.segments[order], every.units[order], similar[order])

    def searches(self, operators: OperatorTree) -> list[UnitResults]:
        """The results for each term of the value, best first."""
        return [self.lexical.search_units([query.terms], MAX_EQUAL)[0] for query in self._queries(operators)]

    def terms(self, operators: OperatorTree) -> list[str]:
        """All terms for the value of the formula, as a whole or in a part."""
        return [indexed_form(term) for term, _, _ in self._value_terms(operators)]

    def similarities(self, operators: OperatorTree, hits: UnitResults) -> NDArray[np.float64]:
        """The similarity of each formula by equal values (float64); 0 if no part has the value."""
        similar = np.zeros(len(hits.scores))
        for query in self._queries(operators):
            for segment in np.unique(hits.segments).tolist():
                mine = hits.segments == segment
                scores = self.lexical.score_units(query.terms, segment, hits.units[mine])
                similar[mine] = np.maximum(similar[mine], query.similar(scores))
        return similar

    def _queries(self, operators: OperatorTree) -> list[_ByValue]:
        """The queries for the value, as a whole and in a part; by name and, unless tiny, up to renaming."""
        known, queries = self._last
        if known is operators:
            return queries
        statistics = self.lexical.statistics(VALUES)
        length = np.array([float(len(values(operators)))])
        y = _WEIGHTING.length_values(length, statistics)
        queries = []
        for term, worth, graded in self._value_terms(operators):
            indexed = indexed_form(term)
            df = self.lexical.document_frequencies(VALUES, [indexed])
            own = float(_WEIGHTING.term_weights(df, statistics)[0] / (1.0 + y[0]))
            if own > 0 and df[0] > 0:
                queries.append(_ByValue(worth, {VALUES: {indexed: 1.0 / own}}, graded))
        self._last = operators, queries  # one assignment, so that threads at worst compute it twice
        return queries

    def _value_terms(self, operators: OperatorTree) -> list[tuple[str, float, bool]]:
        """Each term for the value, the largest similarity it gives, and whether longer formulas get less."""
        named, renamed, telling = whole_value(operators)
        whole = [named, renamed if sum(1 for _ in operators.root.walk()) >= MIN_NODES else ""]
        parts = [term and prefix + term[1:] for prefix, term in zip("=~", whole, strict=True) if telling]
        return [
            (term, worth, number > 1)
            for number, (worth, term) in enumerate(zip(self._worths, [*whole, *parts], strict=False)) if term and worth
        ]
