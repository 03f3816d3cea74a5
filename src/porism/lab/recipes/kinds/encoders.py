"""``[encoders.NAME]``: an encoder of texts, trained on pairs."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from porism.analysis.model_text import FormulaWriting, ModelText
from porism.errors import ConfigError
from porism.lab.recipes.cache import Entry
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.collection import planned_index
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.collections_beside import BesideTable, beside_inputs, load_beside, read_beside
from porism.lab.recipes.kinds.intermediate import IntermediateKind, Making
from porism.lab.recipes.kinds.language_models import base_input
from porism.lab.recipes.kinds.pairs import (
    PAIR_KIND,
    check_pairs,
    check_writings,
    excluded_from,
    pair_inputs,
    training_pairs,
)
from porism.lab.recipes.kinds.searching import searched_index
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
from porism.lab.train.encoder.collection import Asked, collection_texts
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.encoder.training import train_encoder
from porism.lab.train.pairs.exclusion import Exclusion
from porism.settings import Settings, read_settings, write_settings

_KEPT = "questions that keep their vectors"


@dataclass(frozen=True, slots=True)
class EncoderTable(Settings):
    """An encoder.

    :param model: what training begins with: a folder, an installed package, or a table ``[language_models.NAME]``.
    :param pairs: the tables ``[pairs.NAME]`` that it is trained on.
    :param files: files of pairs beside them.
    :param keep: tables ``[pairs.NAME]`` whose anchors shall be read as before, for the loss ``collection``.
    :param keep_files: files of such pairs.
    :param beside: other collections whose questions are learnt at the same time, for the loss ``collection``.
    :param formulas: how formulas are written in these files; that of the tables counts otherwise.
    :param settings: what else the recipe says: settings of the training.
    """

    model: str
    pairs: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    keep_files: tuple[str, ...] = ()
    beside: tuple[BesideTable, ...] = ()
    formulas: FormulaWriting = "source"
    device: str = "auto"
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.pairs and not self.files:
            raise ConfigError("an encoder needs pairs", hint='Add pairs = ["NAME"] and a table [pairs.NAME].')


class TrainEncoder(TrainingStage):
    """Trains an encoder."""

    name = "encoder"
    verb = "train encoder"

    def make(self, stage: Stage, execution: Execution, on_count: OnCount) -> Entry:
        """Trains it.

        :raises KeyboardInterrupt: it was interrupted; the next start goes on at the step where it was.
        :raises ConfigError: pairs, model and settings do not fit together.
        """
        started = time.monotonic()
        table: EncoderTable = execution.recipe.tables["encoders"][stage.name]
        pairs = training_pairs(execution, table.pairs, table.files)
        kept = [pair.anchor for pair in training_pairs(execution, table.keep, table.keep_files)]
        formulas = [execution.recipe.tables["pairs"][name].formulas for name in table.pairs]
        text = ModelText(formulas=formulas[0] if formulas else table.formulas)
        settings = read_settings(EncoderTraining, table.settings)
        collection: dict[str, str] = {}
        beside: list[Asked] = []
        if settings.loss == "collection":
            collection = _collection(execution, table, text)
            tables = PAIR_KIND.of(execution.recipe)
            overlap = min((tables[name].overlap for name in table.pairs), default=0.6)
            beside = read_beside(execution.draft, table.beside, text, overlap, settings)
        folder = execution.cache.unfinished(stage.kind, stage.key)
        report = train_encoder(
            pairs, training_base(execution, table.model), folder / stage.name, settings, collection=collection,
            beside=beside, kept=kept, text=text, device=table.device, on_progress=on_count,
        )
        if report.interrupted:
            raise KeyboardInterrupt
        about = about_report(report, "pairs", "steps", "first_loss", "last_loss")
        return execution.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)


class EncoderKind(IntermediateKind[EncoderTable]):
    """Encoders. Each is trained: it is a result by itself, and what searches with it names it."""

    table = "encoders"
    settings = EncoderTable
    rest = "settings"
    is_result = True
    stages = (TrainEncoder(),)

    def check(self, check: Check) -> None:
        for name, table in self.of(check.recipe).items():
            path = (self.table, name)
            check_model_name(check, name, path)
            check.rest(
                table.settings, partial(read_settings, EncoderTraining), own=own_settings(EncoderTable, but="settings"),
                known=own_settings(EncoderTraining), path=path,
            )
            check_pairs(check, table.pairs, (*path, "pairs"))
            check_pairs(check, table.keep, (*path, "keep"))
            for key, what in (("keep", _KEPT), ("keep_files", _KEPT), ("beside", "collections beside its own")):
                if getattr(table, key) and table.settings.get("loss") != "collection":
                    check.errors.error(
                        f"only the loss collection has {what}", (*path, key), 'Add loss = "collection".'
                    )
            check_writings(check, (*table.pairs, *table.keep), (*path, "pairs"))
            if table.settings.get("loss") == "collection" and collection_of(check.recipe) is None:
                check.errors.error(
                    "the loss collection needs one, and there is none", (*path, "loss"), "Add [collection]."
                )
            if table.model not in check.names(LANGUAGE_MODELS):
                check_base(check, table.model, (*path, "model"))

    def load(self, loading: Loading) -> None:
        for name, table in self.of(loading.recipe).items():
            for key in ("files", "keep_files"):
                for number, given in enumerate(getattr(table, key)):
                    loading.exists(given, (self.table, name, key, number))
            load_beside(loading, table.beside, (self.table, name, "beside"))

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        return [
            one for name in self.of(loading.recipe)
            for one in training_requirements((self.table, name), "sentence_transformers", "datasets")
        ]

    def making(self, planner: Planner, name: str) -> Making:
        table = self.of(planner.recipe)[name]
        inputs = pair_inputs(planner, (*table.pairs, *table.keep), (*table.files, *table.keep_files))
        inputs |= dict(beside_inputs(planner.draft, table.beside))
        if table.settings.get("loss") == "collection":
            inputs["index collection"] = planned_index(planner).key
        inputs |= base_input(planner, table.model)
        return Making(inputs, write_settings(replace(table, settings={})) | write_settings(
            read_settings(EncoderTraining, table.settings)
        ))


ENCODER_KIND = EncoderKind()


def _collection(execution: Execution, table: EncoderTable, text: ModelText) -> dict[str, str]:
    """The documents of the collection but those that its tables of pairs leave out."""
    documents = searched_index(execution).documents
    tables = PAIR_KIND.of(execution.recipe)
    found = [excluded_from(tables[name], execution.draft, documents) for name in table.pairs]
    together = Exclusion(
        tuple(dict.fromkeys(one for each in found for one in each.texts)),
        frozenset().union(*(each.ids for each in found)), min((each.overlap for each in found), default=0.6),
    )
    return collection_texts(documents, text, together)
