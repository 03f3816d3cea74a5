"""Files in the output folder of an experiment, copied from the cache."""

from __future__ import annotations

from pathlib import Path

from porism.lab.recipes.cache import ENTRY, writing
from porism.runs.provenance import record_path
from porism.system.files.text import write_whole


def copy_run(source: Path, target: Path) -> Path:
    """Copies a run with its record.

    :raises PorismError: the folder cannot be written.
    """
    copy_file(record_path(source), record_path(target))
    return copy_file(source, target)


def copy_files(source: Path, target: Path, pattern: str = "*") -> Path:
    """Copies the files below a folder whose names fit a pattern, but for the cache's own.

    :raises PorismError: the folder cannot be written.
    """
    for file in sorted(source.rglob(pattern)):
        if file.is_file() and file.name != ENTRY:
            copy_file(file, target / file.relative_to(source))
    return target


def copy_file(source: Path, target: Path) -> Path:
    """Copies a file; one that is there with the same bytes stays, and so do its dates.

    :raises PorismError: the folder cannot be written.
    """
    with writing(target):
        target.parent.mkdir(parents=True, exist_ok=True)
        content = source.read_bytes()
        if target.is_file() and target.stat().st_size == len(content) and target.read_bytes() == content:
            return target
    return write_whole(target, content)
