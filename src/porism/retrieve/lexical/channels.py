"""Postings and impacts of segments: read from a segment's derived data, or computed and cached in this process.

The stored data of a segment fit one set of field weights and one weighting. Other parameters cost one pass over the
channel at first use, and nothing is written.

Everything holds for documents and for formulas: a *segment* here is the :class:`~porism.index.engine.units.Units` of a
segment, and a *document* one of the units.
"""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt
from porism.index.derived import LAYOUTS
from porism.index.engine.impacts import Impacts
from porism.index.engine.live_frequencies import LiveFrequencies
from porism.index.engine.postings import Postings
from porism.index.engine.topk import ScoredChannel
from porism.index.engine.units import Units
from porism.index.rows import Csr, Entries
from porism.index.strings import offsets
from porism.retrieve.weightings.base import (
    ChannelStatistics,
    ComputedWeighting,
    LexicalChannel,
    Weighting,
    check_weight,
    computed,
)
from porism.settings import Settings
from porism.system.compiled.kernels import warm_up
from porism.system.concurrency.locks import Lock

FieldWeights = Mapping[str, float]
"""Weights by field name; an unnamed field has the weight of :data:`OTHER_FIELDS`, which is 1 by default."""

OTHER_FIELDS = "*"
"""The name that stands for all unnamed fields."""

TERMS = "terms"
"""The name of the array of a zone's terms, beside its postings."""

LAYOUT = LAYOUTS["postings"]
"""Grows when the layout of postings or impacts changes, so that other versions do not read them."""


@dataclass(frozen=True, slots=True)
class Zone(Settings):
    """A group of fields that is scored in addition to the whole document, as if documents had only these fields.

    A word of the query is more important in a title than in a long text. The zone's scores are multiplied by ``weight``
    (0 leaves it out); only the fields in ``field_weights`` count. Document frequencies are those of whole documents.
    Zones: Manning, Raghavan and Schütze, *Introduction to Information Retrieval* (2008), section 6.1.

    The postings of a zone number only the terms that occur in it, which :func:`zone_terms` lists.

    :raises ConfigError: a weight is not a number from 0 to :data:`HEAVIEST`.
    """

    weight: float
    field_weights: FieldWeights

    def __post_init__(self) -> None:
        check_weight("a zone", self.weight)
        _check_weights(self.field_weights)
        object.__setattr__(self, "field_weights", MappingProxyType({OTHER_FIELDS: 0.0, **self.field_weights}))

    def sees(self, segments: Iterable[Units]) -> bool:
        """Whether any of the segments has a field that counts."""
        return any(weight > 0 for segment in segments for _, weight in weighted_fields(segment, self))


Fields = FieldWeights | Zone
"""The fields that count: of whole documents, or of a zone."""


class _Numbered(NamedTuple):
    """Postings and, in a zone, the numbers in the channel of their terms (int32, increasing)."""

    postings: Postings
    terms: NDArray[np.int32] | None


@dataclass(eq=False)
class _SegmentChannels:
    """The postings and frequencies of a segment that this process has opened or computed."""

    postings: dict[str, _Numbered] = field(default_factory=dict)
    live_df: dict[str, NDArray[np.int32]] = field(default_factory=dict)
    frequencies: dict[str, LiveFrequencies] = field(default_factory=dict)
    lock: Lock = field(default_factory=Lock)


_kept: WeakKeyDictionary[Units, _SegmentChannels] = WeakKeyDictionary()
_kept_lock = Lock()


def _keep(segment: Units) -> _SegmentChannels:
    with _kept_lock:
        return _kept.setdefault(segment, _SegmentChannels())


def weighted_fields(segment: Units, fields: Fields, channel: str | None = None) -> list[tuple[int, float]]:
    """Pairs of field number and weight, sorted by the fields' names, the order in which counts are added.

    The fields are those of the documents, or of a channel if one is given.

    :raises ConfigError: a weight is not a number from 0 to :data:`HEAVIEST`.
    """
    weights = fields.field_weights if isinstance(fields, Zone) else fields
    _check_weights(weights)
    others = weights.get(OTHER_FIELDS, 1.0)
    names = segment.fields if channel is None else segment.channel_fields(channel)
    order = sorted(range(len(names)), key=lambda number: names[number])
    return [(number, float(weights.get(names[number], others))) for number in order]


def _check_weights(weights: FieldWeights) -> None:
    for name, weight in weights.items():
        check_weight(f"the field {name!r}", weight)


def _derived_name(kind: str, channel: str, *parts: Any) -> str:
    readable = re.sub(r"[^A-Za-z0-9]+", "-", channel)[:40]
    digest = hashlib.sha256(repr((LAYOUT, channel, parts)).encode("utf-8", "surrogatepass")).hexdigest()[:16]
    return f"{kind}-{readable}-{digest}"


def _postings_name(segment: Units, channel: str, fields: Fields) -> str:
    names = segment.channel_fields(channel)
    named = [(names[number], weight) for number, weight in weighted_fields(segment, fields, channel)]
    return _derived_name("view" if isinstance(fields, Zone) else "postings", channel, named)


def _impacts_name(segment: Units, channel: str, fields: Fields, weighting: Weighting) -> str:
    return _derived_name("impacts", channel, _postings_name(segment, channel, fields), repr(weighting))


def has_channel(segment: Units, channel: str) -> bool:
    """Whether the segment has a channel of this name."""
    return channel in segment.text_channels or channel in segment.formula_channels


def require_channels(segments: Sequence[Units], channels: Iterable[str]) -> None:
    """Checks that some segment has each channel, unless there is no segment.

    :raises ConfigError: none has one of them.
    """
    if not segments:
        return
    missing = [name for name in channels if not any(has_channel(segment, name) for segment in segments)]
    if missing:
        known = sorted({name for segment in segments for name in (*segment.text_channels, *segment.formula_channels)})
        raise ConfigError(
            f"the index has no channel {' and no channel '.join(map(repr, missing))}",
            hint=f"It has {', '.join(known)}. Make one that has it: porism index SOURCE --index NEW --channels "
            f"{','.join(['default', *missing])}",
        )


def build_postings(segment: Units, channel: str, weights: FieldWeights) -> Postings:
    """Computes the postings of a channel; empty if the segment does not have it."""
    return _build(segment, channel, weights).postings


def _build(segment: Units, channel: str, fields: Fields) -> _Numbered:
    there = has_channel(segment, channel)
    vocabulary = len(segment.dictionary(channel)) if there else 0
    weights = weighted_fields(segment, fields, channel)
    counting = np.zeros(len(segment.channel_fields(channel)), np.bool_)
    counting[[number for number, weight in weights if weight > 0]] = True
    rows = Csr(np.zeros(1, np.int64), np.zeros(0, np.int32), np.zeros(0, np.uint16))
    entries = Entries.of_text(segment.doc_count, 0)
    if there and counting.any():
        entries, matrix = segment.entries(channel), segment.matrix(channel)
        if counting.all():
            rows = matrix.csr
        else:  # rows of fields that do not count are not decoded
            used = counting[entries.fields]
            wanted, places = np.unique(entries.rows[used], return_inverse=True)
            rows = matrix.select(wanted)
            entries = Entries(offsets(used.astype(np.int64))[entries.starts], places.reshape(-1), entries.fields[used])
    if not isinstance(fields, Zone):
        return _Numbered(Postings.build(*rows, vocabulary, entries, weights), None)
    terms, numbers = np.unique(rows.terms, return_inverse=True)
    renumbered = numbers.reshape(-1).astype(np.int32)
    return _Numbered(Postings.build(rows.indptr, renumbered, rows.counts, len(terms), entries, weights), terms)


def open_postings(segment: Units, channel: str, fields: Fields) -> Postings:
    """The postings of a channel: cached, else stored, else computed."""
    return _open(segment, channel, fields).postings


def zone_terms(segment: Units, channel: str, zone: Zone) -> NDArray[np.int32]:
    """The numbers in a channel of a zone's terms (int32, increasing); postings number them by position here."""
    terms = _open(segment, channel, zone).terms
    assert terms is not None
    return terms


def _open(segment: Units, channel: str, fields: Fields) -> _Numbered:
    kept = _keep(segment)
    name = _postings_name(segment, channel, fields)
    with kept.lock:
        postings = kept.postings.get(name)
        if postings is None:
            postings = _read(segment, channel, fields) or _build(segment, channel, fields)
            kept.postings[name] = postings
        return postings


def _read(segment: Units, channel: str, fields: Fields) -> _Numbered | None:
    stored = segment.open_derived(_postings_name(segment, channel, fields))
    if stored is None:
        return None
    try:
        postings = Postings.open(stored)
        terms = stored.array(TERMS) if isinstance(fields, Zone) else None
    except IndexCorrupt:  # derived data can always be computed again
        return None
    vocabulary = len(segment.dictionary(channel)) if has_channel(segment, channel) else 0
    if postings.documents != segment.doc_count:
        return None
    if terms is None:
        return _Numbered(postings, None) if len(postings.lists) == vocabulary else None
    sound = (
        terms.dtype == np.int32 and terms.shape == (len(postings.lists),)
        and bool((terms[1:] > terms[:-1]).all())
        and (not len(terms) or bool(terms[0] >= 0 and terms[-1] < vocabulary))
    )
    return _Numbered(postings, terms) if sound else None


def live_frequencies(segment: Units, channel: str, weights: FieldWeights) -> LiveFrequencies:
    """The document frequencies of live documents, for looking up some terms."""
    postings = open_postings(segment, channel, weights)
    kept = _keep(segment)
    name = _postings_name(segment, channel, weights)
    with kept.lock:
        frequencies = kept.frequencies.get(name)
        if frequencies is None or frequencies.postings is not postings:
            frequencies = kept.frequencies[name] = LiveFrequencies(postings, segment.live)
        return frequencies


def live_df(segment: Units, channel: str, weights: FieldWeights) -> NDArray[np.int32]:
    """The number of live documents with each term (int32), counted once for all terms."""
    postings = open_postings(segment, channel, weights)
    kept = _keep(segment)
    name = _postings_name(segment, channel, weights)
    with kept.lock:
        counts = kept.live_df.get(name)
        if counts is None:
            counts = kept.live_df[name] = postings.live_df(segment.live)
        return counts


def channel_statistics(segments: Iterable[Units], channel: str, fields: Fields) -> ChannelStatistics:
    """The number and mean length of the live documents that have the channel, in all segments."""
    counts: dict[float, int] = {}
    for segment in segments:
        postings = open_postings(segment, channel, fields)
        lengths = zip(postings.length_table.tolist(), postings.length_counts(segment.live).tolist(), strict=True)
        for length, count in lengths:
            counts[length] = counts.get(length, 0) + count
    documents = sum(count for length, count in counts.items() if length > 0)
    total = math.fsum(length * count for length, count in counts.items())
    return ChannelStatistics(documents, total / documents if documents else 1.0)


def scored_channel(
    segment: Units, channel: str, fields: Fields, weighting: ComputedWeighting, statistics: ChannelStatistics,
    *, finds: bool = True,
) -> ScoredChannel:
    """A channel ready for search, with stored impacts if they are near enough, else with new ones.

    With ``finds`` False it only scores given documents and has no impacts.
    """
    postings = open_postings(segment, channel, fields)
    x, y = weighting.tf_values(postings.tf_table), weighting.length_values(postings.length_table, statistics)
    if not finds:
        return ScoredChannel.only_scoring(postings, x, y, weighting.saturating, weighting.shift)
    stored = segment.open_derived(_impacts_name(segment, channel, fields, weighting))
    impacts = None
    if stored is not None:
        try:
            impacts = Impacts.open(postings, stored)
        except IndexCorrupt:  # derived data can always be computed again
            impacts = None
    return ScoredChannel.of(postings, x, y, weighting.saturating, impacts, weighting.shift)


def stored_names(segment: Units, channel: str, fields: FieldWeights, weighting: ComputedWeighting) -> tuple[str, str]:
    """The names under which :func:`prepare` stores the postings and the impacts of a channel."""
    return _postings_name(segment, channel, fields), _impacts_name(segment, channel, fields, weighting)


def prepare(
    segments: Sequence[Units], channels: Mapping[str, LexicalChannel], weights: FieldWeights | None = None,
    zones: Iterable[Zone] = (),
) -> None:
    """Stores postings and impacts with each segment, so that a search with these settings computes nothing.

    ``segments`` are all that are searched together: impacts depend on their mean lengths. Stored data that still fit
    are kept. Factors of stored weightings and of soft channels are not stored. The kernels of search are compiled too.

    :raises StorageError: the disk is full or the folder read-only.
    """
    warm_up()
    _prepare(segments, channels, weights or {})
    for zone in zones:
        if zone.weight > 0 and zone.sees(segments):
            _prepare(segments, channels, zone)


def _prepare(segments: Sequence[Units], channels: Mapping[str, LexicalChannel], fields: Fields) -> None:
    for name, channel in channels.items():
        if channel.weight == 0:
            continue
        own = fields if isinstance(fields, Zone) or channel.field_weights is None else channel.field_weights
        for segment in segments:
            postings, terms = _open(segment, name, own)
            if _read(segment, name, own) is None:
                beside = {} if terms is None else {TERMS: terms}
                segment.write_derived(_postings_name(segment, name, own), {**postings.to_arrays(), **beside}, {})
        if not channel.stores_factors:
            weighting = computed(channel.weighting)
            statistics = channel_statistics(segments, name, own)
            for segment in segments:
                impacts_name = _impacts_name(segment, name, own, weighting)
                scored = scored_channel(segment, name, own, weighting, statistics)
                if segment.read_derived(impacts_name) is None or scored.computed:
                    segment.write_derived(impacts_name, *scored.impacts.to_arrays())
        for segment in segments:  # what was computed in memory is mapped from now on
            kept, stored_name = _keep(segment), _postings_name(segment, name, own)
            kept.postings.pop(stored_name, None)
            kept.frequencies.pop(stored_name, None)
