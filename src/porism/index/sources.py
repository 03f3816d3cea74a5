"""The sources of an index: their files, and the state in which each file was read.

The table of sources is one file in the index folder. Each commit that changes it writes a new one, and the manifest
identifies it, so it always matches the committed documents. A *group* is read as a whole: a file, a LaTeX document with
the files it loads, or a whole collection. Segments hold the group number of each document.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from porism.corpus.base import ReaderOptions
from porism.index.container import Container, Stamp, corrupt
from porism.index.container_writer import ContainerWriter
from porism.system.files.names import dump_names, load_names

NOBODY = -1
"""The group of documents without a source."""

MAX_PROBLEMS = 200
"""Further problems of a group are counted, not stored."""

_LEVEL = 3


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The state in which a file was read: its size in bytes, its modification time, and the xxh3-128 of its content.

    ``mtime`` (nanoseconds since 1970) is 0 if it cannot show whether the file has changed since; ``digest`` is empty if
    the content was not read.
    """

    size: int
    mtime: int
    digest: str


@dataclass(frozen=True, slots=True)
class FileProblem:
    """A part of a file that was skipped or not understood; ``document`` is the id of its document, if any."""

    document: str
    where: str
    what: str


@dataclass(frozen=True, slots=True)
class SourceGroup:
    """Files that are read together: segments refer to ``number``; ``files`` are names of the source's files.

    ``complete`` is False while the group is read: some documents may then be of another state of the files. ``note``
    records what else the reading depended on, in the reader's own form. ``more_problems`` counts those not stored.
    """

    number: int
    format: str
    files: tuple[str, ...] = ()
    complete: bool = False
    documents: int = 0
    note: Any = None
    problems: tuple[FileProblem, ...] = ()
    more_problems: int = 0

    @property
    def problem_count(self) -> int:
        """The number of problems, those not stored included."""
        return len(self.problems) + self.more_problems


@dataclass(frozen=True, slots=True)
class Source:
    """A file or folder that was indexed.

    ``path`` is absolute. ``format`` is the requested format, or None; ``detected`` is the one found then. The keys of
    ``files`` and ``groups`` are POSIX paths relative to the source; a source that is a file has one file of its own
    name, and the group of a whole collection has an empty name. ``read`` is when the source was last read to its end,
    in seconds since 1970, or 0.
    """

    name: str
    path: Path
    format: str | None = None
    detected: str = ""
    options: ReaderOptions = field(default_factory=ReaderOptions)
    read: float = 0.0
    files: Mapping[str, SourceFile] = field(default_factory=dict)
    groups: Mapping[str, SourceGroup] = field(default_factory=dict)

    @property
    def documents(self) -> int:
        """The number of documents that its groups gave when they were read."""
        return sum(group.documents for group in self.groups.values())

    @property
    def problem_count(self) -> int:
        """The number of problems of all groups."""
        return sum(group.problem_count for group in self.groups.values())


@dataclass(frozen=True, slots=True)
class SourceTable:
    """The sources of an index by name; ``next_group`` numbers new groups, and no number is used twice."""

    sources: Mapping[str, Source] = field(default_factory=dict)
    next_group: int = 0


def write_sources(path: Path, generation: int, table: SourceTable) -> tuple[str, Stamp]:
    """Writes the table into the index folder ``path``, durably; returns the name of the file and its stamp.

    :raises StorageError: the disk is full or the folder cannot be written.
    """
    name = f"sources-{generation:010}.bin"
    value = {"next_group": table.next_group, "sources": [_to_json(source) for source in table.sources.values()]}
    packed = zstandard.ZstdCompressor(level=_LEVEL).compress(dump_names(value))
    with ContainerWriter(path / name, "sources", atomic=True) as writer:
        writer.add("table", np.frombuffer(packed, np.uint8))
        stamp = writer.finish({"sources": len(table.sources)})
    return name, stamp


def read_packed_sources(path: Path, name: str, stamp: Stamp) -> bytes:
    """The table as stored, compared with its checksum.

    :raises FileNotFoundError: the file is gone.
    :raises IndexCorrupt: it is damaged.
    """
    return Container(path / name, "sources", stamp).array("table").tobytes()


def unpack_sources(packed: bytes, where: Path) -> SourceTable:
    """The table that :func:`read_packed_sources` returned.

    :raises IndexCorrupt: it cannot be read.
    """
    try:
        value = load_names(zstandard.ZstdDecompressor().decompress(packed))
        sources = [_from_json(entry) for entry in value["sources"]]
        return SourceTable({source.name: source for source in sources}, value["next_group"])
    except (zstandard.ZstdError, ValueError, KeyError, TypeError) as error:
        raise corrupt(f"has a table of sources that cannot be read ({error})", where) from error


def options_to_json(options: ReaderOptions) -> dict[str, Any]:
    """The options that differ from the defaults."""
    default = ReaderOptions()
    return {
        entry.name: getattr(options, entry.name) for entry in fields(options)
        if getattr(options, entry.name) != getattr(default, entry.name)
    }


def options_from_json(value: Mapping[str, Any]) -> ReaderOptions:
    """The inverse of :func:`options_to_json`."""
    known = dict(value)
    if known.get("metadata_fields") is not None:
        known["metadata_fields"] = tuple(known["metadata_fields"])
    return ReaderOptions(**known)


def _to_json(source: Source) -> dict[str, Any]:
    return {
        "name": source.name, "path": str(source.path), "format": source.format, "detected": source.detected,
        "options": options_to_json(source.options), "read": source.read,
        "files": {name: [file.size, file.mtime, file.digest] for name, file in source.files.items()},
        "groups": {name: asdict(group) for name, group in source.groups.items()},
    }


def _from_json(value: Mapping[str, Any]) -> Source:
    return Source(
        value["name"], Path(value["path"]), value["format"], value["detected"], options_from_json(value["options"]),
        value["read"],
        {name: SourceFile(*entry) for name, entry in value["files"].items()},
        {
            name: SourceGroup(**{
                **entry, "files": tuple(entry["files"]),
                "problems": tuple(FileProblem(**problem) for problem in entry["problems"]),
            })
            for name, entry in value["groups"].items()
        },
    )
