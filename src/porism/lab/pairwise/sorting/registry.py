"""Sortings with fewer comparisons than all pairs, and all of them by their names."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from porism.lab.pairwise.aggregation.methods import BradleyTerry
from porism.lab.pairwise.scores import Floats, PairwiseScores
from porism.lab.pairwise.sorting.base import Places, Sorting, Sorts, check_whole
from porism.settings import SettingError, read_named


@dataclass(frozen=True, slots=True)
class ActiveSelection(Sorting):
    """Rounds of comparisons, after each of which strengths are estimated (Bradley and Terry 1952) from all preferences
    so far. A round compares the pairs whose outcome is least certain, weighted by how near the top they are. That is p
    (1 - p) · (1 / (rᵢ + 1) + 1 / (rⱼ + 1)). The strengths say p, and the present ranks r count from 0.

    The first round compares neighbours in the order of the stage before. A pair is compared once.

    :param budget: preferences for each candidate, over all rounds.
    :param rounds: in so many rounds.
    """

    name: ClassVar[str] = "active"
    budget: float = 5.0
    rounds: int = 8

    def __post_init__(self) -> None:
        check_whole(self.rounds, "rounds")
        if not 0 < self.budget < float("inf"):
            raise SettingError(f"budget cannot be {self.budget}", path=("budget",), hint="A number above 0.")

    def sort(self, count: int) -> Sorts:
        left = min(max(count - 1, round(self.budget * count)), count * (count - 1) // 2)
        model = BradleyTerry(prior=0.05)
        known = np.full((count, count), np.nan)
        ids = tuple(map(str, range(count)))
        first, second = np.triu_indices(count, 1)
        ranks, strengths = np.arange(count), np.zeros(count)
        for number in range(self.rounds):
            size = count - 1 if number == 0 else -(-left // (self.rounds - number))
            chosen = self._chosen(known[first, second], strengths[first] - strengths[second],
                                  1.0 / (ranks[first] + 1) + 1.0 / (ranks[second] + 1), second - first, size, number)
            if not len(chosen):
                break
            pairs = np.column_stack([first[chosen], second[chosen]]).astype(np.int64)
            known[first[chosen], second[chosen]] = yield pairs
            left -= len(chosen)
            strengths = np.round(model.scores(PairwiseScores("", ids, known)), 9)  # ties are ties
            order = np.argsort(-strengths, kind="stable")
            ranks = np.empty(count, np.int64)
            ranks[order] = np.arange(count)
            if left <= 0:
                break
        return np.argsort(-strengths, kind="stable")

    def _chosen(
        self, known: np.ndarray, apart: np.ndarray, weights: np.ndarray, distance: np.ndarray, size: int, number: int
    ) -> np.ndarray:
        """The pairs of the next round, by their numbers."""
        if number == 0:
            return np.flatnonzero(distance == 1)
        chance = 1.0 / (1.0 + np.exp(-np.clip(apart, -500, 500)))
        worth = np.where(np.isnan(known), chance * (1.0 - chance) * weights, -1.0)
        best = np.argsort(-worth, kind="stable")[:size]
        return best[worth[best] >= 0]


@dataclass(frozen=True, slots=True)
class HeapSort(Sorting):
    """The best ``top`` candidates are taken from a heap one after the other (Qin et al. 2023, PRP-Sorting): about
    2k + 2 · top · log₂ k preferences. The others follow in the order of the stage before.

    A heap is built level by level; the nodes of a level are compared in one batch. Of two candidates that are equal
    the one that was ranked higher is preferred.
    """

    name: ClassVar[str] = "heap"
    top: int = 10

    def __post_init__(self) -> None:
        check_whole(self.top, "top")

    def sort(self, count: int) -> Sorts:
        heap = list(range(count))
        depth = (count // 2).bit_length()
        for level in range(depth - 1, -1, -1):
            nodes = range(2**level - 1, min(2 ** (level + 1) - 1, count // 2))
            yield from _sift(heap, list(nodes))
        best: list[int] = []
        while heap and len(best) < self.top:
            best.append(heap[0])
            last = heap.pop()
            if heap:
                heap[0] = last
                yield from _sift(heap, [0])
        return np.array(best + sorted(heap), np.int64)


def _sift(heap: list[int], nodes: list[int]) -> Generator[Places, Floats, None]:
    """Moves the candidates at some nodes of one level down to where they belong, all of them at once."""
    while nodes := [node for node in nodes if 2 * node + 1 < len(heap)]:
        children = {node: 2 * node + 1 for node in nodes}
        twins = [node for node in nodes if 2 * node + 2 < len(heap)]
        if twins:
            pairs = [(heap[2 * node + 1], heap[2 * node + 2]) for node in twins]
            preferred = yield np.array(pairs, np.int64)
            for node, (left, right), share in zip(twins, pairs, preferred.tolist(), strict=True):
                if share < 0.5 or (share == 0.5 and right < left):
                    children[node] = 2 * node + 2
        pairs = [(heap[children[node]], heap[node]) for node in nodes]
        preferred = yield np.array(pairs, np.int64)
        moved: list[int] = []
        for node, (child, parent), share in zip(nodes, pairs, preferred.tolist(), strict=True):
            if share > 0.5 or (share == 0.5 and child < parent):
                heap[node], heap[children[node]] = child, parent
                moved.append(children[node])
        nodes = moved


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


@dataclass(frozen=True, slots=True)
class AllPairs(Sorting):
    """Every two candidates are compared; a candidate's score is the sum of its preferences.

    With ``both`` that is the order of ``sym-sum``. Equal sums keep the order of the stage before.
    """

    name: ClassVar[str] = "all-pairs"

    def sort(self, count: int) -> Sorts:
        upper = np.column_stack(np.triu_indices(count, 1)).astype(np.int64)
        preferred = yield upper
        sums = np.bincount(upper[:, 0], preferred, count) + np.bincount(upper[:, 1], 1.0 - preferred, count)
        return np.argsort(-sums, kind="stable")


SORTINGS: Mapping[str, type[Sorting]] = {
    method.name: method for method in (AllPairs, HeapSort, SlidingWindow, ActiveSelection)
}
"""Method name → its class."""


def make_sorting(method: str, parameters: Mapping[str, Any] | None = None) -> Sorting:
    """The sorting of this name, with parameters as plain values.

    :raises ConfigError: there is no such method; as :class:`SettingError`, it has no such parameter, or not with such a
        value.
    """
    return read_named(SORTINGS, method, parameters, "sorting")
