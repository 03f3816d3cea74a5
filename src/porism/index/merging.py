"""What the writer does beside documents: which segments to merge, and removing files that no commit refers to.

The first are pure functions of numbers of documents. Files are left by killed writers, and by segments that merges
replaced. Only the writer cleans, under its lock. A reader keeps a removed file mapped until it closes. A reader that is
just opening finds a file missing, and starts again with the newer manifest.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path

from porism.index.derived import DERIVED_FOLDER, remove_outdated
from porism.index.manifest import MANIFEST_FILE, SEGMENT_FOLDER, Manifest
from porism.index.segment import DATA_FILE
from porism.system.files.artifacts import ARTIFACT_KINDS, TOKENIZERS, remove_abandoned
from porism.system.files.durable import remove_tree

FACTOR = 8
"""The number of segments of about the same size that become one."""
MAX_SIZE = 5_000_000
"""Segments with more documents are left alone unless a merge is requested."""
RUN = 10_000
"""After a run that adds fewer documents, only tiers are merged."""
RUN_SHARE = 2
"""The most documents merged at the end of a run for each document it added."""
RUN_LARGEST = 2_000_000
"""The most documents merged at the end of a run: a million documents of 20 formulas take 2.6 GiB of memory."""


def choose_tier(live: Sequence[int], deleted: Sequence[int]) -> list[int]:
    """Positions of segments to merge after a commit, empty if none should be.

    Sizes fall into tiers, powers of ``FACTOR``; the lowest tier with ``FACTOR`` segments is merged. So n documents in
    any number of commits make about ``FACTOR * log(n)`` segments at most, and each is rewritten ``log(n)`` times. A
    segment with more deleted than live documents is rewritten by itself.
    """
    tiers: dict[int, list[int]] = {}
    for position, size in enumerate(live):
        if size <= MAX_SIZE:
            tiers.setdefault(_tier(size), []).append(position)
    for tier in sorted(tiers):
        if len(tiers[tier]) >= FACTOR:
            return tiers[tier]
    return next(([position] for position, size in enumerate(live) if deleted[position] > size), [])


def choose_after_run(live: Sequence[int], added: int) -> list[int]:
    """Positions of segments to merge at the end of a run that added ``added`` documents, empty if none should be.

    The first search of a process takes longer with each segment, so the smallest ones are merged, in proportion to the
    documents added. A collection that was indexed in one run becomes one segment, and a small update of a large index
    rewrites little.
    """
    if added < RUN:
        return []
    most = min(RUN_SHARE * added, RUN_LARGEST)
    chosen: list[int] = []
    for position in sorted(range(len(live)), key=live.__getitem__):
        most -= live[position]
        if most < 0:
            break
        chosen.append(position)
    return sorted(chosen) if len(chosen) > 1 else []


def choose_for_count(live: Sequence[int], most: int) -> list[int]:
    """Positions of the smallest segments whose merge leaves ``most`` segments."""
    surplus = len(live) - most
    if surplus <= 0:
        return []
    return sorted(sorted(range(len(live)), key=live.__getitem__)[: surplus + 1])


def _tier(size: int) -> int:
    tier = 0
    while size >= FACTOR:
        size //= FACTOR
        tier += 1
    return tier


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
