"""Several processes that serve together: each opens the indexes, and all accept connections at one socket."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from types import FrameType

from porism.errors import ConfigError, PorismError
from porism.serve.web.observing import METRICS_FOLDER, forget_process
from porism.serve.web.server import BACKLOG, SECONDS_TO_END, bind, serve_at
from porism.serve.web.settings import WebSettings

log = logging.getLogger("porism.serve.web")

SECONDS_BETWEEN_STARTS = 1.0
"""A worker that has ended is started again, at most so often."""


def check_workers(settings: WebSettings) -> None:
    """Refuses what one process must keep for all.

    :raises ConfigError: with the reason.
    """
    if settings.ingest is not None:
        what, why = "--ingest", "one process writes an index"
    elif settings.judgments is not None:
        what, why = "--judge", "one process keeps the judgments"
    elif settings.limits.per_minute:
        what, why = "--rate", "requests are counted in each process"
    else:
        return
    raise ConfigError(f"{what} cannot be used with several workers: {why}", hint="Leave out --workers.")


def serve_by_workers(
    settings: WebSettings, host: str, port: int, workers: int, on_ready: Callable[[str], None] = lambda url: None
) -> None:
    """Serves with some processes until SIGINT or SIGTERM; one that ends by itself is started again.

    :raises ConfigError: the address cannot be used, or a setting needs one process.
    :raises PorismError: what a worker raised when it began.
    """
    check_workers(settings)
    bound = bind(host, port)
    try:
        bound.listen(BACKLOG)
        with _metrics_folder(), _Workers(settings, bound, workers) as running:
            running.start()
            shown = f"[{host}]" if ":" in host else host
            on_ready(f"http://{shown}:{bound.getsockname()[1]}/")
            running.watch()
    finally:
        bound.close()


class _Workers:
    """The processes, by what says that they have ended."""

    def __init__(self, settings: WebSettings, bound: socket.socket, count: int) -> None:
        self._settings, self._bound, self._count = settings, bound, count
        self._context = multiprocessing.get_context("spawn")
        self._running: list[tuple[BaseProcess, Connection]] = []

    def __enter__(self) -> _Workers:
        return self

    def __exit__(self, *error: object) -> None:
        for process, _ in self._running:
            process.terminate()
        end = time.monotonic() + SECONDS_TO_END + 5
        for process, _ in self._running:
            process.join(max(0.1, end - time.monotonic()))
            if process.is_alive():
                process.kill()
                process.join()

    def start(self) -> None:
        """Starts all of them, and waits until each accepts connections.

        :raises PorismError: what one of them raised.
        """
        begun = [self._begin() for _ in range(self._count)]
        for process, here in begun:
            try:
                error = here.recv()
            except EOFError:
                process.join()
                error = ConfigError(f"a worker ended with status {process.exitcode} when it began")
            if error is not None:
                raise error

    def watch(self) -> None:
        """Starts those again that end, for ever."""
        while True:
            ended = set(wait([process.sentinel for process, _ in self._running]))
            for process, here in [one for one in self._running if one[0].sentinel in ended]:
                process.join()
                log.warning("a worker ended (%s) and is started again", _last_words(here) or process.exitcode)
                self._running.remove((process, here))
                here.close()
                forget_process(process.pid or 0)
                self._begin()
            time.sleep(SECONDS_BETWEEN_STARTS)

    def _begin(self) -> tuple[BaseProcess, Connection]:
        here, there = self._context.Pipe()
        process = self._context.Process(
            target=_work, args=(self._settings, self._bound, there), name="porism worker"
        )
        process.start()
        there.close()
        self._running.append((process, here))
        return process, here


def _last_words(here: Connection) -> PorismError | None:
    """The error that a worker has sent, where it has sent one."""
    error = None
    try:
        while here.poll():
            error = here.recv()
    except (EOFError, OSError):
        pass
    return error


def _work(settings: WebSettings, bound: socket.socket, parent: Connection) -> None:
    """One worker: serves until SIGTERM, or until the process that started it is gone."""
    def interrupt(number: int, frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    def end_with_parent() -> None:
        try:
            parent.recv()
        except (EOFError, OSError):
            os.kill(os.getpid(), signal.SIGTERM)

    def ready() -> None:
        parent.send(None)
        Thread(target=end_with_parent, daemon=True).start()

    signal.signal(signal.SIGTERM, interrupt)
    try:
        try:
            serve_at(settings, bound, ready)
        except PorismError as error:
            parent.send(error)
    except (KeyboardInterrupt, BrokenPipeError):  # the process that started it says so, or is gone
        pass
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)  # it ends anyway


@contextmanager
def _metrics_folder() -> Iterator[Path]:
    """A folder in which workers add up what they count."""
    with tempfile.TemporaryDirectory(prefix="porism-metrics-") as folder:
        os.environ[METRICS_FOLDER] = folder
        try:
            yield Path(folder)
        finally:
            del os.environ[METRICS_FOLDER]
