"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path

from porism.errors import SourceError


def check_target(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be made there: its folder exists and it is not a folder itself.

    :raises SourceError: it cannot.
    """
    target = Path(path)
    if target.is_dir():
        raise SourceError("this is a folder, not a file to write", where=str(target))
    if not target.parent.is_dir():
        raise SourceError("cannot be written (its folder does not exist)", where=str(target))
    if not os.access(target.parent, os.W_OK):
        raise SourceError("cannot be written (its folder is write-protected)", where=str(target))
    return target


def check_folder(path: str | os.PathLike[str]) -> Path:
    """The path, if it is a folder or nothing yet.

    :raises SourceError: it is something else.
    """
    target = Path(path)
    if target.exists() and not target.is_dir():
        raise SourceError("this is not a folder", where=str(target))
    return target
