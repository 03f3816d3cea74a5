"""Runs the application: opens what is served, says where, and answers until it is interrupted."""

from __future__ import annotations

import logging
import multiprocessing
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Thread
from types import FrameType
from typing import Any

from porism.errors import ConfigError, PorismError
from porism.extras import need
from porism.serve.web.app import create_app, open_library
from porism.serve.web.observing import METRICS_FOLDER, forget_process
from porism.serve.web.settings import WebSettings

LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})

HEADER_SECONDS = 10
"""A connection that has not sent the head of a request by then is closed."""

READ_SECONDS = 30
"""A client that does not take what it is sent for so long is cut off."""

MAX_CONNECTIONS = 1_000

BACKLOG = 256
"""Connections that wait to be accepted."""

SECONDS_TO_END = 10
"""Requests that are being answered at the end may take so long."""


def bind(host: str, port: int) -> socket.socket:
    """A socket that listens at an address, so that a taken port is reported before anything is opened.

    :raises ConfigError: the address cannot be used.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    bound = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # named, so that asyncio sends at once
    bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind((host, port))
    except OSError as error:
        bound.close()
        raise ConfigError(
            f"{host}:{port} cannot be used: {error.strerror or error}", hint="Choose another one with --port."
        ) from error
    return bound


def serve(settings: WebSettings, host: str, port: int, on_ready: Callable[[str], None] = lambda url: None) -> None:
    """Serves until SIGINT or SIGTERM; requests that are being answered are finished.

    :raises ConfigError: the address cannot be used.
    """
    bound = bind(host, port)
    try:
        shown = f"[{host}]" if ":" in host else host
        serve_at(settings, bound, lambda: on_ready(f"http://{shown}:{bound.getsockname()[1]}/"))
    finally:
        bound.close()


def serve_at(settings: WebSettings, bound: socket.socket, on_ready: Callable[[], None]) -> None:
    """Serves connections of a socket until SIGINT or SIGTERM; ``on_ready`` is called when all is opened."""
    uvicorn = need("uvicorn", "web", "the server")
    with closing(open_library(settings)) as library:
        app = create_app(settings, library)
        bound.listen(BACKLOG)  # who comes from now on waits a moment and is answered
        on_ready()
        uvicorn.Server(server_config(app)).run(sockets=[bound])


def server_config(app: Any) -> Any:
    """How uvicorn runs the application."""
    return need("uvicorn", "web", "the server").Config(
        app, log_level="warning", access_log=False, server_header=False, timeout_keep_alive=HEADER_SECONDS,
        timeout_graceful_shutdown=SECONDS_TO_END, h11_max_incomplete_event_size=65_536, http=slow_clients_closed(),
        backlog=BACKLOG, proxy_headers=False, limit_concurrency=MAX_CONNECTIONS,
    )


def slow_clients_closed() -> Any:
    """uvicorn's protocol, which also ends connections of clients that are too slow.

    A connection on which a request has begun and not come whole within :data:`HEADER_SECONDS` is closed, be it the
    first or a later one; so is one whose client does not take what it is sent for :data:`READ_SECONDS`.
    """
    base: Any = need("uvicorn.protocols.http.h11_impl", "web", "the server").H11Protocol

    def is_answering(self: Any) -> bool:
        return self.cycle is not None and not self.cycle.response_complete

    def wait(self: Any) -> None:
        if self.waiting is None:
            self.waiting = self.loop.call_later(HEADER_SECONDS, close_if_nothing_came, self)

    def stop_waiting(self: Any) -> None:
        if self.waiting is not None:
            self.waiting.cancel()
            self.waiting = None

    def connection_made(self: Any, transport: Any) -> None:
        base.connection_made(self, transport)
        self.waiting = self.stuck = None
        wait(self)

    def data_received(self: Any, data: bytes) -> None:
        base.data_received(self, data)
        if is_answering(self):
            stop_waiting(self)
        else:  # a part of the next request, which does not start the time anew
            wait(self)

    def close_if_nothing_came(self: Any) -> None:
        self.waiting = None
        if not is_answering(self) and not self.transport.is_closing():
            self.transport.close()

    def pause_writing(self: Any) -> None:
        base.pause_writing(self)
        if self.stuck is None:
            self.stuck = self.loop.call_later(READ_SECONDS, self.transport.abort)

    def resume_writing(self: Any) -> None:
        base.resume_writing(self)
        if self.stuck is not None:
            self.stuck.cancel()
            self.stuck = None

    def connection_lost(self: Any, error: Exception | None) -> None:
        stop_waiting(self)
        if self.stuck is not None:
            self.stuck.cancel()
        base.connection_lost(self, error)

    own = (connection_made, data_received, pause_writing, resume_writing, connection_lost)
    return type("PatientProtocol", (base,), {method.__name__: method for method in own})


log = logging.getLogger("porism.serve.web")

SECONDS_BETWEEN_STARTS = 1.0
"""A worker that has ended is started again, at most so often."""


def check_workers(settings: WebSettings) -> None:
    """Refuses what one process must keep for all.

    :raises ConfigError: with the reason.
    """
    if settings.ingest is not None:
        option, why = "--ingest", "one process writes an index"
    elif settings.judgments is not None:
        option, why = "--judge", "one process keeps the judgments"
    elif settings.limits.per_minute and not settings.public:
        option, why = "--rate", "requests are counted in each process"
    else:
        return
    raise ConfigError(f"{option} cannot be used with several workers: {why}", hint="Leave out --workers.")


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
            for process, here in [worker for worker in self._running if worker[0].sentinel in ended]:
                process.join()
                log.warning("a worker ended (%s) and is started again", _last_words(here) or process.exitcode)
                self._running.remove((process, here))
                here.close()
                forget_process(process.pid or 0)
                self._begin()
            time.sleep(SECONDS_BETWEEN_STARTS)

    def _begin(self) -> tuple[BaseProcess, Connection]:
        here, there = self._context.Pipe()
        process = self._context.Process(target=_work, args=(self._settings, self._bound, there), name="porism worker")
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
