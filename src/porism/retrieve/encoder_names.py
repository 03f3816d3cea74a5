"""What encoders are called in an index, and how it finds them again."""

from __future__ import annotations

import os
import re
from pathlib import Path

from porism.files.artifacts import MODELS

_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9._-]+")


def encoder_name(model: str | os.PathLike[str]) -> str:
    """The name that an encoder has where none is given: the last part of the model's."""
    last = Path(os.fspath(model)).name or "encoder"
    return _NOT_IN_NAMES.sub("-", last).lstrip("._-") or "encoder"


def lasting_name(model: str | os.PathLike[str], index: Path) -> str:
    """A model as an index remembers it: a folder by its path, which is relative to nothing, except for one of the index
    itself, which goes along with it; others as they are named."""
    folder = Path(os.fspath(model)).expanduser()
    if not folder.is_dir():
        return os.fspath(model)
    resolved = folder.resolve()
    return resolved.name if resolved.parent == (index / MODELS.folder).resolve() else str(resolved)
