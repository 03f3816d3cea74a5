"""Documents by their best formulas: how a model that ranks formulas searches documents.

The score of a document is ``Σ_formula of the query  max_formula of the document  s`` where s is the score that the
model gives to the formula of the document, if it is among the first thousand that the query formula finds. Words do not
count. Late interaction scores passages so by their tokens: Khattab and Zaharia, *ColBERT* (SIGIR 2020), equation 3.
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
"""So many formulas of the index count for each formula of a query."""

MOST_FORMULAS = 24
"""Of more formulas in one query, the longest so many count."""


class _Ranked(NamedTuple):
    """The formulas found for one query formula: ``scores`` (float64), and the ordinal of each in every segment (int64,
    -1 where it is not there)."""

    formula: Formula
    found: UnitResults
    ordinals: list[NDArray[np.int64]]


class BestFormulas(ScoringRetriever):
    """Searches the documents of a snapshot by a model of formulas. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, ranker: FormulaRanker, kind: str) -> None:
        """``kind`` is the name of the kind of model that ``ranker`` has."""
        super().__init__(snapshot, ranker.model)
        self.kind = kind
        self.ranker = ranker

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: the formula of it that is best for each formula of the query.

        ``k`` and ``allowed`` change nothing.

        :raises QueryError: the index has no such document.
        """
        number, segment, document = self.find(doc_id)
        where = segment.occurrences
        held = where.formula[where.indptr[document] : where.indptr[document + 1]]
        parts: list[Explanation] = []
        total = 0.0
        for formula, found, ordinals in self._ranked(query):
            own = np.flatnonzero(np.isin(ordinals[number], held))
            if not len(own):
                continue
            first = own[np.argmax(found.scores[own])]
            source = segment.formula_source(int(ordinals[number][first]))
            value = float(found.scores[first])
            if value > 0:
                parts.append(Explanation(value, f"formula {formula.source}: best by {source}"))
                total += value
        return Explanation(total, f"document {doc_id}", parts)

    def _ranked(self, query: Query) -> list[_Ranked]:
        formulas = {
            (formula.notation, formula.source.strip()): formula
            for content in query.fields.values() for formula in content.formulas if formula.source.strip()
        }
        longest = sorted(formulas.values(), key=lambda formula: -len(formula.source))[:MOST_FORMULAS]
        chosen = [formula for formula in formulas.values() if formula in longest]
        return [
            _Ranked(formula, found, ordinals_by_segment(self.snapshot.segments, found.segments, found.units))
            for formula, found in zip(chosen, self.ranker.search(chosen, FORMULAS_FOUND) if chosen else [], strict=True)
        ]

    def scores(self, query: Query) -> list[NDArray[np.float64]]:
        """For each segment the scores of its documents (float64, one a document); 0 for one that has no formula found
        for the query."""
        ranked = self._ranked(query)
        scores: list[NDArray[np.float64]] = []
        for number, segment in enumerate(self.snapshot.segments):
            places = open_places(segment)
            total = np.zeros(segment.doc_count)
            for _, found, ordinals in ranked:
                there = np.flatnonzero(ordinals[number] >= 0)
                starts, stops = places.indptr[ordinals[number][there]], places.indptr[ordinals[number][there] + 1]
                counts = stops - starts
                within = np.arange(int(counts.sum())) - np.repeat(np.cumsum(counts) - counts, counts)
                documents = places.docs[np.repeat(starts, counts) + within]
                best_scores = np.zeros(segment.doc_count)
                np.maximum.at(best_scores, documents, np.repeat(found.scores[there], counts))
                total += best_scores
            scores.append(total)
        return scores
