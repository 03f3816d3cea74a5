"""Sliding windows: neighbours change places, from the end of the list to its beginning."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.lab.pairwise.sorting.base import Sorting, Sorts, check_whole


@dataclass(frozen=True, slots=True)
class SlidingWindow(Sorting):
    """``passes`` times a window of two slides from the end to the beginning, and neighbours in the wrong order change
    places (Qin et al. 2023, PRP-Sliding-K): after pass p the best p candidates lead, if preferences are consistent.

    It takes about passes · k preferences. A pass begins when the one before is two places ahead, which changes no
    comparison, so that each batch has one of every pass.
    """

    name: ClassVar[str] = "sliding"
    passes: int = 10

    def __post_init__(self) -> None:
        check_whole(self.passes, "passes")

    def sort(self, count: int) -> Sorts:
        order = np.arange(count, dtype=np.int64)
        passes = min(self.passes, count - 1)
        for time in range(count - 1 + 2 * (passes - 1)):
            lower = count - 1 - time + 2 * np.arange(passes)  # where the window of each pass ends
            lower = lower[(lower <= count - 1) & (lower > np.arange(passes))]
            if not len(lower):
                continue
            preferred = yield np.column_stack([order[lower], order[lower - 1]])
            swapped = lower[preferred > 0.5]
            order[swapped], order[swapped - 1] = order[swapped - 1], order[swapped].copy()
        return order
