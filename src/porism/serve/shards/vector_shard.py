"""The documents of an index that are found by their vectors, in the steps of a search of several indexes.

A document's vector, or the vectors of its tokens, are where the document is, and its score depends on nothing else: the
nearest of all shards are the nearest of what each finds.
"""

from __future__ import annotations

import numpy as np

from porism.errors import ConfigError, QueryError
from porism.search.index import Index
from porism.serve.shards.requests import (
    CandidatesRequest,
    CollectionRequest,
    HitsRequest,
    LinksRequest,
    ScoresRequest,
    StatisticsRequest,
)
from porism.serve.shards.showing import collection_of, shard_hit
from porism.serve.shards.values import (
    ShardCandidates,
    ShardCollection,
    ShardHits,
    ShardLinks,
    ShardScores,
    ShardStatistics,
)
from porism.system.concurrency.caching import cached_property
from porism.vectors.colbert.model import ColbertModel
from porism.vectors.colbert.retriever import ColbertRetriever
from porism.vectors.dense.model import DenseModel
from porism.vectors.dense.retriever import DenseRetriever


class VectorShard:
    """The documents of an index here whose model compares vectors; safe to share between threads."""

    def __init__(self, index: Index, model: DenseModel | ColbertModel) -> None:
        """
        :raises ConfigError: the index is searched by no vectors.
        """
        if not isinstance(index.retriever, DenseRetriever | ColbertRetriever):
            raise ConfigError("the index is searched by no vectors", where=str(index.snapshot.path))
        self.index, self.generation, self.model = index, index.snapshot.generation, model
        self._retriever = index.retriever

    @cached_property
    def _collection(self) -> ShardCollection:
        described = self._retriever.describe()["model"]
        codec = {"codec": described["codec"]} if "codec" in described else {}
        return collection_of(self.index.snapshot, self.model, encoder=described["encoded_by"] | codec)

    def collection(self, request: CollectionRequest) -> ShardCollection:
        """What the shard has."""
        return self._collection

    def statistics(self, request: StatisticsRequest) -> ShardStatistics:
        """Nothing: scores depend on no statistics."""
        return ShardStatistics({}, (), self.generation)

    def candidates(self, request: CandidatesRequest) -> ShardCandidates:
        """The ``depth`` documents whose vectors are nearest; of tokens those that are compared, by what their centroids
        score, for these decide which are among those of all shards.
        """
        read = request.question.read()
        if not set(read.filters) <= set(self._collection.metadata):
            return ShardCandidates(self.generation)
        query = read.query
        if isinstance(self._retriever, ColbertRetriever) and not self._retriever.model.exhaustive:
            ids, near, scores = self._retriever.candidates(query, allowed=self.index.allowed(read))
            return ShardCandidates(self.generation, tuple(ids), tuple(near.tolist()), tuple(scores.tolist()), len(ids))
        found = self._retriever.search([query], request.depth, allowed=self.index.allowed(read))[query.id]
        own = tuple(score for _, score in found)
        return ShardCandidates(self.generation, tuple(doc_id for doc_id, _ in found), own, own, len(own))

    def scores(self, request: ScoresRequest) -> ShardScores:
        """The scores of documents.

        :raises QueryError: the index lacks one of them.
        """
        scores = self._retriever.score_documents(request.question.read().query, request.ids)
        if np.isnan(scores).any():
            raise QueryError("the index lacks a document that is to be scored", where="ids")
        return ShardScores(self.generation, tuple(scores.tolist()))

    def links(self, request: LinksRequest) -> ShardLinks:
        """None: they add nothing to scores."""
        return ShardLinks(self.generation, (), ())

    def hits(self, request: HitsRequest) -> ShardHits:
        """What is shown of documents, in their order; passages are chosen by the statistics of this index.

        :raises QueryError: the index lacks one of them.
        """
        read = request.question.read()
        shown = self.index.hits([(doc_id, 0.0) for doc_id in request.ids], read)
        return ShardHits(self.generation, tuple(
            shard_hit(hit, self._retriever.explain(read.query, hit.id).to_dict() if request.explain else None)
            for hit in shown
        ))
