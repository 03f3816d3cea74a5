"""What analysis hands to the index: documents of one batch as columns of terms, formulas and occurrences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from porism.types import Metadata


@dataclass(frozen=True, slots=True)
class TermMatrix:
    """Term counts of rows in compressed sparse row form, with a vocabulary of its own.

    ``indptr`` is int64 of length rows + 1; ``terms`` int32 positions in ``vocabulary``, strictly increasing within a
    row; ``counts`` uint16, at least 1 (65,535 stands for that many or more).
    """

    vocabulary: list[str]
    indptr: NDArray[np.int64]
    terms: NDArray[np.int32]
    counts: NDArray[np.uint16]

    @property
    def rows(self) -> int:
        """The number of rows."""
        return len(self.indptr) - 1


@dataclass(frozen=True, slots=True)
class AnalyzedBatch:
    """The documents of one batch, analysed.

    ``ids``, ``stored`` (the document as JSON bytes) and ``metadata`` have one entry a document. Rows of a text
    channel are ``document * len(fields) + field``. ``formula_keys`` are the distinct formulas of the batch by
    normalised form, ``formula_sources`` one way each was written, ``formula_trees`` their operator trees as
    :func:`porism.formula.pack_tree` packs them; rows of a formula channel are their positions. An
    occurrence is a formula at a place: ``occurrence_doc`` (int32, non-decreasing), ``occurrence_field`` (uint16),
    ``occurrence_formula`` (int32), ``occurrence_number`` (int32: it is the n-th formula of that field), and the ids
    that the collection gives it, empty where it gives none. ``owners`` (the group of each document in the table of
    sources, -1 for none), ``digests`` (of what each was made from, its line apart) and ``lines`` (where it begins in
    its file, 0 for nowhere) are None for documents that came from no source.
    """

    ids: list[str]
    stored: list[bytes]
    metadata: list[Metadata]
    fields: tuple[str, ...]
    text: Mapping[str, TermMatrix]
    formula_keys: list[str]
    formula_sources: list[str]
    formula_trees: list[bytes]
    formulas: Mapping[str, TermMatrix]
    occurrence_doc: NDArray[np.int32]
    occurrence_field: NDArray[np.uint16]
    occurrence_formula: NDArray[np.int32]
    occurrence_number: NDArray[np.int32]
    occurrence_id: list[str] = field(default_factory=list)
    occurrence_visual_id: list[str] = field(default_factory=list)
    owners: NDArray[np.int32] | None = None
    digests: NDArray[np.uint64] | None = None
    lines: NDArray[np.int32] | None = None
