"""What searches by the encoders of a recipe: the index with the vectors of its documents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from porism.errors import ConfigError
from porism.files.artifacts import ENCODERS
from porism.recipes.execution import Execution
from porism.recipes.kinds.collection import index_folder, index_path
from porism.recipes.kinds.encoders import ENCODER_KIND
from porism.recipes.kinds.searching import open_any_index, searched_index
from porism.recipes.planning import Input, Planner
from porism.recipes.recipe import Recipe
from porism.retrieve.dense.encoding import encode_index
from porism.retrieve.dense.records import records
from porism.search.searcher import IndexSearcher

_BY_VECTORS = ("dense", "sum")


def planned_encoders(planner: Planner, model: Mapping[str, Any]) -> list[Input]:
    """The stages that train the encoders by which a model, as plain settings, searches."""
    return [ENCODER_KIND.planned(planner, name) for name in _encoders(planner.recipe, model)]


def encoded_index(execution: Execution, model: Mapping[str, Any]) -> IndexSearcher:
    """The collection's index, open until the experiment ends, with the vectors that a model searches by.

    Only documents that have none are encoded.

    :raises ConfigError: an index that is there knows another encoder by the name of one of the recipe.
    :raises KeyboardInterrupt: it was interrupted; the next start goes on where it was.
    """
    names = _encoders(execution.recipe, model)
    if not names:
        return searched_index(execution)

    def opening() -> IndexSearcher:
        for name in names:
            _encode(execution, name)
        return open_any_index(index_path(execution))

    return execution.opened(f"index encoded by {' '.join(names)}", opening)


def _encode(execution: Execution, name: str) -> None:
    index = index_path(execution)
    made = execution.planner.others[ENCODER_KIND.table, name]
    folder = execution.entry("encoder", made.key, made.name).file(name)
    if index_folder(execution.draft) is not None:
        other = [one for one in records(index) if one.name == name and one.model != str(folder.resolve())]
        if other:
            raise ConfigError(
                f"the index has an encoder {name!r} of its own", where=str(ENCODERS.path(index, name)),
                hint="Choose another name in the recipe, or forget it: porism encode --remove.",
            )
    report = encode_index(index, folder, name=name, device=ENCODER_KIND.of(execution.recipe)[name].device)
    if report.interrupted:
        raise KeyboardInterrupt


def _encoders(recipe: Recipe, model: Mapping[str, Any]) -> list[str]:
    """The encoders of a recipe that a model searches by: those that it names, or all where it names none."""
    own = list(ENCODER_KIND.of(recipe))
    if model.get("kind") not in _BY_VECTORS or not own:
        return []
    named = list(_named(model))
    return own if not named or "" in named else [name for name in own if name in named]


def _named(value: Any) -> Iterator[str]:
    """The values of all settings ``encoder`` in plain settings."""
    if isinstance(value, Mapping):
        for key, entry in value.items():
            if key == "encoder" and isinstance(entry, str):
                yield entry
            else:
                yield from _named(entry)
