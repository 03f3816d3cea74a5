"""A file of named arrays: the format of segments, tombstones and derived data.

::

    magic (8 bytes) │ sections, each on a multiple of 64 │ checksums │ table of contents (JSON) │ footer (32 bytes)

Each block of a section has a checksum, an xxh3-64 as little-endian uint64. A block has :data:`BLOCK` bytes, or
:data:`SMALL_BLOCK` in sections from which searches read scattered rows. The footer is offset, length and xxh3-64 of the
table, each a little-endian uint64, and the magic again.

The table has the format version, the kind of the file, free information, and the place and xxh3-64 of the checksums.
For each section it has the offset, dtype, shape, number of the first checksum, and the size of its blocks unless that
is the default.

A file is read through one memory map; no descriptor stays open. Opening checks the size of the file, the footer, the
table and the checksums. Data are compared with their checksums before use: :meth:`Container.array` checks a section
whole, once, and a large :class:`ContainerSection` checks only what is about to be read. Whatever reads sections, here
and in the modules above, raises :class:`~porism.errors.IndexCorrupt` where they were changed, are missing or do not
fit.

:mod:`porism.index.container_writer` writes such files.
"""

from __future__ import annotations

import ctypes
import errno
import math
import mmap
import os
import struct
import weakref
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.errors import IndexCorrupt, IndexUnreadable, IndexVersionError
from porism.version import __version__


class _Mapping:
    """Mapped memory, which is unmapped when the last array that views it is gone."""

    def __init__(self, place: int, size: int) -> None:
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (place, True)}
        release = weakref.finalize(self, _calls().munmap, place, size)
        release.atexit = False  # arrays can live on while the interpreter ends, which gives all memory back anyway


@cache
def _calls() -> Any:
    """The system library with ``mmap``, ``munmap`` and ``madvise``."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long)
    library.munmap.restype = ctypes.c_int
    library.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.madvise.restype = ctypes.c_int
    library.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return library


def map_file(descriptor: int, size: int) -> NDArray[np.uint8]:
    """Maps the first ``size`` (> 0) bytes of an open file, read-only; the file can then be closed and removed.

    :raises OSError: it cannot be mapped.
    """
    if os.name == "nt":
        return np.frombuffer(mmap.mmap(descriptor, size, access=mmap.ACCESS_READ), np.uint8)
    place = _calls().mmap(None, size, mmap.PROT_READ, mmap.MAP_SHARED, descriptor, 0)
    if place is None or place == ctypes.c_void_p(-1).value:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number))
    return np.asarray(_Mapping(place, size))


def unload(array: NDArray[Any]) -> None:
    """Frees the memory of a mapped array that was copied; the next read loads it from the file again.

    Does nothing on systems without ``madvise``.
    """
    if os.name == "nt" or not hasattr(mmap, "MADV_DONTNEED"):
        return
    place = array.ctypes.data
    first = -(-place // mmap.PAGESIZE) * mmap.PAGESIZE  # pages shared with neighbours stay
    last = (place + array.nbytes) // mmap.PAGESIZE * mmap.PAGESIZE
    if last > first:
        _calls().madvise(first, last - first, mmap.MADV_DONTNEED)


FORMAT = 5
"""Version of everything on disk; raised when an older program could not read what is written."""
BLOCKS = {3: 1 << 18, 4: 1 << 16, 5: 1 << 16}
"""The readable formats → the bytes of a block, unless a section says otherwise."""

MAGIC = b"PORISM\x1a\n"
ALIGNMENT = 64
BLOCK = BLOCKS[FORMAT]
"""Bytes of a block: 4 µs to compare, and 4 MB of checksums for 32 GB."""
SMALL_BLOCK = 1 << 12
"""Bytes of a block where scattered rows are read: 1 µs to compare, 1 MB of checksums for 512 MB."""
CHECKED_BYTES = 4 << 20
"""Sections up to this size are always checked whole, which takes a few milliseconds at most."""
FOOTER = struct.Struct("<QQQ8s")
"""Offset, length and xxh3-64 of the table of contents, and the magic."""
_RESTORE = (
    "See what else is damaged, and mend what can be: porism check --repair. "
    "Restore the folder from a copy, or delete it and index the sources again."
)
ONE_CHECKSUM = np.dtype("<u8")
"""The dtype of a stored checksum."""


class Stamp(NamedTuple):
    """Identifies the content of a container: its size in bytes and the xxh3-64 of its table of contents."""

    size: int
    digest: int


def check_format(version: object, written_by: object, where: Path) -> None:
    """Raises :class:`IndexVersionError` unless ``version`` is the format this program reads."""
    if not isinstance(version, int) or version not in BLOCKS:
        raise IndexVersionError(
            f"index format {version}, written by {written_by}; this is porism {__version__}, "
            f"which reads formats {min(BLOCKS)} to {max(BLOCKS)}",
            where=str(where), hint="Upgrade porism, or index the sources again with this version.",
        )


def corrupt(reason: str, path: Path) -> IndexCorrupt:
    """The error for a file that has changed since it was written."""
    return IndexCorrupt(reason, where=str(path), hint=_RESTORE)


def unreadable(error: OSError, path: Path) -> IndexUnreadable:
    """The error for a file that the system does not let us read; its content may be intact."""
    hint = "Look at the disk and its messages; nothing says that the index is damaged."
    if error.errno in (errno.EMFILE, errno.ENFILE):
        hint = "Too many files are open: close some, or raise the limit (ulimit -n). The index is as it was."
    elif error.errno in (errno.EACCES, errno.EPERM):
        hint = "This user may not read it: change its mode (chmod -R a+rX), or ask whoever made the index."
    elif error.errno == errno.ENOMEM:
        hint = "There is no room in memory to map it: stop other programs, or raise the limit (ulimit -v)."
    return IndexUnreadable(f"cannot be read ({error.strerror or error})", where=str(path), hint=hint)


class _Entry(NamedTuple):
    """A section: its first byte, the byte after its last, its type, its first checksum, and the bytes of a block."""

    start: int
    stop: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    first: int
    block: int


class Container:
    """A container opened for reading. Its arrays are read-only views of one memory map, which lives as long as they do.

    ``kind`` None accepts any kind.

    :raises FileNotFoundError: there is no such file.
    :raises IndexCorrupt: it is truncated, changed, or not the file that ``stamp`` identifies.
    :raises IndexUnreadable: the system does not let us read it.
    :raises IndexVersionError: it has another format version.
    """

    __slots__ = (
        "_checksums", "_data", "_entries", "_table", "_unchecked", "format", "info", "kind", "path", "sound", "stamp",
    )

    def __init__(self, path: Path, kind: str | None, stamp: Stamp | None = None) -> None:
        self.path = path
        try:
            with open(path, "rb") as file:
                size = os.fstat(file.fileno()).st_size
                if stamp is not None and size != stamp.size:
                    raise corrupt(f"has {size} bytes where {stamp.size} were written", path)
                if size < len(MAGIC) + FOOTER.size:
                    raise corrupt(f"has only {size} bytes", path)
                self._data = map_file(file.fileno(), size)
        except FileNotFoundError:
            raise
        except OSError as error:
            raise unreadable(error, path) from error
        offset, length, digest, magic = FOOTER.unpack(self._data[size - FOOTER.size :].tobytes())
        begin = self._data[: len(MAGIC)].tobytes()
        if magic != MAGIC or begin != MAGIC or offset + length + FOOTER.size != size:
            raise corrupt("is truncated or no file of an index", path)
        table_bytes = self._data[offset : offset + length].tobytes()
        if xxhash.xxh3_64_intdigest(table_bytes) != digest:
            raise corrupt("has a damaged table of contents", path)
        if stamp is not None and digest != stamp.digest:
            raise corrupt("is not the file that was committed", path)
        try:
            table = orjson.loads(table_bytes)
            check_format(table["format"], table["written_by"], path)
            self.format: int = table["format"]
            self.kind: str = table["kind"]
            if kind is not None and self.kind != kind:
                raise corrupt(f"holds {self.kind!r} where {kind!r} was expected", path)
            self.info: dict[str, Any] = dict(table["info"])
            self._read_table(table, offset)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise corrupt(f"has a table of contents that makes no sense ({error})", path) from error
        self.stamp = Stamp(size, digest)
        self.sound: set[tuple[Any, ...]] = set()
        """Checks that readers of sections have passed, so that they run once."""
        self._unchecked: dict[str, NDArray[np.bool_]] = {}
        """Name of a section → which of its blocks have not been compared yet."""

    def _read_table(self, table: Mapping[str, Any], end: int) -> None:
        """Reads the places of checksums and sections, which must lie before ``end``, where the table begins.

        :raises ValueError: one does not.
        """
        at, count, digest = map(int, table["checksums"])
        if not (len(MAGIC) <= at and count >= 0 and at + 8 * count <= end):
            raise ValueError("checksums outside the file")
        checksums = self._data[at : at + 8 * count]
        if xxhash.xxh3_64_intdigest(checksums.data) != digest:
            raise corrupt("has damaged checksums", self.path)
        self._checksums = checksums.view(ONE_CHECKSUM)
        self._table = at, end
        self._entries: dict[str, _Entry] = {}
        default = BLOCKS[table["format"]]
        for name, (start, dtype_name, shape, first, *own) in table["sections"].items():
            (block,) = own or (default,)
            dtype = np.dtype(dtype_name)
            if dtype.kind not in "biuf" or any(type(length) is not int or length < 0 for length in shape):
                raise ValueError(f"section {name!r} is not an array of numbers")
            if type(block) is not int or block < 1:
                raise ValueError(f"section {name!r} has blocks of {block!r} bytes")
            stop = start + dtype.itemsize * math.prod(shape)
            inside = len(MAGIC) <= start <= stop <= at and start % ALIGNMENT == 0
            if not inside or not 0 <= first <= first + -(-(stop - start) // block) <= count:
                raise ValueError(f"section {name!r} outside the file")
            self._entries[name] = _Entry(start, stop, dtype, tuple(shape), first, block)

    def __contains__(self, name: object) -> bool:
        return name in self._entries

    def __iter__(self) -> Iterator[str]:
        return iter(self._entries)

    def array(self, name: str) -> NDArray[Any]:
        """The section as a read-only array."""
        unchecked = self._blocks(name)
        if len(unchecked):
            self._check(name, np.flatnonzero(unchecked))
        return self._view(name)

    def section(self, name: str) -> ContainerSection:
        """The section as an array whose parts are checked as they are read."""
        entry = self._entry(name)
        if entry.stop - entry.start <= CHECKED_BYTES:
            self.array(name)
        return ContainerSection(self, name, self._view(name))

    def unload(self, name: str) -> None:
        """Frees the memory of a section that was copied; the next read loads it from the file again."""
        entry = self._entry(name)
        unload(self._data[entry.start : entry.stop])

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a section, without reading it."""
        return self._entry(name).shape

    def block_of(self, name: str) -> int:
        """The bytes of a block of a section."""
        return self._entry(name).block

    def _entry(self, name: str) -> _Entry:
        entry = self._entries.get(name)
        if entry is None:
            raise corrupt(f"has no section {name!r}", self.path)
        return entry

    def _view(self, name: str) -> NDArray[Any]:
        entry = self._entry(name)
        return self._data[entry.start : entry.stop].view(entry.dtype).reshape(entry.shape)

    def _blocks(self, name: str) -> NDArray[np.bool_]:
        """Which blocks of a section have not been compared yet (bool); empty when all have."""
        unchecked = self._unchecked.get(name)
        if unchecked is None:
            entry = self._entry(name)
            # Of two threads at once, both use the array that was set first.
            blocks = -(-(entry.stop - entry.start) // entry.block)
            unchecked = self._unchecked.setdefault(name, np.ones(blocks, np.bool_))
        return unchecked

    def _check(self, name: str, blocks: NDArray[np.int64]) -> None:
        """Compares blocks of a section with their checksums and marks them as checked."""
        unchecked = self._blocks(name)
        if not len(unchecked):
            return
        start, stop, _, _, first, size = self._entry(name)
        data = self._data[start:stop].data
        written = self._checksums[first + blocks].tolist()
        for block, checksum in zip(blocks.tolist(), written, strict=True):
            if xxhash.xxh3_64_intdigest(data[block * size : (block + 1) * size]) != checksum:
                raise corrupt(f"has changed in section {name!r}", self.path)
        unchecked[blocks] = False
        if not unchecked.any():
            self._unchecked[name] = unchecked[:0]

    def size_of(self, prefix: str = "") -> int:
        """Bytes in the sections whose name begins with ``prefix``."""
        return sum(entry.stop - entry.start for name, entry in self._entries.items() if name.startswith(prefix))

    def verify(self, on_bytes: Callable[[int], None] = lambda count: None) -> None:
        """Compares every byte with its checksum, even if that was done before.

        ``on_bytes`` is called with the size of each section.
        """
        for name, entry in self._entries.items():
            blocks = -(-(entry.stop - entry.start) // entry.block)
            self._unchecked[name] = np.ones(blocks, np.bool_)
            self._check(name, np.arange(blocks))
            on_bytes(entry.stop - entry.start)
        at = len(MAGIC)
        for start, stop in [*sorted((entry.start, entry.stop) for entry in self._entries.values()), self._table]:
            if start > at and self._data[at:start].any():
                raise corrupt(f"has changed between sections (bytes {at} to {start})", self.path)
            at = max(at, stop)


class ContainerSection:
    """A section that is read in parts: :meth:`require` a part before reading it from ``array`` (read-only).

    A small section is already checked.
    """

    __slots__ = ("_container", "_name", "array")

    def __init__(self, container: Container, name: str, array: NDArray[Any]) -> None:
        self._container, self._name, self.array = container, name, array

    @property
    def complete(self) -> bool:
        """Whether all of it has been compared with its checksums, so that :meth:`require` has nothing to do."""
        return not len(self._container._blocks(self._name))

    def require(self, starts: NDArray[np.integer], stops: NDArray[np.integer]) -> None:
        """Compares the parts from ``starts`` to ``stops`` (elements of the flat array) with their checksums.

        When half of a section is checked, the rest is checked too, so that later calls are free.
        """
        unchecked = self._container._blocks(self._name)
        if not len(unchecked):
            return
        size, block = self.array.itemsize, self._container.block_of(self._name)
        some = stops > starts
        if not some.all():
            starts, stops = starts[some], stops[some]
        first = starts.astype(np.int64) * size // block
        last = (stops.astype(np.int64) * size - 1) // block
        longer = np.flatnonzero(last > first)  # most parts are within one block
        if len(longer):
            counts = last[longer] - first[longer]
            ends = np.cumsum(counts)
            further = np.repeat(first[longer] + 1 - ends + counts, counts) + np.arange(ends[-1])
            first = np.concatenate([first, further])
        new = first[unchecked[first]]
        if not len(new):
            return
        self._container._check(self._name, np.unique(new))
        if 2 * np.count_nonzero(unchecked) <= len(unchecked):
            self.all()

    def all(self) -> NDArray[Any]:
        """The whole array, checked."""
        return self._container.array(self._name)
