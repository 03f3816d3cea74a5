"""Search for the documents that are nearest in meaning to a question, by vectors that an index learns itself."""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index import Masks, Snapshot
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.kinds import DocumentKind
from porism.retrieve.meaning.space import MeaningSpace
from porism.retrieve.meaning.vectors import MODEL, meaning_vectors
from porism.retrieve.ranking import SegmentHits, UnitIds, UnitResults, distinct_queries, merge
from porism.retrieve.vectors.nearest import best_products, nearest, product_error
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Query

KIND = MODEL
_BATCH_SIZE = 64
LONGEST = 1.01
"""Vectors of length 1 are at most so long when they are rounded."""


@dataclass(frozen=True, slots=True)
class MeaningModel(RetrieverSettings):
    """Documents are ranked by the cosine of their vector with that of the question."""

    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))


class MeaningRetriever:
    """Searches the documents of a snapshot by their vectors. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, model: MeaningModel) -> None:
        """:raises ConfigError: documents have no vectors of meaning.
        :raises IndexCorrupt: a table is damaged.
        """
        self.snapshot, self.model = snapshot, model
        space = MeaningSpace.of(snapshot.segments, analyzer)
        if space is None:
            raise ConfigError(
                "documents have no vectors of meaning", where=str(snapshot.path),
                hint="Make them: porism update --meaning auto",
            )
        self.space = space
        self._ids = UnitIds(snapshot.segments)

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``, with the digests of the tables."""
        digests = dict.fromkeys(table.digest for table in self.space.tables)
        return {"kind": "search", "model": {"kind": KIND, **self.model.to_dict(), "tables": list(digests)}}

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, ties by descending id; none of a query without terms."""
        wanted = distinct_queries(queries, k)
        results: dict[str, Iterable[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}
        for start in range(0, len(wanted), _BATCH_SIZE):
            batch = wanted[start : start + _BATCH_SIZE]
            started = time.perf_counter()
            for query, found in zip(batch, self._search(batch, k, allowed), strict=True):
                ids = self._ids.take(found.segments, found.units)
                results[query.id] = zip(ids, found.scores.tolist(), strict=True)
            share = (time.perf_counter() - started) / len(batch)
            seconds |= dict.fromkeys((query.id for query in batch), share)
        return Run(results, name, provenance=Provenance(self.describe(), self.model.tuned_on, seconds=seconds))

    def _search(self, queries: Sequence[Query], k: int, allowed: Masks | None) -> list[UnitResults]:
        of_segments = self.space.vectors(queries)
        hits: list[list[SegmentHits]] = [[] for _ in queries]
        for number, (segment, rows) in enumerate(zip(self.snapshot.segments, self.space.rows, strict=True)):
            vectors = of_segments[number]
            able = segment.live & (True if allowed is None else allowed[number])
            near = best_products(rows, vectors, able)
            for place in np.flatnonzero(vectors.any(axis=1)).tolist():
                vector = vectors[place]
                cosines = partial(self.space.cosines, number, vector)
                best = nearest(near[place], k, segment.id_order, product_error(vector, LONGEST), cosines)
                hits[place].append(SegmentHits(number, *best))
        return [merge(parts, k, self._ids) for parts in hits]

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given); 0 where it or the query has no terms, NaN for an
        id that the index does not have."""
        of_segments = self.space.vectors([query])
        scores = np.full(len(doc_ids), np.nan)
        for number, segment in enumerate(self.snapshot.segments):
            documents = segment.names.find(doc_ids)
            there = np.flatnonzero(documents >= 0)
            there = there[segment.live[documents[there]]]
            scores[there] = self.space.cosines(number, of_segments[number][0], documents[there])
        return scores

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: which of its terms meet which of the query's; ``k`` and ``allowed`` change
        nothing.

        :raises QueryError: the index has no such document.
        """
        score = float(self.score_documents(query, [doc_id])[0])
        if np.isnan(score):
            raise QueryError(f"there is no document {doc_id!r} in the index", where=str(self.snapshot.path))
        number, document = next(
            (number, document) for number, segment in enumerate(self.snapshot.segments)
            if (document := segment.find(doc_id)) is not None
        )
        parts = self.space.explain(query, number, document)
        return Explanation(score, f"document {doc_id}: cosine by the meanings of terms", parts)


MEANING = DocumentKind(
    name=KIND, settings=MeaningModel, models={MODEL: MeaningModel()},
    vectors=meaning_vectors,
    needs_vectors=False, make=MeaningRetriever,
)
"""Search by the vectors of :mod:`porism.retrieve.meaning`."""
