"""``[language_models.NAME]``: a language model, trained further on the collection."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.analysis.model_text import FormulaWriting, ModelText
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.pairs import excluded
from porism.lab.recipes.kinds.searching import searched_index
from porism.lab.recipes.kinds.trainings import (
    LANGUAGE_MODELS,
    TrainingKind,
    TrainingStage,
    base_digest,
    check_base,
    opened_base,
)
from porism.lab.recipes.planning import Planner
from porism.lab.train.language.settings import LanguageTraining
from porism.lab.train.language.training import LanguageReport, train_language_model
from porism.settings import Path as SettingPath
from porism.settings import Settings


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


class LanguageModelKind(TrainingKind[LanguageTable]):
    """Language models; encoders and rerankers begin with them."""

    table = LANGUAGE_MODELS
    settings = LanguageTable
    training = LanguageTraining
    what = "a language model"
    files = ("exclude_topics", "exclude_ids")
    reads_collection = True
    stages = (TrainingStage("language-model", "train language model", LANGUAGE_MODELS),)

    def check_model(self, check: Check, table: LanguageTable, path: SettingPath) -> None:
        check_base(check, table.model, path)

    def base_input(self, planner: Planner, named: str) -> dict[str, str]:
        return {"model": base_digest(planner.draft, named)}

    def train(self, execution: Execution, table: LanguageTable, folder: Path, on_count: OnCount) -> LanguageReport:
        documents, text = searched_index(execution).documents, ModelText(formulas=table.formulas)
        return train_language_model(
            documents, opened_base(execution.draft, table.model), folder, self.training_settings(table), text=text,
            exclude=excluded(table, execution.draft, documents, text), device=table.device, on_progress=on_count,
        )


LANGUAGE_MODEL_KIND = LanguageModelKind()
