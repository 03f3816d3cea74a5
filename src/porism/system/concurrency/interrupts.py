"""Putting off interruptions where stopping half-way would leave a state in memory that must not be committed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Runs a short block to its end before the interruption that came in it takes effect: Ctrl-C, or SIGTERM.

    Python raises interruptions in the main thread only; elsewhere, and where the program handles them in another way
    than by a function, there is nothing to put off.
    """
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]] = {}
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
    came: list[tuple[int, FrameType | None]] = []
    for number in handlers:
        signal.signal(number, lambda number, frame: came.append((number, frame)))
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if came:
            number, frame = signal.Signals(came[0][0]), came[0][1]
            handlers[number](number, frame)


class Interruptions:
    """Whether an interruption came: Ctrl-C, or SIGTERM."""

    def __init__(self) -> None:
        self.came = False


@contextmanager
def noted_interruptions() -> Iterator[Interruptions]:
    """Notes the first interruption instead of raising it, so that long work can come to a point where it can be kept.

    A second one takes effect at once. Where interruptions cannot be noted (see :func:`uninterrupted`), they act as
    before.
    """
    noted = Interruptions()
    handlers: dict[signal.Signals, Callable[[int, FrameType | None], Any]] = {}

    def note(number: int, frame: FrameType | None) -> None:
        if noted.came:
            handlers[signal.Signals(number)](number, frame)
        noted.came = True

    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            handler = signal.getsignal(number)
            if callable(handler):
                handlers[number] = handler
                signal.signal(number, note)
    try:
        yield noted
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
