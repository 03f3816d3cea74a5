"""Atomic and durable writing of files: complete or absent, and safe from a power cut; and room on the disk.

A file is written under a temporary name, made durable, and renamed; then the name is made durable too. A folder is made
durable in its parent. So a name always leads to a complete file, and what a call has written survives a power cut once
the call returns.
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
        """Makes the content of an open file durable; on macOS ``fsync`` leaves it in the cache of the disk."""
        try:
            fcntl.fcntl(descriptor, fcntl.F_FULLFSYNC)
        except OSError:  # the file system does not support it
            os.fsync(descriptor)

else:

    def sync_file(descriptor: int) -> None:
        """Makes the content of an open file durable."""
        os.fsync(descriptor)


def sync_folder(folder: Path) -> None:
    """Makes the names in a folder durable, if the system and the file system can."""
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
    """Turns an OSError while writing into a :class:`StorageError` with a hint."""
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
    """Makes a folder durably if it does not exist, by default with its parents.

    :raises StorageError: it cannot be made.
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
    """Renames a complete, durable file, durably; replaces a file of that name.

    :raises OSError: it cannot be renamed.
    """
    os.replace(part, path)
    sync_folder(path.parent)


def replace_file(path: Path, data: bytes, *, mode: int = 0o666) -> None:
    """Writes a small file atomically and durably, with these rights less those of the umask.

    :raises StorageError: the disk is full or the folder cannot be written.
    """
    part = temporary_name(path)
    with storage_errors(path):
        try:
            with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
                file.write(data)
                file.flush()
                sync_file(file.fileno())
            publish(part, path)
        finally:
            with suppress(OSError):  # this must not hide the error of writing
                part.unlink(missing_ok=True)


def remove_tree(folder: Path) -> None:
    """Removes a folder and its content, ignoring errors; it need not exist.

    An interruption waits for the end: within ``shutil.rmtree`` it can close a descriptor twice, which is an error or
    closes a file that another thread has opened meanwhile.
    """
    with uninterrupted():
        shutil.rmtree(folder, ignore_errors=True)


def folder_size(folder: Path) -> int:
    """Bytes of all files below a folder; files that are removed meanwhile do not count."""
    total = 0
    for parent, _, files in os.walk(folder):
        for file in files:
            try:
                total += os.stat(os.path.join(parent, file)).st_size
            except FileNotFoundError:  # a writer has just cleaned it away
                continue
    return total


def check_room(folder: Path, size: int) -> None:
    """Checks that the disk of ``folder`` has ``size`` bytes free, and a tenth more for others.

    :raises StorageError: it does not.
    """
    needed, free = size * 1.1, shutil.disk_usage(folder).free
    if free < needed:
        raise StorageError(
            f"{needed / 2**30:,.1f} GiB are needed, and the disk has {free / 2**30:,.1f} GiB free", where=str(folder),
            hint="Free some space and run again; the last committed state of the index is intact.",
        )
