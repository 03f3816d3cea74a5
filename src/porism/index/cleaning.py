"""Removing files that no commit refers to: those of killed writers, and segments that merges replaced.

Only the writer cleans, under its lock. A reader keeps a removed file mapped until it closes. A reader that is just
opening finds a file missing, and starts again with the newer manifest.
"""

from __future__ import annotations

import os
from pathlib import Path

from porism.index.derived import DERIVED_FOLDER, remove_outdated
from porism.index.manifest import MANIFEST_FILE, SEGMENT_FOLDER, Manifest
from porism.index.segment import DATA_FILE
from porism.system.files.artifacts import ARTIFACT_KINDS, TOKENIZERS, remove_abandoned
from porism.system.files.durable import remove_tree


def clean_index(path: Path, manifest: Manifest | None, *, outdated: bool = False) -> None:
    """Removes files that ``manifest`` does not refer to; those that cannot be removed now are left to the next writer.

    ``outdated`` includes derived data of other versions, which this one does not read.
    """
    for leftover in [*path.glob(f"{MANIFEST_FILE}.*.tmp"), *(path / TOKENIZERS.folder).glob("*.tmp")]:
        _remove(leftover)
    for kind in ARTIFACT_KINDS:
        for leftover in (path / kind.folder).glob("*.tmp"):
            remove_abandoned(leftover)
    for leftover in path.glob("sources-*"):
        if manifest is None or manifest.sources is None or leftover.name != manifest.sources.file:
            _remove(leftover)
    kept = {entry.name: entry for entry in manifest.segments} if manifest else {}
    for folder in _entries(path / SEGMENT_FOLDER):
        entry = kept.get(folder.name)
        if entry is None:
            remove_tree(folder)
            continue
        files = {DATA_FILE, DERIVED_FOLDER, entry.tombstones.file if entry.tombstones else ""}
        for file in _entries(folder):
            if file.name not in files:
                _remove(file)
        for file in (folder / DERIVED_FOLDER).glob("*.tmp"):
            remove_abandoned(file)  # readers too write there, without the lock
        if outdated:
            remove_outdated(folder)


def _entries(folder: Path) -> list[Path]:
    try:
        return [folder / name for name in os.listdir(folder)]
    except OSError:  # no segment was written yet, or the folder cannot be listed: nothing to clean
        return []


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError:  # in use (Windows) or not ours: the next writer tries again
        return
