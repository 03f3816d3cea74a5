"""Weighted terms of documents for a sparse encoder that an index has.

They are kept as vectors are (:mod:`porism.index.vectors`): one row for each term of a document, with its number and its
weight in steps. So new documents alone are encoded, before searches see a commit; deletes and merges keep what is
there; and an interruption loses nothing. Postings are made of them as of the terms of any channel.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import Segment
from porism.index.vectors import ComputedRows, complete_vectors, forget_parts, has_vectors
from porism.neural.sparse_encoder import EncodedTerms, SparseEncoder, load_sparse_encoder
from porism.retrieve.encoding import document_digests, document_texts
from porism.retrieve.splade.channels import store_postings
from porism.retrieve.splade.stores import STEPS, SparseStore, stores

CHUNK_DOCUMENTS = 256
"""Documents that are encoded between two times that terms are written."""

_MOST_STEPS = 65_535


class DocumentTerms:
    """Computes the weighted terms of documents for one store; loads the encoder when the first document is to be
    encoded."""

    def __init__(
        self, index_path: Path, store: SparseStore, *, encoder: SparseEncoder | None = None, device: str = "auto",
        on_note: Callable[[str], None] = lambda note: None,
    ) -> None:
        self._index_path, self._store = index_path, store
        self._encoder, self._device, self._note = encoder, device, on_note

    @property
    def name(self) -> str:
        """The name of the rows."""
        return self._store.spec.name

    @property
    def origin(self) -> str:
        """What they are of."""
        return f"the sparse encoder {self._store.name}"

    def has(self, segment: Segment) -> bool:
        """Whether a segment has them."""
        return has_vectors(segment, self._store.spec, segment.doc_count)

    def count(self, segment: Segment) -> int:
        """The documents of a segment, deleted ones too."""
        return segment.doc_count

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        """Stores the weighted terms of the documents of a segment; returns how many documents were encoded.

        :raises ConfigError: the encoder is not there any more, or is another than before.
        :raises MissingExtra: a library is not installed.
        :raises StorageError: the folder cannot be written.
        """
        if self.has(segment):
            on_progress(segment.doc_count)
            return 0
        digests = document_digests(segment)

        def compute(documents: NDArray[np.int64]) -> ComputedRows:
            texts = document_texts(segment, documents, self._store.settings.text)
            return rows_of(self._loaded().encode_documents(texts), self._store)

        return complete_vectors(
            segment, self._store.spec, digests, compute, chunk=CHUNK_DOCUMENTS, on_progress=on_progress
        )

    def finish(self, segments: Sequence[Segment]) -> None:
        """Stores the postings of all segments, and removes what waited for the segments."""
        forget_parts(self._index_path, self._store.spec)
        store_postings(segments, self._store, self._index_path)

    def _loaded(self) -> SparseEncoder:
        if self._encoder is None:
            files = self._store.files(self._index_path)
            self._encoder = load_sparse_encoder(
                files, device=self._device, precision=self._store.precision, on_note=self._note
            )
        return self._encoder


def rows_of(encoded: EncodedTerms, store: SparseStore) -> ComputedRows:
    """Weighted terms as rows: the number of the term in the dictionary of the store, increasing within a document, and
    its weight in steps; terms of less than half a step are left out.

    :raises ConfigError: a weight is too large to be stored.
    """
    steps = np.rint(encoded.weights.astype(np.float64) * STEPS)
    if len(steps) and steps.max() > _MOST_STEPS:
        raise ConfigError(
            f"the model gives a term the weight {steps.max() / STEPS:,.0f}, and the most is {_MOST_STEPS // STEPS}",
            where=store.model, hint="Take a model whose weights are logarithms, such as one with SPLADE's pooling.",
        )
    kept = steps > 0
    owners = np.repeat(np.arange(len(encoded.offsets) - 1), np.diff(encoded.offsets))[kept]
    numbers = store.numbers[encoded.terms[kept]]
    order = np.lexsort((numbers, owners))
    rows = np.stack([numbers[order], steps[kept][order]], axis=1).astype(np.float32)
    return ComputedRows(rows, np.bincount(owners, minlength=len(encoded.offsets) - 1).astype(np.int64))


def remembered_terms(index_path: Path) -> list[DocumentTerms]:
    """What computes weighted terms of documents for an index: one for each sparse encoder that it has."""
    return [DocumentTerms(index_path, store) for store in stores(index_path)]
