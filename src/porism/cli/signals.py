"""SIGTERM as an interruption: a command that is to end keeps what it has done, as it does at Ctrl-C."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

TERMINATED = 143
"""The exit status of a command that SIGTERM has ended: 128 and its number, as shells have it."""


class Terminations:
    """Whether SIGTERM came."""

    came = False


@contextmanager
def interrupted_by_sigterm() -> Iterator[Terminations]:
    """While the block runs, SIGTERM raises KeyboardInterrupt in it, where the program has not chosen something else."""
    terminations = Terminations()
    if threading.current_thread() is not threading.main_thread() or signal.getsignal(signal.SIGTERM) != signal.SIG_DFL:
        yield terminations
        return

    def interrupt(number: int, frame: FrameType | None) -> None:
        terminations.came = True
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)
    try:
        yield terminations
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
