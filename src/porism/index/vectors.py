"""Vectors of documents or formulas beside the segments that have them.

A set of vectors has a name, which says of what model they are, and a file in the derived data of each segment: one row
for each thing of the segment, and the digest of the content that the row was computed from. Digests are what carries
vectors over: a segment that a commit or a merge has made takes those of its things that any segment on disk has, and
only new ones are computed. They are computed by :func:`complete_vectors`, before readers see a commit or on request;
:func:`open_vectors`, which searches use, computes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt, IndexVersionError
from porism.index.container import Container
from porism.index.segment import DERIVED_FOLDER, Segment

Compute = Callable[[NDArray[np.int64]], NDArray[np.float32]]
"""From the numbers of things in a segment to their vectors (float32, things × dimensions)."""

_PREFIX = "vectors-"


def content_digests(contents: Sequence[str]) -> NDArray[np.uint64]:
    """The digest (uint64) of each content."""
    return np.fromiter(
        (xxhash.xxh3_64_intdigest(content.encode("utf-8", "surrogatepass")) for content in contents), np.uint64,
        count=len(contents),
    )


def open_vectors(segment: Segment, name: str, count: int, dimensions: int) -> NDArray[np.float32]:
    """The vectors of a segment (float32, count × dimensions), memory-mapped.

    :raises ConfigError: they were not computed, or are not those of the segment.
    """
    vectors = _stored(segment, name, count, dimensions)
    if vectors is None:
        raise ConfigError(
            f"vectors of {count:,} formulas or documents are missing", where=str(segment.folder),
            hint=f"Compute them: porism check --repair --index {segment.folder.parents[1]}",
        )
    return vectors


def has_vectors(segment: Segment, name: str, count: int, dimensions: int) -> bool:
    """Whether the vectors of a segment are there."""
    return _stored(segment, name, count, dimensions) is not None


def complete_vectors(
    segment: Segment, name: str, digests: NDArray[np.uint64], dimensions: int, compute: Compute, chunk: int = 1_024
) -> int:
    """Stores the vectors of a segment, where they are not stored yet; returns how many were computed.

    ``digests`` are those of the contents of its things. Vectors of the same name and content that another segment of
    the index has are taken over, those of segments too that were merged and not removed yet.

    :raises StorageError: the folder cannot be written.
    """
    count = len(digests)
    if has_vectors(segment, name, count, dimensions):
        return 0
    vectors = np.empty((count, dimensions), np.float32)
    missing = np.ones(count, np.bool_)
    for known, rows in _of_others(segment, name, dimensions):
        order = np.argsort(known, kind="stable")
        places = np.minimum(np.searchsorted(known[order], digests[missing]), len(known) - 1)
        same = known[order[places]] == digests[missing]
        taken = np.flatnonzero(missing)[same]
        vectors[taken] = rows[order[places[same]]]
        missing[taken] = False
        if not missing.any():
            break
    left = np.flatnonzero(missing)
    for start in range(0, len(left), chunk):
        part = left[start : start + chunk]
        vectors[part] = compute(part)
    segment.write_derived(f"{_PREFIX}{name}", {"digests": digests, "vectors": vectors}, {})
    return len(left)


def remove_vectors(segment: Segment, family: str) -> None:
    """Removes the vectors of a segment whose names begin with ``family`` and a hyphen."""
    for file in (segment.folder / DERIVED_FOLDER).glob(f"{_PREFIX}{family}-*.bin"):
        with suppress(OSError):  # it has just gone, is in use (Windows) or not ours: it harms nothing
            file.unlink()


def _stored(segment: Segment, name: str, count: int, dimensions: int) -> NDArray[np.float32] | None:
    stored = segment.read_derived(f"{_PREFIX}{name}")
    if stored is None:
        return None
    vectors = stored[0].get("vectors")
    if vectors is None or vectors.shape != (count, dimensions) or vectors.dtype != np.float32:
        return None
    return vectors


def _of_others(segment: Segment, name: str, dimensions: int) -> list[tuple[NDArray[np.uint64], NDArray[Any]]]:
    """Digests and vectors of this name that other segments on disk have, the newest first."""
    found = []
    files = segment.folder.parent.glob(f"*/{DERIVED_FOLDER}/{_PREFIX}{name}.bin")
    for file in sorted(files, reverse=True):
        if file.parents[1].name == segment.folder.name:
            continue
        try:
            derived = Container(file, "derived")
            digests, vectors = derived.array("digests"), derived.array("vectors")
        except (FileNotFoundError, IndexCorrupt, IndexVersionError, KeyError):  # then they are computed again
            continue
        if len(digests) and vectors.shape == (len(digests), dimensions) and vectors.dtype == np.float32:
            found.append((digests, vectors))
    return found
