"""Models that a recipe trains and its rerankers use: ``model`` of a reranker is then the name of a table."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path as FilePath
from typing import Any, get_args

from porism.lab.pipeline.rerankers.model_kinds import ModelKind
from porism.lab.pipeline.rerankers.registry import RerankerKind
from porism.lab.recipes.checking import Check
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.collection import index_path
from porism.lab.recipes.kinds.encoders import ENCODER_KIND
from porism.lab.recipes.kinds.intermediate import IntermediateKind
from porism.lab.recipes.kinds.language_models import LANGUAGE_MODEL_KIND
from porism.lab.recipes.kinds.reranker_models import RERANKER_MODEL_KIND
from porism.lab.recipes.planning import Input, Planner
from porism.lab.recipes.recipe import Recipe
from porism.lab.train.reranker.settings import Kind
from porism.settings import Path
from porism.system.files.artifacts import MODELS


def makes(recipe: Recipe, kind: str, model: str) -> IntermediateKind[Any] | None:
    """The kind of table that makes the model of a reranker of a kind; None where the recipe has no such table."""
    if kind in get_args(Kind):
        of: tuple[IntermediateKind[Any], ...] = (RERANKER_MODEL_KIND,)
    else:  # whose vectors are means of the last layer, where the model is a language model
        of = (ENCODER_KIND, LANGUAGE_MODEL_KIND) if kind == "encoder" else ()
    return next((one for one in of if model in one.of(recipe)), None)


def reranker_settings(
    recipe: Recipe, kind: str, method: RerankerKind, model: str, given: Mapping[str, Any], folder: FilePath
) -> dict[str, Any]:
    """All settings of a reranker; the model that a table makes is its name in them.

    :raises ConfigError: there is no such model; a SettingError where a setting does not exist or fit.
    """
    if isinstance(method, ModelKind) and makes(recipe, kind, model) is not None:
        return method.unmade(model, given)
    return method.settings(model, given, folder)


def check_made(check: Check, kind: str, model: str, path: Path) -> None:
    """Whether the model that a table makes is of the kind that a reranker has."""
    table = RERANKER_MODEL_KIND.of(check.recipe).get(model)
    if table is not None and kind in ("retriever", *get_args(Kind)) and table.kind != kind:
        check.errors.error(
            f"the model {model!r} is trained as a {table.kind}, and the reranker is of the kind {kind!r}",
            (*path, "model"), f"Set kind = \"{table.kind}\".",
        )
    encoder = ENCODER_KIND.of(check.recipe).get(model)
    if encoder is not None and kind == "encoder" and encoder.settings.get("kind", "dense") != "dense":
        check.errors.error(
            f"the model {model!r} does not give vectors of texts", (*path, "model"), "Name an encoder of texts."
        )


def planned_model(planner: Planner, kind: str, settings: Mapping[str, Any]) -> tuple[dict[str, Any], list[Input]]:
    """The settings of a reranker, with the key of the stage that makes its model as their digest, and this stage."""
    of = makes(planner.recipe, kind, str(settings.get("model", "")))
    if of is None:
        return dict(settings), []
    made = of.planned(planner, settings["model"])
    return dict(settings) | {"digest": made.key}, [made]


def opened_model(execution: Execution, kind: str, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The settings of a reranker with the folder of its model, which was made before: the copy in the index, if any."""
    name = str(settings.get("model", ""))
    of = makes(execution.recipe, kind, name)
    if of is None:
        return dict(settings)
    made = execution.planner.others[of.table, name]
    inside = index_path(execution) / MODELS.folder / name
    folder = inside if inside.is_dir() else execution.entry(of.stages[0].name, made.key, made.name).file(name)
    return dict(settings) | {"model": str(folder)}
