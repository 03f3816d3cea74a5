"""Vectors of documents for an encoder that an index remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.vectors import ComputedRows, complete_vectors, forget_parts, has_vectors
from porism.neural.encoder import Encoder, load_encoder
from porism.retrieve.dense.approximate import build_approximate
from porism.retrieve.dense.records import EncoderRecord, records
from porism.retrieve.encoding import document_digests, document_texts

CHUNK_DOCUMENTS = 512
"""Documents that are encoded between two times that vectors are written."""


class DenseVectors:
    """Computes the vectors of documents for one encoder; loads it when the first document is to be encoded."""

    def __init__(
        self, index_path: Path, record: EncoderRecord, *, encoder: Encoder | None = None,
        device: str = "auto", on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self._index_path, self._record = index_path, record
        self._encoder, self._device, self._note = encoder, device, on_note

    @property
    def name(self) -> str:
        """The name of the vectors."""
        return self._record.spec.name

    @property
    def origin(self) -> str:
        """What the vectors are of."""
        return f"the encoder {self._record.name}"

    def has(self, segment: Segment) -> bool:
        """Whether a segment has them."""
        return has_vectors(segment, self._record.spec, segment.doc_count)

    def count(self, segment: Segment) -> int:
        """The documents of a segment, deleted ones too."""
        return segment.doc_count

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        """Stores the vectors of the documents of a segment; returns how many documents were encoded.

        :raises ConfigError: the encoder is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        :raises StorageError: the folder cannot be written.
        """
        if self.has(segment):
            on_progress(segment.doc_count)
            return 0
        digests = document_digests(segment)

        def compute(documents: NDArray[np.int64]) -> ComputedRows:
            texts = document_texts(segment, documents, self._record.settings.text)
            found = self._loaded().encode_documents(texts)
            return ComputedRows(found.vectors, np.diff(found.offsets))

        return complete_vectors(
            segment, self._record.spec, digests, compute, chunk=CHUNK_DOCUMENTS, on_progress=on_progress
        )

    def finish(self, segments: Sequence[Segment]) -> None:
        """Builds what approximate searches read, and removes what waited for the segments."""
        forget_parts(self._index_path, self._record.spec)
        for segment in segments:
            build_approximate(segment, self._record)

    def _loaded(self) -> Encoder:
        if self._encoder is None:
            files = self._record.files(self._index_path)
            self._encoder = load_encoder(
                files, device=self._device, precision=self._record.precision, on_note=self._note
            )
        return self._encoder


def remembered(index_path: Path) -> list[DenseVectors]:
    """What computes vectors of documents for an index: one for each encoder that it remembers."""
    return [DenseVectors(index_path, record) for record in records(index_path)]
