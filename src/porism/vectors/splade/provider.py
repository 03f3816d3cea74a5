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
from porism.index.vectors import ComputedRows
from porism.vectors.encoding import document_texts
from porism.vectors.neural.sparse_encoder import EncodedTerms, SparseEncoder, load_sparse_encoder
from porism.vectors.providers import DocumentProvider
from porism.vectors.splade.channels import store_postings
from porism.vectors.splade.stores import SPARSE_STORES, STEPS, SparseStore

_MOST_STEPS = 65_535


class DocumentTerms(DocumentProvider[SparseStore, SparseEncoder]):
    """Computes the weighted terms of documents."""

    what = "the sparse encoder"
    chunk = 256

    def load(self, device: str, on_note: Callable[[str], None]) -> SparseEncoder:
        """Loads the encoder."""
        files = self._record.files(self._index_path)
        return load_sparse_encoder(files, device=device, precision=self._record.precision, on_note=on_note)

    def compute(self, segment: Segment, documents: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        """The weighted terms of documents."""
        texts = document_texts(segment, documents, self._record.settings.text)
        return rows_of(self.encoder.encode_documents(texts), self._record)

    def finish(self, segments: Sequence[Segment]) -> None:
        """Stores the postings of all segments, and removes what waited for the segments."""
        super().finish(segments)
        store_postings(segments, self._record, self._index_path)


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


def sparse_providers(index_path: Path) -> list[DocumentTerms]:
    """What computes weighted terms of documents for an index: one for each sparse encoder that it has."""
    return [DocumentTerms(index_path, store) for store in SPARSE_STORES.all(index_path)]
