"""What a document weighs in a model, as sparse vectors that an engine outside Porism can multiply.

A *view* is one channel as a model counts it: in whole documents or in a zone, under field weights, a weighting and a
similarity. Every term of a view is a dimension, by a digest of the view and of the term. So no table of terms has to be
kept or agreed upon. Where two terms have one dimension, their weights are added, in documents and in queries: the inner
product can then be above the score, and never below it, so that candidates are found all the same. All views of all
models are parts of one vector, and models that count a channel alike share a view.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.index.engine.factors import FactorChannel, FrequencyRows
from porism.index.engine.units import Units
from porism.index.string_kernels import digests
from porism.index.strings import Packed
from porism.retrieve.lexical.channels import (
    Fields,
    FieldWeights,
    Zone,
    channel_statistics,
    has_channel,
    open_postings,
    zone_terms,
)
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.weightings.base import ChannelStatistics, ComputedWeighting, StoredWeighting, computed
from porism.serve.backends.base import DIMENSIONS, SparseRows
from porism.system.concurrency.caching import cached_property

EVERY = 0
"""The dimension that every row has, so that none is empty; no query has it."""

_MIN_SHARE = 2e-7
"""A term that occurs weighs at least this, times the largest weight: it makes a document a candidate."""

_MIX = np.uint64(0x9E3779B97F4A7C15)


class FrozenStatistics(NamedTuple):
    """The statistics of a view that are in the weights which an engine has: those of the channel when they were
    computed, of the commit ``generation``; and what every summand of a document is above (``base``)."""

    documents: int
    mean_length: float
    generation: int
    base: float = 0.0


class ChannelView:
    """One channel as a model counts it, over the segments of a snapshot."""

    def __init__(self, lexical: LexicalRetriever, zone: str, channel: str) -> None:
        self.zone, self.channel = zone, channel
        self._lexical = lexical
        self.fields: Fields = lexical.zones[zone] if zone else lexical.fields_of(channel)
        settings = lexical.channels[channel]
        weights = self.fields.field_weights if isinstance(self.fields, Zone) else self.fields
        described: dict[str, Any] = {
            "channel": channel, "fields": _floats(weights),
            "weighting": repr(settings.weighting),
        }
        soft_cosine = settings.similarity is not None and bool(settings.normalised)
        self.stored = isinstance(settings.weighting, StoredWeighting) or soft_cosine
        """Whether the weights of a document depend on other documents by more than the mean length."""
        if lexical.noun != "document":
            described["of"] = lexical.noun
        if zone and self.stored:  # document frequencies are those of whole documents
            described["whole"] = _floats(lexical.fields_of(channel))
        encoded = {
            field for units in lexical.segments if has_channel(units, channel)
            for field in units.channel_fields(channel) if field not in units.fields
        }
        if encoded:  # the field of a sparse encoder is named by its weights
            described["encoded"] = sorted(encoded)
        if settings.similarity is not None and settings.normalised:
            described |= {
                "similarity": settings.similarity.path.stem, "normalised": settings.normalised,
                "softness": float(settings.softness),
            }
        self.name = orjson.dumps(described, option=orjson.OPT_SORT_KEYS).decode()
        self.key = xxhash.xxh3_64_hexdigest(self.name.encode())
        self._salt = np.uint64(int(self.key, 16))

    def __repr__(self) -> str:
        return f"View({self.name})"

    def dimensions(self, terms: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The dimensions of terms (int64), given by the first digests of :func:`term_digests`."""
        mixed = (terms ^ self._salt) * _MIX
        mixed ^= mixed >> np.uint64(32)
        numbers: NDArray[np.int64] = (mixed % np.uint64(DIMENSIONS)).astype(np.int64) + 1
        return numbers

    @property
    def summand_dimension(self) -> int:
        """The dimension of what is added to each document that is found."""
        return int(self.dimensions(np.array([self._salt ^ _MIX], np.uint64))[0])

    @cached_property
    def statistics(self) -> ChannelStatistics:
        """The channel's statistics in the snapshot."""
        if not self.zone:
            return self._lexical.statistics(self.channel)
        return channel_statistics(self._lexical.segments, self.channel, self.fields)

    @cached_property
    def base(self) -> float:
        """The least that is added to a document which is found; 0 where nothing is."""
        if not self.stored:
            return 0.0
        least = [
            float(channel.summands.min()) for channel in self._lexical.scored(self.channel, self.zone)
            if channel.summands is not None and len(channel.summands)
        ]
        return min(least, default=0.0)

    def freeze(self, generation: int) -> FrozenStatistics:
        """The statistics that weights computed now have."""
        return FrozenStatistics(self.statistics.documents, self.statistics.mean_length, generation, self.base)

    def drift(self, frozen: FrozenStatistics) -> float:
        """How many times the present weight of a term in a document is that under frozen statistics, at most."""
        if self.stored or self.statistics.mean_length == frozen.mean_length:
            return 1.0
        most = 1.0
        weighting = self._weighting
        for segment in self._lexical.segments:
            table = open_postings(segment, self.channel, self.fields).length_table
            before = weighting.length_values(table, _statistics(frozen))
            now = weighting.length_values(table, self.statistics)
            ratios = np.divide(before, now, out=np.ones(len(table)), where=now > 0)
            most = max(most, float(ratios.max(initial=1.0)))
        return most

    def weights(self, segment: int, frozen: FrozenStatistics) -> Weights:
        """What the documents of a segment weigh under frozen statistics."""
        if self.stored:
            return self._stored_weights(segment, frozen)
        units = self._lexical.segments[segment]
        postings = open_postings(units, self.channel, self.fields)
        numbers = (
            zone_terms(units, self.channel, self.fields) if isinstance(self.fields, Zone)
            else np.arange(len(postings.lists), dtype=np.int32)
        )
        rows = FrequencyRows.of(postings, np.arange(len(postings.lists), dtype=np.int32))
        weighting = self._weighting
        x = weighting.tf_values(rows.frequencies)
        lengths = weighting.length_values(postings.length_table, _statistics(frozen))
        y = lengths[postings.length_codes][rows.documents]
        return Weights(rows.indptr, numbers[rows.terms], weighting.factor(x, y))

    def _stored_weights(self, segment: int, frozen: FrozenStatistics) -> Weights:
        scored = self._lexical.scored(self.channel, self.zone)[segment]
        assert isinstance(scored, FactorChannel)
        factors = np.maximum(scored.factors, scored.peak * _MIN_SHARE)
        summands = None if scored.summands is None else scored.summands - frozen.base
        return Weights(scored.rows.indptr, scored.numbers[scored.rows.terms], factors, summands)

    @property
    def _weighting(self) -> ComputedWeighting:
        return computed(self._lexical.channels[self.channel].weighting)


class Weights(NamedTuple):
    """What documents weigh in a view: document i has ``terms`` (int32, numbers in the channel's dictionary) with
    ``factors`` (float64, > 0) from ``indptr[i]`` to before ``indptr[i + 1]``, and one of ``summands`` (float64, ≥ 0).
    """

    indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    factors: NDArray[np.float64]
    summands: NDArray[np.float64] | None = None


def _floats(weights: FieldWeights) -> dict[str, float]:
    """Weights of fields, so that 2 is 2.0: settings that were read from a file have no other numbers."""
    return {name: float(weight) for name, weight in weights.items()}


def _statistics(frozen: FrozenStatistics) -> ChannelStatistics:
    return ChannelStatistics(frozen.documents, frozen.mean_length)


def views_of(lexical: LexicalRetriever) -> list[ChannelView]:
    """The views of a retriever, in the order in which they are added."""
    return [ChannelView(lexical, zone, name) for zone, name in lexical.zone_channels(tuple(lexical.channels))]


def term_digests(packed: Packed) -> NDArray[np.uint64]:
    """A digest of each term (uint64)."""
    hashes: NDArray[np.uint64] = digests(packed.blob, packed.starts)[:, 0]
    return hashes


class SegmentVectors:
    """The vectors of the documents of one segment in some views."""

    def __init__(
        self, number: int, views: Sequence[tuple[ChannelView, Units]], frozen: Mapping[str, FrozenStatistics]
    ) -> None:
        """``number`` is the position of the segment, and each view is given with its units."""
        self._parts: list[tuple[ChannelView, NDArray[np.uint64], Weights]] = []
        of_channel: dict[str, NDArray[np.uint64]] = {}
        for view, units in views:
            there = has_channel(units, view.channel)
            if not there and not view.stored:
                continue
            if view.channel not in of_channel:
                packed = units.dictionary(view.channel).packed() if there else Packed.of([])
                of_channel[view.channel] = term_digests(packed)
            self._parts.append((view, of_channel[view.channel], view.weights(number, frozen[view.key])))

    def batches(self, documents: NDArray[np.int64], size: int) -> Iterator[tuple[NDArray[np.int64], SparseRows]]:
        """Some documents (increasing) with their vectors, ``size`` at a time."""
        for start in range(0, len(documents), size):
            batch = documents[start : start + size]
            yield batch, self._rows(batch)

    def _rows(self, documents: NDArray[np.int64]) -> SparseRows:
        every = np.arange(len(documents))
        owners, dimensions, weights = [every], [np.full(len(documents), EVERY)], [np.ones(len(documents))]
        for view, terms, (indptr, numbers, factors, summands) in self._parts:
            starts, counts = indptr[documents], np.diff(indptr)[documents]
            before = np.cumsum(counts) - counts
            places = np.repeat(starts - before, counts) + np.arange(int(counts.sum()))
            owners.append(np.repeat(every, counts))
            dimensions.append(view.dimensions(terms[numbers[places]]))
            weights.append(factors[places])
            if summands is not None:
                some = np.flatnonzero(summands[documents] > 0)  # those too that other channels find
                owners.append(some)
                dimensions.append(np.full(len(some), view.summand_dimension))
                weights.append(summands[documents][some])
        return summed(np.concatenate(owners), np.concatenate(dimensions), np.concatenate(weights), len(documents))


def summed(
    owners: NDArray[np.int64], dimensions: NDArray[np.int64], weights: NDArray[np.float64], count: int
) -> SparseRows:
    """Sparse rows from the row, the dimension and the weight of each number; those of one cell are added."""
    order = np.lexsort((dimensions, owners))
    owners, dimensions, weights = owners[order], dimensions[order], weights[order]
    first = np.ones(len(owners), np.bool_)
    first[1:] = (owners[1:] != owners[:-1]) | (dimensions[1:] != dimensions[:-1])
    starts = np.flatnonzero(first)
    added = np.add.reduceat(weights, starts) if len(starts) else weights
    indptr = np.zeros(count + 1, np.int64)
    np.cumsum(np.bincount(owners[starts], minlength=count), out=indptr[1:])
    return SparseRows(indptr, dimensions[starts], added.astype(np.float32))
