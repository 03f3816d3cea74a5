"""Statistics of a collection of which an index has a part: they are given with a search, and not counted here.

What is the same for all queries (documents and mean lengths) belongs to a retriever. What belongs to one query is held
by a context, so that one retriever answers several queries at once in different threads.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.index.engine.units import Units
from porism.retrieve.lexical.channels import FieldWeights
from porism.retrieve.lexical.query_terms import TermReader
from porism.retrieve.lexical.vocabulary import FoundTerms, Vocabulary
from porism.retrieve.weightings.base import ChannelStatistics, LexicalChannel, Weighting


@dataclass(frozen=True)
class CollectionStatistics:
    """How many live ``documents`` a whole collection has, and the statistics of its ``channels`` by zone and name; the
    zone of whole documents is the empty string."""

    documents: int
    channels: Mapping[tuple[str, str], ChannelStatistics]

    def of(self, name: str, zone: str = "") -> ChannelStatistics:
        """The statistics of a channel.

        :raises QueryError: they were not given.
        """
        found = self.channels.get((zone, name))
        if found is None:
            raise QueryError(f"the statistics of the channel {name!r} were not given", where="statistics")
        return found


def global_statistics(collection: CollectionStatistics | None) -> dict[str, Any]:
    """The argument by which a search by terms gets the statistics of a larger collection; none where there is none."""
    return {} if collection is None else {"collection": collection}


class QueryStatistics(NamedTuple):
    """What a query has to be counted for in the whole collection: in how many live documents each of its terms occurs,
    by channel (``df``), and how many hold a formula equal to each of its formulas (``holders``)."""

    df: Mapping[str, Mapping[str, int]]
    holders: Sequence[int]


_current: ContextVar[QueryStatistics | None] = ContextVar("statistics of the query", default=None)


@contextmanager
def using_statistics(statistics: QueryStatistics) -> Iterator[None]:
    """Searches within the block, in this thread, are for a query of these statistics."""
    token = _current.set(statistics)
    try:
        yield
    finally:
        _current.reset(token)


def query_statistics() -> QueryStatistics:
    """The statistics of the query that is searched for.

    :raises QueryError: none were given.
    """
    found = _current.get()
    if found is None:
        raise QueryError("the statistics of the query were not given", where="statistics")
    return found


class GlobalVocabulary(Vocabulary):
    """The terms of a channel, numbered as in the segments, and with the document frequencies that were given."""

    def __init__(
        self, segments: Sequence[Units], name: str, fields: FieldWeights, weighting: Weighting,
        statistics: ChannelStatistics,
    ) -> None:
        super().__init__(segments, name, fields, weighting, statistics)
        self._name = name

    def find(self, terms: Sequence[str]) -> FoundTerms:
        """What is known of each term.

        :raises QueryError: the document frequency of one was not given.
        """
        given = query_statistics().df.get(self._name, {})
        try:
            df = np.fromiter(map(given.__getitem__, terms), np.int64, count=len(terms))
        except KeyError as error:
            raise QueryError(
                f"the document frequency of {error.args[0]!r} in the channel {self._name!r} was not given",
                where="statistics",
            ) from None
        weights: NDArray[np.float64] = np.zeros(len(terms))
        occurs = df > 0
        weights[occurs] = self._weighting.term_weights(df[occurs], self._statistics)
        return FoundTerms(super().find(terms).numbers, df, weights)


class GlobalTermReader(TermReader):
    """Reads terms by the statistics of a whole collection."""

    def __init__(
        self, segments: Sequence[Units], channels: Mapping[str, LexicalChannel], field_weights: FieldWeights,
        collection: CollectionStatistics,
    ) -> None:
        super().__init__(segments, channels, field_weights)
        self._collection = collection

    def statistics(self, name: str) -> ChannelStatistics:
        return self._collection.of(name)

    def vocabulary(self, name: str) -> Vocabulary:
        with self._lock:
            if name not in self._vocabularies:
                self._vocabularies[name] = GlobalVocabulary(
                    self.segments, name, self.fields_of(name), self.channels[name].weighting, self.statistics(name)
                )
            return self._vocabularies[name]
