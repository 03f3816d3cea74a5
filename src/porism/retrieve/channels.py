"""Postings and impacts of segments: found among a segment's derived data, or computed and kept for this process.

What a segment has stored fits one set of field weights and one weighting. Other parameters are answered from memory:
they cost one pass over the channel the first time they are asked for, and nothing is written.

All of it holds for documents and for formulas: what a *segment* is here are the :class:`~porism.index.units.Units` of
one segment, and a document is one of those.
"""

from __future__ import annotations

import hashlib
import math
import re
import threading
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt
from porism.index.compiled import warm_up
from porism.index.postings import Entries, Impacts, Postings
from porism.index.topk import ScoredChannel
from porism.index.units import Units
from porism.retrieve.weighting import HEAVIEST, ChannelStatistics, LexicalChannel, Weighting

FieldWeights = Mapping[str, float]
"""Weights by field name; a field that is not named has weight 1."""

LAYOUT = 1
"""Changes when postings or impacts are laid out differently, so that those of other versions are not read."""


@dataclass(eq=False)
class _Kept:
    """What this process has computed or opened of one segment."""

    postings: dict[str, Postings] = field(default_factory=dict)
    live_df: dict[str, NDArray[np.int32]] = field(default_factory=dict)
    lock: threading.RLock = field(default_factory=threading.RLock)


_kept: WeakKeyDictionary[Units, _Kept] = WeakKeyDictionary()
_kept_lock = threading.Lock()


def _keep(segment: Units) -> _Kept:
    with _kept_lock:
        return _kept.setdefault(segment, _Kept())


def weighted_fields(segment: Units, weights: FieldWeights) -> list[tuple[int, float]]:
    """(field number, weight) in code-point order of the fields' names: the order in which counts are added.

    :raises ConfigError: a weight is not a number from 0 to :data:`HEAVIEST`.
    """
    for name, weight in weights.items():
        if not 0 <= weight <= HEAVIEST:
            raise ConfigError(
                f"the field {name!r} cannot have the weight {weight}", hint=f"Use a number from 0 to {HEAVIEST:,.0f}."
            )
    order = sorted(range(len(segment.fields)), key=lambda number: segment.fields[number])
    return [(number, float(weights.get(segment.fields[number], 1.0))) for number in order]


def _derived_name(kind: str, channel: str, *parts: Any) -> str:
    readable = re.sub(r"[^A-Za-z0-9]+", "-", channel)[:40]
    digest = hashlib.sha256(repr((LAYOUT, channel, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{kind}-{readable}-{digest}"


def _postings_name(segment: Units, channel: str, weights: FieldWeights) -> str:
    named = [(segment.fields[number], weight) for number, weight in weighted_fields(segment, weights)]
    return _derived_name("postings", channel, named)


def _impacts_name(segment: Units, channel: str, weights: FieldWeights, weighting: Weighting) -> str:
    return _derived_name("impacts", channel, _postings_name(segment, channel, weights), repr(weighting))


def has_channel(segment: Units, channel: str) -> bool:
    """Whether the segment has a channel of this name."""
    return channel in segment.text_channels or channel in segment.formula_channels


def build_postings(segment: Units, channel: str, weights: FieldWeights) -> Postings:
    """Computes the postings of a channel; empty where the segment does not have it."""
    fields = weighted_fields(segment, weights)
    if not has_channel(segment, channel):
        nothing = Entries.of_text(segment.doc_count, 0)
        return Postings.build(
            np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint16), 0, nothing, fields
        )
    rows = segment.matrix(channel).csr
    return Postings.build(
        rows.indptr, rows.terms, rows.counts, len(segment.dictionary(channel)), segment.entries(channel), fields
    )


def open_postings(segment: Units, channel: str, weights: FieldWeights) -> Postings:
    """The postings of a channel: kept ones, else stored ones, else computed."""
    kept = _keep(segment)
    name = _postings_name(segment, channel, weights)
    with kept.lock:
        postings = kept.postings.get(name)
        if postings is None:
            postings = _read_postings(segment, name) or build_postings(segment, channel, weights)
            kept.postings[name] = postings
        return postings


def _read_postings(segment: Units, name: str) -> Postings | None:
    stored = segment.read_derived(name)
    if stored is None:
        return None
    try:
        postings = Postings.from_arrays(stored[0])
    except IndexCorrupt:  # derived data can always be computed again
        return None
    return postings if postings.documents == segment.doc_count else None


def live_df(segment: Units, channel: str, weights: FieldWeights) -> NDArray[np.int32]:
    """In how many live documents each term occurs (int32, one a term), counted once."""
    postings = open_postings(segment, channel, weights)
    kept = _keep(segment)
    name = _postings_name(segment, channel, weights)
    with kept.lock:
        counts = kept.live_df.get(name)
        if counts is None:
            counts = kept.live_df[name] = postings.live_df(segment.live)
        return counts


def channel_statistics(segments: Iterable[Units], channel: str, weights: FieldWeights) -> ChannelStatistics:
    """Number and mean length of the live documents that have the channel, however they are spread over segments."""
    counts: dict[float, int] = {}
    for segment in segments:
        postings = open_postings(segment, channel, weights)
        live = None if segment.live.all() else segment.live
        for length, count in zip(postings.length_table.tolist(), postings.length_counts(live).tolist(), strict=True):
            counts[length] = counts.get(length, 0) + count
    documents = sum(count for length, count in counts.items() if length > 0)
    total = math.fsum(length * count for length, count in counts.items())
    return ChannelStatistics(documents, total / documents if documents else 1.0)


def scored_channel(
    segment: Units, channel: str, weights: FieldWeights, weighting: Weighting, statistics: ChannelStatistics
) -> ScoredChannel:
    """A channel ready for search: with stored impacts where they are near enough, else with new ones."""
    postings = open_postings(segment, channel, weights)
    stored = segment.read_derived(_impacts_name(segment, channel, weights, weighting))
    impacts = None
    if stored is not None:
        try:
            impacts = Impacts.from_arrays(postings, *stored)
        except IndexCorrupt:  # derived data can always be computed again
            impacts = None
    return ScoredChannel.of(
        postings,
        weighting.tf_values(postings.tf_table),
        weighting.length_values(postings.length_table, statistics),
        weighting.saturating,
        impacts,
        weighting.shift,
    )


def prepare(
    segments: Sequence[Units], channels: Mapping[str, LexicalChannel], weights: FieldWeights | None = None
) -> None:
    """Stores postings and impacts with each segment, so that a search with these settings computes nothing.

    ``segments`` are all that will be searched together: the impacts fit their common mean lengths. What is stored and
    still fits stays as it is. The kernels of search are compiled too, where they are not yet.

    :raises StorageError: the disk is full or the folder read-only.
    """
    warm_up()
    weights = weights or {}
    for name, channel in channels.items():
        if channel.weight == 0:
            continue
        for segment in segments:
            stored_name = _postings_name(segment, name, weights)
            postings = open_postings(segment, name, weights)
            if _read_postings(segment, stored_name) is None:
                segment.write_derived(stored_name, postings.to_arrays(), {})
        statistics = channel_statistics(segments, name, weights)
        for segment in segments:
            impacts_name = _impacts_name(segment, name, weights, channel.weighting)
            scored = scored_channel(segment, name, weights, channel.weighting, statistics)
            if segment.read_derived(impacts_name) is None or scored.computed:
                segment.write_derived(impacts_name, *scored.impacts.to_arrays())
        for segment in segments:  # what was computed in memory is mapped from now on
            _keep(segment).postings.pop(_postings_name(segment, name, weights), None)
