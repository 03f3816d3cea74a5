"""One file that holds many named arrays: how a segment, its tombstones and its derived data lie on disk.

::

    magic (8 bytes) │ sections, each on a multiple of 64 bytes │ table of contents (JSON) │ footer (32 bytes)

The footer is offset, length and xxh3-64 of the table, each a little-endian uint64, and the magic again. The table has
the format version, the kind of the file, free information, and for each section its offset, dtype, shape and xxh3-64.
Reading is one memory map. Opening checks the size of the file, the footer and the table; a section is checked when it
is first asked for, unless it is so large that this would be felt; ``verify`` checks all.
"""

from __future__ import annotations

import errno
import math
import mmap
import os
import secrets
import struct
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from types import TracebackType
from typing import IO, Any, NamedTuple

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism import __version__
from porism.errors import IndexCorrupt, IndexVersionError, StorageError

FORMAT = 3
"""Version of everything on disk; raised when an older program could not read what is written."""

MAGIC = b"PORISM\x1a\n"
ALIGNMENT = 64
CHECKED_BYTES = 64 << 20
"""Sections up to this size are compared with their checksum when they are first read: a few milliseconds at most."""
_FOOTER = struct.Struct("<QQQ8s")
_RESTORE = "Restore the folder from a copy, or delete it and index the sources again."


class Stamp(NamedTuple):
    """What identifies the content of a container: its size in bytes and the xxh3-64 of its table of contents."""

    size: int
    digest: int


@contextmanager
def storage_errors(path: Path) -> Iterator[None]:
    """Turns failures of the file system while writing into :class:`StorageError` with what to do."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        hint = "Look at the folder and the disk; the last committed state of the index is intact."
        if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            hint = "Free some space and run again; the last committed state of the index is intact."
        elif error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
            hint = "Writing needs a folder that this user may change; reading works without."
        raise StorageError(f"cannot be written ({reason})", where=str(path), hint=hint) from error


def check_format(version: object, written_by: object, where: Path) -> None:
    """Raises :class:`IndexVersionError` unless ``version`` is the format this program reads."""
    if version != FORMAT:
        raise IndexVersionError(
            f"index format {version}, written by {written_by}; this is porism {__version__}, "
            f"which reads format {FORMAT}",
            where=str(where), hint="Upgrade porism, or index the sources again with this version.",
        )


def corrupt(what: str, path: Path) -> IndexCorrupt:
    """The error for a file that is not as it was written."""
    return IndexCorrupt(what, where=str(path), hint=_RESTORE)


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable; does nothing where the system cannot (Windows)."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def replace_file(path: Path, data: bytes) -> None:
    """Writes a small file so that it appears whole or not at all, and durably.

    :raises StorageError: the disk is full or the folder cannot be written.
    """
    part = temporary_name(path)
    with storage_errors(path):
        try:
            with open(part, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, path)
            sync_folder(path.parent)
        finally:
            part.unlink(missing_ok=True)


def temporary_name(path: Path) -> Path:
    """A name beside ``path`` that no other process uses."""
    return path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")


class ContainerWriter:
    """Writes a container, section after section; a file that was not finished is removed.

    With ``atomic`` the file is written under another name and renamed by :meth:`finish`, replacing what was there.

    :raises StorageError: the disk is full or the folder cannot be written (from every method).
    """

    def __init__(self, path: Path, kind: str, *, atomic: bool = False) -> None:
        self.path = path
        self.kind = kind
        self._target = temporary_name(path) if atomic else path
        self._sections: dict[str, tuple[int, str, list[int], int]] = {}
        self._position = 0
        self._done = False
        with storage_errors(path):
            self._file: IO[bytes] = open(self._target, "wb", buffering=1 << 20)  # noqa: SIM115 (finish closes it)
        self._write(MAGIC)

    def __enter__(self) -> ContainerWriter:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._done:
            with suppress(OSError):  # what is still buffered has no room either, and the file goes anyway
                self._file.close()
            self._target.unlink(missing_ok=True)

    def _write(self, data: bytes | memoryview) -> None:
        with storage_errors(self.path):
            self._file.write(data)
        self._position += len(data)

    def _align(self) -> None:
        self._write(bytes(-self._position % ALIGNMENT))

    def add(self, name: str, array: NDArray[Any]) -> None:
        """Writes one array of numbers or truth values under a name that is new in this file."""
        self._align()
        offset = self._position
        flat = np.ascontiguousarray(array).reshape(-1).view(np.uint8)
        self._write(flat.data)
        self._sections[name] = (offset, array.dtype.str, list(array.shape), xxhash.xxh3_64_intdigest(flat.data))

    def add_chunks(self, name: str, dtype: type[np.generic], chunks: Iterable[NDArray[Any]]) -> int:
        """Writes one flat array that comes in pieces, which never stand in memory together; returns its length."""
        self._align()
        offset = self._position
        digest = xxhash.xxh3_64()
        length = 0
        for chunk in chunks:
            flat = np.ascontiguousarray(chunk, dtype).reshape(-1).view(np.uint8)
            self._write(flat.data)
            digest.update(flat.data)
            length += len(chunk)
        self._sections[name] = (offset, np.dtype(dtype).str, [length], digest.intdigest())
        return length

    def finish(self, info: Mapping[str, Any]) -> Stamp:
        """Writes the table of contents with ``info`` (JSON-ready) and makes the file durable."""
        self._align()
        table = orjson.dumps(
            {
                "format": FORMAT, "written_by": f"porism {__version__}", "kind": self.kind, "info": dict(info),
                "sections": self._sections,
            },
            option=orjson.OPT_SERIALIZE_NUMPY,
        )
        offset = self._position
        digest = xxhash.xxh3_64_intdigest(table)
        self._write(table)
        self._write(_FOOTER.pack(offset, len(table), digest, MAGIC))
        with storage_errors(self.path):
            self._file.flush()
            os.fsync(self._file.fileno())
            self._file.close()
            if self._target != self.path:
                os.replace(self._target, self.path)
                sync_folder(self.path.parent)
        self._done = True
        return Stamp(self._position, digest)


class Container:
    """A container opened for reading: arrays are read-only views of one memory map, valid as long as one is held.

    :raises FileNotFoundError: there is no such file.
    :raises IndexCorrupt: it is truncated, changed, or another file than ``stamp`` says.
    :raises IndexVersionError: it has another format version.
    """

    __slots__ = ("_checked", "_data", "_map", "_sections", "info", "path", "stamp")

    def __init__(self, path: Path, kind: str, stamp: Stamp | None = None) -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if stamp is not None and size != stamp.size:
                    raise corrupt(f"has {size} bytes where {stamp.size} were written", path)
                if size < len(MAGIC) + _FOOTER.size:
                    raise corrupt(f"has only {size} bytes", path)
                self._map = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise corrupt(f"cannot be read ({error.strerror or error})", path) from error
        offset, length, digest, magic = _FOOTER.unpack_from(self._map, size - _FOOTER.size)
        if magic != MAGIC or self._map[: len(MAGIC)] != MAGIC or offset + length + _FOOTER.size != size:
            raise corrupt("is truncated or no file of an index", path)
        table_bytes = self._map[offset : offset + length]
        if xxhash.xxh3_64_intdigest(table_bytes) != digest:
            raise corrupt("has a damaged table of contents", path)
        if stamp is not None and digest != stamp.digest:
            raise corrupt("is not the file that was committed", path)
        table = orjson.loads(table_bytes)
        check_format(table["format"], table["written_by"], path)
        if table["kind"] != kind:
            raise corrupt(f"holds {table['kind']!r} where {kind!r} was expected", path)
        self.stamp = Stamp(size, digest)
        self.info: dict[str, Any] = table["info"]
        self._sections: dict[str, tuple[int, str, list[int], int]] = table["sections"]
        self._data = np.frombuffer(self._map, np.uint8)
        self._checked: set[str] = set()

    def __contains__(self, name: object) -> bool:
        return name in self._sections

    def __iter__(self) -> Iterator[str]:
        return iter(self._sections)

    def array(self, name: str) -> NDArray[Any]:
        """The section as a read-only array.

        :raises IndexCorrupt: there is no such section, or it was changed.
        """
        if name not in self._checked:
            if self._section(name)[0].nbytes <= CHECKED_BYTES:
                self._check(name)
            self._checked.add(name)
        flat, dtype, shape = self._section(name)
        return flat.view(dtype).reshape(shape)

    def _section(self, name: str) -> tuple[NDArray[np.uint8], np.dtype[Any], list[int]]:
        """The bytes of a section, and what they are."""
        entry = self._sections.get(name)
        if entry is None:
            raise corrupt(f"has no section {name!r}", self.path)
        offset, dtype_name, shape, _ = entry
        dtype = np.dtype(dtype_name)
        return self._data[offset : offset + dtype.itemsize * math.prod(shape)], dtype, shape

    def _check(self, name: str) -> None:
        if xxhash.xxh3_64_intdigest(self._section(name)[0].data) != self._sections[name][3]:
            raise corrupt(f"has changed in section {name!r}", self.path)

    def size_of(self, prefix: str = "") -> int:
        """Bytes in the sections whose name begins with ``prefix``."""
        return sum(self._section(name)[0].nbytes for name in self._sections if name.startswith(prefix))

    def verify(self) -> None:
        """Reads every section and compares it with its checksum.

        :raises IndexCorrupt: one was changed.
        """
        for name in self._sections:
            self._check(name)
