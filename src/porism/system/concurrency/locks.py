"""Locks that are open in a forked process."""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from weakref import WeakSet


class Lock:
    """A reentrant lock that is open in a forked process, whichever thread of the parent held it.

    A fork does not copy other threads: a lock that one of them held would stay closed forever. Work under such a lock
    must be safe to abandon at any point: for example, it changes a table in a single assignment.
    """

    def __init__(self) -> None:
        self._lock = threading.RLock()
        _all.add(self)

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, *error: object) -> None:
        self._lock.release()

    def renew(self) -> None:
        """Opens the lock in a process that was just forked, unless this thread has it."""
        with suppress(AttributeError):  # some versions of Python lack it
            if self._lock._is_owned():  # type: ignore[attr-defined]
                return
        self._lock = threading.RLock()


_all: WeakSet[Lock] = WeakSet()


def _renew_all() -> None:
    for lock in list(_all):
        lock.renew()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_renew_all)
