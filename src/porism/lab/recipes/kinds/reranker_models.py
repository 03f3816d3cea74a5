"""``[reranker_models.NAME]``: a model that re-ranks, trained on pairs with negatives."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.cache import Entry
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.intermediate import IntermediateKind, Making
from porism.lab.recipes.kinds.language_models import base_input
from porism.lab.recipes.kinds.pairs import PAIR_KIND, check_pairs, check_writings, pair_inputs, training_pairs
from porism.lab.recipes.kinds.trained_models import (
    LANGUAGE_MODELS,
    TrainingStage,
    about_report,
    check_base,
    check_model_name,
    training_base,
    training_requirements,
)
from porism.lab.recipes.loading import Loading, Requirement
from porism.lab.recipes.planning import Planner, Stage
from porism.lab.recipes.recipe import own_settings
from porism.lab.train.reranker.settings import RerankerTraining
from porism.lab.train.reranker.training import train_reranker
from porism.settings import Settings, read_settings, write_settings


@dataclass(frozen=True, slots=True)
class RerankerModelTable(Settings):
    """A model that re-ranks.

    :param model: what training begins with: a folder, an installed package, or a table ``[language_models.NAME]``.
    :param pairs: the tables ``[pairs.NAME]`` that it is trained on, which have negatives.
    :param files: files of pairs beside them.
    :param settings: what else the recipe says: settings of the training, ``kind`` among them.
    """

    model: str
    pairs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.pairs and not self.files:
            raise ConfigError(
                "a model that re-ranks needs pairs",
                hint='Add pairs = ["NAME"], and a table [pairs.NAME] with a table negatives.',
            )

    @property
    def kind(self) -> str:
        """The kind of reranker that uses it."""
        return str(self.settings.get("kind", RerankerTraining().kind))


class TrainReranker(TrainingStage):
    """Trains a model that re-ranks."""

    name = "reranker-model"
    verb = "train reranker"

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Trains it.

        :raises KeyboardInterrupt: it was interrupted; the next start goes on at the step where it was.
        :raises ConfigError: pairs, model and settings do not fit together.
        """
        started = time.monotonic()
        table: RerankerModelTable = execution.recipe.tables["reranker_models"][stage.name]
        folder = execution.cache.unfinished(stage.kind, stage.key)
        report = train_reranker(
            training_pairs(execution, table.pairs, table.files), training_base(execution, table.model),
            folder / stage.name, read_settings(RerankerTraining, table.settings), device=table.device,
            on_progress=on_count,
        )
        if report.interrupted:
            raise KeyboardInterrupt
        about = about_report(report, "pairs", "negatives", "steps", "first_loss", "last_loss")
        return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)


class RerankerModelKind(IntermediateKind[RerankerModelTable]):
    """Models that re-rank. Each is trained: it is a result by itself, and rerankers name it."""

    table = "reranker_models"
    settings = RerankerModelTable
    rest = "settings"
    is_result = True
    stages = (TrainReranker(),)

    def check(self, check: Check) -> None:
        for name, table in self.of(check.recipe).items():
            path = (self.table, name)
            check_model_name(check, name, path)
            check.rest(
                table.settings, partial(read_settings, RerankerTraining), path=path,
                own=own_settings(RerankerModelTable, but="settings"), known=own_settings(RerankerTraining),
            )
            check_pairs(check, table.pairs, (*path, "pairs"))
            check_writings(check, table.pairs, (*path, "pairs"))
            tables = PAIR_KIND.of(check.recipe)
            for number, one in enumerate(table.pairs):
                if one in tables and not tables[one].negatives and not _judged(tables[one].miners):
                    check.errors.error(
                        f"the pairs {one!r} have no negatives, which a reranker learns from",
                        (*path, "pairs", number), f"Add [pairs.{one}.negatives].",
                    )
            if table.model not in check.names(LANGUAGE_MODELS):
                check_base(check, table.model, (*path, "model"))

    def load(self, loading: Loading) -> None:
        for name, table in self.of(loading.recipe).items():
            for number, given in enumerate(table.files):
                loading.exists(given, (self.table, name, "files", number))

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        return [one for name in self.of(loading.recipe) for one in training_requirements((self.table, name))]

    def making(self, planner: Planner, name: str) -> Making:
        table = self.of(planner.recipe)[name]
        inputs = pair_inputs(planner, table.pairs, table.files) | base_input(planner, table.model)
        return Making(inputs, write_settings(replace(table, settings={})) | write_settings(
            read_settings(RerankerTraining, table.settings)
        ))


RERANKER_MODEL_KIND = RerankerModelKind()


def _judged(miners: Iterable[str]) -> bool:
    """Whether a miner gives negatives of its own: documents that were judged not relevant."""
    return any(written.partition(":")[0].strip() == "judgments" for written in miners)
