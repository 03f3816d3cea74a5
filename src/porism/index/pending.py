"""Segments that a writer will commit, with deletions and moved documents since the last commit."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.index.manifest import SegmentEntry, write_tombstones
from porism.index.segment import Segment
from porism.index.strings import Packed


@dataclass(slots=True)
class PendingSegment:
    """A segment to be committed; ``entry`` is its entry in the last commit, None for a new segment.

    ``moved`` is True if the lines of some documents have changed since.
    """

    segment: Segment
    entry: SegmentEntry | None = None
    moved: bool = False

    @property
    def deleted(self) -> int:
        """The number of deleted documents."""
        return self.segment.doc_count - self.segment.live_count

    @property
    def has_changed(self) -> bool:
        """Whether it differs from the last commit."""
        return self.entry is None or self.entry.deleted != self.deleted or self.moved

    def contains(self, ids: Packed) -> NDArray[np.bool_]:
        """Whether there is a live document with each id (bool)."""
        docs = self.segment.names.find_packed(ids)
        return (docs >= 0) & self.segment.live[docs]

    def owned(self, owners: NDArray[np.integer]) -> list[str]:
        """The ids of the documents of these owners."""
        docs = np.flatnonzero(np.isin(self.segment.owners, owners) & self.segment.live)
        return self.segment.doc_ids(docs) if len(docs) else []

    def delete(self, ids: Packed) -> int:
        """Returns the number of documents deleted."""
        docs = self.segment.names.find_packed(ids)
        docs = np.unique(docs[docs >= 0])
        docs = docs[self.segment.live[docs]]
        if len(docs):
            self.segment.live = self.segment.live.copy()
            self.segment.live[docs] = False
        return len(docs)

    def delete_matching(self, key: str, value: str) -> int:
        """Deletes documents whose metadata ``key`` has the value ``value``; returns how many."""
        matching = self.segment.filter(key, value) & self.segment.live
        self.segment.live = self.segment.live & ~matching
        return int(np.count_nonzero(matching))

    def move(self, ids: Packed, lines: NDArray[np.int32]) -> None:
        """Sets the lines at which documents begin."""
        docs = self.segment.names.find_packed(ids)
        rows = np.flatnonzero(docs >= 0)
        rows = rows[self.segment.live[docs[rows]]]
        if len(rows):
            self.segment.lines = self.segment.lines.copy()
            self.segment.lines[docs[rows]] = lines[rows]
            self.moved = True

    def committed(self, generation: int) -> SegmentEntry:
        """The manifest's entry for the segment; writes its tombstones if they have changed."""
        segment = self.segment
        if self.entry is not None and not self.has_changed:
            return self.entry
        lines = segment.lines if segment.has_moved else None
        tombstones = None
        if self.deleted or segment.has_moved:
            tombstones = write_tombstones(segment.folder, generation, segment.live, lines)
        return SegmentEntry(
            segment.name, segment.doc_count, self.deleted, segment.stamp.size, segment.stamp.digest, tombstones
        )
