"""The writer's lock: one process at a time changes an index, and a crash never leaves it locked."""

from __future__ import annotations

import os
import sys
from io import RawIOBase
from pathlib import Path
from typing import IO

from porism.errors import IndexLocked, StorageError
from porism.system.files.durable import storage_errors


class WriterLock:
    """Locks the lock file of an index from construction to :meth:`release`, or to the end of the process.

    The file stays, with the process id of the last writer; only the lock on it counts. A lock belongs to a file,
    whatever its name: if the folder is renamed, the lock moves with the file, and :meth:`check` fails.

    :raises IndexLocked: another writer, in this process or another, holds it.
    :raises StorageError: the folder cannot be written.
    """

    def __init__(self, path: Path, doing: str = "is writing to this index") -> None:
        """``doing`` completes the message about the process that holds the lock."""
        self.path = path
        with storage_errors(path):
            self._file: IO[bytes] | None = open(path, "a+b")  # noqa: SIM115 (held as long as the lock)
        with storage_errors(path):
            locked = try_lock(self._file)
        if not locked:
            self._file.seek(0)
            owner = self._file.read(32).decode("ascii", "replace").strip()
            self._file.close()
            self._file = None
            who = f"process {owner}" if owner.isdecimal() else "another process"
            raise IndexLocked(f"{who} {doing}", where=str(path.parent), hint="Wait until it is done, or stop it.")
        try:
            self.check()
            with storage_errors(path):
                self._file.truncate(0)
                self._file.write(str(os.getpid()).encode("ascii"))
                self._file.flush()
        except BaseException:
            self.release()
            raise

    def check(self) -> None:
        """Checks that the name still leads to the locked file; call it before each step of writing.

        :raises StorageError: the folder was renamed, removed or replaced by another one, which may be another writer's.
        """
        if self._file is None:
            raise StorageError("the lock was released", where=str(self.path.parent), hint="Open another writer.")
        try:
            there = os.path.samestat(os.stat(self.path), os.fstat(self._file.fileno()))
        except FileNotFoundError:
            there = False
        if not there:
            raise StorageError(
                "the folder was renamed or replaced while it was being written, and is left as it is now",
                where=str(self.path.parent),
                hint="What was committed is where the folder went. Run again for what was not.",
            )

    def release(self) -> None:
        """Lets the next writer in; does nothing the second time."""
        if self._file is not None:
            self._file.close()
            self._file = None


if sys.platform == "win32":
    import msvcrt

    _FAR = 1 << 30

    def try_lock(file: IO[bytes] | RawIOBase) -> bool:
        """Locks a byte far beyond the content, so that others can read the content."""
        try:
            file.seek(_FAR)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        file.seek(0)
        return True

else:
    import fcntl

    def try_lock(file: IO[bytes] | RawIOBase) -> bool:
        """Takes the lock unless another open file has it."""
        try:
            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True
