"""Models that a recipe names or describes, and those that tuning made, as files for use elsewhere."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

from porism.retrieve import SearchModel
from porism.retrieve.formulas.model import FORMULA_MODELS, FormulaModel
from porism.retrieve.models import SEARCH_MODELS, read_formula_model, read_search_model
from porism.settings import SettingError, nearest

M = TypeVar("M", SearchModel, FormulaModel, SearchModel | FormulaModel)

MODELS_FOLDER = "models"
"""Where models that were tuned lie, in what a tuning leaves in the cache and in the output folder."""


def named_model(
    named: str, settings: Mapping[str, Any], formulas: bool, folder: Path
) -> SearchModel | FormulaModel:
    """A named model, or one from a file, with other settings; of formula search for topics that ask for formulas.

    :param folder: where the paths of files start.
    :raises ConfigError: the named model or file does not exist; a SettingError where a setting does not fit.
    """
    known: Mapping[str, Any] = FORMULA_MODELS if formulas else SEARCH_MODELS
    is_file = named.endswith((".toml", ".json"))
    if not is_file and named not in known:
        raise SettingError(
            f"there is no {'formula ' if formulas else ''}model {named!r}", path=("model",), hint=nearest(named, known)
        )
    where = str(folder / named) if is_file else named
    base: SearchModel | FormulaModel
    model: SearchModel | FormulaModel
    if formulas:
        base = read_formula_model(where)
        model = FormulaModel.from_dict(settings, base)
    else:
        base = read_search_model(where)
        model = SearchModel.from_dict(settings, base)
    # A recipe can add topics that its numbers come from, and cannot take away those of the model it begins with.
    return tuned_further(model, base.tuned_on)


def tuned_further(model: M, topics: tuple[str, ...]) -> M:
    """The model, said to be tuned on these topics too."""
    return replace(model, tuned_on=tuple(dict.fromkeys((*topics, *model.tuned_on))))
