"""Locks that a process which was forked finds open."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from types import TracebackType
from weakref import WeakSet


class Lock:
    """A reentrant lock; in a forked process it is open, whichever thread of the old process had it.

    Threads do not go along when a process forks: a lock that one of them held would stay closed for ever. What is done
    under such a lock must be well if it is begun and never ended: a table gets its new entries in one assignment.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Opens the lock, unless this thread has it, in a process that was just forked."""
        with suppress(AttributeError):  # not every Python has it
            if self._lock._is_owned():  # type: ignore[attr-defined]
                return
        self._lock = threading.RLock()


_all: WeakSet[Lock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_all):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
