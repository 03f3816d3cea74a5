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
    """The snapshot of an index to which no other process writes meanwhile.

    :raises IndexLocked: another process writes to it.
    """
    lock = WriterLock(index / LOCK_FILE)
    try:
        with Snapshot.open(index) as snapshot:
            yield snapshot
    finally:
        lock.release()
