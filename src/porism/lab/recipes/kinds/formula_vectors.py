"""``[formula_vectors.NAME]``: vectors of the collection's formulas by an encoder of formulas."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.encodings import EncodingKind, EncodingStage, EncodingTable
from porism.lab.recipes.kinds.formula_encoders import FORMULA_ENCODER_KIND
from porism.lab.recipes.kinds.vector_needs import FORMULA_VECTORS
from porism.lab.recipes.loading import Loading, Requirement
from porism.lab.recipes.planning import Stage
from porism.system.files.artifacts import FORMULA_ENCODERS
from porism.vectors.formula_encoder.encoding import encode_formulas
from porism.vectors.formula_encoder.provider import EncodedFormulas
from porism.vectors.formula_encoder.records import FORMULA_RECORDS
from porism.vectors.neural.formula_encoder import PURPOSE, is_formula_encoder, read_model_file
from porism.vectors.neural.loading import EXTRA


@dataclass(frozen=True, slots=True)
class FormulaVectorTable(EncodingTable):
    """Vectors of formulas."""


class EncodeFormulas(EncodingStage):
    """Computes the vectors."""

    name = "formula-vectors"
    verb = "encode formulas"
    libraries = ("numpy",)
    artifacts = FORMULA_ENCODERS
    trained = FORMULA_ENCODER_KIND

    def encode_index(self, index: Path, model: Path, stage: Stage, execution: Execution, on_count: OnCount) -> bool:
        """Encodes the formulas of the index."""
        if self.is_there(stage, execution):
            there = FORMULA_RECORDS.find(index, stage.name)
            if there.digest != read_model_file(model).name:
                raise self.taken(stage, execution)
        return encode_formulas(index, model, name=stage.name, on_progress=on_count).interrupted

    def provider(self, index: Path, name: str) -> EncodedFormulas:
        """What computes vectors of new formulas."""
        return EncodedFormulas(index, FORMULA_RECORDS.find(index, name))

    def about(self, index: Path, name: str) -> dict[str, Any]:
        """Their dimensions."""
        return {"dimensions": FORMULA_RECORDS.find(index, name).dimensions}


class FormulaVectorKind(EncodingKind[FormulaVectorTable]):
    """Vectors of formulas."""

    table = FORMULA_VECTORS
    settings = FormulaVectorTable
    stage = EncodeFormulas()
    stages = (stage,)
    artifact = stage.artifacts

    def check(self, check: Check) -> None:
        """Names and encoders."""
        for name, table in self.of(check.recipe).items():
            path = (self.table, name)
            try:
                self.stage.artifacts.check_name(name)
            except ConfigError as error:
                check.errors.take(error, path)
            folder = self.check_model(check, table, path)
            if folder is not None and not is_formula_encoder(folder):
                check.errors.error(
                    f"the model {table.model!r} is no encoder of formulas", (*path, "model"),
                    f"Train one: [{FORMULA_ENCODER_KIND.table}.NAME].",
                )

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        """What reads the weights of an encoder."""
        return [Requirement("safetensors", (self.table, name), PURPOSE, EXTRA) for name in self.of(loading.recipe)]


FORMULA_VECTOR_KIND = FormulaVectorKind()
