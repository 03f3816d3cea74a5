"""The size of folders, and free disk space."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from porism.errors import StorageError


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder; files that are removed meanwhile do not count."""
    total = 0
    for parent, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.stat(os.path.join(parent, file)).st_size
            except FileNotFoundError:  # a writer has just cleaned it away
                continue
    return total


def check_room(folder: Path, size: int) -> None:
    """Checks that the disk of ``folder`` has ``size`` bytes free, and a tenth more for others.

    :raises StorageError: it does not.
    """
    needed, free = size * 1.1, shutil.disk_usage(folder).free
    if free < needed:
        raise StorageError(
            f"{needed / 2**30:,.1f} GiB are needed, and the disk has {free / 2**30:,.1f} GiB free", where=str(folder),
            hint="Free some space and run again; the last committed state of the index is intact.",
        )
