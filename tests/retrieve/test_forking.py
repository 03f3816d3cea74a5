"""A process that forks while its threads search: what the threads had begun does not stop the child."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from long_forms import LONG, LONG_ONLY

from porism.system.concurrency.caching import cached_property
from porism.system.concurrency.locks import Lock

pytestmark = pytest.mark.skipif(
    not hasattr(os, "fork"),
    reason="needs fork, which Windows lacks: run it on Linux or macOS",
)

HARNESS = f"""
from forking import fork_while_searching

print(fork_while_searching({10 if LONG else 2}, 30.0, {None if LONG else 60}))
"""


@LONG_ONLY
def test_children_of_a_process_with_searching_threads_answer() -> None:
    folders = [str(Path(__file__).parent), *filter(None, sys.path)]
    result = subprocess.run(
        [sys.executable, "-c", HARNESS], capture_output=True, text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(folders)},
    )
    assert result.returncode == 0, result.stderr
    assert result.stdout.strip() == "0"


class Slow:
    """Things that a thread is in the midst of when its process forks."""

    def __init__(self) -> None:
        self.lock = Lock()
        self.entered, self.free = threading.Event(), threading.Event()
        self.wait = True

    @cached_property
    def value(self) -> int:
        if self.wait:
            self.entered.set()
            self.free.wait()
        return 7

    def locked(self) -> None:
        with self.lock:
            self.entered.set()
            self.free.wait()


def child_of(slow: Slow, work: object, ask: object) -> int:
    """The exit status of a child that is forked while a thread works, and asks then; 14 is the alarm."""
    thread = threading.Thread(target=work)  # type: ignore[arg-type]
    thread.start()
    slow.entered.wait()
    child = os.fork()
    if child == 0:
        signal.alarm(5)
        slow.wait = False
        try:
            ask()  # type: ignore[operator]
        finally:
            os._exit(0)
    status = os.waitpid(child, 0)[1]
    slow.free.set()
    thread.join()
    return status


def test_a_lock_is_open_in_the_child() -> None:
    slow = Slow()
    assert child_of(slow, slow.locked, lambda: slow.lock.__enter__()) == 0
    with slow.lock:  # and works in the parent
        pass


def test_a_property_that_was_being_computed_is_computed_by_the_child() -> None:
    slow = Slow()
    assert child_of(slow, lambda: slow.value, lambda: slow.value) == 0
    assert slow.value == 7


def test_the_thread_that_forks_keeps_its_lock() -> None:
    lock = Lock()
    with lock:
        child = os.fork()
        if child == 0:
            signal.alarm(5)
            lock.__exit__(None, None, None)  # this thread has it in the child too
            with lock:
                os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
