"""Retrievers that score every document of an index: their base, and search by the best formulas of documents."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Masks, Segment, Snapshot
from porism.index.engine.topk import best
from porism.index.engine.trees import open_places
from porism.index.engine.units import ordinals_by_segment
from porism.retrieve.base import FormulaRanker, RetrieverSettings
from porism.retrieve.ranking import SegmentHits, UnitIds, UnitResults, merge, search_each
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Formula, Query


class ScoringRetriever(ABC):
    """Scores all documents of a snapshot; those above 0 are results. Subclasses compute and explain the scores."""

    kind: str
    """The name of its kind of model."""

    def __init__(self, snapshot: Snapshot, model: RetrieverSettings) -> None:
        self.snapshot = snapshot
        self._model = model
        self._ids = UnitIds(snapshot.segments)

    @property
    def model(self) -> RetrieverSettings:
        """Its settings."""
        return self._model

    @abstractmethod
    def scores(self, query: Query) -> list[NDArray[np.float64]]:
        """The scores of each segment's documents (float64), deleted ones included."""

    @abstractmethod
    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Explains the score of a document as a sum of contributions; ``k`` and ``allowed`` have no effect."""

    def describe(self) -> dict[str, Any]:
        return {"kind": "search", "model": {"kind": self.kind, **self.model.to_dict()}}

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, ties by descending id."""
        def search(query: Query) -> UnitResults:
            parts: list[SegmentHits] = []
            for number, scores in enumerate(self.scores(query)):
                segment = self.snapshot.segments[number]
                mask = segment.live if allowed is None else segment.live & allowed[number]
                documents = np.flatnonzero(mask & (scores > 0)).astype(np.int32)
                parts.append(SegmentHits(number, *best(documents, scores[documents], segment.id_order, k)))
            return merge(parts, k, self._ids)

        searched = search_each(queries, k, self._ids, search)
        provenance = Provenance(self.describe(), self.model.tuned_on, seconds=searched.seconds)
        return Run(searched.results, name, provenance=provenance)

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given); NaN for unknown ids."""
        scores = np.full(len(doc_ids), np.nan)
        for segment, segment_scores in zip(self.snapshot.segments, self.scores(query), strict=True):
            for position, doc_id in enumerate(doc_ids):
                if (document := segment.find(doc_id)) is not None:
                    scores[position] = segment_scores[document]
        return scores

    def find(self, doc_id: str) -> tuple[int, Segment, int]:
        """The position of a document's segment, the segment, and the document's number there.

        :raises QueryError: the index has no such document.
        """
        for position, segment in enumerate(self.snapshot.segments):
            if (document := segment.find(doc_id)) is not None:
                return position, segment, document
        raise QueryError(f"there is no document {doc_id!r} in the index", where=str(self.snapshot.path))


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
                documents, counts = places.of_each(ordinals[number][there])
                best_scores = np.zeros(segment.doc_count)
                np.maximum.at(best_scores, documents, np.repeat(hits.scores[there], counts))
                total += best_scores
            scores.append(total)
        return scores
