"""``[formula_encoders.NAME]``: an encoder of formulas, trained on the formulas of the collection."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from porism.lab.recipes.cache import Entry
from porism.lab.recipes.checking import Check
from porism.lab.recipes.digests import file_digest
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.collection import index_path, planned_index
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.intermediate import IntermediateKind, Making
from porism.lab.recipes.kinds.trained_models import TrainingStage, about_report, check_model_name, training_requirements
from porism.lab.recipes.loading import Loading, Requirement
from porism.lab.recipes.planning import Planner, Stage
from porism.lab.recipes.recipe import own_settings
from porism.lab.train.formulas.settings import FormulaTraining
from porism.lab.train.formulas.training import train_formula_encoder
from porism.settings import Settings, read_settings, write_settings


@dataclass(frozen=True, slots=True)
class FormulaEncoderTable(Settings):
    """An encoder of formulas.

    :param exclude_topics: files of topics whose formulas are not trained on.
    :param settings: what else the recipe says: settings of the training.
    """

    exclude_topics: tuple[str, ...] = ()
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


class TrainFormulaEncoder(TrainingStage):
    """Trains an encoder of formulas."""

    name = "formula-encoder"
    verb = "train encoder of formulas"
    libraries = ("numpy", "torch", "transformers", "accelerate", "safetensors")

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Trains it.

        :raises KeyboardInterrupt: it was interrupted; the next start goes on at the step where it was.
        :raises ConfigError: the collection has too few formulas.
        """
        started = time.monotonic()
        table: FormulaEncoderTable = execution.recipe.tables[FORMULA_ENCODER_KIND.table][stage.name]
        folder = execution.cache.unfinished(stage.kind, stage.key)
        report = train_formula_encoder(
            index_path(execution), folder / stage.name, read_settings(FormulaTraining, table.settings),
            topics=[execution.draft.file(name) for name in table.exclude_topics], jobs=execution.jobs,
            device=table.device, on_progress=on_count,
        )
        if report.interrupted:
            raise KeyboardInterrupt
        about = about_report(report, "formulas", "excluded", "alone", "steps", "first_loss", "last_loss")
        for when, told in (("before", report.before), ("after", report.after)):
            about[when] = told and told._asdict()
        return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)


class FormulaEncoderKind(IntermediateKind[FormulaEncoderTable]):
    """Encoders of formulas. Each is trained: it is a result by itself, and what encodes formulas names it."""

    table = "formula_encoders"
    settings = FormulaEncoderTable
    rest = "settings"
    is_result = True
    reads_collection = True
    stages = (TrainFormulaEncoder(),)

    def check(self, check: Check) -> None:
        for name, table in self.of(check.recipe).items():
            path = (self.table, name)
            if collection_of(check.recipe) is None:
                check.errors.error(
                    "an encoder of formulas is trained on a collection, and there is none", path, "Add [collection]."
                )
            check_model_name(check, name, path)
            check.rest(
                table.settings, partial(read_settings, FormulaTraining), path=path,
                own=own_settings(FormulaEncoderTable, but="settings"), known=own_settings(FormulaTraining),
            )

    def load(self, loading: Loading) -> None:
        for name, table in self.of(loading.recipe).items():
            for number, given in enumerate(table.exclude_topics):
                loading.exists(given, (self.table, name, "exclude_topics", number))

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        return [
            one for name in self.of(loading.recipe)
            for one in training_requirements((self.table, name), "safetensors")
        ]

    def making(self, planner: Planner, name: str) -> Making:
        table = self.of(planner.recipe)[name]
        inputs = {"index collection": planned_index(planner).key}
        inputs |= {file: file_digest(planner.draft.file(file)) for file in table.exclude_topics}
        return Making(inputs, write_settings(replace(table, settings={})) | write_settings(
            read_settings(FormulaTraining, table.settings)
        ))


FORMULA_ENCODER_KIND = FormulaEncoderKind()
