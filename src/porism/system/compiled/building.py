"""Compiling many kernels at once: in processes beside this one, into the cache on disk that all later ones read.

Numba keeps a file for each kernel and replaces it whole, so that processes do not disturb each other, and one that is
killed leaves the others' work behind.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import multiprocessing
import multiprocessing.connection
import os
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeAlias

import numba

from porism.system.compiled.kernels import Kernel
from porism.system.concurrency.interrupts import uninterrupted

MAX_PROCESSES = 4
"""More would wait for the longest kernel."""

Wait: TypeAlias = Callable[[Callable[[int, int], None]], None]
"""Waits until all is compiled, and meanwhile reports (done, total)."""

_POLL = 0.1
"""Seconds between looks at how far the processes are."""


def kernels_of(modules: Iterable[str]) -> list[Kernel]:
    """The kernels that modules define, those that take longest to compile first."""
    kernels = []
    for name in modules:
        module = importlib.import_module(name)
        kernels += [value for value in vars(module).values() if isinstance(value, Kernel) and value.module == name]
    return sorted(kernels, key=lambda kernel: -kernel.size)


def not_compiled(kernels: Iterable[Kernel]) -> list[Kernel]:
    """Those that are neither loaded nor in the cache on disk."""
    return [kernel for kernel in kernels if not (kernel.ready or kernel.is_cached())]


def cores() -> int:
    """The cores that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def use_temporary_cache() -> None:
    """Keeps compiled kernels in a folder that goes with this process, for it and the processes that it starts."""
    folder = tempfile.mkdtemp(prefix="porism-kernels-")
    owner = os.getpid()

    def remove() -> None:
        if os.getpid() == owner:
            shutil.rmtree(folder, ignore_errors=True)

    atexit.register(remove)
    os.environ["NUMBA_CACHE_DIR"] = folder
    config: Any = numba.config  # read from the environment when Numba was imported
    config.CACHE_DIR = folder


def compile_kernels(
    kernels: Sequence[Kernel], *, processes: int | None = None, on_progress: Callable[[int, int], None] = lambda done,
    total: None,
) -> None:
    """Compiles kernels into the cache on disk, in a process a core, but :data:`MAX_PROCESSES` at most.

    What cannot be compiled or stored there is left to its first call. An interruption ends the processes at once; the
    kernels that are complete stay.

    :param kernels: those first that take longest.
    :param on_progress: receives (done, total), in units of :attr:`porism.system.compiled.kernels.Kernel.size`.
    """
    with compiling(kernels, processes=processes) as wait:
        wait(on_progress)


@contextmanager
def compiling(kernels: Sequence[Kernel], *, processes: int | None = None) -> Iterator[Wait]:
    """The same while the block runs, which gets what waits for the end; after it the processes are ended."""
    if not kernels:
        yield lambda on_progress: None
        return
    total = sum(kernel.size for kernel in kernels)
    tasks = _tasks(kernels)
    count = min(processes or min(cores(), MAX_PROCESSES), len(tasks))
    context = _context()
    taken, done = context.Value("q", 0), context.Value("q", 0)
    workers = [context.Process(target=_work, args=(tasks, taken, done, os.getpid()), daemon=True) for _ in range(count)]

    def wait(on_progress: Callable[[int, int], None]) -> None:
        while alive := [worker.sentinel for worker in workers if worker.is_alive()]:
            multiprocessing.connection.wait(alive, timeout=_POLL)
            on_progress(done.value, total)

    try:
        with uninterrupted():  # Python drops what is raised in that which it calls after a fork
            for worker in workers:
                worker.start()
        yield wait
    finally:
        for worker in workers:
            if worker.pid is not None:
                worker.kill()
                worker.join()


def _context() -> Any:
    """Forked processes have what Numba has loaded; but a process with threads, or of macOS, must not be forked."""
    forks = sys.platform.startswith("linux") and threading.active_count() == 1
    return multiprocessing.get_context("fork" if forks else "spawn")


def _tasks(kernels: Iterable[Kernel]) -> list[tuple[str, list[str]]]:
    """(module, names of kernels in it) that one process must compile: kernels of one function share a file."""
    tasks: dict[tuple[str, str], list[str]] = {}
    for kernel in kernels:
        names = (name for name, value in vars(sys.modules[kernel.module]).items() if value is kernel)
        tasks.setdefault((kernel.module, kernel.__name__), []).append(next(names))
    return [(module, names) for (module, _), names in tasks.items()]


def _work(tasks: Sequence[tuple[str, Sequence[str]]], taken: Any, done: Any, parent: int) -> None:
    """Compiles kernels, each time those of the next task that no other process has, as long as the parent lives."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C reaches all; the parent ends this process
    signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a fork has the handlers of its parent
    gc.disable()  # what a compiler makes lives as long as this process: looking for garbage is a tenth of its time
    while os.getppid() == parent:
        with taken.get_lock():
            number = taken.value
            taken.value += 1
        if number >= len(tasks):
            return
        module, names = tasks[number]
        for name in names:
            kernel: Kernel = getattr(importlib.import_module(module), name)
            kernel.prepare()
            with done.get_lock():
                done.value += kernel.size
