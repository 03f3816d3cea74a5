"""The stored documents of an index, by id and in order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from porism.analysis.documents import load_document
from porism.errors import QueryError
from porism.index.segment import Segment
from porism.index.snapshot import Snapshot
from porism.types import Document


class StoredDocuments:
    """The live documents of a snapshot; a :class:`porism.types.Documents`."""

    def __init__(self, snapshot: Snapshot) -> None:
        self._snapshot = snapshot

    def __len__(self) -> int:
        return self._snapshot.doc_count

    def __iter__(self) -> Iterator[Document]:
        """All documents in stored order."""
        return map(load_document, self.packed())

    def packed(self) -> Iterator[bytes]:
        """All documents as stored, for :func:`porism.analysis.documents.load_document` in other processes."""
        for segment in self._snapshot.segments:
            for doc in np.flatnonzero(segment.live).tolist():
                yield segment.stored(doc)

    def get(self, ids: Sequence[str]) -> list[Document]:
        """The documents with these ids, in the order given.

        :raises QueryError: the index has no such document.
        """
        return [self._load(doc_id) for doc_id in ids]

    def _load(self, doc_id: str) -> Document:
        place = self._snapshot.find(doc_id)
        if place is None:
            raise QueryError(f"there is no document {doc_id!r} in the index", where=str(self._snapshot.path))
        return stored_document(*place)


def stored_document(segment: Segment, doc: int) -> Document:
    """The document with this number in a segment, deleted or not.

    :raises IndexCorrupt: it cannot be read.
    """
    return load_document(segment.stored(doc))
