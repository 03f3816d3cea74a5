"""Time budgets: what a request may still take."""

from __future__ import annotations

import time


class Deadline:
    """A moment after which optional work is left out; ``passed`` is remembered, so that the answer can say so."""

    def __init__(self, seconds: float) -> None:
        self._began = time.perf_counter()
        self._end = self._began + seconds
        self.missed = False

    def over(self) -> bool:
        """Whether the time is over; what asks leaves out its work then."""
        if time.perf_counter() < self._end:
            return False
        self.missed = True
        return True

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self._began
