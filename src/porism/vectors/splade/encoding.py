"""Weighted terms of documents for a sparse encoder that an index has.

They are kept as vectors are (:mod:`porism.index.vectors`): one row for each term of a document, with its number and its
weight in steps. So new documents alone are encoded, before searches see a commit; deletes and merges keep what is
there; and an interruption loses nothing. Postings are made of them as of the terms of any channel.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, pluralise
from porism.index import Segment, Snapshot
from porism.index.vectors import ComputedRows
from porism.system.files.artifacts import SPARSE
from porism.vectors.encoding import ModelChoice, TextEncodingKind
from porism.vectors.neural.sparse_encoder import EncodedTerms, SparseEncoder, is_masked_model, is_sparse_model
from porism.vectors.providers import DocumentProvider, SegmentProvider
from porism.vectors.records import container_info
from porism.vectors.splade.channels import remove_postings, store_postings
from porism.vectors.splade.records import SPARSE_RECORDS, STEPS, SparseRecord, write_sparse_record

_MAX_STEPS = 65_535


class SparseTerms(DocumentProvider[SparseRecord, SparseEncoder]):
    """Computes the weighted terms of documents."""

    noun = "the sparse encoder"
    chunk = 256
    encoder_class = SparseEncoder

    def compute(self, segment: Segment, numbers: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        return rows_of(self.encoder.encode_documents(self.texts(segment, numbers)), self.record)

    def finish(self, segments: Sequence[Segment]) -> None:
        super().finish(segments)
        store_postings(segments, self.record, self._index_path)


def rows_of(encoded: EncodedTerms, record: SparseRecord) -> ComputedRows:
    """Weighted terms as rows: the number of the term in the dictionary of the record, increasing within a document, and
    its weight in steps; terms of less than half a step are left out.

    :raises ConfigError: a weight is too large to be stored.
    """
    steps = np.rint(encoded.weights.astype(np.float64) * STEPS)
    if len(steps) and steps.max() > _MAX_STEPS:
        raise ConfigError(
            f"the model gives a term the weight {steps.max() / STEPS:,.0f}, and the most is {_MAX_STEPS // STEPS}",
            where=record.model, hint="Take a model whose weights are logarithms, such as one with SPLADE's pooling.",
        )
    kept = steps > 0
    owners = np.repeat(np.arange(len(encoded.offsets) - 1), np.diff(encoded.offsets))[kept]
    numbers = record.numbers[encoded.terms[kept]]
    order = np.lexsort((numbers, owners))
    rows = np.stack([numbers[order], steps[kept][order]], axis=1).astype(np.float32)
    return ComputedRows(rows, np.bincount(owners, minlength=len(encoded.offsets) - 1).astype(np.int64))


class SparseEncoding(TextEncodingKind[SparseRecord, SparseEncoder]):
    """Weighted terms of documents, as one more channel."""

    name = "splade"
    records = SPARSE_RECORDS
    row_noun = "term"
    search = "'words and $formula$' --model splade"
    provider_class = SparseTerms

    def recognises(self, folder: Path) -> bool:
        return is_sparse_model(folder)

    def fits(self, folder: Path) -> bool:
        return is_sparse_model(folder) or is_masked_model(folder)

    def write(
        self, name: str, chosen: ModelChoice, encoder: SparseEncoder, options: Any, snapshot: Snapshot
    ) -> SegmentProvider:
        info = container_info(chosen.persistent_name, encoder.files.digest, encoder.settings, chosen.precision)
        record = write_sparse_record(SPARSE.prepare(chosen.index, name), info, encoder.terms, encoder.table)
        return self.provider(chosen.index, record, encoder, chosen.device)

    def forget(self, index_path: str | os.PathLike[str], name: str) -> None:
        index = Path(index_path)
        self.records.forget(index, name, lambda segments, record: self.remove_stored(index, segments, record))

    def remove_stored(self, index: Path, segments: Sequence[Segment], record: SparseRecord | None) -> None:
        if record is not None:
            remove_postings(segments, record, index)
        super().remove_stored(index, segments, record)

    def about(self, record: SparseRecord) -> dict[str, Any]:
        return {"vocabulary": len(record.dictionary), "inference_free": record.table is not None}

    def describe(self, record: SparseRecord) -> str:
        return f"{pluralise(len(record.dictionary), 'term')} in its vocabulary"


SPARSE_ENCODING = SparseEncoding()
