"""Search for the documents that are nearest in meaning to a question, by vectors that an index learns itself."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.errors import QueryError
from porism.explanation import Explanation
from porism.index import Masks, Segment, Snapshot
from porism.index.vector_rows import VectorRows
from porism.index.vectors import open_vectors
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.kinds import DocumentKind, RequiredArtifact
from porism.retrieve.meaning.terms import PIECES, damped, text_bags
from porism.retrieve.meaning.vectors import MODEL, MeaningVectors, trained_vectors
from porism.retrieve.ranking import SegmentHits, UnitIds, distinct_queries, merge
from porism.retrieve.vectors.nearest import best_products, nearest, product_error, products
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.system.files.artifacts import MODELS
from porism.types import Query

KIND = MODEL
_BATCH_SIZE = 64
_LONGEST = 1.01
"""Vectors of length 1 are at most so long when they are rounded."""
_SHOWN = 20
"""Terms that an explanation shows."""


@dataclass(frozen=True, slots=True)
class MeaningModel(RetrieverSettings):
    """Documents are ranked by the cosine of their vector with that of the question."""

    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))


class MeaningRetriever:
    """Searches the documents of a snapshot by their vectors. Immutable, and safe to share between threads."""

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, model: MeaningModel) -> None:
        """:raises ConfigError: nothing was learnt for the index, or vectors are missing."""
        self.snapshot, self.model = snapshot, model
        self._analyzer = analyzer
        vectors = MeaningVectors(snapshot.path)
        self._table = vectors.table
        self._rows = [open_vectors(segment, vectors.spec, segment.doc_count) for segment in snapshot.segments]
        self._ids = UnitIds(snapshot.segments)

    def describe(self) -> dict[str, Any]:
        """``kind`` search and the ``model``, with the digest of the table."""
        return {"kind": "search", "model": {"kind": KIND, **self.model.to_dict(), "table": self._table.digest}}

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
            vectors = self._vectors(batch)
            hits: list[list[SegmentHits]] = [[] for _ in batch]
            for number, (segment, rows) in enumerate(zip(self.snapshot.segments, self._rows, strict=True)):
                able = _able(segment, rows) & (True if allowed is None else allowed[number])
                near = best_products(rows, vectors, able)
                for place in np.flatnonzero(vectors.any(axis=1)).tolist():
                    vector = vectors[place]
                    error = product_error(vector, _LONGEST)
                    best = nearest(near[place], k, segment.id_order, error, partial(_exact, rows, vector))
                    hits[place].append(SegmentHits(number, *best))
            for query, parts in zip(batch, hits, strict=True):
                found = merge(parts, k, self._ids)
                ids = self._ids.take(found.segments, found.units)
                results[query.id] = zip(ids, found.scores.tolist(), strict=True)
            share = (time.perf_counter() - started) / len(batch)
            seconds |= dict.fromkeys((query.id for query in batch), share)
        return Run(results, name, provenance=Provenance(self.describe(), self.model.tuned_on, seconds=seconds))

    def score_documents(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given); 0 where it or the query has no terms, NaN for an
        id that the index does not have."""
        vector = self._vectors([query])[0]
        scores = np.full(len(doc_ids), np.nan)
        for segment, rows in zip(self.snapshot.segments, self._rows, strict=True):
            documents = segment.names.find(doc_ids)
            there = np.flatnonzero(documents >= 0)
            there = there[segment.live[documents[there]]]
            scores[there] = _exact(rows, vector, documents[there])
        return scores

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: what each term of the query adds; ``k`` and ``allowed`` change nothing.

        :raises QueryError: the index has no such document.
        """
        score = float(self.score_documents(query, [doc_id])[0])
        if np.isnan(score):
            raise QueryError(f"there is no document {doc_id!r} in the index", where=str(self.snapshot.path))
        number, document = next(
            (number, document) for number, segment in enumerate(self.snapshot.segments)
            if (document := segment.find(doc_id)) is not None
        )
        target = self._rows[number].take(np.array([document]))[0]
        parts = sorted(self._parts(query, target), key=lambda part: -abs(part.value))
        shown, others = parts[:_SHOWN], parts[_SHOWN:]
        if others:
            shown.append(Explanation(sum(part.value for part in others), f"{len(others)} other terms"))
        return Explanation(score, f"document {doc_id}: cosine by the meanings of terms", shown)

    def _parts(self, query: Query, target: NDArray[np.float32]) -> Iterator[Explanation]:
        """What each term of a query adds to the product with a document's vector."""
        terms = self._terms(query)
        rows = self._table.decode()
        total = float(np.linalg.norm(self._sum(terms, rows)))
        for channel, occurrences in terms.items():
            for term in dict.fromkeys(occurrences):
                weight = float(damped(np.array([occurrences.count(term)]))[0])
                vector = self._sum({channel: [term]}, rows)
                yield Explanation(weight * float(vector @ target.astype(np.float64)) / total, f"{channel}: {term}")

    def _sum(self, terms: Mapping[str, Sequence[str]], rows: NDArray[np.float32]) -> NDArray[np.float64]:
        bag = text_bags([terms], len(rows))
        summed: NDArray[np.float64] = bag.weights.astype(np.float64) @ rows[bag.terms].astype(np.float64)
        return summed

    def _vectors(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        return self._table.vectors(text_bags([self._terms(query) for query in queries], len(self._table)))

    def _terms(self, query: Query) -> dict[str, list[str]]:
        """The terms of a query in the channels that carry meaning, with repetition."""
        config = self._analyzer.config
        text = [name for name in config.text if name in PIECES]
        formulas = [name for name in config.formulas if name in PIECES]
        terms: dict[str, list[str]] = {name: [] for name in PIECES}
        for content in query.fields.values():
            for name, found in self._analyzer.content_terms(content, text).items():
                terms[name] += found
            for formula in content.formulas:
                for name, found in self._analyzer.formula_terms(formula, formulas).terms.items():
                    terms[name] += found
        return terms


def _exact(
    rows: VectorRows, query: NDArray[np.float32], documents: NDArray[np.integer]
) -> NDArray[np.float64]:
    return products(rows.take(documents), query)


def _able(segment: Segment, rows: VectorRows) -> NDArray[np.bool_]:
    """The live documents that have terms."""
    assert rows.scales is not None
    able: NDArray[np.bool_] = segment.live & (rows.scales > 0)
    return able


MEANING = DocumentKind(
    name=KIND, settings=MeaningModel, models={MODEL: MeaningModel()},
    artifacts=lambda model: (RequiredArtifact(MODELS, MODEL),), vectors=trained_vectors, make=MeaningRetriever,
)
"""Search by vectors that an index has learnt (:func:`~porism.retrieve.meaning.vectors.train_meaning`)."""
