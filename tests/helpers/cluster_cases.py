"""Clusters for tests: one whose tasks run in this process, and one of processes on loopback."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from porism.system.concurrency import clusters

WITHOUT_NETWORK = ["--host", "127.0.0.1", "--dashboard-address", "127.0.0.1:0"]


class Worker:
    """What a client of Dask says of one worker, whose functions run here."""

    def __init__(self) -> None:
        self.name = "tcp://127.0.0.1:1"

    def ncores(self) -> dict[str, int]:
        return {self.name: 2}

    def run(self, function: Callable[..., Any], *arguments: Any, on_error: str) -> dict[str, Any]:
        assert on_error == "return"
        return {self.name: function(*arguments)}


class Inline(clusters.Cluster):
    """A cluster whose tasks run in this process, one after the other."""

    def map_parallel(self, work: Callable[[Any], Any], tasks: Iterable[Any], *, at_once: bool = False) -> Iterator[Any]:
        yield from map(work, list(tasks) if at_once else tasks)


def use_inline(monkeypatch: pytest.MonkeyPatch, *modules: str) -> None:
    """``cluster="inline"`` is such a cluster, where some modules connect to one: by default where sources are read."""

    @contextmanager
    def connected(address: str | None) -> Iterator[clusters.Cluster | None]:
        if address is not None:
            clusters._active.append(Inline(address, Worker()))  # type: ignore[arg-type]
        try:
            yield clusters.active_cluster() if address is not None else None
        finally:
            if address is not None:
                clusters._active.pop()

    for module in modules or ("porism.search.sources.updating",):
        monkeypatch.setattr(f"{module}.connected", connected)


@contextmanager
def processes_of_dask(folder: Path, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers of one thread without nannies, which start none anew; its file, and the workers."""
    pytest.importorskip("distributed", reason="dask is not installed: pip install 'porism[cluster]'")
    file = folder / "scheduler.json"
    here = {**os.environ, "DASK_DISTRIBUTED__WORKER__DAEMON": "True"}

    def start(module: str, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", f"distributed.cli.{module}", *arguments, *WITHOUT_NETWORK]
        with open(folder / "log", "ab") as log:
            return subprocess.Popen(command, stdout=log, stderr=log, cwd=folder, env=here)

    with ExitStack() as stack:
        def stop(process: subprocess.Popen[bytes]) -> None:
            process.kill()
            process.wait()

        scheduler = start("dask_scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(file))
        stack.callback(stop, scheduler)
        assert clusters.shows(file, 60), (folder / "log").read_text()
        started = []
        for _ in range(workers):
            process = start(
                "dask_worker", "--scheduler-file", str(file), "--no-nanny", "--nthreads", "1", "--no-dashboard"
            )
            stack.callback(stop, process)
            started.append(process)
        yield str(file), started
