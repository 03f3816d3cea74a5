"""Search for the documents whose vectors are nearest to the query's.

A document's score is that of its best vector, where its text was encoded in chunks: their cosine with the query's
vector, or the inner product where the encoder was trained for that (Karpukhin et al., *Dense Passage Retrieval for
Open-Domain Question Answering*, EMNLP 2020).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.analysis.model_text import document_text
from porism.errors import QueryError, pluralise
from porism.explanation import Explanation
from porism.index import Masks, Segment, Snapshot
from porism.index.documents import stored_document
from porism.index.engine.topk import best
from porism.index.vector_rows import VectorRows
from porism.index.vectors import open_vectors
from porism.retrieve.kinds import DocumentKind, RequiredArtifact
from porism.retrieve.ranking import SegmentHits, UnitResults, merge
from porism.retrieve.vectors.nearest import best_products, nearest, product_error, products
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.system.concurrency.caching import cached_property
from porism.system.concurrency.locks import Lock
from porism.system.files.artifacts import ENCODERS
from porism.types import Query
from porism.vectors.dense.approximate import ApproximateIndex
from porism.vectors.dense.encoding import DENSE_ENCODING
from porism.vectors.dense.model import DenseModel
from porism.vectors.dense.records import DENSE_RECORDS, EncoderRecord
from porism.vectors.neural.encoder import Encoder
from porism.vectors.retriever import DocumentScores, EncodedRetriever, shortened

KIND = "dense"
_BLOCK_ROWS = 32_768
_MAX_SCORES = 1 << 23
_FEW = 0.05
"""Where a filter leaves a smaller share of the vectors, they are all compared."""
_SHOWN = 120


class DenseRetriever(EncodedRetriever[DenseModel, EncoderRecord, Encoder]):
    """Searches the documents of a snapshot by their vectors."""

    kind = KIND

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer | None = None, model: DenseModel | None = None) -> None:
        """:raises ConfigError: the index has no vectors of the encoder, or the encoder is not there."""
        model = model or DenseModel()
        super().__init__(snapshot, model, DENSE_RECORDS.find(snapshot.path, model.encoder), Encoder)
        self._segments = [_SegmentVectors(segment, self) for segment in snapshot.segments]

    def search(
        self, queries: Iterable[Query], k: int = 1000, *, allowed: Masks | None = None, name: str = "porism"
    ) -> Run:
        """The best ``k`` documents of each query, ties by descending id; none of a query without text.

        :raises QueryError: ``k`` is below 1, or two queries have one id.
        :raises ConfigError: vectors are missing, or the encoder cannot be loaded.
        """
        wanted = list(queries)
        if len({query.id for query in wanted}) < len(wanted):
            raise QueryError("two queries have the same id")
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        results: dict[str, Iterable[tuple[str, float]]] = {}
        seconds: dict[str, float] = {}
        batch_size = max(1, _MAX_SCORES // max([1, *(segment.doc_count for segment in self.snapshot.segments)]))
        for start in range(0, len(wanted), batch_size):
            batch = wanted[start : start + batch_size]
            started = time.perf_counter()
            for query, hits in zip(batch, self._search(batch, k, allowed), strict=True):
                names = self._ids.take(hits.segments, hits.units)
                results[query.id] = zip(names, hits.scores.tolist(), strict=True)
            share = (time.perf_counter() - started) / len(batch)
            seconds |= dict.fromkeys((query.id for query in batch), share)
        return Run(results, name, provenance=Provenance(self.describe(), self.model.tuned_on, seconds=seconds))

    def explain(self, query: Query, doc_id: str, *, k: int = 10, allowed: Masks | None = None) -> Explanation:
        """Why a document has its score: which of its chunks is nearest; ``k`` and ``allowed`` change nothing.

        :raises QueryError: the index has no such document.
        """
        number, document = self._find(doc_id)
        segment = self.snapshot.segments[number]
        vector = self._encode([query])[0]
        vectors = self._segments[number].of(document)
        if not len(vectors) or not vector.any():
            return Explanation(0.0, f"document {doc_id}: no text to compare")
        scores = products(vectors, vector)
        chosen = int(scores.argmax())
        similarity = "cosine" if self.record.settings.similarity == "cos" else "inner product"
        notes = [f"of {pluralise(len(vectors), 'chunk')} number {chosen + 1} is nearest"] if len(vectors) > 1 else []
        text = document_text(stored_document(segment, document), self.record.settings.text)
        with self._queries.opened() as encoder:
            places = encoder.chunk_places(text)
        if len(places) == len(vectors):
            start, stop = places[chosen]
            notes.append(shortened(text[start:stop], _SHOWN))
        notes += self.notes(query)
        return Explanation(float(scores[chosen]), f"{similarity} by the encoder {self.record.name}: {'; '.join(notes)}")

    def notes(self, query: Query) -> list[str]:
        """What whoever asked should know: how much of the query the model does not read."""
        most = self.model.query_length
        _, beyond = self._queries.encode([self.query_text(query)], most)[0]
        with self._queries.opened() as encoder:
            length = encoder.length
        tokens = pluralise(beyond, "token")
        left = f"the last {tokens}"
        if self.record.settings.cut == "head-tail" or (most is not None and most < length):
            length, left = min(length, most or length), f"{tokens} in the middle"
        return [f"the encoder reads {length} tokens of a question; {left} were not read"] if beyond else []

    def _scores_of(self, query: Query) -> DocumentScores | None:
        vector = self._encode([query])[0]
        if not vector.any():
            return None
        return lambda number, documents: self._segments[number].scores(vector, documents)

    def _encode(self, queries: Sequence[Query]) -> NDArray[np.float32]:
        texts = [self.query_text(query) for query in queries]
        encoded = self._queries.encode(texts, self.model.query_length)
        return np.array([vector for vector, _ in encoded], np.float32).reshape(len(queries), self.record.dimensions)

    def _search(self, queries: Sequence[Query], k: int, allowed: Masks | None) -> list[UnitResults]:
        vectors = self._encode(queries)
        asked = np.flatnonzero(vectors.any(axis=1))
        hits: list[list[SegmentHits]] = [[] for _ in queries]
        for number, (of_segment, able) in enumerate(zip(self._segments, self._able(allowed), strict=True)):
            if able.any() and len(asked):
                best_here = of_segment.search(vectors[asked], k, able)
                for place, (units, scores) in zip(asked.tolist(), best_here, strict=True):
                    hits[place].append(SegmentHits(number, units, scores))
        return [merge(parts, k, self._ids) for parts in hits]


class _SegmentVectors:
    """The vectors of one segment, mapped when they are first needed."""

    def __init__(self, segment: Segment, retriever: DenseRetriever) -> None:
        self.segment = segment
        self._retriever = retriever
        self._lock = Lock()
        self._opened: VectorRows | None = None
        self._near: ApproximateIndex | None = None
        self._longest_row = 0.0

    @property
    def rows(self) -> VectorRows:
        """The stored vectors.

        :raises ConfigError: some are missing.
        """
        with self._lock:
            if self._opened is None:
                record, path = self._retriever.record, self._retriever.snapshot.path
                self._opened = open_vectors(
                    self.segment, record.spec, self.segment.doc_count,
                    hint=f"Encode them: porism encode {record.model} --name {record.name} --index {path}",
                )
            return self._opened

    def of(self, document: int) -> NDArray[np.float32]:
        """The vectors of one document (float32, chunks × dimensions)."""
        start, stop = self.rows.offsets[document : document + 2].tolist()
        return self.rows.decode(start, stop)

    def scores(self, query: NDArray[np.float32], documents: NDArray[np.integer]) -> NDArray[np.float64]:
        """The exact scores of documents (float64), 0 of one without vectors."""
        starts, stops = self.rows.offsets[documents], self.rows.offsets[documents + 1]
        counts = stops - starts
        owners = np.repeat(np.arange(len(documents)), counts)
        before = np.cumsum(counts) - counts
        rows = np.repeat(starts - before, counts) + np.arange(int(counts.sum()))
        scores = np.full(len(documents), -np.inf)
        np.maximum.at(scores, owners, products(self.rows.take(rows), query))
        scores[counts == 0] = 0.0
        return scores

    def search(
        self, queries: NDArray[np.float32], k: int, able: NDArray[np.bool_]
    ) -> list[tuple[NDArray[np.int32], NDArray[np.float64]]]:
        """The best ``k`` of the documents that are able to be results, of each query."""
        rows = self.rows
        model, record = self._retriever.model, self._retriever.record
        if model.search != "exact" and len(rows.vectors) >= record.approximate.least:
            with_rows = able & self._holding
            if np.count_nonzero(with_rows) >= max(_FEW * len(able), k):
                return [self._compare_near(query, k, with_rows) for query in queries]
        return self._compare_all(queries, k, able)

    def _compare_all(
        self, queries: NDArray[np.float32], k: int, able: NDArray[np.bool_]
    ) -> list[tuple[NDArray[np.int32], NDArray[np.float64]]]:
        near = best_products(self.rows, queries, able)
        order = self.segment.id_order
        return [
            nearest(row, k, order, product_error(query, self.longest()),
                    lambda documents, query=query: self.scores(query, documents))  # type: ignore[misc]
            for row, query in zip(near, queries, strict=True)
        ]

    def _compare_near(
        self, query: NDArray[np.float32], k: int, able: NDArray[np.bool_]
    ) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
        rows = self.rows
        with self._lock:
            if self._near is None:
                self._near = ApproximateIndex(self.segment, self._retriever.record, self._retriever.model)
        whole = np.array_equal(able, self._holding)
        allowed = None if whole else np.repeat(able, np.diff(rows.offsets))
        near = self._near.search(query, k, allowed)
        documents = np.unique(np.searchsorted(rows.offsets, near, side="right") - 1).astype(np.int32)
        return best(documents, self.scores(query, documents), self.segment.id_order, k)

    @cached_property
    def _holding(self) -> NDArray[np.bool_]:
        """Which documents have a vector."""
        holding: NDArray[np.bool_] = np.diff(self.rows.offsets) > 0
        return holding

    def longest(self) -> float:
        """The length of the longest vector."""
        if self._retriever.record.settings.similarity == "cos":
            return 1.01
        if not self._longest_row:
            rows = self.rows
            for start in range(0, len(rows.vectors), _BLOCK_ROWS):
                block = rows.decode(start, start + _BLOCK_ROWS)
                longest = float(np.sqrt((block * block).sum(axis=1).max(initial=0)))
                self._longest_row = max(self._longest_row, longest)
        return self._longest_row


DENSE = DocumentKind(
    name=KIND, settings=DenseModel, models={"dense": DenseModel()},
    artifacts=lambda model: (RequiredArtifact(ENCODERS, model.encoder),),  # without a name: whichever the index has
    vectors=DENSE_ENCODING.providers, make=DenseRetriever, choose=lambda model, name: replace(model, encoder=name),
)
"""Search by vectors of documents, which ``porism encode`` computes for an index."""
