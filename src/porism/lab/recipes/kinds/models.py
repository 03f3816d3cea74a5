"""``[language_models.NAME]``, ``[reranker_models.NAME]`` and ``[formula_encoders.NAME]``: models that are trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.analysis.model_text import FormulaWriting, ModelText
from porism.errors import ConfigError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.collection import index_path
from porism.lab.recipes.kinds.pairs import PAIR_KIND, excluded, training_pairs
from porism.lab.recipes.kinds.searching import searched_index
from porism.lab.recipes.kinds.trainings import (
    LANGUAGE_MODELS,
    TrainingKind,
    TrainingStage,
    base_digest,
    check_base,
    opened_base,
    training_base,
)
from porism.lab.recipes.planning import Planner
from porism.lab.train.formulas.settings import FormulaTraining
from porism.lab.train.formulas.training import FormulaReport, train_formula_encoder
from porism.lab.train.language.settings import LanguageTraining
from porism.lab.train.language.training import LanguageReport, train_language_model
from porism.lab.train.reranker.settings import RerankerTraining
from porism.lab.train.reranker.training import RerankerReport, train_reranker
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


class RerankerModelKind(TrainingKind[RerankerModelTable]):
    """Models that re-rank; rerankers name them."""

    table = "reranker_models"
    settings = RerankerModelTable
    training = RerankerTraining
    what = "a model that re-ranks"
    files = ("files",)
    pairs = ("pairs",)
    stages = (TrainingStage("reranker-model", "train reranker", "reranker_models"),)

    def check_table(self, check: Check, table: RerankerModelTable, path: SettingPath) -> None:
        tables = PAIR_KIND.of(check.recipe)
        for number, name in enumerate(table.pairs):
            miners = {written.partition(":")[0].strip() for written in tables[name].miners} if name in tables else set()
            if miners and not tables[name].negatives and "judgments" not in miners:  # which gives negatives of its own
                check.errors.error(
                    f"the pairs {name!r} have no negatives, which a reranker learns from",
                    (*path, "pairs", number), f"Add [pairs.{name}.negatives].",
                )

    def train(self, execution: Execution, table: RerankerModelTable, folder: Path, on_count: OnCount) -> RerankerReport:
        return train_reranker(
            training_pairs(execution, table.pairs, table.files), training_base(execution, table.model), folder,
            self.training_settings(table), device=table.device, on_progress=on_count,
        )


RERANKER_MODEL_KIND = RerankerModelKind()


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
