"""``[reranker_models.NAME]``: a model that re-ranks, trained on pairs with negatives."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.pairs import PAIR_KIND, training_pairs
from porism.lab.recipes.kinds.trainings import TrainingKind, TrainingStage, training_base
from porism.lab.train.reranker.settings import RerankerTraining
from porism.lab.train.reranker.training import RerankerReport, train_reranker
from porism.settings import Path as SettingPath
from porism.settings import Settings


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
            if name in tables and not tables[name].negatives and not _judged(tables[name].miners):
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


def _judged(miners: Iterable[str]) -> bool:
    """Whether a miner gives negatives of its own: documents that were judged not relevant."""
    return any(written.partition(":")[0].strip() == "judgments" for written in miners)
