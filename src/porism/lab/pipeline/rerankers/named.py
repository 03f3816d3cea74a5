"""Rerankers as a person names them: by a kind, a trained model, a model of search, or a file of settings."""

from __future__ import annotations

import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import orjson

from porism.errors import ConfigError
from porism.lab.pipeline.protocols import DEPTH, Reranker
from porism.lab.pipeline.rerankers.model_kinds import PairsSettings
from porism.lab.pipeline.rerankers.pairwise import DUO_DEPTH
from porism.lab.pipeline.rerankers.plain import NO_MODEL
from porism.lab.pipeline.rerankers.registry import RERANKERS, reranker_kind, split_depth
from porism.lab.pipeline.rerankers.texts import DocumentSource
from porism.lab.train.checkpoints import REPORT
from porism.search.models.models import file_settings, known_models
from porism.settings import nearest, parse_assignments
from porism.system.files.artifacts import MODELS

_FILES = (".toml", ".json")


def named_reranker(index: DocumentSource, written: str, depth: int | None = None) -> Reranker:
    """A reranker for an index, as a command has it: ``NAME`` or ``NAME:setting=value;…``.

    The name is that of a model that was trained for the index, the folder of a trained model, whose kind is known from
    its training. Or it is one of :data:`~porism.lab.pipeline.rerankers.registry.RERANKERS`, with ``model=…`` where it
    has one; a model of search, such as ``dense`` or ``dense:mpnet``; or a file of settings (``FILE.toml``), with
    ``kind`` and ``model`` among them.

    :param depth: how many results it re-ranks where the settings have no ``depth``; by default 100, of models of pairs
        50.
    :raises ConfigError: there is no such reranker, or a setting does not exist or fit.
    """
    name, given, folder = _read(index, written)
    kind_name, model = _kind(index, name, given)
    kind = reranker_kind(kind_name)
    usual = DUO_DEPTH if issubclass(getattr(kind, "cls", object), PairsSettings) else DEPTH
    chosen, rest = split_depth({"depth": depth if depth is not None else usual} | given)
    settings = kind.settings(model_of(index.folder, model), rest, folder)
    reranker: Any = kind.make(settings, chosen, index)
    if hasattr(reranker, "name"):
        reranker.name = Path(name).name
    return reranker  # type: ignore[no-any-return]


def model_of(index_path: str | os.PathLike[str] | None, model: str) -> str:
    """The folder of a model that was trained for an index and is named so; else the model as it was named."""
    if index_path is None:
        return model
    trained = Path(index_path) / MODELS.folder / model
    return str(trained) if MODELS.is_name(model) and trained.is_dir() and not Path(model).is_dir() else model


def _read(index: DocumentSource, written: str) -> tuple[str, dict[str, Any], Path]:
    """The name, the settings, and the folder where the paths in them begin."""
    whole = Path(written).exists()  # a path may have a colon
    name, _, rest = (written, "", "") if whole else written.partition(":")
    first, *others = rest.split(";")
    if first.strip() and "=" not in first:  # dense:mpnet, the name of a model with that of an encoding
        name, rest = f"{name.strip()}:{first.strip()}", ";".join(others)
    name = name.strip()
    given = parse_assignments(part for part in rest.split(";") if part.strip())
    given |= {name: given[name].read_as(str) for name in ("model", "kind") if name in given}
    if not name.endswith(_FILES):
        return name, given, Path()
    of_file = file_settings(name)
    if of_file.get("kind") in RERANKERS:
        return name, of_file | given, Path(name).absolute().parent
    return name, {"kind": "retriever", "model": name, **given}, Path()


def _kind(index: DocumentSource, name: str, given: dict[str, Any]) -> tuple[str, str]:
    """The kind that a name stands for and its model, which are taken out of the settings."""
    model, kind = str(given.pop("model", NO_MODEL)), given.pop("kind", None)
    if name.endswith(_FILES):
        return str(kind), model
    if name in RERANKERS and kind is None:
        return name, model
    folder = Path(model_of(index.folder, name))
    if folder.is_dir() and model == NO_MODEL:
        trained_as = kind or trained_kind(folder)
        if trained_as is None:
            raise ConfigError(
                "nothing says which kind of reranker this model is", where=str(folder),
                hint=f"Name it: cross-encoder:model={name}.",
            )
        return str(trained_as), str(folder)
    if name.partition(":")[0] in known_models():
        return "retriever", name
    models = [path.name for path in _trained(index)]
    raise ConfigError(
        f"there is no reranker {name!r}: it is not a kind, a model of the index, a folder or a model of search",
        hint=nearest(name, [*models, *RERANKERS, *known_models()]),
    )


def _trained(index: DocumentSource) -> list[Path]:
    """The folders of the rerankers that were trained for an index."""
    if index.folder is None:
        return []
    folder = Path(index.folder) / MODELS.folder
    return [path for path in sorted(folder.iterdir()) if trained_kind(path)] if folder.is_dir() else []


def trained_kind(folder: Path) -> str | None:
    """The kind of reranker that a folder was trained as; None where it says nothing of the kind."""
    with suppress(OSError, orjson.JSONDecodeError):
        report = orjson.loads((folder / REPORT).read_bytes())
        settings = report.get("settings") if isinstance(report, Mapping) else None
        kind = settings.get("kind") if isinstance(settings, Mapping) else None
        if kind in RERANKERS:
            return str(kind)
    return None
