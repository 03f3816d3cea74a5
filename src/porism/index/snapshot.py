"""Reading an index: a consistent view of one committed state, unaffected by writers."""

from __future__ import annotations

import os
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.index.container import corrupt
from porism.index.manifest import LOCK_FILE, SEGMENT_FOLDER, Manifest, read_manifest, read_tombstones
from porism.index.segment import Segment
from porism.index.sources import Source, SourceTable, read_packed_sources, unpack_sources
from porism.index.strings import Packed
from porism.system.concurrency.caching import cached_property
from porism.system.files.lock import WriterLock

Filters = Mapping[str, str | Sequence[str]]
"""Metadata key → the value that a document must have, or several of which it must have one."""

Masks = Sequence[NDArray[np.bool_]]
"""One mask for each segment: the documents that may be results (bool, one a document)."""


class FilteredMasks(list[NDArray[np.bool_]]):
    """:data:`Masks` with the filters they were made of, for engines that filter by metadata themselves."""

    def __init__(self, masks: Iterable[NDArray[np.bool_]], filters: Filters) -> None:
        super().__init__(masks)
        self.filters = dict(filters)


def filter_segments(segments: Sequence[Segment], filters: Filters) -> FilteredMasks:
    """The documents of each segment that match all filters (bool, one a document), deleted ones included.

    :raises QueryError: a filter names a key that no document has.
    """
    masks: list[NDArray[np.bool_]] = []
    for segment in segments:
        mask = np.ones(segment.doc_count, np.bool_)
        for key, values in filters.items():
            allowed = (values,) if isinstance(values, str) else values
            mask &= np.logical_or.reduce([segment.filter(key, value) for value in allowed])
        masks.append(mask)
    if not any(mask.any() for mask in masks):
        _check_keys(segments, filters)
    return FilteredMasks(masks, filters)


def _check_keys(segments: Sequence[Segment], filters: Filters) -> None:
    """Distinguishes a filter by an unknown key from one that matches no document."""
    keys = {key for segment in segments for key in segment.metadata_counts()}
    for key in filters:
        if key not in keys:
            raise QueryError(
                f"no document has the metadata {key!r}", where="filter",
                hint=f"There is {', '.join(sorted(keys))}." if keys else "The documents have no metadata.",
            )


_ATTEMPTS = 100

ABSENT = -2
"""The owner that :meth:`Snapshot.look_up` gives for an id without a document."""


class Origins(NamedTuple):
    """The origin of each document: its group in the table of sources, the digest of its source text, and its line.

    The group is -1 and the line 0 for documents without a source.
    """

    owners: NDArray[np.int32]
    digests: NDArray[np.uint64]
    lines: NDArray[np.int32]


class Snapshot:
    """One committed state of an index. Later commits and merges do not change it; open a new snapshot to see them.

    A context manager; without one, its files are released when nothing refers to them.
    """

    def __init__(
        self, path: Path, manifest: Manifest, segments: tuple[Segment, ...], packed_sources: bytes | None = None
    ) -> None:
        self.path = path
        self.manifest = manifest
        self.segments = segments
        self._packed_sources = packed_sources

    @classmethod
    def open(cls, path: str | os.PathLike[str]) -> Snapshot:
        """The last committed state of the index in a folder.

        :raises IndexNotFound: there is no index.
        :raises IndexVersionError: this version does not read its format.
        :raises IndexCorrupt: files are missing, truncated or changed.
        """
        folder = Path(path)
        manifest = read_manifest(folder)
        for _ in range(_ATTEMPTS):
            try:
                return cls(folder, manifest, open_segments(folder, manifest), open_sources(folder, manifest))
            except FileNotFoundError as error:
                # A writer may have committed and cleaned up since: then there is a newer manifest.
                newer = read_manifest(folder)
                if newer.generation == manifest.generation:
                    raise corrupt("is missing", Path(str(error.filename))) from error
                manifest = newer
                time.sleep(0.001)
        raise corrupt("changes faster than it can be opened", folder)

    def __repr__(self) -> str:
        return f"Snapshot({str(self.path)!r}, generation {self.generation}, {self.doc_count} documents)"

    @property
    def generation(self) -> int:
        """The number of the commit."""
        return self.manifest.generation

    @property
    def config(self) -> Mapping[str, Any]:
        """The analysis configuration stored when the index was made."""
        return self.manifest.config

    @property
    def doc_count(self) -> int:
        """The number of live documents."""
        return self.manifest.doc_count

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources of the index by name.

        :raises IndexCorrupt: the table of sources is damaged.
        """
        return self.source_table.sources

    @property
    def source_tables(self) -> tuple[Mapping[str, Source], ...]:
        """The sources of each index: of this one."""
        return (self.sources,)

    def sources_of(self, doc_id: str) -> Mapping[str, Source]:
        """The sources of the index that has a document."""
        return self.sources

    def home(self, doc_id: str) -> str | None:
        """The name of the index that has a document; None unless this is a joint snapshot."""
        return None

    @cached_property
    def source_table(self) -> SourceTable:
        """The table that has :attr:`sources`."""
        return SourceTable() if self._packed_sources is None else unpack_sources(self._packed_sources, self.path)

    def look_up(self, ids: Sequence[str]) -> Origins:
        """The origins of documents; the owner is :data:`ABSENT` for ids without a document."""
        owners = np.full(len(ids), ABSENT, np.int32)
        digests = np.zeros(len(ids), np.uint64)
        lines = np.zeros(len(ids), np.int32)
        packed = Packed.of(ids)
        for segment in self.segments:
            docs = segment.names.find_packed(packed)
            rows = np.flatnonzero(docs >= 0)
            rows = rows[segment.live[docs[rows]]]
            owners[rows] = segment.owners[docs[rows]]
            digests[rows] = segment.digests[docs[rows]]
            lines[rows] = segment.lines[docs[rows]]
        return Origins(owners, digests, lines)

    def find(self, doc_id: str) -> tuple[Segment, int] | None:
        """The segment of a document and its number there, or None."""
        for segment in self.segments:
            doc = segment.find(doc_id)
            if doc is not None:
                return segment, doc
        return None

    def filter(self, filters: Filters, *, without: str | None = None) -> FilteredMasks:
        """The documents of each segment that match all filters (bool), except the one with the id ``without``.

        :raises QueryError: a filter names a key that no document has.
        """
        allowed = filter_segments(self.segments, filters)
        for segment, mask in zip(self.segments, allowed, strict=True):
            if without is not None and (document := segment.find(without)) is not None:
                mask[document] = False
        return allowed

    def verify(self) -> None:
        """Compares all segments with their checksums.

        :raises IndexCorrupt: a file was changed; the message names it.
        """
        for segment in self.segments:
            segment.verify()

    def close(self) -> None:
        """Releases the segments; their memory maps end with the last array that views them."""
        self.segments = ()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()


def open_sources(path: Path, manifest: Manifest) -> bytes | None:
    """The packed table of sources of a committed state, or None.

    :raises FileNotFoundError: the file is gone.
    :raises IndexCorrupt: it is damaged.
    """
    entry = manifest.sources
    return None if entry is None else read_packed_sources(path, entry.file, entry.stamp)


def open_segments(path: Path, manifest: Manifest) -> tuple[Segment, ...]:
    """All segments of a committed state, mapped.

    :raises FileNotFoundError: a file is gone.
    :raises IndexCorrupt: a file is truncated or changed.
    """
    segments: list[Segment] = []
    for entry in manifest.segments:
        folder = path / SEGMENT_FOLDER / entry.name
        segment = Segment(folder, entry.stamp)
        if segment.doc_count != entry.documents:
            raise corrupt(f"has {segment.doc_count} documents where {entry.documents} were committed", folder)
        segment.live, lines = read_tombstones(folder, entry)
        if lines is not None:
            segment.lines = lines
        segments.append(segment)
    return tuple(segments)


@contextmanager
def locked_snapshot(index: Path) -> Iterator[Snapshot]:
    """A snapshot of an index, whose writer lock is held until the context ends.

    :raises IndexLocked: another process is writing.
    """
    lock = WriterLock(index / LOCK_FILE)
    try:
        with Snapshot.open(index) as snapshot:
            yield snapshot
    finally:
        lock.release()
