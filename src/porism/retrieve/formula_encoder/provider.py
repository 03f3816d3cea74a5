"""Vectors of the formulas of an index by an encoder that it remembers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.analysis.documents import clean_text
from porism.formula import operator_tree, pack_tree, parse, unpack_tree
from porism.formula.tree import OperatorNode
from porism.index import Segment
from porism.index.vectors import (
    ComputedRows,
    complete_vectors,
    content_digests,
    forget_parts,
    has_vectors,
    one_each,
    open_vectors,
)
from porism.neural.formula_encoder import FormulaEncoder
from porism.retrieve.formula_encoder.records import FORMULA_RECORDS, FormulaEncoderRecord
from porism.types import Formula

_CHUNK = 4_096


class EncodedFormulas:
    """Computes the vectors of formulas by one encoder; loads it when the first formula is to be encoded.

    A vector depends on the operator tree that the index stores, so formulas with one tree share one vector.
    """

    def __init__(self, index_path: Path, record: FormulaEncoderRecord, encoder: FormulaEncoder | None = None) -> None:
        self._index_path, self.record, self._given = index_path, record, encoder

    @cached_property
    def encoder(self) -> FormulaEncoder:
        """The encoder itself.

        :raises ConfigError: it is not there any more, or is another than before.
        :raises MissingExtra: safetensors is not installed.
        """
        return self._given or self.record.load(self._index_path)

    @property
    def name(self) -> str:
        """The name of the vectors."""
        return self.record.spec.name

    @property
    def origin(self) -> str:
        """What the vectors are of."""
        return f"the encoder of formulas {self.record.name}"

    def embed(self, formulas: Sequence[Formula]) -> NDArray[np.float32]:
        """The vectors of formulas (float32, formulas × dimensions), each of length 1, or 0 where no label is known."""
        return self.encoder.encode(list(map(read_tree, formulas)))

    def segment_vectors(self, segment: Segment) -> NDArray[np.float32]:
        """The vectors of all formulas of a segment by ordinal, as they are stored.

        :raises ConfigError: some were not computed yet.
        """
        rows = open_vectors(segment, self.record.spec, segment.formula_count)
        return rows.decode(0, segment.formula_count)

    def has(self, segment: Segment) -> bool:
        """Whether the vectors of the formulas of a segment are stored."""
        return has_vectors(segment, self.record.spec, segment.formula_count)

    def count(self, segment: Segment) -> int:
        """The formulas of a segment."""
        return segment.formula_count

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        """Stores the vectors of all formulas of a segment; returns how many were computed.

        :raises ConfigError: the encoder is not there any more, or is another than before.
        :raises MissingExtra: safetensors is not installed.
        :raises StorageError: the folder cannot be written.
        """
        if self.has(segment):
            on_progress(segment.formula_count)
            return 0

        def compute(formulas: NDArray[np.int64]) -> ComputedRows:
            trees = [unpack_tree(segment.formula_tree(formula)) for formula in formulas.tolist()]
            return one_each(self.encoder.encode(trees))

        digests = content_digests(segment.formula_tree(formula) for formula in range(segment.formula_count))
        return complete_vectors(segment, self.record.spec, digests, compute, chunk=_CHUNK, on_progress=on_progress)

    def finish(self, segments: Sequence[Segment]) -> None:
        """Removes what was needed until all segments had their vectors."""
        forget_parts(self._index_path, self.record.spec)


def read_tree(formula: Formula) -> OperatorNode:
    """The operator tree of a formula, as an index stores it."""
    layout = parse(Formula(clean_text(formula.source), formula.notation))
    return unpack_tree(pack_tree(operator_tree(layout)))


def remembered(index_path: Path) -> list[EncodedFormulas]:
    """What computes vectors of formulas for an index: one for each encoder that it remembers."""
    return [EncodedFormulas(index_path, record) for record in FORMULA_RECORDS.all(index_path)]
