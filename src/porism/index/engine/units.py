"""What a search can rank: the documents of a segment, or its distinct formulas.

A *unit* is one of the things that are ranked. A :class:`Segment` is the units of its documents; :class:`FormulaUnits`
show the same segment with each distinct formula as a unit, whose id is its key. So one engine searches both.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, NamedTuple, Protocol
from weakref import WeakKeyDictionary, ref

import numpy as np
from numpy.typing import NDArray

from porism.index.container import Container
from porism.index.derived import FORMULAS, LAYOUTS
from porism.index.engine import unit_kernels as kernels
from porism.index.engine.trees import open_places
from porism.index.entries import Entries
from porism.index.rows import Csr, TermRows
from porism.index.segment import Segment
from porism.index.string_kernels import digests
from porism.index.strings import Dictionary, Names
from porism.system.concurrency.locks import Lock

FORMULA_FIELD = "formula"
"""The one field of a formula as a unit; fields in which it occurs do not matter."""

DIGESTS = "key-digests"
"""The name of the derived data that :func:`prepare_units` stores."""
LAYOUT = LAYOUTS[DIGESTS]
"""Changes when digests are made differently, so that those of other versions are not read."""

_DELETED_AT_A_TIME = 1 << 14


class Matrix(Protocol):
    """The rows of a channel: :class:`~porism.index.rows.TermRows`, or what has them in memory."""

    @property
    def csr(self) -> Csr:
        """All rows."""

    def select(self, rows: NDArray[np.integer]) -> Csr:
        """The rows numbered ``rows``, in that order; -1 gives an empty row."""


class Units(Protocol):
    """The units of one segment, numbered from 0, with the channels that have terms of them.

    ``noun`` is what a message calls a unit; ``live`` (bool) marks those that can be found; ``id_order`` (int32) is the
    rank of each id in code-point order. ``entries`` are the rows of a channel that each unit is made of, and
    ``channel_fields`` the names of the fields that they are of. Postings of terms in more than one unit of
    ``dense_share`` are dense.
    """

    @property
    def noun(self) -> str: ...
    @property
    def dense_share(self) -> int: ...
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
    def matrix(self, channel: str) -> Matrix: ...
    def entries(self, channel: str) -> Entries: ...
    def write_derived(self, name: str, arrays: Mapping[str, NDArray[Any]], info: Mapping[str, Any]) -> None: ...
    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None: ...
    def open_derived(self, name: str) -> Container | None: ...


class FormulaUnits:
    """The distinct formulas of a segment as :class:`Units`; each is one row of every formula channel.

    ``live`` (bool, one a formula) is True for those that can be found.
    """

    noun = "formula"
    dense_share = 6
    """A query formula has few terms, so room counts more than speed here."""
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
        """The rank of each formula's key in code-point order within the segment."""
        return self.segment.keys.rank

    def doc_ids(self, docs: NDArray[np.integer] | Sequence[int]) -> list[str]:
        """The keys of formulas, in the order given."""
        return self.segment.keys.names(np.asarray(docs, np.int64))

    def find(self, doc_id: str) -> int | None:
        """The live formula with this key, None where there is none."""
        formula = self.segment.find_formula(doc_id)
        return formula if formula is not None and self.live[formula] else None

    def channel_fields(self, channel: str) -> tuple[str, ...]:
        """The one field of a formula."""
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
        """Keeps derived data of formulas with the segment, under a name that those of documents do not have."""
        self.segment.write_derived(FORMULAS + name, arrays, info)

    def read_derived(self, name: str) -> tuple[dict[str, NDArray[Any]], dict[str, Any]] | None:
        """What :meth:`write_derived` kept; None where it is missing or broken."""
        return self.segment.read_derived(FORMULAS + name)

    def open_derived(self, name: str) -> Container | None:
        """The file of what :meth:`write_derived` kept; None where it is missing or broken."""
        return self.segment.open_derived(FORMULAS + name)


@dataclass(frozen=True, slots=True)
class _Masks:
    """Which formulas of some segments are live (bool, one a formula), given the documents that are."""

    segments: tuple[ref[Segment], ...]
    documents: tuple[NDArray[np.bool_], ...]
    formulas: tuple[NDArray[np.bool_], ...]

    def are_of(self, segments: Sequence[Segment]) -> bool:
        """Whether they are those of these segments as they are now; deleting makes another array of documents."""
        return len(self.segments) == len(segments) and all(
            known() is segment and documents is segment.live
            for known, documents, segment in zip(self.segments, self.documents, segments, strict=True)
        )


_known: WeakKeyDictionary[Segment, _Masks] = WeakKeyDictionary()
"""By the first of several segments what was found last; searches of one commit ask several times."""
_known_lock = Lock()


def formula_units(segments: Sequence[Segment]) -> list[FormulaUnits]:
    """The formulas of segments that are searched together, each distinct formula once.

    A formula is live if a live document holds it; of several segments that hold the same key, it is live in the first
    only. So statistics and scores do not depend on how documents are spread over segments.
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
            kernels.unmark_held(*sorted_digests[earlier], held[earlier], *sorted_digests[later], masks[later])
    for mask in masks:
        mask.flags.writeable = False
    return masks


def ordinals_by_segment(
    segments: Sequence[Segment], homes: NDArray[np.int32], formulas: NDArray[np.int32]
) -> list[NDArray[np.int64]]:
    """Of formulas given by segment and ordinal there, the ordinals in each segment (int64), -1 where not there."""
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
    """Stores digests of the keys where formulas of several segments are searched together, and they are not there yet.

    :raises StorageError: the disk is full or the folder read-only.
    """
    if len(segments) > 1:
        for segment in segments:
            if _read_digests(segment) is None:
                segment.write_derived(DIGESTS, _sorted_digests(segment)._asdict(), {"layout": LAYOUT})


def first_of_equal(values: NDArray[np.uint64]) -> NDArray[np.bool_]:
    """Which digests (uint64, n × 2) no earlier one equals (bool, n)."""
    order = np.argsort(values[:, 0], kind="stable")
    alike, equal = (values[order[1:]] == values[order[:-1]]).T
    if (alike & ~equal).any():  # almost never: then half a digest does not tell them apart
        order = np.lexsort((values[:, 1], values[:, 0]))
        alike, equal = (values[order[1:]] == values[order[:-1]]).T
    first = np.ones(len(values), np.bool_)
    first[order[1:][alike & equal]] = False
    return first


def _held(segment: Segment) -> NDArray[np.bool_]:
    """Which formulas of a segment a live document holds (bool, one a formula)."""
    if segment.live.all():  # a segment has no formulas that none of its documents holds
        return np.ones(segment.formula_count, np.bool_)
    where = segment.occurrences
    gone = np.zeros(segment.formula_count, np.int64)
    deleted = np.flatnonzero(~segment.live)
    for first in range(0, len(deleted), _DELETED_AT_A_TIME):
        docs = deleted[first : first + _DELETED_AT_A_TIME]
        counts = where.indptr[docs + 1] - where.indptr[docs]
        ends = np.cumsum(counts)
        occurrences = np.arange(ends[-1]) + np.repeat(where.indptr[docs] - ends + counts, counts)
        pairs = np.unique(np.repeat(docs, counts) * len(gone) + where.formula[occurrences])  # each in a document once
        if len(pairs):
            gone += np.bincount(pairs % len(gone), minlength=len(gone))
    return gone < np.diff(open_places(segment).indptr)


class _SortedDigests(NamedTuple):
    """128 bits of each key of a segment (uint64, formulas × 2), sorted, and whose they are (int32)."""

    digests: NDArray[np.uint64]
    order: NDArray[np.int32]


def _sorted_digests(segment: Segment) -> _SortedDigests:
    stored = _read_digests(segment)
    if stored is not None:
        return stored
    sorted_keys = segment.keys.dictionary.packed()
    found = digests(sorted_keys.blob, sorted_keys.starts)
    order = np.argsort(found[:, 0])
    if (found[order[1:], 0] == found[order[:-1], 0]).any():  # almost never
        order = np.lexsort((found[:, 1], found[:, 0]))
    return _SortedDigests(found[order], segment.keys.at_rank[order])


def _read_digests(segment: Segment) -> _SortedDigests | None:
    stored = segment.read_derived(DIGESTS)
    if stored is None or stored[1].get("layout") != LAYOUT or not set(_SortedDigests._fields) <= set(stored[0]):
        return None
    found = _SortedDigests(*(stored[0][name] for name in _SortedDigests._fields))
    count = segment.formula_count
    sound = (
        found.digests.shape == (count, 2) and found.digests.dtype == np.uint64
        and found.order.shape == (count,) and found.order.dtype == np.int32
        and (not count or bool(found.order.min() >= 0 and found.order.max() < count))
    )
    return found if sound else None
