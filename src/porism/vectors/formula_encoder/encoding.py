"""Vectors of the formulas of an index by an encoder that was trained for it."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.documents import clean_text
from porism.errors import ConfigError
from porism.formula import operator_tree, pack_tree, parse, unpack_tree
from porism.formula.tree import OperatorNode
from porism.index import Segment, Snapshot
from porism.index.vectors import VectorSpec
from porism.retrieve.encoding_store import EncodingStore, record_reader, write_record
from porism.settings import Settings
from porism.system.files.artifacts import FORMULA_ENCODERS
from porism.types import Formula
from porism.vectors.encoding import EncodingKind, ModelChoice
from porism.vectors.formula_vectors.nearest_formulas import FormulaVectors
from porism.vectors.neural.encoder_files import model_folder
from porism.vectors.neural.formula_encoder import (
    FormulaEncoder,
    is_formula_encoder,
    load_formula_encoder,
    read_model_file,
)
from porism.vectors.providers import SegmentProvider

FAMILY = "formula-encoder"
"""How the names of the vectors of formulas begin."""


@dataclass(frozen=True, slots=True)
class FormulaEncoderRecord(Settings):
    """An encoder of formulas of an index: how its ``model`` is found (a folder, or the name of one that was trained for
    the index), the ``digest`` of all on which its vectors depend, and their ``dimensions``."""

    name: str
    model: str
    digest: str
    dimensions: int

    @property
    def spec(self) -> VectorSpec:
        """The vectors of formulas."""
        return VectorSpec(f"{FAMILY}-{self.digest}", self.dimensions)

    def folder(self, index_path: str | os.PathLike[str]) -> Path:
        """The folder of the model.

        :raises ConfigError: it is not there, or has another model than the one whose vectors the index has.
        """
        again = f"porism encode DIR --name {self.name} --index {index_path}"
        folder = model_folder(self.model, index_path)
        if folder is None:
            raise ConfigError(
                f"the encoder of formulas {self.model!r} is not there any more", where=str(index_path),
                hint=f"Put its folder back, or encode by another one: {again}",
            )
        about = read_model_file(folder)
        if (about.name, about.network.dimensions) != (self.digest, self.dimensions):
            raise ConfigError(
                f"the model {self.model!r} is another than the one whose vectors the index has "
                f"({about.network.dimensions} dimensions here, {self.dimensions} there)",
                where=str(index_path), hint=f"Encode the formulas again: {again}",
            )
        return folder

    def check(self, index_path: Path) -> object:
        """Checks that the model is there and the same (:meth:`folder`)."""
        return self.folder(index_path)


FORMULA_RECORDS = EncodingStore(
    FORMULA_ENCODERS, FAMILY, record_reader(FormulaEncoderRecord, "an encoder of formulas"),
    none="the index has no encoder of formulas", several="formula-encoder:{name}",
    make="Train one: porism train formula-encoder NAME --index {index}",
)


class EncodedFormulas(FormulaVectors):
    """Computes the vectors of formulas by one encoder; loads it when the first formula is to be encoded.

    A vector depends on the operator tree that the index stores, so formulas with one tree share one vector.
    """

    chunk = 4_096
    record: FormulaEncoderRecord

    def __init__(
        self, index_path: Path, record: FormulaEncoderRecord, encoder: FormulaEncoder | None = None,
        device: str = "auto",
    ) -> None:
        super().__init__(index_path, record, device)
        self._given = encoder

    @cached_property
    def encoder(self) -> FormulaEncoder:
        """The encoder itself.

        :raises ConfigError: it is not there any more, or is another than before.
        :raises MissingExtra: safetensors is not installed.
        """
        return self._given or load_formula_encoder(self.record.folder(self._index_path))

    @property
    def spec(self) -> VectorSpec:
        return self.record.spec

    @property
    def origin(self) -> str:
        return f"the encoder of formulas {self.record.name}"

    def embed(self, formulas: Sequence[Formula]) -> NDArray[np.float32]:
        return self.encoder.encode(list(map(read_tree, formulas)))

    def compute_vectors(self, segment: Segment, formulas: NDArray[np.int64]) -> NDArray[np.float32]:
        return self.encoder.encode([unpack_tree(segment.formula_tree(formula)) for formula in formulas.tolist()])

    def contents(self, segment: Segment) -> Iterable[str | bytes]:
        return (segment.formula_tree(formula) for formula in range(segment.formula_count))


def read_tree(formula: Formula) -> OperatorNode:
    """The operator tree of a formula, as an index stores it."""
    layout = parse(Formula(clean_text(formula.source), formula.notation))
    return unpack_tree(pack_tree(operator_tree(layout)))


class FormulaEncoding(EncodingKind[FormulaEncoderRecord, FormulaEncoder]):
    """Vectors of formulas."""

    name = "formula-encoder"
    records = FORMULA_RECORDS
    noun = "formula"
    search = "--formulas 'x^2+y^2' --model formula-encoder"

    def recognises(self, folder: Path) -> bool:
        return is_formula_encoder(folder)

    def load(self, chosen: ModelChoice) -> FormulaEncoder:
        if chosen.settings or chosen.precision != "auto" or chosen.device != "auto":
            raise ConfigError(
                "an encoder of formulas has no settings of text, precision or device", where=os.fspath(chosen.model),
                hint="Leave --set, --precision and --device out.",
            )
        return load_formula_encoder(_folder(chosen))

    def write(
        self, name: str, chosen: ModelChoice, encoder: FormulaEncoder, options: Any, snapshot: Snapshot
    ) -> SegmentProvider:
        model = replace(chosen, model=_folder(chosen)).persistent_name
        record = FormulaEncoderRecord(name, model, encoder.about.name, encoder.network.dimensions)
        write_record(FORMULA_ENCODERS, chosen.index, name, record)
        return self.provider(chosen.index, record, encoder)

    def provider(
        self, index: Path, record: FormulaEncoderRecord, encoder: FormulaEncoder | None = None, device: str = "auto"
    ) -> SegmentProvider:
        return EncodedFormulas(index, record, encoder, device)

    def is_same(self, record: FormulaEncoderRecord, model: Path, settings: Mapping[str, Any], options: Any) -> bool:
        return record.digest == read_model_file(model).name

    def count(self, snapshot: Snapshot) -> int:
        return sum(segment.formula_count for segment in snapshot.segments)

    def about(self, record: FormulaEncoderRecord) -> dict[str, Any]:
        return {"dimensions": record.dimensions}

    def describe(self, record: FormulaEncoderRecord) -> str:
        return f"{record.dimensions} dimensions"


def _folder(chosen: ModelChoice) -> Path:
    folder = model_folder(os.fspath(chosen.model), chosen.index)
    if folder is None:
        raise ConfigError(
            f"there is no encoder of formulas {os.fspath(chosen.model)!r}", where=str(chosen.index),
            hint=f"Give its folder, or train one: porism train formula-encoder NAME --index {chosen.index}",
        )
    return folder


FORMULA_ENCODING = FormulaEncoding()
