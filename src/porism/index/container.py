"""One file that holds many named arrays: how a segment, its tombstones and its derived data lie on disk.

::

    magic (8 bytes) │ sections, each on a multiple of 64 │ checksums │ table of contents (JSON) │ footer (32 bytes)

Each block of a section has a checksum, an xxh3-64 as little-endian uint64. A block has :data:`BLOCK` bytes, or
:data:`SMALL_BLOCK` in sections of which searches read rows here and there. The footer is offset, length and xxh3-64 of
the table, each a little-endian uint64, and the magic again. The table has the format version, the kind of the file,
free information, where the checksums are and their own xxh3-64, and for each section its offset, dtype, shape, the
number of its first checksum, and the size of its blocks where it is another one.

Reading is one memory map, without a descriptor that stays open. Opening checks the size of the file, the footer, the
table and the checksums. Nothing of a section is handed on that does not agree with them: :meth:`Container.array` checks
a section whole when it is first used, and a :class:`Section` that is large only what is about to be read.
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
    """A part of memory that arrays view; it is given back when the last of them has gone."""

    def __init__(self, place: int, size: int) -> None:
        self.__array_interface__ = {"version": 3, "shape": (size,), "typestr": "|u1", "data": (place, True)}
        release = weakref.finalize(self, _calls().munmap, place, size)
        release.atexit = False  # arrays can live on while the interpreter ends, which gives all memory back anyway


@cache
def _calls() -> Any:
    """The library that has ``mmap``, ``munmap`` and ``madvise`` of the system."""
    library = ctypes.CDLL(None, use_errno=True)
    library.mmap.restype = ctypes.c_void_p
    library.mmap.argtypes = (
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long
    )
    library.munmap.restype = ctypes.c_int
    library.munmap.argtypes = (ctypes.c_void_p, ctypes.c_size_t)
    library.madvise.restype = ctypes.c_int
    library.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    return library


def map_file(descriptor: int, size: int) -> NDArray[np.uint8]:
    """The first ``size`` bytes (above 0) of an open file, read-only; the file can be closed and removed then.

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
    """Gives the memory of a mapped array back; what reads it again gets it from the file.

    For an array that was copied. Does nothing where the system has no such call.
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
"""The formats that are read, and how many bytes have one checksum in each, where a section does not say."""

MAGIC = b"PORISM\x1a\n"
ALIGNMENT = 64
BLOCK = BLOCKS[FORMAT]
"""Bytes that have one checksum: 4 µs to compare, and 4 MB of checksums for 32 GB."""
SMALL_BLOCK = 1 << 12
"""Bytes that have one checksum where rows are read here and there: 1 µs to compare, 1 MB of checksums for 512 MB."""
CHECKED_BYTES = 4 << 20
"""Sections up to this size are checked whole even where only parts are read: a few milliseconds at most."""
FOOTER = struct.Struct("<QQQ8s")
"""Offset, length and xxh3-64 of the table of contents, and the magic."""
_RESTORE = (
    "See what else is damaged, and mend what can be: porism check --repair. "
    "Restore the folder from a copy, or delete it and index the sources again."
)
ONE_CHECKSUM = np.dtype("<u8")
"""How a checksum is stored."""


class Stamp(NamedTuple):
    """What identifies the content of a container: its size in bytes and the xxh3-64 of its table of contents."""

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


def corrupt(what: str, path: Path) -> IndexCorrupt:
    """The error for a file that is not as it was written."""
    return IndexCorrupt(what, where=str(path), hint=_RESTORE)


def unreadable(error: OSError, path: Path) -> IndexUnreadable:
    """The error for a file that the system does not let us read, which says nothing about what is in it."""
    hint = "Look at the disk and its messages; nothing says that the index is damaged."
    if error.errno in (errno.EMFILE, errno.ENFILE):
        hint = "Too many files are open: close some, or raise the limit (ulimit -n). The index is as it was."
    elif error.errno in (errno.EACCES, errno.EPERM):
        hint = "This user may not read it: change its mode (chmod -R a+rX), or ask whoever made the index."
    elif error.errno == errno.ENOMEM:
        hint = "There is no room in memory to map it: stop other programs, or raise the limit (ulimit -v)."
    return IndexUnreadable(f"cannot be read ({error.strerror or error})", where=str(path), hint=hint)


class _Entry(NamedTuple):
    """Where a section is: its first byte and the byte after the last, what it is, its first checksum, and how many
    bytes have one."""

    start: int
    stop: int
    dtype: np.dtype[Any]
    shape: tuple[int, ...]
    first: int
    block: int


class Container:
    """A container opened for reading: arrays are read-only views of one memory map, valid as long as one is held.

    ``kind`` None opens one of any kind.

    :raises FileNotFoundError: there is no such file.
    :raises IndexCorrupt: it is truncated, changed, or another file than ``stamp`` says.
    :raises IndexUnreadable: the system does not let us read it.
    :raises IndexVersionError: it has another format version.
    """

    __slots__ = (
        "_checksums", "_data", "_entries", "_table", "_unchecked", "info", "kind", "path", "sound", "stamp"
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
            self.kind: str = table["kind"]
            if kind is not None and self.kind != kind:
                raise corrupt(f"holds {self.kind!r} where {kind!r} was expected", path)
            self.info: dict[str, Any] = dict(table["info"])
            self._read_table(table, offset)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise corrupt(f"has a table of contents that makes no sense ({error})", path) from error
        self.stamp = Stamp(size, digest)
        self.sound: set[tuple[Any, ...]] = set()
        """What readers of sections have found to be as it must be, so that they look once."""
        self._unchecked: dict[str, NDArray[np.bool_]] = {}
        """For each section that was read, which of its blocks were not compared yet."""

    def _read_table(self, table: Mapping[str, Any], end: int) -> None:
        """Takes where checksums and sections are; nothing may reach beyond ``end``, where the table begins.

        :raises ValueError: it does.
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
        usual = BLOCKS[table["format"]]
        for name, (start, dtype_name, shape, first, *own) in table["sections"].items():
            (block,) = own or (usual,)
            dtype = np.dtype(dtype_name)
            if dtype.kind not in "biuf" or any(type(length) is not int or length < 0 for length in shape):
                raise ValueError(f"section {name!r} is no array of numbers")
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
        """The section as a read-only array.

        :raises IndexCorrupt: there is no such section, or it was changed.
        """
        unchecked = self._blocks(name)
        if len(unchecked):
            self._check(name, np.flatnonzero(unchecked))
        return self._view(name)

    def section(self, name: str) -> Section:
        """The section as an array of which only what is read needs to be checked.

        :raises IndexCorrupt: there is no such section, or it is not large and was changed.
        """
        entry = self._entry(name)
        if entry.stop - entry.start <= CHECKED_BYTES:
            self.array(name)
        return Section(self, name, self._view(name))

    def unload(self, name: str) -> None:
        """Gives back the memory of a section that was copied; what reads it again gets it from the file."""
        entry = self._entry(name)
        unload(self._data[entry.start : entry.stop])

    def shape(self, name: str) -> tuple[int, ...]:
        """The shape of a section, of which nothing is read.

        :raises IndexCorrupt: there is no such section.
        """
        return self._entry(name).shape

    def block_of(self, name: str) -> int:
        """How many bytes of a section have one checksum.

        :raises IndexCorrupt: there is no such section.
        """
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
        """Which blocks of a section were not compared yet (bool); empty when all were."""
        unchecked = self._unchecked.get(name)
        if unchecked is None:
            entry = self._entry(name)
            # Of two threads that come at once both use the one that is there first.
            blocks = -(-(entry.stop - entry.start) // entry.block)
            unchecked = self._unchecked.setdefault(name, np.ones(blocks, np.bool_))
        return unchecked

    def _check(self, name: str, blocks: NDArray[np.int64]) -> None:
        """Compares blocks of a section with their checksums, and remembers those that agree."""
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
        """Reads every byte and compares it with its checksums, also what was compared before.

        ``on_bytes`` is called with the bytes of each section.

        :raises IndexCorrupt: one was changed.
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


class Section:
    """A section of a container of which parts are read: :meth:`require` them before.

    ``array`` is read-only; of one that is not large all was compared already.
    """

    __slots__ = ("_container", "_name", "array")

    def __init__(self, container: Container, name: str, array: NDArray[Any]) -> None:
        self._container, self._name, self.array = container, name, array

    @property
    def complete(self) -> bool:
        """Whether everything was compared with its checksums, so that nothing needs to be required any more."""
        return not len(self._container._blocks(self._name))

    def require(self, starts: NDArray[np.integer], stops: NDArray[np.integer]) -> None:
        """Compares the parts from ``starts`` to ``stops`` (elements of the flat array) with their checksums; once half
        of a section was compared, the rest is, too, so that nobody has to ask again.

        :raises IndexCorrupt: one was changed.
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
        """The array, compared whole.

        :raises IndexCorrupt: it was changed.
        """
        return self._container.array(self._name)
