"""The documents that wait in memory before a writer makes a segment of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.analysis.batch import AnalyzedBatch
from porism.index.parts import BatchPart, Part
from porism.index.segment import filter_term, filter_terms


@dataclass(slots=True)
class _Buffered:
    """A batch in memory; ``live`` (bool, one a document) is False for documents that a later one replaced."""

    batch: AnalyzedBatch
    live: NDArray[np.bool_]


class DocumentBuffer:
    """Batches of analysed documents; of those with one id the last counts. ``len`` is how many count."""

    def __init__(self) -> None:
        self.nbytes = 0
        """About how much memory the batches take."""
        self._batches: list[_Buffered] = []
        self._where: dict[str, tuple[_Buffered, int]] = {}

    def __len__(self) -> int:
        return len(self._where)

    def contains(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        """For each id whether there is such a document (bool)."""
        return np.fromiter((doc_id in self._where for doc_id in ids), np.bool_, count=len(ids))

    def add(self, batch: AnalyzedBatch) -> None:
        """Adds documents, in the place of those with the same ids."""
        buffered = _Buffered(batch, np.ones(len(batch.ids), np.bool_))
        for doc, doc_id in enumerate(batch.ids):
            before = self._where.get(doc_id)
            if before is not None:
                before[0].live[before[1]] = False
            self._where[doc_id] = (buffered, doc)
        self._batches.append(buffered)
        self.nbytes += batch.nbytes

    def delete(self, ids: Iterable[str]) -> int:
        """Deletes documents; returns how many there were."""
        count = 0
        for doc_id in ids:
            before = self._where.pop(doc_id, None)
            if before is not None:
                before[0].live[before[1]] = False
                count += 1
        return count

    def matching(self, key: str, value: str) -> list[str]:
        """The ids of the documents whose metadata ``key`` is ``value`` or has it among its values."""
        term = filter_term(key, value)
        return [
            doc_id for doc_id, (buffered, doc) in self._where.items()
            if term in filter_terms(buffered.batch.metadata[doc])
        ]

    def parts(self) -> list[Part]:
        """What a segment is made of: batches that have documents which count."""
        return [BatchPart(buffered.batch, buffered.live) for buffered in self._batches if buffered.live.any()]
