"""Worker processes that end when their owner does."""

from __future__ import annotations

import multiprocessing
import os
import select
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any, TypeVar

from porism.system.concurrency.clusters import active_cluster

T = TypeVar("T")
R = TypeVar("R")

_SECONDS = 0.5
_begun = threading.Event()


def parallel(processes: int, **settings: Any) -> Any:
    """``joblib.Parallel`` whose processes on this machine end when this one does; ``settings`` are for joblib."""
    import joblib

    backend, _ = joblib.parallel.get_active_backend()
    if type(backend).__name__ == "LokyBackend":
        with suppress(TypeError):  # joblib before 1.5: processes begin to wait with their first task
            return joblib.Parallel(processes, initializer=end_with, initargs=(os.getpid(),), **settings)
    return joblib.Parallel(processes, **settings)


def map_parallel(work: Callable[[T], R], tasks: Iterable[T], processes: int) -> Iterator[R]:
    """What ``work`` gives for each task, in the order of the tasks, by so many processes, or on the cluster that this
    process is connected to (:func:`porism.system.concurrency.clusters.connected`).

    Tasks are taken as results are, so many ahead that no process waits; one process is this one.
    """
    if processes == 1:
        yield from map(work, tasks)
        return
    cluster = active_cluster()
    if cluster is not None:
        yield from cluster.map_parallel(work, tasks)
        return
    import joblib

    run = parallel(processes, return_as="generator", pre_dispatch=2 * processes)
    yield from run(joblib.delayed(_owned)(os.getpid(), work, task) for task in tasks)


def default_processes() -> int:
    """How many processes spread work has where nothing else is said: one for each processor of this machine, or of the
    cluster that this process is connected to, which has at least two, so that even one worker gets the work."""
    cluster = active_cluster()
    return max(2, cluster.workers) if cluster is not None else os.cpu_count() or 1


def _owned(owner: int, work: Callable[[T], R], task: T) -> R:
    end_with(owner)
    return work(task)


def end_with(owner: int) -> None:
    """Ends this process when the process ``owner`` has ended for any reason; returns at once.

    The first call starts a thread that waits; later ones do nothing. A process that is not a child of the owner, such
    as one of a cluster, is left alone.
    """
    if _begun.is_set() or os.getpid() == owner:
        return
    if os.getppid() == owner:
        _begun.set()
        threading.Thread(target=_wait, args=(owner,), name="end with the owner", daemon=True).start()
    elif multiprocessing.current_process().name.startswith("Loky") and not _exists(owner):
        os._exit(1)  # the owner ended before this process began


def _wait(owner: int) -> None:
    """Waits until the owner has ended, and ends this process."""
    if hasattr(os, "pidfd_open"):
        try:
            descriptor = os.pidfd_open(owner)
        except OSError:  # it has just ended, or the system has none of these
            descriptor = -1
        if descriptor >= 0 and os.getppid() == owner:  # and not another process with its number
            select.select([descriptor], [], [])
    while os.getppid() == owner:
        time.sleep(_SECONDS)
    os._exit(1)


def _exists(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
