"""Where formulas occur in the documents of a segment."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from porism.index.columns import Column, starts
from porism.index.container import Container
from porism.index.records import Records
from porism.index.strings import decode


class Occurrences:
    """The occurrences of formulas, ordered by document, field and place in the field.

    ``indptr`` (int64, documents + 1) bounds the occurrences of each document. ``field`` (uint16) is a position in the
    segment's fields, ``formula`` (int32) an ordinal of the segment, and ``number`` (int32) counts the formulas of a
    field. These three are compared with their checksums as they are read.
    """

    def __init__(self, container: Container, documents: int, fields: int, formulas: int) -> None:
        """Takes the numbers of documents, fields and formulas of the segment.

        :raises IndexCorrupt: the sections were changed, or name other documents, fields or formulas.
        """
        self.formula = Column(container, "occurrences:formula", np.int32, low=0, end=formulas)
        count = len(self.formula)
        self.indptr: NDArray[np.int64] = starts(container, "occurrences:indptr", np.int64, count, documents)
        self.field = Column(container, "occurrences:field", np.uint16, count, end=fields)
        self.number = Column(container, "occurrences:number", np.int32, count)
        self._ids = Records(container, "occurrences:id", count)
        self._visual_ids = Records(container, "occurrences:visual", count)

    def __len__(self) -> int:
        return len(self.formula)

    @property
    def has_visual_ids(self) -> bool:
        """Whether any occurrence has a visual id."""
        return self._visual_ids.any()

    @property
    def has_ids(self) -> bool:
        """Whether any occurrence has an id."""
        return self._ids.any()

    def id(self, occurrence: int) -> str:
        """The collection's id of an occurrence, empty if it has none."""
        return decode(self._ids[occurrence])

    def visual_id(self, occurrence: int) -> str:
        """The collection's id of all formulas that look like this one, empty if it has none."""
        return decode(self._visual_ids[occurrence])

    def ids(self, occurrences: NDArray[np.integer] | None = None) -> list[str]:
        """:meth:`id` of several occurrences (all by default); fast if they do not decrease."""
        return _strings(self._ids, occurrences)

    def visual_ids(self, occurrences: NDArray[np.integer] | None = None) -> list[str]:
        """:meth:`visual_id` of several occurrences (all by default); fast if they do not decrease."""
        return _strings(self._visual_ids, occurrences)


def _strings(records: Records, positions: NDArray[np.integer] | None) -> list[str]:
    return [decode(record) for record in (records if positions is None else records.take(positions))]
