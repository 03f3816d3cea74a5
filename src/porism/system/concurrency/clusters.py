"""A Dask cluster that takes the work of this process: connecting to it, and what is asked of its workers.

Work goes there through joblib's Dask backend, so that the scheduler does a task again whose worker has died. Workers
and this process share a folder, in which large things lie; only names and small results travel.
"""

from __future__ import annotations

import os
import re
import secrets
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from porism.errors import ClusterError, ConfigError
from porism.extras import need
from porism.version import __version__

T = TypeVar("T")
R = TypeVar("R")

MARKER = "marker"
"""The file by which a worker knows that a folder is the one that is meant."""

CONNECT_SECONDS = 20
WORKERS_SECONDS = 30
"""So long a scheduler, and its first worker, are waited for."""

SHOWN_SECONDS = 20.0
"""A file system that several machines share may show a new name so much later."""

_LOCAL = re.compile(r"local(?::(\d+))?")
_active: list[Cluster] = []


@dataclass(frozen=True, slots=True)
class Cluster:
    """A cluster that this process is connected to; see :func:`connected`."""

    address: str
    client: Any
    """The ``distributed.Client``."""

    @property
    def workers(self) -> int:
        """The number of tasks that run at once: the threads of all workers."""
        return sum(self.client.ncores().values())

    def map_parallel(self, work: Callable[[T], R], tasks: Iterable[T], *, at_once: bool = False) -> Iterator[R]:
        """What ``work`` gives for each task, in the order of the tasks. A task may run more than once.

        Tasks are taken as results are, in a thread that must not wait long for them. With ``at_once`` all are taken,
        in this thread, before the first result is given: for small ones, such as names of files.

        :raises ClusterError: workers have died with the same task several times, or the scheduler is gone.
        """
        import joblib
        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        ahead = "all" if at_once else 2 * self.workers
        with joblib.parallel_config("dask", client=self.client, wait_for_workers_timeout=WORKERS_SECONDS):
            run = joblib.Parallel(n_jobs=-1, return_as="generator", pre_dispatch=ahead, batch_size=1)
        try:
            yield from run(joblib.delayed(work)(task) for task in tasks)
        except KilledWorker as error:
            raise ClusterError(
                "workers died several times while they did the same task", where=self.address,
                hint="Often memory is what they lack: see their logs, and give them more.",
            ) from error
        except (CommClosedError, CancelledError) as error:
            raise ClusterError(
                f"the scheduler cannot be reached any more ({error})", where=self.address,
                hint="See its log, start it again, and run the same command.",
            ) from error

    def check_folder(self, folder: Path) -> SharedFolder:
        """Checks that all workers have this version of Porism, and see files that this process writes to a folder.

        :raises ClusterError: a worker does not.
        """
        token = secrets.token_hex(8)
        (folder / MARKER).write_text(token, encoding="utf-8")
        shared = SharedFolder(str(folder.absolute()), token, __version__, tuple(sys.version_info[:2]))
        try:
            complaints = self.client.run(_complaint, shared, on_error="return")
        except OSError as error:
            raise ClusterError(f"the scheduler cannot be reached any more ({error})", where=self.address) from error
        for worker, complaint in sorted(complaints.items()):
            if isinstance(complaint, ModuleNotFoundError):
                raise ClusterError(
                    f"the worker {worker} has no {complaint.name}", where=self.address,
                    hint=f"Install Porism {__version__} there: pip install 'porism[cluster]'",
                )
            if isinstance(complaint, BaseException):
                raise ClusterError(f"the worker {worker} cannot work ({complaint!r})", where=self.address)
            if complaint:
                raise ClusterError(f"the worker {worker} {complaint}", where=self.address, hint=_HINT)
        return shared


_HINT = "All workers need this version of Porism, and the folder of the index under the same path."


@dataclass(frozen=True, slots=True)
class SharedFolder:
    """A folder that this process and all workers see."""

    path: str
    token: str
    version: str
    python: tuple[int, ...]

    def check(self) -> None:
        """Checks a worker, which may have joined after :meth:`Cluster.check_folder`; called in the worker.

        :raises ClusterError: it does not fit, or the caller has given the work up.
        """
        complaint = _complaint(self)
        if complaint:
            raise ClusterError(f"a worker on {os.uname().nodename} {complaint}", hint=_HINT)


def _complaint(shared: SharedFolder) -> str:
    """What is wrong with this worker, or an empty string."""
    if shared.version != __version__:
        return f"has Porism {__version__}, not {shared.version}"
    if shared.python != tuple(sys.version_info[:2]):
        return f"has Python {sys.version_info[0]}.{sys.version_info[1]}, not {'.'.join(map(str, shared.python))}"
    marker = Path(shared.path) / MARKER
    if not shows(marker) or marker.read_text(encoding="utf-8") != shared.token:
        return f"does not see the folder {shared.path}"
    if not os.access(shared.path, os.W_OK):
        return f"cannot write to the folder {shared.path}"
    return ""


def shows(path: Path, seconds: float = 2.0) -> bool:
    """Whether a path exists, or appears within this many seconds."""
    end = time.monotonic() + seconds
    while not path.exists():
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def active_cluster() -> Cluster | None:
    """The cluster that this process is connected to, or None."""
    return _active[-1] if _active else None


@contextmanager
def connected(address: str | None) -> Iterator[Cluster | None]:
    """Connects to a cluster while the block runs, where
    :func:`porism.system.concurrency.processes.map_parallel` then works.

    ``address`` is that of a scheduler (``tcp://host:8786``), or the file in which it wrote where it is; ``local``
    starts as many workers on this machine as it has processors, ``local:2`` two. None changes nothing, for callers that
    may have no cluster.

    :raises MissingExtra: Dask is not installed.
    :raises ClusterError: there is no scheduler, or it has no worker.
    """
    if address is None:
        yield None
        return
    distributed = need("distributed", "cluster", "a cluster")
    local = _LOCAL.fullmatch(address)
    if local is not None:
        count = int(local[1] or 0) or os.cpu_count() or 1
        with _started(distributed, count) as started, distributed.Client(started) as client, _used(address, client):
            yield _active[-1]
        return
    try:
        by_file = {"scheduler_file": address} if address.endswith(".json") else {"address": address}
        if "scheduler_file" in by_file and not Path(address).exists():
            raise FileNotFoundError("no such file")  # Dask would wait for it for ever
        client = distributed.Client(**by_file, timeout=CONNECT_SECONDS)
    except (OSError, ValueError) as error:
        raise ClusterError(
            f"there is no scheduler ({' '.join(str(error).split())})", where=address,
            hint="Start one with: dask scheduler. A local cluster needs no address: --cluster local",
        ) from error
    with client:
        try:
            client.wait_for_workers(1, timeout=WORKERS_SECONDS)
        except TimeoutError as error:
            raise ClusterError(
                f"the scheduler has no worker after {WORKERS_SECONDS} seconds", where=address,
                hint=f"Start some: dask worker {address} --nworkers auto --nthreads 1",
            ) from error
        with _used(address, client):
            yield _active[-1]


@contextmanager
def _used(address: str, client: Any) -> Iterator[None]:
    _active.append(Cluster(address, client))
    try:
        yield
    finally:
        _active.pop()


def _started(distributed: Any, count: int) -> Any:
    """A cluster on this machine, of processes that end with this one; it is reached through loopback only."""
    if count > 1_000:
        raise ConfigError(f"{count:,} workers on one machine", hint="Give a number such as local:4.")
    return distributed.LocalCluster(
        n_workers=count, threads_per_worker=1, processes=True, host="127.0.0.1", dashboard_address=None,
        worker_dashboard_address=None, silence_logs=40,
    )

