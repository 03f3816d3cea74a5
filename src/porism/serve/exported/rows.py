"""The rows that the documents of a segment have in an engine outside Porism: keys, parts, stamps, filters, vectors."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple, Protocol

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.engine.units import Units
from porism.index.string_kernels import digests
from porism.index.strings import Packed, ranges
from porism.serve.backends.base import PARTS, Rows, SparseRows, Table

_BATCH_SIZE = 512
_MAX_CELLS = 1 << 20
_BELOW = np.uint64(PARTS - 1)


class RowBatch(NamedTuple):
    """The rows of some units, and how many units are done with them."""

    done: int
    rows: Rows


class RowSource(Protocol):
    """What a table of an export has: rows of units, each unit some number of them."""

    @property
    def table(self) -> Table:
        """Where they go."""

    @property
    def units(self) -> Sequence[Units]:
        """What they are of, by segment."""

    @property
    def made_of(self) -> str:
        """A digest of what rows depend on beside their units."""

    @property
    def changing(self) -> bool:
        """Whether the rows of a unit can change although it does not."""

    def counts(self, number: int) -> NDArray[np.int64]:
        """How many rows each unit of a segment has (int64), by the segment's position."""

    def rows(self, number: int, units: NDArray[np.int64]) -> Iterator[RowBatch]:
        """The rows of some units of a segment (increasing), in batches."""

    def key(self, number: int, unit_id: str) -> str:
        """The key of the row of this number of a unit."""

    def read_key(self, key: str) -> tuple[int, str]:
        """The inverse of :meth:`key`."""


class SingleRowTable:
    """What tables have in common in which every unit has one row, whose key is its id."""

    units: tuple[Units, ...]

    def counts(self, number: int) -> NDArray[np.int64]:
        return np.ones(self.units[number].doc_count, np.int64)

    def key(self, number: int, unit_id: str) -> str:
        return unit_id

    def read_key(self, key: str) -> tuple[int, str]:
        return 0, key


def row_key(number: int, doc_id: str) -> str:
    """The key of one of the rows of a document that can have several."""
    return f"{number}:{doc_id}"


def document_of(key: str) -> str:
    """The id of the document in the key of one of its rows."""
    return key.partition(":")[2]


def whole_key(key: str) -> str:
    """The id of the document where it is the key."""
    return key


def digest_numbers(packed: Packed) -> NDArray[np.int64]:
    """A digest of each string (int64, ≥ 0)."""
    numbers: NDArray[np.int64] = (digests(packed.blob, packed.starts)[:, 1] & _BELOW).astype(np.int64)
    return numbers


class SegmentFilters:
    """The digests of the metadata of each document of a segment."""

    def __init__(self, segment: Segment) -> None:
        terms, documents = segment.filter_pairs()
        numbers = digest_numbers(segment.filters.packed())
        order = np.argsort(documents, kind="stable")
        self._digests = numbers[terms[order]]
        self._starts = np.searchsorted(documents[order], np.arange(segment.doc_count + 1))

    def of(self, document: int) -> NDArray[np.int64]:
        """Those of one document (int64)."""
        return self._digests[self._starts[document] : self._starts[document + 1]]


def sparse_rows(keys: list[str], filters: list[NDArray[np.int64]], vectors: SparseRows) -> Rows:
    """Rows of sparse vectors."""
    stamps = np.empty(len(keys), np.int64)
    for number in range(len(keys)):
        own = slice(int(vectors.indptr[number]), int(vectors.indptr[number + 1]))
        stamps[number] = stamp(filters[number], vectors.dimensions[own].tobytes() + vectors.weights[own].tobytes())
    return Rows(keys, digest_numbers(Packed.of(keys)), stamps, filters, vectors)


class DenseRows:
    """Rows of dense vectors: every document has as many as it has vectors."""

    def __init__(
        self, table: Table, made_of: str, segments: tuple[Segment, ...],
        offsets: Callable[[int], NDArray[np.int64]],
        take: Callable[[int, NDArray[np.int64]], NDArray[np.float32]],
    ) -> None:
        """``offsets`` has where the vectors of each document of a segment begin; ``take`` gives vectors by number."""
        self.table, self.made_of = table, made_of
        self.changing = False
        self.units = segments
        self._offsets, self._take = offsets, take

    def counts(self, number: int) -> NDArray[np.int64]:
        counts: NDArray[np.int64] = np.diff(self._offsets(number))
        return counts

    def key(self, number: int, unit_id: str) -> str:
        return row_key(number, unit_id)

    def read_key(self, key: str) -> tuple[int, str]:
        return int(key.partition(":")[0]), document_of(key)

    def rows(self, number: int, units: NDArray[np.int64]) -> Iterator[RowBatch]:
        segment = self.units[number]
        offsets, filters = self._offsets(number), SegmentFilters(segment)
        most = max(1, _MAX_CELLS // max(1, self.table.dimensions))
        for start in range(0, len(units), _BATCH_SIZE):
            batch = units[start : start + _BATCH_SIZE]
            counts = np.diff(offsets)[batch]
            ids = segment.doc_ids(batch)
            owners = np.repeat(np.arange(len(batch)), counts)
            places = ranges(offsets[batch], counts)
            numbers = places - offsets[batch][owners]
            for first in range(0, len(places), most):
                part = slice(first, first + most)
                own = owners[part].tolist()
                keys = [row_key(row, ids[owner]) for row, owner in zip(numbers[part].tolist(), own, strict=True)]
                vectors = np.ascontiguousarray(self._take(number, places[part]), np.float32)
                of_rows = [filters.of(int(batch[owner])) for owner in own]
                stamps = np.array([
                    stamp(row_filters, vector.tobytes()) for row_filters, vector in zip(of_rows, vectors, strict=True)
                ], np.int64)
                rows = Rows(keys, digest_numbers(Packed.of(keys)), stamps, of_rows, vectors)
                yield RowBatch(len(batch) if first + most >= len(places) else 0, rows)


def live_units(units: Units) -> NDArray[np.int64]:
    """The numbers of the units of a segment that can be found (int64)."""
    return np.flatnonzero(units.live).astype(np.int64)


def stamp(filters: NDArray[np.int64], content: bytes) -> int:
    """The digest of a row that has these filters and this content."""
    return xxhash.xxh3_64_intdigest(np.sort(filters).tobytes() + content) & (PARTS - 1)
