"""Statistics of a collection of which an index has only a part; a search receives them instead of counting.

Statistics that are the same for all queries (documents and mean lengths) belong to a retriever. Those of a query are in
a context variable, so that a retriever can answer several queries at once in different threads.
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
from porism.retrieve.lexical.vocabulary import FoundTerms, IndexVocabulary
from porism.retrieve.weightings.base import ChannelStatistics, LexicalChannel, Weighting


@dataclass(frozen=True)
class CollectionStatistics:
    """The number of live ``documents`` of a collection, and the statistics of its ``channels`` by zone and name.

    The zone of whole documents is the empty string.
    """

    documents: int
    channels: Mapping[tuple[str, str], ChannelStatistics]

    def of(self, name: str, zone: str = "") -> ChannelStatistics:
        """The statistics of a channel.

        :raises QueryError: they were not given.
        """
        statistics = self.channels.get((zone, name))
        if statistics is None:
            raise QueryError(f"the statistics of the channel {name!r} were not given", where="statistics")
        return statistics


def global_statistics(collection: CollectionStatistics | None) -> dict[str, Any]:
    """The keyword argument that gives a search by terms the statistics of a larger collection, if there is one."""
    return {} if collection is None else {"collection": collection}


class QueryStatistics(NamedTuple):
    """The counts of a query in the whole collection: the document frequencies of its terms by channel (``df``).

    ``holders`` are the numbers of documents with a formula equal to each of its formulas.
    """

    df: Mapping[str, Mapping[str, int]]
    holders: Sequence[int]


_current: ContextVar[QueryStatistics | None] = ContextVar("statistics of the query", default=None)


@contextmanager
def using_statistics(statistics: QueryStatistics) -> Iterator[None]:
    """Sets the statistics of the query for searches within the block, in this thread."""
    token = _current.set(statistics)
    try:
        yield
    finally:
        _current.reset(token)


def given_statistics() -> QueryStatistics | None:
    """The statistics that were given for the current query, if any were."""
    return _current.get()


def query_statistics() -> QueryStatistics:
    """The statistics of the current query.

    :raises QueryError: none were given.
    """
    statistics = given_statistics()
    if statistics is None:
        raise QueryError("the statistics of the query were not given", where="statistics")
    return statistics


class GlobalVocabulary(IndexVocabulary):
    """The terms of a channel, numbered as in the segments, with given document frequencies."""

    def __init__(
        self, segments: Sequence[Units], name: str, fields: FieldWeights, weighting: Weighting,
        statistics: ChannelStatistics,
    ) -> None:
        super().__init__(segments, name, fields, weighting, statistics)
        self._name = name

    def find(self, terms: Sequence[str]) -> FoundTerms:
        """:raises QueryError: the document frequency of a term was not given."""
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
    """Reads terms with the statistics of a whole collection."""

    def __init__(
        self, segments: Sequence[Units], channels: Mapping[str, LexicalChannel], field_weights: FieldWeights,
        collection: CollectionStatistics,
    ) -> None:
        super().__init__(segments, channels, field_weights)
        self._collection = collection

    def statistics(self, name: str) -> ChannelStatistics:
        return self._collection.of(name)

    def vocabulary(self, name: str) -> IndexVocabulary:
        with self._lock:
            if name not in self._vocabularies:
                self._vocabularies[name] = GlobalVocabulary(
                    self.segments, name, self.fields_of(name), self.channels[name].weighting, self.statistics(name)
                )
            return self._vocabularies[name]
