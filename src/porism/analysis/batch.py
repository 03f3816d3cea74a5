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

    ``ids``, ``stored`` (the document as JSON bytes) and ``metadata`` have one entry a document. Rows of a text channel
    are ``document * len(fields) + field``. ``formula_keys`` are the distinct formulas of the batch by normalised form,
    ``formula_sources`` one way each was written, ``formula_trees`` their operator trees as
    :func:`porism.formula.pack_tree` packs them; rows of a formula channel are their positions. An occurrence is a
    formula at a place: ``occurrence_doc`` (int32, non-decreasing), ``occurrence_field`` (uint16),
    ``occurrence_formula`` (int32), ``occurrence_number`` (int32: it is the n-th formula of that field), and the ids
    that the collection gives it, empty where it gives none. ``owners`` is the group of each document in the table of
    sources, -1 for none. ``digests`` are of what each document was made from, its line apart. ``lines`` is where it
    begins in its file, 0 for nowhere. All three are None for documents that came from no source.
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

    def check(self) -> None:
        """Checks that the columns fit together, before they get on disk.

        :raises ValueError: they do not.
        """
        documents, formulas = len(self.ids), len(self.formula_keys)
        sizes = {
            "stored": (len(self.stored), documents), "metadata": (len(self.metadata), documents),
            "formula_sources": (len(self.formula_sources), formulas),
            "formula_trees": (len(self.formula_trees), formulas),
            **{name: (matrix.rows, documents * len(self.fields)) for name, matrix in self.text.items()},
            **{name: (matrix.rows, formulas) for name, matrix in self.formulas.items()},
        }
        for name, column in (("owners", self.owners), ("digests", self.digests), ("lines", self.lines)):
            sizes[name] = documents if column is None else len(column), documents
        occurrences = len(self.occurrence_doc)
        for name in ("occurrence_field", "occurrence_formula", "occurrence_number"):
            sizes[name] = len(getattr(self, name)), occurrences
        for name in ("occurrence_id", "occurrence_visual_id"):
            sizes[name] = len(getattr(self, name)) or occurrences, occurrences
        for name, (length, expected) in sizes.items():
            if length != expected:
                raise ValueError(f"{name} of the batch has {length} entries where {expected} belong")
        bounds = {
            "occurrence_doc": documents, "occurrence_field": len(self.fields), "occurrence_formula": formulas,
            "occurrence_number": 1 << 31,
        }
        for name, bound in bounds.items():
            column = getattr(self, name)
            if occurrences and not 0 <= int(column.min()) <= int(column.max()) < bound:
                numbers = f"{column.min()} to {column.max()}"
                raise ValueError(f"{name} of the batch has {numbers} where 0 to {bound - 1} belong")
        if (self.occurrence_doc[1:] < self.occurrence_doc[:-1]).any():
            raise ValueError("occurrence_doc of the batch decreases")

    @property
    def nbytes(self) -> int:
        """About how many bytes the batch takes in memory."""
        matrices = [*self.text.values(), *self.formulas.values()]
        return (
            sum(map(len, self.stored)) + sum(map(len, self.formula_trees))
            + 200 * len(self.ids) + 150 * len(self.formula_keys) + 100 * len(self.occurrence_doc)
            + sum(m.indptr.nbytes + m.terms.nbytes + m.counts.nbytes + 80 * len(m.vocabulary) for m in matrices)
        )
