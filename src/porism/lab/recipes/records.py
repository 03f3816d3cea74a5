"""The record of an experiment: how each of its outputs was made."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import orjson

from porism.lab.recipes.cache import Entry, writing
from porism.lab.recipes.code import code_digest, library_versions, versions_of
from porism.lab.recipes.planning import Stage
from porism.system.files.text import write_whole
from porism.version import __version__

RECORD_FILE = "record.json"
_FORMAT = 1


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
    types = {stage.kind: stage.type for stage, _, _ in sorted(listed, key=lambda one: one[0].kind)}
    libraries = {name for type_ in types.values() for name in type_.libraries}
    return {
        "format": _FORMAT,
        "recipe": recipe,
        "seed": seed,
        "versions": {
            "porism": __version__,
            **(library_versions(()) if listed else {}),
            **versions_of(sorted(libraries)),
        },
        "code": {kind: code_digest(type_) for kind, type_ in types.items()},
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
            for stage, entry, _ in listed if "chosen" in entry.about
        },
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)
