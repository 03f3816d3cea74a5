"""The rows of terms: one for each document, or each distinct formula, with what it weighs in all views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.engine.units import Units
from porism.serve.backends.base import Table
from porism.serve.exported.lexical import DOCUMENTS, FORMULAS
from porism.serve.exported.rows import RowBatch, SegmentFilters, SingleRowTable, sparse_rows
from porism.serve.exported.views import ChannelView, FrozenStatistics, SegmentVectors

_BATCH_SIZE = 512

Views = Mapping[str, tuple[ChannelView, Sequence[Units]]]
"""Views by their keys, each with the units of the segments in which its channel is."""


class TermSource(SingleRowTable):
    """The documents of some segments in some views."""

    table = Table(DOCUMENTS)

    def __init__(self, segments: Sequence[Segment], views: Views, frozen: Mapping[str, FrozenStatistics]) -> None:
        self.units: tuple[Units, ...] = tuple(segments)
        self._segments = tuple(segments)
        self._views, self._frozen = dict(views), dict(frozen)
        numbers = [(key, frozen[key].documents, frozen[key].mean_length) for key in sorted(views)]
        self.made_of = xxhash.xxh3_64_hexdigest(repr(numbers).encode())
        self.changing = any(view.stored for view, _ in views.values())

    def rows(self, number: int, units: NDArray[np.int64]) -> Iterator[RowBatch]:
        parts = [(view, of_view[number]) for view, of_view in self._views.values()]
        vectors = SegmentVectors(number, parts, self._frozen)
        filters = self._filters(number)
        for batch, rows in vectors.batches(units, _BATCH_SIZE):
            keys = [self.key(0, unit_id) for unit_id in self.units[number].doc_ids(batch)]
            of_rows = [filters.of(row) for row in batch.tolist()] if filters else [np.zeros(0, np.int64)] * len(batch)
            yield RowBatch(len(batch), sparse_rows(keys, of_rows, rows))

    def _filters(self, number: int) -> SegmentFilters | None:
        """What the units of a segment are filtered by; None for nothing."""
        return SegmentFilters(self._segments[number])


class FormulaSource(TermSource):
    """The distinct formulas of some segments in some views."""

    table = Table(FORMULAS)

    def __init__(
        self, segments: Sequence[Segment], units: Sequence[Units], views: Views, frozen: Mapping[str, FrozenStatistics]
    ) -> None:
        super().__init__(segments, views, frozen)
        self.units = tuple(units)
        self._keys = FormulaKeys(units)

    def key(self, number: int, unit_id: str) -> str:
        return self._keys.write(unit_id)

    def read_key(self, key: str) -> tuple[int, str]:
        return 0, self._keys.read(key)

    def _filters(self, number: int) -> None:
        """None: which documents hold a formula changes without it."""


_MAX_LENGTH = 16_000
_MARK = "#"
"""No key of a formula begins with it."""


class FormulaKeys:
    """Writes and reads the keys of the formulas of some segments."""

    def __init__(self, units: Sequence[Units]) -> None:
        self._units = tuple(units)

    def write(self, key: str) -> str:
        """A key for an engine: at most 16,000 bytes, and not empty."""
        written = key.encode("utf-8", "surrogatepass")
        return key if 0 < len(written) <= _MAX_LENGTH else _MARK + xxhash.xxh3_128_hexdigest(written)

    def read(self, written: str) -> str:
        """The inverse of :meth:`write`; what no formula has stays as it is."""
        return self._long.get(written, written) if written.startswith(_MARK) else written

    @cached_property
    def _long(self) -> dict[str, str]:
        """Long keys, by what they are written as."""
        long_keys: dict[str, str] = {}
        for units in self._units:
            packed = units.names.packed()
            lengths = np.diff(packed.starts)
            some = np.flatnonzero((lengths > _MAX_LENGTH) | (lengths == 0))
            long_keys |= {self.write(key): key for key in packed.take(some).strings()}
        return long_keys
