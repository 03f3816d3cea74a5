"""Models by name, and from files: what ``--model`` and recipes can ask for."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeVar

import orjson

from porism.errors import ConfigError
from porism.retrieve.formula_model import FORMULA_MODELS, FormulaModel
from porism.retrieve.model import DEFAULT_MODEL, ChannelSettings, Coverage, Feedback, Kinds, Links, Matches, SearchModel
from porism.retrieve.systems import SYSTEMS_2021, SYSTEMS_2022
from porism.retrieve.tangent_l import tangent_l_model
from porism.settings import SettingError, nearest

M = TypeVar("M")

_DEEPEST = 50
"""Tables in tables beyond which a file of settings is refused; models nest them thrice."""


def channel_model(*channels: str) -> SearchModel:
    """A model of some channels, all of the same weight, and of nothing else."""
    return SearchModel({name: ChannelSettings(1.0, 1.5, 0.75) for name in channels})


SEARCH_MODELS: Mapping[str, SearchModel] = MappingProxyType({
    "default": DEFAULT_MODEL,
    "plain": replace(
        DEFAULT_MODEL, views={}, feedback=Feedback(weight=0.0), matches=Matches(weight=0.0), kinds=Kinds(weight=0.0),
        links=Links(weight=0.0), coverage=Coverage(weight=0.0),
    ),
    "words": channel_model("words"),
    "tokens": channel_model("tokens", "tokens-2", "tokens-3"),
    "paths": channel_model("approach0"),
    "subtrees": channel_model("subtrees"),
    "tangent-l": tangent_l_model(),
    **SYSTEMS_2021,
    **SYSTEMS_2022,
})
"""Models by name: the default, the default as a plain sum of channels, parts and other lines of work alone, and
published systems (:mod:`porism.retrieve.systems`)."""


def read_search_model(named: str) -> SearchModel:
    """A model by its name, or from a file of settings (``FILE.toml`` or ``FILE.json``, :func:`search_model_from`).

    :raises ConfigError: there is no such model or file, the file is broken, or a setting does not exist or fit.
    """
    return _read(named, SEARCH_MODELS, "model", search_model_from)


def read_formula_model(named: str) -> FormulaModel:
    """As :func:`read_search_model`, for formula search.

    :raises ConfigError: there is no such model or file, the file is broken, or a setting does not exist or fit.
    """
    return _read(named, FORMULA_MODELS, "formula model", formula_model_from)


def _read(named: str, models: Mapping[str, M], kind: str, made: Callable[[Mapping[str, Any]], M]) -> M:
    if not named.endswith((".toml", ".json")):
        if named not in models:
            known = nearest(named, models)
            raise ConfigError(f"there is no {kind} {named!r}", hint=f"{known.rstrip('.')}, or FILE.toml."
                              if known.startswith("Choose") else known)
        return models[named]
    settings = _file_settings(named)
    try:
        return made(settings)
    except ConfigError as error:
        raise ConfigError(error.what, where=named, hint=error.hint) from None


def search_model_from(settings: Mapping[str, Any]) -> SearchModel:
    """A model from settings that may say which named model they change: ``model = "plain"``.

    :raises ConfigError: the named model or a setting does not exist, or a value does not fit.
    """
    base, rest = _split(settings, SEARCH_MODELS, "model")
    return SearchModel.from_dict(rest, base)


def formula_model_from(settings: Mapping[str, Any]) -> FormulaModel:
    """As :func:`search_model_from`, for formula search.

    :raises ConfigError: the named model or a setting does not exist, or a value does not fit.
    """
    base, rest = _split(settings, FORMULA_MODELS, "formula model")
    return FormulaModel.from_dict(rest, base)


def _split(settings: Mapping[str, Any], models: Mapping[str, M], kind: str) -> tuple[M, dict[str, Any]]:
    rest = dict(settings)
    named = rest.pop("model", "default")
    if not isinstance(named, str):
        raise SettingError(f"the setting 'model' cannot be {named!r}", path=("model",), hint="It is a name.")
    return _by_name(named, models, kind), rest


def _by_name(named: str, models: Mapping[str, M], kind: str) -> M:
    if named not in models:
        raise SettingError(f"there is no {kind} {named!r}", path=("model",), hint=nearest(named, models))
    return models[named]


def _file_settings(path: str) -> dict[str, Any]:
    """The settings in a TOML or JSON file.

    :raises ConfigError: it cannot be read or is neither.
    """
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
    except OSError as error:
        raise ConfigError(f"cannot be read ({error.strerror or error})", where=path) from error
    except UnicodeDecodeError as error:
        raise ConfigError(f"byte {error.start + 1} is not UTF-8", where=path) from None
    try:
        settings: Any = orjson.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"is no TOML: {error}", where=path, hint="Expected lines such as: weight = 0.5") from None
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"is no JSON: {error}", where=path) from None
    except RecursionError:
        raise ConfigError("is nested too deeply", where=path) from None
    except ValueError:  # more digits than Python reads
        raise ConfigError("a number has too many digits", where=path) from None
    if not isinstance(settings, dict):
        raise ConfigError("holds no table of settings", where=path)
    if _depth(settings, _DEEPEST) > _DEEPEST:
        raise ConfigError("is nested too deeply", where=path)
    return settings


def _depth(value: Any, most: int) -> int:
    """How deeply tables and lists are nested, counted up to one more than ``most``."""
    depth, level = 0, [value]
    while level and depth <= most:
        nested = [one for one in level if isinstance(one, (dict, list))]
        level = [inner for one in nested for inner in (one.values() if isinstance(one, dict) else one)]
        depth += bool(nested)
    return depth
