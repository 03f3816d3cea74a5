"""The manifest: the segments and tombstones that make up an index. A commit replaces this one file."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexNotFound
from porism.index.container import FORMAT, Container, Stamp, check_format, corrupt, unreadable
from porism.index.container_writer import ContainerWriter
from porism.system.files.durable import replace_file
from porism.version import __version__

MANIFEST_FILE = "manifest.json"
SEGMENT_FOLDER = "segments"
LOCK_FILE = "write.lock"
_NAME = re.compile(r"[0-9]{10,}|(deleted|sources)-[0-9]{10,}\.bin")


@dataclass(frozen=True, slots=True)
class Tombstones:
    """A file in a segment's folder with its deleted documents, and the new lines of documents that moved."""

    file: str
    size: int
    digest: int


@dataclass(frozen=True, slots=True)
class SegmentEntry:
    """A segment of the index: its folder, the stamp of its file, and its documents, deleted ones included."""

    name: str
    documents: int
    deleted: int
    size: int
    digest: int
    tombstones: Tombstones | None = None

    @property
    def stamp(self) -> Stamp:
        """The stamp of its file."""
        return Stamp(self.size, self.digest)


@dataclass(frozen=True, slots=True)
class SourcesEntry:
    """The table of sources of the index: its file in the index folder and the stamp of the file."""

    file: str
    size: int
    digest: int

    @property
    def stamp(self) -> Stamp:
        """The stamp of the file."""
        return Stamp(self.size, self.digest)


@dataclass(frozen=True, slots=True)
class Manifest:
    """A committed state. ``created`` and ``updated`` are seconds since 1970; ``next_segment`` numbers new folders."""

    generation: int
    created: float
    updated: float
    next_segment: int
    config: Mapping[str, Any]
    segments: tuple[SegmentEntry, ...]
    sources: SourcesEntry | None = None

    @property
    def doc_count(self) -> int:
        """The number of live documents."""
        return sum(entry.documents - entry.deleted for entry in self.segments)


def write_manifest(path: Path, manifest: Manifest) -> None:
    """Replaces the manifest in the index folder ``path``, durably.

    :raises StorageError: the disk is full or the folder cannot be written; the old manifest stays.
    """
    body = asdict(manifest)
    value = {"format": FORMAT, "written_by": f"porism {__version__}", "checksum": _checksum(body), "manifest": body}
    replace_file(path / MANIFEST_FILE, orjson.dumps(value, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))


def read_manifest(path: Path) -> Manifest:
    """Reads the manifest of the index folder ``path``.

    :raises IndexNotFound: the folder has no manifest.
    :raises IndexVersionError: it has another format version.
    :raises IndexCorrupt: it is damaged.
    :raises IndexUnreadable: the system does not let us read it.
    """
    file = path / MANIFEST_FILE
    try:
        value = orjson.loads(file.read_bytes())
    except (FileNotFoundError, NotADirectoryError) as error:
        raise IndexNotFound(
            "there is no index here", where=str(path), hint="Make one with: porism index SOURCE --index DIR"
        ) from error
    except OSError as error:
        raise unreadable(error, file) from error
    except orjson.JSONDecodeError as error:
        raise corrupt("is damaged: it is not JSON", file) from error
    if not isinstance(value, dict) or "format" not in value:
        raise corrupt("is damaged: it does not say its format", file)
    check_format(value["format"], value.get("written_by", "an unknown program"), file)
    body = value.get("manifest")
    if not isinstance(body, dict) or value.get("checksum") != _checksum(body):
        raise corrupt("is damaged: its checksum does not fit", file)
    try:
        segments = tuple(
            SegmentEntry(**{**entry, "tombstones": Tombstones(**entry["tombstones"]) if entry["tombstones"] else None})
            for entry in body["segments"]
        )
        sources = SourcesEntry(**body["sources"]) if body["sources"] else None
        manifest = Manifest(**{**body, "segments": segments, "sources": sources})
    except (KeyError, TypeError) as error:
        raise corrupt(f"makes no sense ({error})", file) from error
    names = [entry.name for entry in segments]
    names += [entry.tombstones.file for entry in segments if entry.tombstones]
    names += [sources.file] if sources else []
    if not all(isinstance(name, str) and _NAME.fullmatch(name) for name in names):  # they could be of another folder
        raise corrupt(f"names files that do not belong to an index: {', '.join(map(repr, names))[:200]}", file)
    return manifest


def _checksum(body: Mapping[str, Any]) -> str:
    return xxhash.xxh3_64_hexdigest(orjson.dumps(body, option=orjson.OPT_SORT_KEYS))


def write_tombstones(
    folder: Path, generation: int, live: NDArray[np.bool_], lines: NDArray[np.int32] | None = None
) -> Tombstones:
    """Writes the tombstones of the segment in ``folder`` for a generation.

    ``lines`` (int32, one a document) are the lines at which documents begin, given if some have moved.

    :raises StorageError: the disk is full or the folder cannot be written.
    """
    name = f"deleted-{generation:010}.bin"
    with ContainerWriter(folder / name, "tombstones", atomic=True) as writer:
        writer.add("deleted", np.packbits(~live))
        if lines is not None:
            writer.add("lines", lines)
        stamp = writer.finish({"documents": len(live)})
    return Tombstones(name, stamp.size, stamp.digest)


def read_tombstones(folder: Path, entry: SegmentEntry) -> tuple[NDArray[np.bool_], NDArray[np.int32] | None]:
    """Which documents of a segment are live (bool), and the lines of all (int32) if some have moved.

    :raises FileNotFoundError: the file is gone.
    :raises IndexCorrupt: it is damaged.
    :raises IndexUnreadable: the system does not let us read it.
    """
    if entry.tombstones is None:
        return np.ones(entry.documents, np.bool_), None
    stamp = Stamp(entry.tombstones.size, entry.tombstones.digest)
    path = folder / entry.tombstones.file
    tombstones = Container(path, "tombstones", stamp)
    packed = tombstones.array("deleted")
    lines = tombstones.array("lines") if "lines" in tombstones else None
    if lines is not None and (lines.dtype != np.int32 or lines.shape != (entry.documents,)):
        raise corrupt(f"does not have the lines of {entry.documents} documents", path)
    if packed.dtype != np.uint8 or packed.shape != (-(-entry.documents // 8),):
        raise corrupt(f"is not of {entry.documents} documents", path)
    return ~np.unpackbits(packed, count=entry.documents).astype(np.bool_), lines


def other_config(path: Path, stored: Mapping[str, Any], given: Mapping[str, Any]) -> ConfigError:
    """The error for an index that was made with another configuration."""
    differing = sorted(key for key in {*stored, *given} if stored.get(key) != given.get(key))
    return ConfigError(
        f"the index was made with other settings of {', '.join(differing)}", where=str(path),
        hint="Leave the settings out to keep those of the index, or make a new index.",
    )
