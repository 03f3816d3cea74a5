"""Reading an index: a consistent view of one committed state, whatever a writer does meanwhile."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.container import corrupt
from porism.index.filters import FilteredMasks, Filters, filter_segments
from porism.index.manifest import SEGMENT_FOLDER, Manifest, read_manifest, read_tombstones
from porism.index.segment import Segment
from porism.index.sources import Source, SourceTable, read_packed_sources, unpack_sources
from porism.index.strings import Packed
from porism.system.concurrency.caching import cached_property

_ATTEMPTS = 100

ABSENT = -2
"""What :meth:`Snapshot.look_up` says of an id that no document has."""


class Origins(NamedTuple):
    """Where documents came from, one entry a document: the group of the table of sources (-1 for no source), the digest
    of what each was made from, and the line of its file where it begins (0 for nowhere)."""

    owners: NDArray[np.int32]
    digests: NDArray[np.uint64]
    lines: NDArray[np.int32]


class Snapshot:
    """One committed state of an index. Later commits and merges do not change it; open another one to see them.

    ``generation`` numbers the commits, ``config`` is the analysis configuration that the index was made with, and
    ``segments`` hold the documents. A context manager; without, its files are let go when nothing refers to it any
    more.
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

        :raises IndexNotFound: there is none.
        :raises IndexVersionError: it was written in a format that this version does not read.
        :raises IndexCorrupt: files are missing, truncated or changed.
        """
        folder = Path(path)
        manifest = read_manifest(folder)
        for _ in range(_ATTEMPTS):
            try:
                return cls(folder, manifest, open_segments(folder, manifest), open_sources(folder, manifest))
            except FileNotFoundError as error:
                # A writer may have committed and cleaned up since the manifest was read: then there is a newer one.
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
        """The number of the commit that this is the state of."""
        return self.manifest.generation

    @property
    def config(self) -> Mapping[str, Any]:
        """The analysis configuration stored when the index was made."""
        return self.manifest.config

    @property
    def doc_count(self) -> int:
        """Documents that are not deleted."""
        return self.manifest.doc_count

    @property
    def sources(self) -> Mapping[str, Source]:
        """The sources that the index remembers, by name.

        :raises IndexCorrupt: the table of them is damaged.
        """
        return self.source_table.sources

    @property
    def source_tables(self) -> tuple[Mapping[str, Source], ...]:
        """The sources of each index that is read: of this one."""
        return (self.sources,)

    def sources_of(self, doc_id: str) -> Mapping[str, Source]:
        """The sources of the index that has a document."""
        return self.sources

    def home(self, doc_id: str) -> str | None:
        """The name of the index that has a document, where this is several."""
        return None

    @cached_property
    def source_table(self) -> SourceTable:
        """:attr:`sources` as stored."""
        return SourceTable() if self._packed_sources is None else unpack_sources(self._packed_sources, self.path)

    def look_up(self, ids: Sequence[str]) -> Origins:
        """Where the document with each id came from; the owner is -2 where there is no such document."""
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
        """The segment of a document and its number there, None where there is no such document."""
        for segment in self.segments:
            doc = segment.find(doc_id)
            if doc is not None:
                return segment, doc
        return None

    def filter(self, filters: Filters, *, without: str | None = None) -> FilteredMasks:
        """For each segment which documents have the metadata (bool, one a document): what a search is allowed to find.

        :param without: the id of a document that is not allowed whatever it has.
        :raises QueryError: a filter names a key that no document has.
        """
        allowed = filter_segments(self.segments, filters)
        for segment, mask in zip(self.segments, allowed, strict=True):
            if without is not None and (document := segment.find(without)) is not None:
                mask[document] = False
        return allowed

    def verify(self) -> None:
        """Reads all files and compares them with their checksums.

        :raises IndexCorrupt: one was changed; the message names it.
        """
        for segment in self.segments:
            segment.verify()

    def close(self) -> None:
        """Lets go of the segments; their memory maps end with the last array that is a view of them."""
        self.segments = ()

    def __enter__(self) -> Snapshot:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def open_sources(path: Path, manifest: Manifest) -> bytes | None:
    """The packed table of sources of a committed state, None where it has none.

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
