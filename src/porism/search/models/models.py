"""Models of any kind by name, from files and from plain settings: what ``--model`` and recipes can ask for.

Settings can name their kind (``kind = "tangent-cft"``) and the model that they change (``model = "plain"``).
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any, TypeVar

import orjson

from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.kinds import Finds, RequiredArtifact, RetrieverKind
from porism.search.models import registry
from porism.settings import SettingError, nearest

M = TypeVar("M", bound=RetrieverSettings)

_MAX_DEPTH = 50
"""Tables in tables beyond which a file of settings is refused; models nest them thrice."""

DEFAULT = "default"
"""The model that a search has where none is named."""


def known_models(formulas: bool = False) -> dict[str, RetrieverSettings]:
    """Name → model, of all that can search documents or formulas.

    Where a document model and a formula model have one name, documents are searched by the former.
    """
    models: dict[str, RetrieverSettings] = {}
    for kind in _kinds(formulas):
        for name, model in kind.models.items():
            models.setdefault(name, model)
    return models


def _kinds(formulas: bool) -> Iterator[RetrieverKind[Any]]:
    """The kinds, those first whose models a name stands for; those of wings are imported when they come up."""
    wanted: tuple[Finds, ...] = ("formulas",) if formulas else ("documents", "formulas")
    for finds in wanted:
        for kind in registry.RETRIEVERS.values():
            if kind.finds == finds:
                yield kind


def read_model(named: str, formulas: bool = False) -> RetrieverSettings:
    """A model by its name (:func:`~porism.search.models.registry.named_in`), or from a file of settings (``FILE.toml``
    or ``FILE.json``, :func:`model_from`).

    :param formulas: whether it is to search formulas, not documents.
    :raises ConfigError: there is no such model or file, the file is broken, or a setting does not exist or fit.
    """
    if not named.endswith((".toml", ".json")):
        model = registry.named_in(_kinds(formulas), named)
        if model is None:
            known = nearest(named, known_models(formulas))
            raise ConfigError(f"there is no {_what(formulas)} {named!r}", hint=f"{known.rstrip('.')}, or FILE.toml."
                              if known.startswith("Choose") else known)
        return model
    settings = file_settings(named)
    try:
        return model_from(settings, formulas)
    except ConfigError as error:
        raise ConfigError(error.what, where=named, hint=error.hint) from None


def model_from(settings: Mapping[str, Any], formulas: bool = False) -> RetrieverSettings:
    """A model from settings that may say its ``kind`` and which named ``model`` they change.

    :param formulas: whether it is to search formulas, not documents.
    :raises ConfigError: the kind, the named model or a setting does not exist, or a value does not fit.
    """
    rest = dict(settings)
    cls, base = _begun(rest.pop("model", None), rest.pop("kind", None), formulas)
    return cls.from_dict(rest, base)


def _begun(named: Any, kind_name: Any, formulas: bool) -> tuple[type[RetrieverSettings], RetrieverSettings | None]:
    """The class of a model that is described by a kind and the name of another model, and that other."""
    for key, value in (("model", named), ("kind", kind_name)):
        if not isinstance(value, str | None):
            raise SettingError(f"the setting {key!r} cannot be {value!r}", path=(key,), hint="It is a name.")
    if kind_name is None and named is None:
        kind_name = registry.DEFAULT_KINDS["formulas" if formulas else "documents"]
    kinds = _kinds(formulas)
    if kind_name is not None:
        kind = registry.retriever_kind(kind_name)
        if formulas and kind.finds != "formulas":
            known = [name for name, other in registry.RETRIEVERS.items() if other.finds == "formulas"]
            raise SettingError(
                f"models of the kind {kind_name!r} find no formulas", path=("kind",), hint=nearest(kind_name, known)
            )
        if named is None or (named == DEFAULT and DEFAULT not in kind.models):
            return kind.settings, None
        kinds = iter([kind])
    model = registry.named_in(kinds, named)
    if model is None:
        models = known_models(formulas) if kind_name is None else registry.retriever_kind(kind_name).models
        raise SettingError(f"there is no {_what(formulas)} {named!r}", path=("model",), hint=nearest(named, models))
    return type(model), model


def write_model(model: RetrieverSettings, formulas: bool = False) -> dict[str, Any]:
    """A model as plain values, from which :func:`model_from` makes it; with its ``kind`` where that is not the usual
    one of a search for documents or for formulas.

    :raises ConfigError: it is of no kind.
    """
    kind = registry.kind_of(model).name
    usual = kind == registry.DEFAULT_KINDS["formulas" if formulas else "documents"]
    return ({} if usual else {"kind": kind}) | model.to_dict()


def named_model(named: str, settings: Mapping[str, Any], formulas: bool, folder: Path) -> RetrieverSettings:
    """A named model, or one from a file, with other settings; of formula search for topics that ask for formulas.

    :param settings: they may say the ``kind`` of the model, which has the usual settings where none is named.
    :param folder: where the paths of files start.
    :raises ConfigError: the named model or file does not exist; a SettingError where a setting does not fit.
    """
    rest = dict(settings)
    cls, base = _named(named, rest.pop("kind", None), formulas, folder)
    model = cls.from_dict(rest, base)
    # Settings can add topics that the numbers come from, and cannot take away those of the model they change.
    return model if base is None else tuned_further(model, base.tuned_on)


def setting_names(named: str, kind: str | None, formulas: bool, folder: Path) -> list[str]:
    """The names of the settings that :func:`named_model` takes; those of the usual kind where there is no such model.

    :param kind: the kind that is given beside the name, None where there is none.
    """
    try:
        cls, _ = _named(named, kind, formulas, folder)
    except ConfigError:
        cls = settings_class({}, formulas)
    return ["kind", *(field.name for field in fields(cls))]  # type: ignore[arg-type]


def _named(
    named: str, kind: Any, formulas: bool, folder: Path
) -> tuple[type[RetrieverSettings], RetrieverSettings | None]:
    if not named.endswith((".toml", ".json")):
        return _begun(named, kind, formulas)
    base = read_model(str(folder / named), formulas)
    if kind is not None and type(base) is not _begun(None, kind, formulas)[0]:
        raise SettingError(
            f"the model in {named} is not of the kind {kind!r}", path=("kind",),
            hint=f"It is of the kind {registry.kind_of(base).name!r}.",
        )
    return type(base), base


def settings_class(settings: Mapping[str, Any], formulas: bool = False) -> type[RetrieverSettings]:
    """The class of the model that :func:`model_from` makes of settings; the usual one where their kind is unknown."""
    usual = registry.DEFAULT_KINDS["formulas" if formulas else "documents"]
    kind = settings.get("kind", usual)
    return registry.RETRIEVERS[kind if kind in registry.RETRIEVERS else usual].settings


def artifacts_of(model: RetrieverSettings) -> tuple[RequiredArtifact, ...]:
    """What must be trained or computed for an index before the model can search it."""
    return registry.kind_of(model).artifacts(model)


def channels_of(model: RetrieverSettings) -> tuple[str, ...]:
    """The channels of an index that a model searches."""
    return registry.kind_of(model).channels(model)


def tuned_further(model: M, topics: tuple[str, ...]) -> M:
    """The model, said to be tuned on these topics too."""
    return replace(model, tuned_on=tuple(dict.fromkeys((*topics, *model.tuned_on))))  # type: ignore[type-var]


def _what(formulas: bool) -> str:
    return "formula model" if formulas else "model"


def file_settings(path: str) -> dict[str, Any]:
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
        hint = "Expected lines such as: weight = 0.5"
        raise ConfigError(f"is not valid TOML: {error}", where=path, hint=hint) from None
    except orjson.JSONDecodeError as error:
        raise ConfigError(f"is not valid JSON: {error}", where=path) from None
    except RecursionError:
        raise ConfigError("is nested too deeply", where=path) from None
    except ValueError:  # more digits than Python reads
        raise ConfigError("a number has too many digits", where=path) from None
    if not isinstance(settings, dict):
        raise ConfigError("holds no table of settings", where=path)
    if _depth(settings, _MAX_DEPTH) > _MAX_DEPTH:
        raise ConfigError("is nested too deeply", where=path)
    return settings


def _depth(value: Any, most: int) -> int:
    """How deeply tables and lists are nested, counted up to one more than ``most``."""
    depth, level = 0, [value]
    while level and depth <= most:
        nested = [item for item in level if isinstance(item, (dict, list))]
        level = [inner for item in nested for inner in (item.values() if isinstance(item, dict) else item)]
        depth += bool(nested)
    return depth
