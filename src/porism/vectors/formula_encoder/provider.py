"""Vectors of the formulas of an index by an encoder that it remembers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.analysis.documents import clean_text
from porism.formula import operator_tree, pack_tree, parse, unpack_tree
from porism.formula.tree import OperatorNode
from porism.index import Segment
from porism.index.vectors import VectorSpec
from porism.types import Formula
from porism.vectors.formula_encoder.records import FORMULA_RECORDS, FormulaEncoderRecord
from porism.vectors.formula_vectors.nearest_formulas import FormulaVectors
from porism.vectors.neural.formula_encoder import FormulaEncoder


class EncodedFormulas(FormulaVectors):
    """Computes the vectors of formulas by one encoder; loads it when the first formula is to be encoded.

    A vector depends on the operator tree that the index stores, so formulas with one tree share one vector.
    """

    chunk = 4_096

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
    def spec(self) -> VectorSpec:
        """The vectors as they are stored."""
        return self.record.spec

    @property
    def origin(self) -> str:
        """What the vectors are of."""
        return f"the encoder of formulas {self.record.name}"

    def embed(self, formulas: Sequence[Formula]) -> NDArray[np.float32]:
        """The vectors of formulas (float32, formulas × dimensions), each of length 1, or 0 where no label is known."""
        return self.encoder.encode(list(map(read_tree, formulas)))

    def compute(self, segment: Segment, formulas: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of formulas of a segment."""
        return self.encoder.encode([unpack_tree(segment.formula_tree(formula)) for formula in formulas.tolist()])

    def contents(self, segment: Segment) -> Iterable[str | bytes]:
        """The operator trees."""
        return (segment.formula_tree(formula) for formula in range(segment.formula_count))


def read_tree(formula: Formula) -> OperatorNode:
    """The operator tree of a formula, as an index stores it."""
    layout = parse(Formula(clean_text(formula.source), formula.notation))
    return unpack_tree(pack_tree(operator_tree(layout)))


def remembered(index_path: Path) -> list[EncodedFormulas]:
    """What computes vectors of formulas for an index: one for each encoder that it remembers."""
    return [EncodedFormulas(index_path, record) for record in FORMULA_RECORDS.all(index_path)]
