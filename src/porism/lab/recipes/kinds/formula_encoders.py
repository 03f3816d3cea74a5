"""``[formula_encoders.NAME]``: an encoder of formulas, trained on the formulas of the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.collection import index_path
from porism.lab.recipes.kinds.trainings import TrainingKind, TrainingStage
from porism.lab.train.formulas.settings import FormulaTraining
from porism.lab.train.formulas.training import FormulaReport, train_formula_encoder
from porism.settings import Settings


@dataclass(frozen=True, slots=True)
class FormulaEncoderTable(Settings):
    """An encoder of formulas.

    :param exclude_topics: files of topics whose formulas are not trained on.
    :param settings: what else the recipe says: settings of the training.
    """

    exclude_topics: tuple[str, ...] = ()
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


class FormulaEncoderKind(TrainingKind[FormulaEncoderTable]):
    """Encoders of formulas; what encodes formulas names them."""

    table = "formula_encoders"
    settings = FormulaEncoderTable
    training = FormulaTraining
    what = "an encoder of formulas"
    modules = ("safetensors",)
    files = ("exclude_topics",)
    begins = False
    reads_collection = True
    stages = (TrainingStage(
        "formula-encoder", "train encoder of formulas", "formula_encoders",
        ("numpy", "torch", "transformers", "accelerate", "safetensors"),
    ),)

    def train(self, execution: Execution, table: FormulaEncoderTable, folder: Path, on_count: OnCount) -> FormulaReport:
        return train_formula_encoder(
            index_path(execution), folder, self.training_settings(table),
            topics=[execution.draft.file(name) for name in table.exclude_topics], jobs=execution.jobs,
            device=table.device, on_progress=on_count,
        )


FORMULA_ENCODER_KIND = FormulaEncoderKind()
