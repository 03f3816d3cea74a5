"""The rows of the documents' terms: one for each document, with what it weighs in all views."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.backends.base import Table
from porism.engine.units import Units
from porism.index import Segment
from porism.retrieve.exported.lexical import DOCUMENTS
from porism.retrieve.exported.rows import Batch, SegmentFilters, sparse_rows
from porism.retrieve.exported.views import Frozen, SegmentVectors, View

_AT_ONCE = 512


class TermSource:
    """The documents of some segments in some views."""

    table = Table(DOCUMENTS)

    def __init__(
        self, segments: Sequence[Segment], views: Mapping[str, tuple[View, Sequence[Units]]],
        frozen: Mapping[str, Frozen],
    ) -> None:
        """``views`` are by their keys, each with the units of the segments in which its channel is."""
        self.units = tuple(segments)
        self._views, self._frozen = dict(views), dict(frozen)
        numbers = [(key, frozen[key].documents, frozen[key].mean_length) for key in sorted(views)]
        self.made_of = xxhash.xxh3_64_hexdigest(repr(numbers).encode())
        self.changing = any(view.stored for view, _ in views.values())

    def counts(self, number: int) -> NDArray[np.int64]:
        """One row for each document of a segment."""
        return np.ones(self.units[number].doc_count, np.int64)

    def rows(self, number: int, units: NDArray[np.int64]) -> Iterator[Batch]:
        """The rows of some documents of a segment (increasing), in batches."""
        segment = self.units[number]
        parts = [(view, of_view[number]) for view, of_view in self._views.values()]
        vectors = SegmentVectors(number, parts, self._frozen)
        filters = SegmentFilters(segment)
        for batch, rows in vectors.batches(units, _AT_ONCE):
            of_rows = [filters.of(one) for one in batch.tolist()]
            yield Batch(len(batch), sparse_rows(segment.doc_ids(batch), of_rows, rows))
