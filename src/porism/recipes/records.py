"""What an experiment leaves in its output folder: runs, tuned models, reports, and the record of how they were made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from porism.files.text import write_whole
from porism.recipes.cache import ENTRY, MODELS_FOLDER, Entry, writing
from porism.recipes.digests import LIBRARIES, code_digest, library_versions, versions_of
from porism.recipes.making import RUN_FILE
from porism.recipes.stages import Stage
from porism.runs.provenance import record_path
from porism.version import __version__

RECORD_FILE = "record.json"
_FORMAT = 1


def place_run(entry: Entry, target: Path) -> Path:
    """Copies a run with its record from the cache to where the recipe's user looks for it.

    :raises PorismError: the folder cannot be written.
    """
    _copy(record_path(entry.file(RUN_FILE)), record_path(target))
    return _copy(entry.file(RUN_FILE), target)


def place_report(entry: Entry, folder: Path) -> Path:
    """Copies the files of a report from the cache.

    :raises PorismError: the folder cannot be written.
    """
    for file in sorted(entry.folder.iterdir()):
        if file.name != ENTRY:
            _copy(file, folder / file.name)
    return folder


def place_models(entry: Entry, folder: Path) -> None:
    """Copies the models that a tuning made from the cache.

    :raises PorismError: the folder cannot be written.
    """
    source = entry.file(MODELS_FOLDER)
    for file in sorted(source.rglob("*.json")):
        _copy(file, folder / MODELS_FOLDER / file.relative_to(source))


def write_record(folder: Path, record: Mapping[str, Any]) -> Path:
    """Writes the record; it appears whole or not at all.

    :raises PorismError: the folder cannot be written.
    """
    target = folder / RECORD_FILE
    content = orjson.dumps(
        record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS, default=_plain
    )
    with writing(target):
        folder.mkdir(parents=True, exist_ok=True)
    return write_whole(target, content)


def make_record(
    recipe: Mapping[str, Any], seed: int, stages: Iterable[tuple[Stage, Entry, bool]], warnings: Iterable[str]
) -> dict[str, Any]:
    """The record: the recipe as read, the versions, and for each stage its key, inputs, parameters and times.

    ``seconds`` are those that it took to make the output, now or, if it was cached, then.
    """
    listed = list(stages)
    kinds = sorted({stage.kind for stage, _, _ in listed})
    return {
        "format": _FORMAT,
        "recipe": recipe,
        "seed": seed,
        "versions": {
            "porism": __version__,
            **(library_versions(kinds[0]) if kinds else {}),
            **versions_of(sorted({name for kind in kinds for name in LIBRARIES[kind]})),
        },
        "code": {kind: code_digest(kind) for kind in kinds},
        "warnings": list(warnings),
        "stages": [
            {
                "stage": stage.id,
                "kind": stage.kind,
                "key": stage.key,
                "cached": cached,
                "seconds": entry.seconds,
                "inputs": dict(stage.inputs),
                "parameters": dict(stage.parameters),
                "output": dict(entry.about),
            }
            for stage, entry, cached in listed
        ],
        "tuned": {
            stage.name: {"on": stage.topics, **entry.about["chosen"]}
            for stage, entry, _ in listed if stage.kind == "tune"
        },
    }


def _copy(source: Path, target: Path) -> Path:
    """Copies a file; one that is there with the same bytes stays, and so do its dates."""
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        content = source.read_bytes()
        if target.is_file() and target.stat().st_size == len(content) and target.read_bytes() == content:
            return target
    return write_whole(target, content)


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)
