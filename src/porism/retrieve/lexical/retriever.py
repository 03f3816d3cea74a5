"""Exact top-k search over weighted terms of several channels, across the segments of a snapshot.

The score of a document is ``Σ_zone Σ_channel Σ_term weight · factor``. The first zone is the whole document, with the
given field weights; others have some fields only (:class:`~porism.retrieve.lexical.channels.Zone`). Summands are added
in float64, in the order of zones, channels and terms by code point. Statistics count live documents only. So scores and
rankings depend on the documents alone, to the last bit: not on segments, nor on earlier deletions.

The units of segments are ranked (:mod:`porism.index.engine.units`): documents, or formulas with their keys as ids.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.index.engine.factors import FactorChannel
from porism.index.engine.topk import AnyChannel, SegmentSearcher
from porism.index.engine.units import Units
from porism.index.strings import offsets
from porism.retrieve.lexical.channels import (
    FieldWeights,
    Zone,
    channel_statistics,
    require_channels,
    scored_channel,
    zone_terms,
)
from porism.retrieve.lexical.factors import ChannelRows, factor_channels, with_norms
from porism.retrieve.lexical.global_statistics import CollectionStatistics, GlobalTermReader
from porism.retrieve.lexical.query_terms import PreparedQuery, QueryTerms, TermReader
from porism.retrieve.ranking import Results, SegmentHits, UnitIds, UnitResults, check_depth, merge
from porism.retrieve.weightings.base import ChannelStatistics, LexicalChannel, computed
from porism.system.concurrency.locks import Lock

__all__ = ["WHOLE", "LexicalRetriever", "QueryTerms"]

WHOLE = ""
"""The name of the zone of whole documents, with the field weights of the retriever."""

R = TypeVar("R")


class LexicalRetriever:
    """Searches the segments of a snapshot by channels; immutable, and safe to share between threads.

    A channel is opened when a query first uses it. Methods that take a query raise ConfigError if it
    names a channel that is not searched. They raise QueryError if a weight is not a finite number ≥ 0, or ``k`` is
    below 1.
    """

    def __init__(
        self, segments: Sequence[Units], channels: Mapping[str, LexicalChannel],
        field_weights: FieldWeights | None = None, zones: Mapping[str, Zone] | None = None,
        collection: CollectionStatistics | None = None, *, finds: bool = True,
    ) -> None:
        """``segments`` are the documents, or the formulas, of a whole snapshot.

        ``channels`` are in the order in which their scores are added; those of weight 0 are left out, and so are zones
        without a field in any segment. With a ``collection`` the statistics are those of the collection, and those of
        queries must be given (:mod:`~porism.retrieve.lexical.global_statistics`). With ``finds`` False the retriever
        only scores given documents.

        :raises ConfigError: the index has no such channel.
        """
        self.segments = tuple(segments)
        self.channels = {name: channel for name, channel in channels.items() if channel.weight > 0}
        self.field_weights: FieldWeights = dict(field_weights or {})
        require_channels(self.segments, channels)
        self.zones = {
            name: zone for name, zone in (zones or {}).items() if zone.weight > 0 and zone.sees(self.segments)
        }
        self._collection, self._finds = collection, finds
        self.terms = (
            TermReader(self.segments, self.channels, self.field_weights) if collection is None
            else GlobalTermReader(self.segments, self.channels, self.field_weights, collection)
        )
        self._noun = self.segments[0].noun if self.segments else "document"
        self._lock = Lock()
        self._scored_channels: dict[tuple[str, str], list[AnyChannel]] = {}
        self._terms_of_zone: dict[tuple[str, tuple[str, ...]], list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
        self._searchers: dict[tuple[str, ...], list[SegmentSearcher]] = {}
        self._forward: dict[str, list[FactorChannel]] = {}
        self.ids = UnitIds(self.segments)
        # large segments first: their k-th score saves work in the others
        self._order = sorted(
            (number for number, segment in enumerate(self.segments) if segment.doc_count),
            key=lambda number: -self.segments[number].doc_count,
        )

    def statistics(self, channel: str) -> ChannelStatistics:
        """The number and mean length of the live documents that have the channel."""
        return self.terms.statistics(channel)

    def zone_statistics(self, channel: str, zone: str) -> ChannelStatistics:
        """The number and mean length of the live documents that have the channel in a zone."""
        if self._collection is not None:
            return self._collection.of(channel, zone)
        return channel_statistics(self.segments, channel, self.zones[zone])

    def fields_of(self, channel: str) -> FieldWeights:
        """The field weights of a channel."""
        return self.terms.fields_of(channel)

    def document_frequencies(self, channel: str, terms: Sequence[str]) -> NDArray[np.int64]:
        """The number of live documents with each term (int64)."""
        return self.terms.vocabulary(channel).find(terms).df

    def term_weights(self, query: QueryTerms) -> dict[str, dict[str, float]]:
        """The weight of each known query term, without the factor; zones and similar terms are left out."""
        names, prepared = self.terms.read(query, exact=True)
        weights: dict[str, dict[str, float]] = {name: {} for name in names}
        for position, term, weight in zip(
            prepared.channel_of.tolist(), prepared.terms, prepared.weights.tolist(), strict=True
        ):
            weights[names[position]][term] = weight
        return weights

    def search_terms(
        self, queries: Sequence[QueryTerms], k: int, *, allowed: Sequence[NDArray[np.bool_]] | None = None,
        threads: int = 1,
    ) -> list[Results]:
        """The best ``k`` documents of each query; documents without any of its terms are not results.

        ``allowed`` has a mask for each of ``segments``, False for documents that must not be results.
        """

        def search(query: QueryTerms) -> Results:
            hits = self._search(query, k, allowed)
            return Results(self.ids.take(hits.segments, hits.units), hits.scores)

        return _each(search, queries, k, threads)

    def search_units(
        self, queries: Sequence[QueryTerms], k: int, *, allowed: Sequence[NDArray[np.bool_]] | None = None,
        threads: int = 1,
    ) -> list[UnitResults]:
        """:meth:`search_terms` with results by number: looking up ids can cost more than the search."""
        return _each(lambda query: self._search(query, k, allowed), queries, k, threads)

    def score_units(self, query: QueryTerms, segment: int, units: NDArray[np.integer]) -> NDArray[np.float64]:
        """The exact scores (float64) of units of a segment, in the order given; 0 for units without any of the terms.

        ``segment`` is a position in ``segments``. Deleted units are scored like others.

        :raises IndexError: there is no such unit.
        """
        return self.score_read(*self.terms.read(query), segment, units)

    def score_read(
        self, names: tuple[str, ...], prepared: PreparedQuery, segment: int, units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """:meth:`score_units` for terms that ``terms.read`` has read.

        :raises IndexError: there is no such unit.
        """
        distinct, places = np.unique(np.asarray(units, np.int32), return_inverse=True)
        count = self.segments[segment].doc_count
        if len(distinct) and not 0 <= distinct[0] <= distinct[-1] < count:
            raise IndexError(f"units {distinct[0]} to {distinct[-1]} of {count}")
        if not len(prepared.weights) or not len(distinct):
            return np.zeros(len(places))
        searcher = self._segment_searchers(names)[segment]
        zoned = self._with_zones(names, prepared)
        return searcher.score(*_in_segment(zoned, segment), distinct, self._summands(names, zoned, segment))[places]

    def find(self, doc_id: str) -> tuple[int, int]:
        """The position of a document's segment, and the document's number there.

        :raises QueryError: there is no document with this id.
        """
        for number, segment in enumerate(self.segments):
            document = segment.find(doc_id)
            if document is not None:
                return number, document
        raise QueryError(f"there is no {self._noun} {doc_id!r} in the index")

    @property
    def noun(self) -> str:
        """The name of a unit in messages."""
        return self._noun

    def zone_channels(self, names: Sequence[str]) -> list[tuple[str, str]]:
        """The pairs of zone and channel in the order in which they are added, whole documents first."""
        return [(zone, name) for zone in (WHOLE, *self.zones) for name in names]

    def read(self, query: QueryTerms) -> tuple[tuple[str, ...], PreparedQuery]:
        """The channels of a query, and its terms in all :meth:`zone_channels`."""
        names, prepared = self.terms.read(query)
        return names, self._with_zones(names, prepared)

    def scored(self, name: str, zone: str = WHOLE) -> list[AnyChannel]:
        """The postings of a channel in each segment with their factors, of a zone if one is named."""
        with self._lock:
            if (zone, name) not in self._scored_channels:
                fields = self.zones[zone] if zone else self.fields_of(name)
                if self.channels[name].stores_factors:
                    self._scored_channels[zone, name] = [*self._with_stored_factors(name, zone)]
                    return self._scored_channels[zone, name]
                weighting = computed(self.channels[name].weighting)
                statistics = self.zone_statistics(name, zone) if zone else self.statistics(name)
                self._scored_channels[zone, name] = [
                    scored_channel(segment, name, fields, weighting, statistics, finds=self._finds)
                    for segment in self.segments
                ]
            return self._scored_channels[zone, name]

    def _with_stored_factors(self, name: str, zone: str) -> list[FactorChannel]:
        channel = self.channels[name]
        fields = self.zones[zone] if zone else self.fields_of(name)
        parts = [ChannelRows(segment, name, fields) for segment in self.segments] if zone else self.terms.rows(name)
        stored = factor_channels(parts, name, fields, self.fields_of(name), channel.weighting, self.terms.rows(name))
        if channel.similarity is None or not channel.normalised:
            return stored
        soft = self.terms.soft(name)
        normed: list[FactorChannel] = []
        for number, (part, factors) in enumerate(zip(parts, stored, strict=True)):
            rows = soft.row_of(number)[part.terms]
            known = self.terms.vocabulary(name).find(part.packed.strings())
            normed.append(with_norms(
                factors, known.weights, soft.addresses, len(soft.df), rows, channel.softness,
                maintained=channel.normalised == "maintain",
            ))
        return normed

    def forward(self, name: str) -> list[FactorChannel]:
        """The rows of a channel's documents in each segment with the exact factor of each term in each document.

        :raises ConfigError: the retriever has no such channel.
        """
        if name not in self.channels:
            raise ConfigError(f"the channel {name!r} is not searched", hint=f"Searched are {', '.join(self.channels)}.")
        with self._lock:
            if name not in self._forward:
                scored = self.scored(name)
                stored = [channel for channel in scored if isinstance(channel, FactorChannel)]
                self._forward[name] = stored if len(stored) == len(scored) else factor_channels(
                    self.terms.rows(name), name, self.fields_of(name), self.fields_of(name),
                    self.channels[name].weighting, self.terms.rows(name),
                )
            return self._forward[name]

    def _segment_searchers(self, names: tuple[str, ...]) -> list[SegmentSearcher]:
        """A searcher of each segment for these channels in all zones."""
        with self._lock:
            if names not in self._searchers:
                scored = [self.scored(name, zone) for zone, name in self.zone_channels(names)]
                self._searchers[names] = [
                    SegmentSearcher(
                        segment.doc_count, [channels[number] for channels in scored], segment.id_order, segment.live
                    )
                    for number, segment in enumerate(self.segments)
                ]
            return self._searchers[names]

    def _with_zones(self, names: tuple[str, ...], prepared: PreparedQuery) -> PreparedQuery:
        """The terms for all zones, zone after zone, each zone with its own channels."""
        if not self.zones or not prepared.terms:
            return prepared
        shares = [1.0, *(zone.weight for zone in self.zones.values())]
        times = len(shares)
        first = np.arange(times, dtype=np.int32) * np.int32(len(names))
        numbers = [prepared.numbers]
        for zone in self.zones:
            mine = np.empty_like(prepared.numbers)
            for of_segment, (keys, starts), wanted in zip(
                mine, self._zone_terms(zone, names), prepared.numbers, strict=True
            ):
                places = np.searchsorted(keys[:-1], _keys(prepared.channel_of, wanted))
                there = keys[places] == _keys(prepared.channel_of, wanted)
                of_segment[:] = np.where(there, places - starts[prepared.channel_of], -1)
            numbers.append(mine)
        return PreparedQuery(
            np.add.outer(first, prepared.channel_of).reshape(-1), prepared.terms * times,
            np.tile(prepared.counts, times),
            np.multiply.outer(shares, prepared.weights).reshape(-1), np.concatenate(numbers, axis=1),
            np.tile(prepared.df, times),
        )

    def _zone_terms(self, zone: str, names: tuple[str, ...]) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The terms that channels have in a zone, in each segment.

        As keys of channel and number, increasing, and behind them one that no term has; and where each channel begins.
        """
        with self._lock:
            if (zone, names) not in self._terms_of_zone:
                of_segments: list[tuple[NDArray[np.int64], NDArray[np.int64]]] = []
                for segment in self.segments:
                    terms = [zone_terms(segment, name, self.zones[zone]) for name in names]
                    keys = [_keys(np.int32(position), numbers) for position, numbers in enumerate(terms)]
                    of_segments.append(
                        (np.concatenate([*keys, [np.iinfo(np.int64).max]]), offsets(np.array(list(map(len, terms)))))
                    )
                self._terms_of_zone[zone, names] = of_segments
            return self._terms_of_zone[zone, names]

    def _search(self, query: QueryTerms, k: int, allowed: Sequence[NDArray[np.bool_]] | None) -> UnitResults:
        names, prepared = self.read(query)
        hits: list[SegmentHits] = []
        if not len(prepared.weights):
            return merge(hits, k, self.ids)
        searchers = self._segment_searchers(names)
        floor = -math.inf
        for number in self._order:
            units, scores = searchers[number].top(
                *_in_segment(prepared, number), k, allowed=None if allowed is None else allowed[number], floor=floor,
                summands=self._summands(names, prepared, number),
            )
            if len(scores):
                hits.append(SegmentHits(number, units, scores))
            if len(scores) == k:
                floor = max(floor, float(scores[-1]))
        return merge(hits, k, self.ids)

    def _summands(self, names: tuple[str, ...], prepared: PreparedQuery, segment: int) -> NDArray[np.float64] | None:
        """What is added to each document of a segment that is found (float64): Σ over channels of the query's weight
        times the channel's summands; None for nothing."""
        total: NDArray[np.float64] | None = None
        for position, ((zone, name), channel) in enumerate(
            zip(self.zone_channels(names), self._segment_searchers(names)[segment].channels, strict=True)
        ):
            if channel.summands is not None:
                share = self.summand_weight(prepared, position, zone, name)
                total = share * channel.summands if total is None else total + share * channel.summands
        return total

    def summand_weight(self, prepared: PreparedQuery, position: int, zone: str, name: str) -> float:
        """How much the summands of a channel count, in a zone, by its position among :meth:`zone_channels`."""
        weight = self.channels[name].weight * (self.zones[zone].weight if zone else 1.0)
        return weight * math.fsum(prepared.counts[prepared.channel_of == position].tolist())


SearchTerms = type[LexicalRetriever] | Callable[..., LexicalRetriever]
"""What finds units by terms: a :class:`LexicalRetriever`, or what is made as one is."""


def _keys(channel_of: NDArray[np.int32] | np.int32, numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Channel and number of terms as one number, in the order of both; below 0 for a term that is not there."""
    keys: NDArray[np.int64] = np.left_shift(channel_of, 32, dtype=np.int64) | numbers
    return keys


def _in_segment(
    prepared: PreparedQuery, segment: int
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """The channels, numbers and weights of the terms that a segment has."""
    numbers = np.ascontiguousarray(prepared.numbers[segment])
    if bool((numbers < 0).any()):
        present = numbers >= 0
        return prepared.channel_of[present], numbers[present], prepared.weights[present]
    return prepared.channel_of, numbers, prepared.weights


def _each(search: Callable[[QueryTerms], R], queries: Sequence[QueryTerms], k: int, threads: int) -> list[R]:
    """Searches for each query, in several threads where that is requested."""
    check_depth(k)
    if threads == 1 or len(queries) < 2:
        return [search(query) for query in queries]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(search, queries))
