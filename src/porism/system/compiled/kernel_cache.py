"""Compiled kernels on disk: each file has a checksum and the key of its code, and must be of an owner that we trust.

Machine code with one wrong bit crashes, hangs or ranks wrongly. A file that a power cut or an older version left behind
may be whole and still be other code than its name says. And loading runs what the file says, so it must be of this
user, of the owner of the source or of the administrator.

A file is the checksum of all that follows, the digest of the key, and Numba's serialised function.
"""

from __future__ import annotations

import importlib
import os
import pickle
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import xxhash

from porism.errors import IndexCorrupt, StorageError
from porism.system.files.durable import replace_file

serialize: Any = importlib.import_module("numba.core.serialize")

SUFFIX = ".kernel"

_DIGEST = 16
"""Bytes of a checksum and of the digest of a key."""

_WRITABLE_BY_OTHERS = 0o022


class KernelFiles:
    """The files of one function: one for each signature, processor and owner. Takes the place of Numba's cache files.

    :param stamp: differs where the source of the function differs.
    """

    def __init__(self, folder: Path, name: str, stamp: object, owners: tuple[int, ...]) -> None:
        self._folder, self._name, self._stamp, self._owners = folder, name, stamp, owners

    def save(self, key: tuple[Any, ...], data: object) -> None:
        """Writes a compiled function durably; does nothing where the folder cannot be written or the disk is full."""
        content = self._digest(key) + serialize.dumps(data)
        with suppress(StorageError):
            replace_file(self._path(key, self._owners[0]), xxhash.xxh3_128_digest(content) + content, mode=0o644)

    def load(self, key: tuple[Any, ...]) -> Any:
        """The first whole and trusted copy of a compiled function; None where it must be compiled."""
        content = self._content(key)
        with suppress(pickle.UnpicklingError, ValueError, TypeError, AttributeError, ImportError, LookupError):
            return None if content is None else pickle.loads(content)
        return None  # whole, but of a library that has changed since

    def has(self, key: tuple[Any, ...]) -> bool:
        """Whether :meth:`load` would find a copy; loads nothing."""
        return self._content(key) is not None

    def _content(self, key: tuple[Any, ...]) -> bytes | None:
        digest = self._digest(key)
        for owner in self._owners:
            with suppress(OSError, IndexCorrupt):
                found, content = read_kernel(self._path(key, owner))
                if found == digest:
                    return content
        return None

    def _path(self, key: tuple[Any, ...], owner: int) -> Path:
        signature, processor, *_ = key
        variant = xxhash.xxh3_64_hexdigest(repr((signature, processor)).encode())
        return self._folder / f"{self._name}.{variant}.{owner}{SUFFIX}"

    def _digest(self, key: tuple[Any, ...]) -> bytes:
        return xxhash.xxh3_128_digest(repr((self._stamp, key)).encode())


def use_kernel_files(dispatcher: Any) -> None:
    """Lets a function that Numba would cache use :class:`KernelFiles`; needs Numba's inner parts as they are known."""
    cache = dispatcher._cache
    locator = cache._impl.locator
    stamp = (cache._cache_file._version, locator.get_source_stamp())
    owners = trusted_owners(locator._py_file)
    cache._cache_file = KernelFiles(Path(cache.cache_path), cache._impl.filename_base, stamp, owners)


def trusted_owners(source: str | os.PathLike[str]) -> tuple[int, ...]:
    """This user first, then the owner of a source file and the administrator, who can make us run anything anyway."""
    return tuple(dict.fromkeys((current_user(), os.stat(source).st_uid, 0)))  # Windows gives 0 for all


def read_kernel(path: Path) -> tuple[bytes, bytes]:
    """The digest of the key and the serialised function in a file.

    :raises OSError: it cannot be read.
    :raises IndexCorrupt: it is not as it was written, or others than the owner in its name may have written it.
    """
    with open(path, "rb") as file:
        if not _written_by(int(path.suffixes[-2][1:]), os.fstat(file.fileno())):
            raise IndexCorrupt("can be written by other users", where=str(path))
        content = file.read()
    if xxhash.xxh3_128_digest(memoryview(content)[_DIGEST:]) != content[:_DIGEST]:
        raise IndexCorrupt("the checksum does not agree", where=str(path))
    return content[_DIGEST:2 * _DIGEST], content[2 * _DIGEST:]


def kernel_files(folder: Path, owners: tuple[int, ...]) -> Iterator[Path]:
    """The files of these owners in a folder."""
    for owner in owners:
        yield from sorted(folder.glob(f"*.{owner}{SUFFIX}"))


def keeps_rights(folder: Path) -> bool:
    """Whether a file that this process writes to a folder could be trusted: some file systems have no owners."""
    try:
        with tempfile.TemporaryFile(dir=folder) as probe:
            return _written_by(current_user(), os.fstat(probe.fileno()))
    except OSError:
        return False


def current_user() -> int:
    """The number of this user; 0 where users have no numbers."""
    return 0 if os.name == "nt" else os.geteuid()


def _written_by(owner: int, status: os.stat_result) -> bool:
    return os.name == "nt" or (status.st_uid == owner and not status.st_mode & _WRITABLE_BY_OTHERS)
