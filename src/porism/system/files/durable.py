"""The one way in which files of an index get on disk: whole or not at all, and safe from a power cut once that is said.

A file is written under another name, made durable, renamed, and then its name is made durable too; a folder is made
durable in the folder that it is in. So whatever a name leads to is complete, and what a call has written when it
returns is there after the power was cut.
"""

from __future__ import annotations

import errno
import os
import secrets
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from porism.errors import StorageError
from porism.system.concurrency.interrupts import uninterrupted

if sys.platform == "darwin":
    import fcntl

    def sync_file(descriptor: int) -> None:
        """Makes the content of an open file durable; what ``fsync`` does here leaves it in the cache of the disk."""
        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:  # a file system that does not know it
            os.fsync(descriptor)

else:

    def sync_file(descriptor: int) -> None:
        """Makes the content of an open file durable."""
        os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable; does nothing where the system or the file system cannot."""
    if os.name == "nt":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in (errno.EINVAL, errno.ENOTSUP):
            raise
    finally:
        os.close(descriptor)


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
        elif error.errno in (errno.EMFILE, errno.ENFILE):
            hint = "Close files or raise the limit (ulimit -n); the last committed state of the index is intact."
        raise StorageError(f"cannot be written ({reason})", where=str(path), hint=hint) from error


def make_folder(folder: Path, *, parents: bool = True) -> None:
    """Makes a folder, and by default those above it, durably, where they are not there yet.

    :raises StorageError: that cannot be done.
    """
    with storage_errors(folder):
        missing: list[Path] = []
        place = folder
        while not place.is_dir() and (parents or not missing):
            missing.append(place)
            place = place.parent
        for each in reversed(missing):
            each.mkdir(exist_ok=True)
            sync_folder(each.parent)


def temporary_name(path: Path) -> Path:
    """A name beside ``path`` that no other process uses."""
    return path.with_name(f"{path.name}.{os.getpid()}-{secrets.token_hex(4)}.tmp")


def publish(part: Path, path: Path) -> None:
    """Gives a file that is complete and durable its name, durably; replaces what had the name.

    :raises OSError: that cannot be done.
    """
    os.replace(part, path)
    sync_folder(path.parent)


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
                sync_file(file.fileno())
            publish(part, path)
        finally:
            with suppress(OSError):  # what kept the file from being written must not be hidden by this
                part.unlink(missing_ok=True)


def remove_tree(folder: Path) -> None:
    """Removes a folder with all that is in it, as far as that can be done now; one that is not there is no error.

    An interruption waits for the end: within the standard library's removal it can close a descriptor twice, which is
    an error of its own and, where another thread opened a file meanwhile, closes that.
    """
    with uninterrupted():
        shutil.rmtree(folder, ignore_errors=True)
