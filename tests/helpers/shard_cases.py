"""Shards of the bundled sample, and one of which tests change what it answers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from porism.retrieve.base import RetrieverSettings
from porism.search.index import open_index
from porism.search.sources.indexing import index_documents
from porism.serve.shards.requests import A, Request, Shard
from porism.serve.shards.shard import IndexShard
from porism.types import Document


def split_shards(
    folder: Path, documents: Sequence[Document], homes: Sequence[int], model: RetrieverSettings | str = "default"
) -> list[IndexShard]:
    """Indexes of documents by the number of the one that has each, as shards; those without documents are left out."""
    shards = []
    for home in sorted(set(homes)):
        part = [one for one, own in zip(documents, homes, strict=True) if own == home]
        index_documents(part, folder / str(home), jobs=1)
        shards.append(IndexShard(str(home), open_index(folder / str(home), model)))
    return shards


class Wrapped:
    """A shard that says what another one does; tests change a step by a method of its name."""

    def __init__(self, shard: Shard, name: str = "") -> None:
        self.shard, self.name = shard, name or shard.name

    def ask(self, request: Request[A]) -> A:
        own = getattr(self, request.step, None)
        found: A = self.shard.ask(request) if own is None else own(request)
        return found
