"""What a writer will commit: documents that wait in memory, and segments with deletions and moved documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.analysis.batch import AnalyzedBatch
from porism.index.manifest import SegmentEntry, write_tombstones
from porism.index.parts import BatchPart, SegmentInput
from porism.index.segment import Segment, filter_term, filter_terms
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


@dataclass(slots=True)
class _Buffered:
    """A batch in memory; ``live`` (bool, one a document) is False for documents that were replaced."""

    batch: AnalyzedBatch
    live: NDArray[np.bool_]


class DocumentBuffer:
    """Batches of analysed documents. The last document with an id is live; ``len`` counts live documents."""

    def __init__(self) -> None:
        self.nbytes = 0
        """Approximate memory of the batches."""
        self._batches: list[_Buffered] = []
        self._where: dict[str, tuple[_Buffered, int]] = {}

    def __len__(self) -> int:
        return len(self._where)

    def contains(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        """Whether there is a document with each id (bool)."""
        return np.fromiter((doc_id in self._where for doc_id in ids), np.bool_, count=len(ids))

    def add(self, batch: AnalyzedBatch) -> None:
        """Adds documents, which replace those with the same ids."""
        buffered = _Buffered(batch, np.ones(len(batch.ids), np.bool_))
        for doc, doc_id in enumerate(batch.ids):
            before = self._where.get(doc_id)
            if before is not None:
                before[0].live[before[1]] = False
            self._where[doc_id] = (buffered, doc)
        self._batches.append(buffered)
        self.nbytes += batch.nbytes

    def delete(self, ids: Iterable[str]) -> int:
        """Returns the number of documents deleted."""
        count = 0
        for doc_id in ids:
            before = self._where.pop(doc_id, None)
            if before is not None:
                before[0].live[before[1]] = False
                count += 1
        return count

    def matching(self, key: str, value: str) -> list[str]:
        """The ids of documents whose metadata ``key`` has the value ``value``."""
        term = filter_term(key, value)
        return [
            doc_id for doc_id, (buffered, doc) in self._where.items()
            if term in filter_terms(buffered.batch.metadata[doc])
        ]

    def parts(self) -> list[SegmentInput]:
        """The batches that have live documents."""
        return [BatchPart(buffered.batch, buffered.live) for buffered in self._batches if buffered.live.any()]
