"""Search by tokens of documents of which an engine outside Porism finds the nearest; scores are those of the index.

For each token of the query the engine gives the nearest tokens of documents, which name the documents that are scored.
One that none of these names scores no more than the sum, over the tokens of the query, of the last cosine given. So
more are asked for until that is below the score of the last result: then results are those of an exhaustive search (the
threshold algorithm; Fagin, Lotem and Naor, *Optimal Aggregation Algorithms for Middleware*, 2001). Where an engine
gives no more at a time, what was found by then is the result, and it is approximate.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.index import Masks, Snapshot
from porism.index.token_rows import open_tokens
from porism.retrieve.ranking import UnitResults, best_units, merge
from porism.serve.backends.base import EVERYWHERE, Table
from porism.serve.exported.candidates import Found, Located, pushed
from porism.serve.exported.opening import OpenExport
from porism.serve.exported.rows import DenseRows, document_of
from porism.types import Query
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.records import TokenRecord
from porism.vectors.colbert.retriever import ColbertRetriever
from porism.vectors.colbert.scoring import TokenQuery
from porism.vectors.neural.token_codec import CompressedTokens

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
        found = Found(self._located, lambda number, documents: asked.scores(self._rows(number), documents), allowed)
        limit = min(self._backend.most, max(_FIRST, k))
        where = EVERYWHERE._replace(filters=pushed(allowed))
        while True:
            ceiling = _ERROR * len(tokens.vectors)
            for vector in tokens.vectors:
                hits = self._backend.search(self._table, vector[None, :], limit, where)
                found.add(hits.keys)
                ceiling += float(hits.scores[-1]) if len(hits.keys) == limit else -1.0
            if limit == self._backend.most or ceiling < found.last_of(k) or len(hits.keys) < limit:
                return best_units(found.results(), k, self._ids)
            limit = min(self._backend.most, limit * _MORE)
