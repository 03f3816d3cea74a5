"""Search by vectors of documents that an engine outside Porism compares; scores are those of the index, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.index import Masks, Snapshot
from porism.index.token_rows import open_tokens
from porism.index.vectors import open_vectors
from porism.retrieve.meaning.retriever import LONGEST, MeaningModel, MeaningRetriever
from porism.retrieve.meaning.space import MeaningSpace
from porism.retrieve.meaning.vectors import MODEL as MEANING
from porism.retrieve.meaning.vectors import general_table
from porism.retrieve.ranking import UnitResults, best_units, merge
from porism.retrieve.vectors.nearest import product_error
from porism.serve.backends.base import EVERYWHERE, Table
from porism.serve.exported.candidates import Bound, CandidateSearch, Found, Located, pushed
from porism.serve.exported.rows import DenseRows, document_of
from porism.serve.exported.state import OpenExport
from porism.types import Query
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.records import TokenRecord
from porism.vectors.colbert.retriever import ColbertRetriever
from porism.vectors.colbert.scoring import TokenQuery
from porism.vectors.dense.model import DenseModel
from porism.vectors.dense.records import EncoderRecord
from porism.vectors.dense.retriever import DenseRetriever
from porism.vectors.neural.token_codec import CompressedTokens


def dense_table(record: EncoderRecord) -> Table:
    """The table of the vectors of an encoder; its name says of which, and of how it reads documents."""
    return Table(record.spec.name.replace("-", "_"), record.dimensions)


def dense_rows(snapshot: Snapshot, record: EncoderRecord) -> DenseRows:
    """What an index exports of the vectors of an encoder.

    :raises ConfigError: vectors are missing.
    """
    hint = f"Encode them: porism encode {record.model} --name {record.name} --index {snapshot.path}"
    opened = [open_vectors(segment, record.spec, segment.doc_count, hint=hint) for segment in snapshot.segments]
    return DenseRows(
        dense_table(record), record.spec.name, snapshot.segments, lambda number: opened[number].offsets,
        lambda number, rows: opened[number].take(rows),
    )


class ExportedDense(DenseRetriever):
    """As :class:`DenseRetriever`, but for where its candidates come from."""

    def __init__(self, export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, model: DenseModel) -> None:
        """
        :raises ConfigError: the index has no vectors of the encoder, or the encoder is not there.
        :raises EngineError: the engine does not have the vectors.
        """
        super().__init__(snapshot, analyzer, model)
        table = dense_table(self.record).name
        export.require(table, f"the vectors of the encoder {self.record.name}")
        self._near = CandidateSearch(export.backend, table, Located(snapshot.segments, document_of), self._ids)

    def _search(self, queries: Sequence[Query], k: int, allowed: Masks | None) -> list[UnitResults]:
        return [self._nearest(vector, k, allowed) for vector in self._encode(queries)]

    def _nearest(self, query: NDArray[np.float32], k: int, allowed: Masks | None) -> UnitResults:
        if not query.any():
            return merge([], k, self._ids)
        longest = max((vectors.longest() for vectors in self._segments), default=1.0)
        bound = Bound(1.0, 2 * product_error(query, longest))
        return self._near.best(
            query[None, :], k, bound, lambda segment, units: self._segments[segment].scores(query, units), allowed
        )


def meaning_rows(snapshot: Snapshot, analyzer: Analyzer) -> DenseRows:
    """What an index exports of the vectors of meaning.

    :raises ConfigError: vectors are missing.
    """
    space = MeaningRetriever(snapshot, analyzer, MeaningModel()).space
    return DenseRows(
        meaning_table(space), space.tables[0].digest if space.tables else "", snapshot.segments,
        lambda number: space.rows[number].offsets, lambda number, rows: space.rows[number].take(rows),
    )


def meaning_table(space: MeaningSpace) -> Table:
    """The table of the vectors of meaning; its name says by which table of terms they are made."""
    table = space.tables[0] if space.tables else general_table()
    return Table(f"{MEANING}_{table.digest}", table.dimensions)


class ExportedMeaning(MeaningRetriever):
    """As :class:`MeaningRetriever`, but for where its candidates come from."""

    def __init__(self, export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, model: MeaningModel) -> None:
        """
        :raises ConfigError: documents have no vectors of meaning.
        :raises EngineError: the engine does not have the vectors.
        """
        super().__init__(snapshot, analyzer, model)
        table = meaning_table(self.space).name
        export.require(table, "the vectors of meaning")
        self._near = CandidateSearch(export.backend, table, Located(snapshot.segments, document_of), self._ids)

    def _search(self, queries: Sequence[Query], k: int, allowed: Masks | None) -> list[UnitResults]:
        vectors = self.space.vectors(queries)[0] if self.space.tables else np.zeros((len(queries), 1), np.float32)
        return [self._nearest(vector, k, allowed) for vector in vectors]

    def _nearest(self, query: NDArray[np.float32], k: int, allowed: Masks | None) -> UnitResults:
        if not query.any():
            return merge([], k, self._ids)
        bound = Bound(1.0, 2 * product_error(query, LONGEST))
        return self._near.best(
            query[None, :], k, bound, lambda segment, units: self.space.cosines(segment, query, units), allowed
        )


_FIRST = 256
_MORE = 4
_ERROR = 1e-4
"""How far the cosine of a token is off, at most, that an engine gives: it has what codec and centroid add up to."""


def token_table(store: TokenRecord) -> Table:
    """The table of the tokens of a store; its name says of which encoder and codec."""
    return Table(store.spec.name.replace("-", "_"), store.codec.dimensions)


def token_rows(snapshot: Snapshot, store: TokenRecord) -> DenseRows:
    """What an index exports of a token store: each token as what is left of it by the codec.

    :raises ConfigError: tokens are missing.
    """
    opened = [open_tokens(segment, store.spec, store.again(snapshot.path)) for segment in snapshot.segments]

    def take(number: int, rows: NDArray[np.int64]) -> NDArray[np.float32]:
        tokens = opened[number]
        return store.codec.decompress(CompressedTokens(tokens.heads[rows], tokens.residuals.array[rows]))

    return DenseRows(
        token_table(store), store.spec.name, snapshot.segments, lambda number: opened[number].offsets, take
    )


class ExportedTokens(ColbertRetriever):
    """As :class:`ColbertRetriever`, but for where its candidates come from."""

    def __init__(self, export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, model: ColbertModel) -> None:
        """
        :raises ConfigError: the index has no such token store, or its encoder is not there.
        :raises EngineError: the engine does not have the tokens.
        """
        super().__init__(snapshot, analyzer, model)
        self._table = token_table(self.record).name
        export.require(self._table, f"the tokens of {self.record.name}")
        self._backend = export.backend
        self._located = Located(snapshot.segments, document_of)

    def _search(self, query: Query, k: int, allowed: Masks | None) -> UnitResults:
        tokens = self._tokens(query)
        if not len(tokens.vectors):
            return merge([], k, self._ids)
        asked = TokenQuery(self.record.codec, tokens.vectors)
        candidates = Found(
            self._located, lambda number, documents: asked.scores(self._rows(number), documents), allowed
        )
        limit = min(self._backend.most, max(_FIRST, k))
        where = EVERYWHERE._replace(filters=pushed(allowed))
        while True:
            ceiling = _ERROR * len(tokens.vectors)
            for vector in tokens.vectors:
                hits = self._backend.search(self._table, vector[None, :], limit, where)
                candidates.add(hits.keys)
                ceiling += float(hits.scores[-1]) if len(hits.keys) == limit else -1.0
            if limit == self._backend.most or ceiling < candidates.last_of(k) or len(hits.keys) < limit:
                return best_units(candidates.results(), k, self._ids)
            limit = min(self._backend.most, limit * _MORE)
