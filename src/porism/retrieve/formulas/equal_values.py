"""Formulas a part of which has the value of a whole query formula, found by one index term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import indexed_form
from porism.formula import OperatorTree
from porism.formula.extractors.values import values
from porism.formula.values import whole_value
from porism.index.engine.units import FormulaUnits
from porism.retrieve.formulas.exact import LEAST_NODES
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.lexical.global_statistics import CollectionStatistics, global_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever, SearchTerms
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import BM25, LexicalChannel

VALUES = "values"
"""The channel that has the values."""

MOST_EQUAL = 100
"""Formulas that are found by a value at most, by name and up to renaming each."""

_WEIGHTING = BM25()


class _ByValue(NamedTuple):
    """One term that says a value, in a query of which the query formula itself scores 1; the similarity that it gives
    at most, and whether that is less for formulas that say more than the value."""

    worth: float
    terms: dict[str, dict[str, float]]
    graded: bool

    def similar(self, scores: NDArray[np.float64]) -> NDArray[np.float64]:
        """How similar (float64) a formula of this score is."""
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
        """The formulas that have the value of the whole formula, and those of which a part has it, each once.

        The scores are what :meth:`similarities` gives. Of many those that say least else are found.
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
        """What each of the terms that say the value finds, best first."""
        return [self.lexical.search_units([query.terms], MOST_EQUAL)[0] for query in self._queries(operators)]

    def terms(self, operators: OperatorTree) -> list[str]:
        """All terms that can say the value of a formula or a part."""
        return [indexed_form(term) for term, _, _ in self._asked(operators)]

    def similarities(self, operators: OperatorTree, hits: UnitResults) -> NDArray[np.float64]:
        """How similar (float64) equal values make each formula; 0 where no part of it has the value."""
        similar = np.zeros(len(hits.scores))
        for query in self._queries(operators):
            for segment in np.unique(hits.segments).tolist():
                mine = hits.segments == segment
                scores = self.lexical.score_units(query.terms, segment, hits.units[mine])
                similar[mine] = np.maximum(similar[mine], query.similar(scores))
        return similar

    def _queries(self, operators: OperatorTree) -> list[_ByValue]:
        """What asks for the value of the whole formula by name and up to renaming, as a whole and as a part.

        Of tiny formulas by name only.
        """
        known, queries = self._last
        if known is operators:
            return queries
        statistics = self.lexical.statistics(VALUES)
        length = np.array([float(len(values(operators)))])
        y = _WEIGHTING.length_values(length, statistics)
        queries = []
        for term, worth, graded in self._asked(operators):
            indexed = indexed_form(term)
            df = self.lexical.document_frequencies(VALUES, [indexed])
            own = float(_WEIGHTING.term_weights(df, statistics)[0] / (1.0 + y[0]))
            if own > 0 and df[0] > 0:
                queries.append(_ByValue(worth, {VALUES: {indexed: 1.0 / own}}, graded))
        self._last = operators, queries  # one assignment, so that threads at worst do it twice
        return queries

    def _asked(self, operators: OperatorTree) -> list[tuple[str, float, bool]]:
        """Each term that says the value, what it is worth at most, and whether it is less for longer formulas."""
        named, renamed, telling = whole_value(operators)
        whole = [named, renamed if sum(1 for _ in operators.root.walk()) >= LEAST_NODES else ""]
        parts = [term and prefix + term[1:] for prefix, term in zip("=~", whole, strict=True) if telling]
        return [
            (term, worth, number > 1)
            for number, (worth, term) in enumerate(zip(self._worths, [*whole, *parts], strict=False)) if term and worth
        ]
