"""All places of a formula in several shards, page by page, as of one index that has all their documents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from porism.index import Filters
from porism.search.answers import Occurrences
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.merging import shown_ids
from porism.serve.shards.requests import PlacesRequest, Shard
from porism.serve.shards.shard_group import ShardGroup
from porism.serve.shards.values import ShardPlaces


def occurrences_of_shards(
    group: ShardGroup, key: str, k: int, *, first: int = 0, filters: Filters | None = None
) -> Occurrences | None:
    """Where the formula with a normalised form occurs, as :func:`porism.search.occurrences.occurrences_of`.

    Documents of one shard come after those of another. An id that several shards have on a page is preceded by the
    name of its shard.

    :raises QueryError: a filter names a key that no document has.
    :raises ShardsMissing: no shard answers.
    """
    def work(calls: ShardCalls) -> Occurrences | None:
        wanted = group.filters({}, filters, calls)

        def ask(shard: Shard, skipped: int = 0, most: int = 0) -> ShardPlaces:
            return shard.ask(PlacesRequest(group.collections[shard].generation, key, skipped, most, wanted))

        counted = calls.all(ask)
        formula = next((own.formula for own in counted.values() if own.formula is not None), None)
        if formula is None:
            return None
        parts: dict[Shard, tuple[int, int]] = {}
        before = 0
        for shard, own in counted.items():
            start, stop = max(0, first - before), min(own.documents, first + k - before)
            if start < stop:
                parts[shard] = (start, stop - start)
            before += own.documents
        shown = calls.some(dict.fromkeys(parts, lambda shard: ask(shard, *parts[shard])))
        shards = list(shown)
        documents = [(home, document) for home, shard in enumerate(shards) for document in shown[shard].shown]
        homes = np.array([home for home, _ in documents], np.int64)
        named = shown_ids(shards, homes, [document.id for _, document in documents])
        return Occurrences(
            formula, key, sum(own.documents for own in counted.values()), sum(own.places for own in counted.values()),
            tuple(
                replace(document, id=shown_id, page=page_of(shards[home], document.id))
                for (home, document), shown_id in zip(documents, named, strict=True)
            ),
            tuple(calls.missing),
        )

    return group.ask(work)


def page_of(shard: Shard, doc_id: str) -> str | None:
    """The address of the page of a document, where it is on a server."""
    page = getattr(shard, "page", None)
    return None if page is None else str(page(doc_id))
