"""Files that appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from porism.errors import SourceError


def check_target(path: str | os.PathLike[str]) -> Path:
    """The path, if a file can be made there: its folder exists and it is no folder itself.

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
        raise SourceError("this is no folder", where=str(target))
    return target


def write_whole(path: str | os.PathLike[str], content: str) -> Path:
    """Writes text as UTF-8; what UTF-8 cannot hold (lone surrogates) becomes a question mark.

    :raises SourceError: the file cannot be written.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode("utf-8", "replace"))
        os.replace(part, target)
    except OSError as error:
        raise SourceError(f"cannot be written ({error.strerror or error})", where=str(target)) from error
    finally:
        with suppress(OSError):  # whatever kept the file from being written must not be hidden by this
            part.unlink()
    return target
