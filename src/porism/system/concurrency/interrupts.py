"""Putting off interruptions where stopping half-way would leave a state in memory that must not be committed."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

_SIGNALS = (signal.SIGINT, signal.SIGTERM)

_Handler = Callable[[int, FrameType | None], Any]


@contextmanager
def _handled_by(handler: _Handler, before: dict[int, _Handler]) -> Iterator[None]:
    """While the block runs, interruptions go to ``handler``; ``before`` gets the functions that they went to."""
    if threading.current_thread() is threading.main_thread():
        for number in _SIGNALS:
            function = signal.getsignal(number)
            if callable(function):
                before[number] = function
                signal.signal(number, handler)
    try:
        yield
    finally:
        for caught, function in before.items():
            signal.signal(caught, function)


@contextmanager
def uninterrupted() -> Iterator[None]:
    """Runs a short block to its end before the interruption that came in it takes effect: Ctrl-C, or SIGTERM.

    Python raises interruptions in the main thread only; elsewhere, and where the program handles them in another way
    than by a function, there is nothing to put off.
    """
    came: list[tuple[int, FrameType | None]] = []
    before: dict[int, _Handler] = {}
    try:
        with _handled_by(lambda number, frame: came.append((number, frame)), before):
            yield
    finally:
        if came:
            number, frame = came[0]
            before[number](number, frame)


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
    before: dict[int, _Handler] = {}

    def note(number: int, frame: FrameType | None) -> None:
        if noted.came:
            before[number](number, frame)
        noted.came = True

    with _handled_by(note, before):
        yield noted
