"""``[language_models.NAME]``: a language model, trained further on the collection."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field, replace
from functools import partial
from typing import Any

from porism.analysis.model_text import FormulaWriting, ModelText
from porism.lab.recipes.cache import Entry
from porism.lab.recipes.checking import Check
from porism.lab.recipes.digests import file_digest
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.collection import planned_index
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.intermediate import IntermediateKind, Making
from porism.lab.recipes.kinds.searching import searched_index
from porism.lab.recipes.kinds.trained_models import (
    LANGUAGE_MODELS,
    TrainingStage,
    about_report,
    base_digest,
    check_base,
    check_model_name,
    opened_base,
    training_requirements,
)
from porism.lab.recipes.loading import Loading, Requirement
from porism.lab.recipes.planning import Planner, Stage
from porism.lab.recipes.recipe import own_settings
from porism.lab.train.language.settings import LanguageTraining
from porism.lab.train.language.training import train_language_model
from porism.lab.train.pairs.exclusion import exclusion
from porism.settings import Settings, read_settings, write_settings


@dataclass(frozen=True, slots=True)
class LanguageTable(Settings):
    """A language model.

    :param model: what training begins with: a folder or an installed package.
    :param formulas: how formulas are written for it.
    :param exclude_topics: files of topics, which are left out with what nearly repeats them.
    :param exclude_ids: files of ids of documents, the same way.
    :param settings: what else the recipe says: settings of the training.
    """

    model: str
    formulas: FormulaWriting = "source"
    exclude_topics: tuple[str, ...] = ()
    exclude_ids: tuple[str, ...] = ()
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)


class TrainLanguageModel(TrainingStage):
    """Trains a language model further."""

    name = "language-model"
    verb = "train language model"

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Trains it.

        :raises KeyboardInterrupt: it was interrupted; the next start goes on at the step where it was.
        :raises ConfigError: model, collection and settings do not fit together.
        """
        started = time.monotonic()
        table: LanguageTable = execution.recipe.tables[LANGUAGE_MODELS][stage.name]
        base = opened_base(execution.draft, table.model)
        folder = execution.cache.unfinished(stage.kind, stage.key)
        documents, text = searched_index(execution).documents, ModelText(formulas=table.formulas)
        topics, ids = (
            [execution.draft.file(name) for name in names] for names in (table.exclude_topics, table.exclude_ids)
        )
        report = train_language_model(
            documents, base, folder / stage.name, read_settings(LanguageTraining, table.settings), text=text,
            exclude=exclusion(topics, ids, documents, text), device=table.device, on_progress=on_count,
        )
        if report.after is None:
            raise KeyboardInterrupt
        about = about_report(report, "documents", "sequences", "tokens", "steps", "first_loss", "last_loss")
        about |= {"before": asdict(report.before), "after": asdict(report.after)}
        return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)


class LanguageModelKind(IntermediateKind[LanguageTable]):
    """Language models. Each is trained: it is a result by itself, and encoders begin with it."""

    table = LANGUAGE_MODELS
    settings = LanguageTable
    rest = "settings"
    is_result = True
    reads_collection = True
    stages = (TrainLanguageModel(),)

    def check(self, check: Check) -> None:
        for name, table in self.of(check.recipe).items():
            if collection_of(check.recipe) is None:
                check.errors.error(
                    "a language model is trained on a collection, and there is none", (self.table, name),
                    "Add [collection].",
                )
            path = (self.table, name)
            check_model_name(check, name, path)
            check.rest(
                table.settings, partial(read_settings, LanguageTraining), path=path,
                own=own_settings(LanguageTable, but="settings"), known=own_settings(LanguageTraining),
            )
            check_base(check, table.model, (*path, "model"))

    def load(self, loading: Loading) -> None:
        for name, table in self.of(loading.recipe).items():
            for key in ("exclude_topics", "exclude_ids"):
                for number, given in enumerate(getattr(table, key)):
                    loading.exists(given, (self.table, name, key, number))

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        return [one for name in self.of(loading.recipe) for one in training_requirements((self.table, name))]

    def making(self, planner: Planner, name: str) -> Making:
        table = self.of(planner.recipe)[name]
        inputs = {"index collection": planned_index(planner).key, "model": base_digest(planner.draft, table.model)}
        inputs |= {file: file_digest(planner.draft.file(file)) for file in (*table.exclude_topics, *table.exclude_ids)}
        return Making(inputs, write_settings(replace(table, settings={})) | write_settings(
            read_settings(LanguageTraining, table.settings)
        ))


LANGUAGE_MODEL_KIND = LanguageModelKind()


def base_input(planner: Planner, named: str) -> dict[str, str]:
    """What a training is made from that begins with a model: the key of a table of language models, or the digest of
    files."""
    if named in LANGUAGE_MODEL_KIND.of(planner.recipe):
        begins = LANGUAGE_MODEL_KIND.planned(planner, named)
        return {begins.name: begins.key}
    return {"model": base_digest(planner.draft, named)}
