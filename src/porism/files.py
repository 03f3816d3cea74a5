"""Files of results, written so that they appear whole or not at all."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from porism.errors import SourceError


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Writes a file in one step: what was there before stays until the new content is complete.

    Text becomes UTF-8; what UTF-8 cannot hold (lone surrogates) becomes a question mark.

    :raises SourceError: the file cannot be written.
    """
    target = Path(path)
    part = target.with_name(f".{target.name}.{os.getpid()}.part")
    try:
        part.write_bytes(content.encode("utf-8", "replace") if isinstance(content, str) else content)
        os.replace(part, target)
    except OSError as error:
        raise SourceError(f"cannot be written ({error.strerror or error})", where=str(target)) from error
    finally:
        with suppress(OSError):  # whatever kept the file from being written must not be hidden by this
            part.unlink()
    return target
