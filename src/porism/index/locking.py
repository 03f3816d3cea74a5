"""Reading an index while no other process writes to it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from porism.index.manifest import LOCK_FILE
from porism.index.snapshot import Snapshot
from porism.system.files.lock import WriterLock


@contextmanager
def locked_snapshot(index: Path) -> Iterator[Snapshot]:
    """A snapshot of an index, whose writer lock is held until the context ends.

    :raises IndexLocked: another process is writing.
    """
    lock = WriterLock(index / LOCK_FILE)
    try:
        with Snapshot.open(index) as snapshot:
            yield snapshot
    finally:
        lock.release()
