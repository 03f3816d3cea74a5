"""Documents by their best formulas: how a model that ranks formulas searches documents.

The score of a document is ``Σ_query formula  max_document formula  s``, where s is the score of the document formula.
Only the first thousand results of the query formula count. Words do not count. Late interaction scores passages by
their tokens in the same way: Khattab and Zaharia, *ColBERT* (SIGIR 2020), equation 3.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.index import Masks, Snapshot
from porism.index.engine.trees import open_places
from porism.index.engine.units import ordinals_by_segment
from porism.retrieve.base import FormulaRanker
from porism.retrieve.ranking import UnitResults
from porism.retrieve.scoring import ScoringRetriever
from porism.types import Formula, Query

FORMULAS_FOUND = 1_000
"""The number of results that count for each formula of a query."""

MAX_FORMULAS = 24
"""Only this many formulas of a query count, the longest."""


class _RankedFormulas(NamedTuple):
    """The results for a query formula, and the ordinal of each in every segment (int64, -1 where absent)."""

    formula: Formula
    hits: UnitResults
    ordinals: list[NDArray[np.int64]]


class BestFormulas(ScoringRetriever):
    """Searches the documents of a snapshot by a model of formulas. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, ranker: FormulaRanker, kind: str) -> None:
        """``kind`` is the name of the ranker's kind of model."""
        super().__init__(snapshot, ranker.model)
        self.kind = kind
        self.ranker = ranker

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Explains the score of a document by its best formula for each formula of the query.

        ``k`` and ``allowed`` have no effect.

        :raises QueryError: the index has no such document.
        """
        number, segment, document = self.find(doc_id)
        where = segment.occurrences
        held = where.formula[where.indptr[document] : where.indptr[document + 1]]
        parts: list[Explanation] = []
        total = 0.0
        for formula, hits, ordinals in self._ranked(query):
            own = np.flatnonzero(np.isin(ordinals[number], held))
            if not len(own):
                continue
            first = own[np.argmax(hits.scores[own])]
            source = segment.formula_source(int(ordinals[number][first]))
            value = float(hits.scores[first])
            if value > 0:
                parts.append(Explanation(value, f"formula {formula.source}: best by {source}"))
                total += value
        return Explanation(total, f"document {doc_id}", parts)

    def _ranked(self, query: Query) -> list[_RankedFormulas]:
        formulas = {
            (formula.notation, formula.source.strip()): formula
            for content in query.fields.values() for formula in content.formulas if formula.source.strip()
        }
        longest = sorted(formulas.values(), key=lambda formula: -len(formula.source))[:MAX_FORMULAS]
        chosen = [formula for formula in formulas.values() if formula in longest]
        return [
            _RankedFormulas(formula, hits, ordinals_by_segment(self.snapshot.segments, hits.segments, hits.units))
            for formula, hits in zip(chosen, self.ranker.search(chosen, FORMULAS_FOUND) if chosen else [], strict=True)
        ]

    def scores(self, query: Query) -> list[NDArray[np.float64]]:
        ranked = self._ranked(query)
        scores: list[NDArray[np.float64]] = []
        for number, segment in enumerate(self.snapshot.segments):
            places = open_places(segment)
            total = np.zeros(segment.doc_count)
            for _, hits, ordinals in ranked:
                there = np.flatnonzero(ordinals[number] >= 0)
                starts, stops = places.indptr[ordinals[number][there]], places.indptr[ordinals[number][there] + 1]
                counts = stops - starts
                within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
                documents = places.docs[np.repeat(starts, counts) + within]
                best_scores = np.zeros(segment.doc_count)
                np.maximum.at(best_scores, documents, np.repeat(hits.scores[there], counts))
                total += best_scores
            scores.append(total)
        return scores
