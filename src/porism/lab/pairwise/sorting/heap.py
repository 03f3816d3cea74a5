"""Heapsort of the best candidates."""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.lab.pairwise.scores import Floats
from porism.lab.pairwise.sorting.base import Places, Sorting, Sorts, check_whole


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
