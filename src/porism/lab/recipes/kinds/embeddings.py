"""``[embeddings.NAME]``: vectors of the terms of a channel, trained on the collection."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.checking import Check, Requirement
from porism.lab.recipes.digests import files_digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.collection import planned_index
from porism.lab.recipes.kinds.collection_settings import check_learned_channel
from porism.lab.recipes.kinds.intermediate import IndexFileStage, StageInputs, TermKind, known_info
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import Recipe, own_settings
from porism.settings import SettingError, Settings, nearest, read_settings, write_settings
from porism.system.files.artifacts import EMBEDDINGS
from porism.vectors.embeddings import TokenVectors
from porism.vectors.embeddings.methods import METHODS, TrainingOptions, preset_settings


@dataclass(frozen=True, slots=True)
class EmbeddingSettings(Settings):
    """Vectors of the terms of a channel.

    :param method: how, by a name of :data:`porism.vectors.embeddings.methods.METHODS`.
    :param preset: settings that a published system was trained with
        (:data:`porism.vectors.embeddings.methods.PRESETS`); others that are given replace them.
    :param model: the name or folder of a transformer, for a method that reads with one.
    :param device: where that runs.
    :param batch: how many tokens it reads at once.
    :param settings: what else the recipe says: settings of the method.
    """

    channel: str
    method: str = "word2vec"
    preset: str | None = None
    model: str | None = None
    device: str = "auto"
    batch: int = 8_192
    settings: Mapping[str, Any] = field(default_factory=dict)


class TrainEmbeddings(IndexFileStage):
    """Trains vectors; a start after an interruption goes on after the last whole epoch."""

    name = "embeddings"
    verb = "train embeddings"
    artifact = EMBEDDINGS
    libraries = ("numpy", "numba", "PyStemmer", "gensim", "tokenizers", "torch", "transformers")

    def about(self, path: Path) -> dict[str, Any]:
        return known_info(TokenVectors(path).info, "terms", "dimensions", "texts", "tokens", "loss")

    def make_file(self, stage: RecipeStage, execution: Execution, index: Path, name: str, on_count: OnCount) -> None:
        table: EmbeddingSettings = execution.recipe.tables["embeddings"][stage.name]
        options = TrainingOptions(
            model=None if table.model is None else _model_there(execution.draft, table.model) or table.model,
            device=table.device, batch=table.batch, jobs=execution.jobs, restart=execution.cache.fresh,
        )
        METHODS[table.method].train(index, name, table.channel, embedding_settings(table), options, on_count)


class EmbeddingKind(TermKind[EmbeddingSettings]):
    """Embeddings. They are trained where a similarity matrix that something searches with is made of them."""

    table = "embeddings"
    settings = EmbeddingSettings
    rest = "settings"
    artifact = EMBEDDINGS
    stages = (TrainEmbeddings(),)

    def check(self, check: Check) -> None:
        for name, table, path in self.each(check.recipe):
            check.artifact_name(EMBEDDINGS, name, path)
            check_learned_channel(check, table.channel, (*path, "channel"))
            if check.known(table.method, METHODS, "method of training embeddings", (*path, "method")):
                self.check_rest(check, table, path, embedding_settings, own_settings(METHODS[table.method].settings))

    def requirements_of(self, recipe: Recipe, name: str) -> Iterable[Requirement]:
        """The libraries that training one needs."""
        table, path = self.of(recipe)[name], (self.table, name)
        needs = METHODS[table.method].needs(embedding_settings(table))
        return [Requirement(need.module, path, need.purpose, need.extra) for need in needs]

    def making(self, planner: Planner, name: str) -> StageInputs | None:
        table = self.of(planner.recipe).get(name)
        if table is None:
            return None
        inputs = {"index collection": planned_index(planner).key}
        parameters: dict[str, Any] = {"channel": table.channel, "method": table.method}
        if table.model is not None:
            parameters |= {"model": table.model, "device": table.device, "batch": table.batch}
            place = _model_there(planner.draft, table.model)
            if place is not None:
                inputs["model"] = files_digest(place)
        return StageInputs(inputs, parameters | write_settings(embedding_settings(table)))


EMBEDDING_KIND = EmbeddingKind()


def embedding_settings(table: EmbeddingSettings) -> Any:
    """How embeddings are trained.

    :raises SettingError: the method or a setting does not exist, or a value does not fit.
    """
    if table.method not in METHODS:
        raise SettingError(
            f"there is no method of training embeddings {table.method!r}", path=("method",),
            hint=nearest(table.method, METHODS),
        )
    method = METHODS[table.method]
    if method.needs_model is (table.model is None):
        raise SettingError(
            f"{table.method} needs a model" if table.model is None else f"{table.method} has no model",
            path=("method",) if table.model is None else ("model",),
            hint='Write model = "NAME or FOLDER".' if table.model is None else "Leave it out.",
        )
    preset: dict[str, Any] = {}
    if table.preset is not None:
        try:
            preset = preset_settings(table.preset, table.method)
        except ConfigError as error:
            raise SettingError(error.what, path=("preset",), hint=error.hint) from error
    return read_settings(method.settings, {**preset, **table.settings})


def _model_there(draft: Draft, model: str) -> Path | None:
    """The folder or file of a model, if it is one beside the recipe; None for a name on the hub."""
    with suppress(OSError, ValueError):
        path = draft.folder / model
        return path if path.exists() else None
    return None
