"""Vectors of documents for an encoder that an index remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.vectors import ComputedRows
from porism.vectors.dense.approximate import build_approximate
from porism.vectors.dense.records import DENSE_RECORDS, EncoderRecord
from porism.vectors.encoding import document_texts
from porism.vectors.neural.encoder import Encoder, load_encoder
from porism.vectors.providers import DocumentProvider


class DenseVectors(DocumentProvider[EncoderRecord, Encoder]):
    """Computes the vectors of documents."""

    what = "the encoder"
    chunk = 512

    def load(self, device: str, on_note: Callable[[str], None]) -> Encoder:
        """Loads the encoder."""
        files = self._record.files(self._index_path)
        return load_encoder(files, device=device, precision=self._record.precision, on_note=on_note)

    def compute(self, segment: Segment, documents: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        """The vectors of documents: of each one, or one a chunk."""
        found = self.encoder.encode_documents(document_texts(segment, documents, self._record.settings.text))
        return ComputedRows(found.vectors, np.diff(found.offsets))

    def finish(self, segments: Sequence[Segment]) -> None:
        """Builds what approximate searches read, and removes what waited for the segments."""
        super().finish(segments)
        for segment in segments:
            build_approximate(segment, self._record)


def remembered(index_path: Path) -> list[DenseVectors]:
    """What computes vectors of documents for an index: one for each encoder that it remembers."""
    return [DenseVectors(index_path, record) for record in DENSE_RECORDS.all(index_path)]
