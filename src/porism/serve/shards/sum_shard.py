"""The documents of an index whose model is a sum of models: each part answers by itself, and here is what all share."""

from __future__ import annotations

from porism.search.index import Index
from porism.search.models.sums.model import SumModel
from porism.serve.shards.requests import CollectionRequest, HitsRequest
from porism.serve.shards.showing import collection_of, shard_hit
from porism.serve.shards.values import ShardCollection, ShardHits
from porism.system.concurrency.caching import cached_property


class SumShard:
    """The documents of an index here whose model is a sum; safe to share between threads."""

    def __init__(self, index: Index, model: SumModel) -> None:
        self.index, self.generation, self.model = index, index.snapshot.generation, model

    @cached_property
    def _collection(self) -> ShardCollection:
        return collection_of(self.index.snapshot, self.model)

    def collection(self, request: CollectionRequest) -> ShardCollection:
        """What the shard has; its parts say how they search it."""
        return self._collection

    def hits(self, request: HitsRequest) -> ShardHits:
        """What is shown of documents, in their order; passages are chosen by the statistics of this index, and parts
        explain.

        :raises QueryError: the index lacks one of them.
        """
        shown = self.index.hits([(doc_id, 0.0) for doc_id in request.ids], request.question.read())
        return ShardHits(self.generation, tuple(shard_hit(hit, None) for hit in shown))
