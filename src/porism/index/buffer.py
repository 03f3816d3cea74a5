"""Documents that wait in memory until a writer makes a segment of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.analysis.batch import AnalyzedBatch
from porism.index.parts import BatchPart, SegmentInput
from porism.index.segment import filter_term, filter_terms


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
