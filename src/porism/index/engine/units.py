"""The units that a search ranks: the documents of a segment, or its distinct formulas.

A :class:`Segment` has its documents as units; :class:`FormulaUnits` shows the same segment with each distinct formula
as a unit, whose id is its key. So one engine searches both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from porism.index.columns import within
from porism.index.container import Container
from porism.index.derived import FORMULAS, LAYOUTS
from porism.index.engine.trees import open_places
from porism.index.rows import Csr, Entries, TermRows
from porism.index.segment import Segment
from porism.index.string_kernels import digests, unmark_held
from porism.index.strings import Dictionary, Names, ranges
from porism.system.concurrency.locks import Lock

FORMULA_FIELD = "formula"
"""The only field of a formula as a unit; fields in which it occurs do not matter."""

DIGESTS = "key-digests"
"""The name of the derived data that :func:`prepare_units` stores."""
LAYOUT = LAYOUTS[DIGESTS]
"""Grows when digests are computed differently, so that other versions do not read them."""

_DELETED_AT_A_TIME = 1 << 14


class ChannelMatrix(Protocol):
    """The rows of a channel: :class:`~porism.index.rows.TermRows`, or rows in memory."""

    @property
    def csr(self) -> Csr:
        """All rows."""

    def select(self, rows: NDArray[np.integer]) -> Csr:
        """The rows at these positions, in the order given; -1 gives an empty row."""


class Units(Protocol):
    """The units of a segment, numbered from 0, and the channels of their terms.

    ``noun`` names a unit in messages; ``live`` (bool) marks units that can be results; ``id_order`` (int32) is the rank
    of each id in code-point order. ``entries`` are the rows of a channel that make up each unit, and ``channel_fields``
    their fields.
    """

    @property
    def noun(self) -> str: ...
    @property
    def doc_count(self) -> int: ...
    @property
    def live(self) -> NDArray[np.bool_]: ...
    @property
    def fields(self) -> tuple[str, ...]: ...
    @property
    def text_channels(self) -> tuple[str, ...]: ...
    @property
    def formula_channels(self) -> tuple[str, ...]: ...
    @property
    def names(self) -> Names: ...
    @property
    def id_order(self) -> NDArray[np.int32]: ...
    def doc_ids(self, docs: NDArray[np.integer] | Sequence[int]) -> list[str]: ...
    def find(self, doc_id: str) -> int | None: ...
    def channel_fields(self, channel: str) -> tuple[str, ...]: ...
    def dictionary(self, channel: str) -> Dictionary: ...
    def matrix(self, channel: str) -> ChannelMatrix: ...
    def entries(self, channel: str) -> Entries: ...
    def write_derived(self, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> None: ...
    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None: ...
    def open_derived(self, name: str) -> Container | None: ...


class FormulaUnits:
    """The distinct formulas of a segment as :class:`Units`; each is one row of every formula channel.

    ``live`` (bool, one a formula) marks formulas that can be results.
    """

    noun = "formula"
    fields: tuple[str, ...] = (FORMULA_FIELD,)
    text_channels: tuple[str, ...] = ()

    def __init__(self, segment: Segment, live: NDArray[np.bool_]) -> None:
        if len(live) != segment.formula_count:
            raise ValueError(f"live has {len(live)} elements where the segment has {segment.formula_count} formulas")
        self.segment = segment
        self.doc_count = segment.formula_count
        self.live = live
        self.formula_channels = segment.formula_channels

    def __repr__(self) -> str:
        return f"FormulaUnits({self.segment.name}, {np.count_nonzero(self.live)} of {self.doc_count} formulas live)"

    @property
    def names(self) -> Names:
        """The keys of the formulas."""
        return self.segment.keys

    @property
    def id_order(self) -> NDArray[np.int32]:
        """The rank of each formula's key in the segment, in code-point order."""
        return self.segment.keys.rank

    def doc_ids(self, docs: NDArray[np.integer] | Sequence[int]) -> list[str]:
        return self.segment.keys.names(np.asarray(docs, np.int64))

    def find(self, doc_id: str) -> int | None:
        """The number of the live formula with this key, or None."""
        formula = self.segment.find_formula(doc_id)
        return formula if formula is not None and self.live[formula] else None

    def channel_fields(self, channel: str) -> tuple[str, ...]:
        return self.fields

    def dictionary(self, channel: str) -> Dictionary:
        """The terms of a formula channel."""
        return self.segment.dictionary(channel)

    def matrix(self, channel: str) -> TermRows:
        """The rows of a formula channel, one a formula."""
        return self.segment.matrix(channel)

    def entries(self, channel: str) -> Entries:
        """Each formula is one row."""
        return Entries.of_text(self.doc_count, 1)

    def write_derived(self, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> None:
        """Stores derived data of formulas, under a prefix that separates them from those of documents."""
        self.segment.write_derived(FORMULAS + name, arrays, info)

    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        return self.segment.read_derived(FORMULAS + name)

    def open_derived(self, name: str) -> Container | None:
        return self.segment.open_derived(FORMULAS + name)


@dataclass(frozen=True, slots=True)
class _Masks:
    """The live formulas of segments (bool, one a formula), for their live ``documents``."""

    segments: tuple[ref[Segment], ...]
    documents: tuple[NDArray[np.bool_], ...]
    formulas: tuple[NDArray[np.bool_], ...]

    def are_of(self, segments: Sequence[Segment]) -> bool:
        """Whether they are current for these segments; deletions replace the array of live documents."""
        return len(self.segments) == len(segments) and all(
            known() is segment and documents is segment.live
            for known, documents, segment in zip(self.segments, self.documents, segments, strict=True)
        )


_known: WeakKeyDictionary[Segment, _Masks] = WeakKeyDictionary()
"""First of several segments → the masks computed last; searches of one commit use them repeatedly."""
_known_lock = Lock()


def formula_units(segments: Sequence[Segment]) -> list[FormulaUnits]:
    """The formulas of segments that are searched together, each distinct formula once.

    A formula is live if a live document contains it. A key that several segments contain is live only in the first, so
    statistics and scores do not depend on how documents are spread over segments.
    """
    if not segments:
        return []
    with _known_lock:
        masks = _known.get(segments[0])
    if masks is None or not masks.are_of(segments):
        documents = tuple(segment.live for segment in segments)
        masks = _Masks(tuple(map(ref, segments)), documents, tuple(_live_formulas(segments)))
        with _known_lock:
            _known[segments[0]] = masks
    return [FormulaUnits(segment, mask) for segment, mask in zip(segments, masks.formulas, strict=True)]


def _live_formulas(segments: Sequence[Segment]) -> list[NDArray[np.bool_]]:
    held = [_held(segment) for segment in segments]
    masks = [mask.copy() for mask in held]
    having = [number for number, mask in enumerate(held) if mask.any()]
    if len(having) > 1:
        sorted_digests = {number: _sorted_digests(segments[number]) for number in having}
        for earlier, later in combinations(having, 2):
            unmark_held(*sorted_digests[earlier], held[earlier], *sorted_digests[later], masks[later])
    for mask in masks:
        mask.flags.writeable = False
    return masks


def ordinals_by_segment(
    segments: Sequence[Segment], homes: NDArray[np.int32], formulas: NDArray[np.int32]
) -> list[NDArray[np.int64]]:
    """The ordinals in each segment (int64) of formulas given by home segment and ordinal there; -1 where absent."""
    ordinals = [np.full(len(formulas), -1, np.int64) for _ in segments]
    for home, segment in enumerate(segments):
        own = np.flatnonzero(homes == home)
        ordinals[home][own] = formulas[own]
        if len(segments) > 1 and len(own):
            keys = segment.keys.dictionary.select(segment.keys.rank[formulas[own]])
            for number, other in enumerate(segments):
                if number != home:
                    ordinals[number][own] = other.keys.find_packed(keys)
    return ordinals


def prepare_units(segments: Sequence[Segment]) -> None:
    """Stores the digests of keys, which several segments need to search their formulas together.

    :raises StorageError: the disk is full or the folder read-only.
    """
    if len(segments) > 1:
        for segment in segments:
            if _read_digests(segment) is None:
                segment.write_derived(DIGESTS, _sorted_digests(segment)._asdict(), {"layout": LAYOUT})


def first_of_equal(values: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which digests (uint64, n × 2) are not equal to an earlier one (bool, n)."""
    order = np.argsort(values[:, 0], kind="stable")
    alike, equal = (values[order[1:]] == values[order[:-1]]).T
    if (alike & ~equal).any():  # almost never: digests that share one half only
        order = np.lexsort((values[:, 1], values[:, 0]))
        alike, equal = (values[order[1:]] == values[order[:-1]]).T
    first = np.ones(len(values), np.bool_)
    first[order[1:][alike & equal]] = False
    return first


def _held(segment: Segment) -> NDArray[np.bool_]:
    """Which formulas occur in a live document of a segment (bool, one a formula)."""
    if segment.live.all():  # each formula of a segment occurs in one of its documents
        return np.ones(segment.formula_count, np.bool_)
    where = segment.occurrences
    gone = np.zeros(segment.formula_count, np.int64)
    deleted = np.flatnonzero(~segment.live)
    for first in range(0, len(deleted), _DELETED_AT_A_TIME):
        docs = deleted[first : first + _DELETED_AT_A_TIME]
        counts = where.indptr[docs + 1] - where.indptr[docs]
        held = where.formula[ranges(where.indptr[docs], counts)]
        pairs = np.unique(np.repeat(docs, counts) * len(gone) + held)  # each in a document once
        if len(pairs):
            gone += np.bincount(pairs % len(gone), minlength=len(gone))
    return gone < np.diff(open_places(segment).indptr)


class _SortedDigests(NamedTuple):
    """The sorted 128-bit digests of a segment's keys (uint64, formulas × 2), and the formula of each (int32)."""

    digests: NDArray[np.uint64]
    order: NDArray[np.int32]


def _sorted_digests(segment: Segment) -> _SortedDigests:
    stored = _read_digests(segment)
    if stored is not None:
        return stored
    sorted_keys = segment.keys.dictionary.packed()
    key_digests = digests(sorted_keys.blob, sorted_keys.starts)
    order = np.argsort(key_digests[:, 0])
    if (key_digests[order[1:], 0] == key_digests[order[:-1], 0]).any():  # almost never
        order = np.lexsort((key_digests[:, 1], key_digests[:, 0]))
    return _SortedDigests(key_digests[order], segment.keys.at_rank[order])


def _read_digests(segment: Segment) -> _SortedDigests | None:
    stored = segment.read_derived(DIGESTS)
    if stored is None or stored[1].get("layout") != LAYOUT or not set(_SortedDigests._fields) <= set(stored[0]):
        return None
    sorted_digests = _SortedDigests(*(stored[0][name] for name in _SortedDigests._fields))
    count = segment.formula_count
    sound = (
        sorted_digests.digests.shape == (count, 2) and sorted_digests.digests.dtype == np.uint64
        and sorted_digests.order.shape == (count,) and sorted_digests.order.dtype == np.int32
        and within(sorted_digests.order, 0, count)
    )
    return sorted_digests if sound else None
