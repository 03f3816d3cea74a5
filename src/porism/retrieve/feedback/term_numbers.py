"""Terms of a channel by number, as methods of feedback see them, and sums over the terms of documents.

Sums are of few documents, so that NumPy is fast enough, and no kernel has to be compiled for them.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.index.string_kernels import sort_order
from porism.index.strings import Packed


class TermNumbers(ABC):
    """The terms of one channel, each with one number."""

    @abstractmethod
    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The numbers (int64) of terms, -1 for those that have none."""

    @abstractmethod
    def names(self, ids: NDArray[np.int64]) -> list[str]:
        """The terms as strings."""

    @abstractmethod
    def strings(self, ids: NDArray[np.int64]) -> Packed:
        """The terms, packed."""

    @abstractmethod
    def df(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """In how many live documents terms occur (int64)."""

    def best(self, ids: NDArray[np.int64], worth: NDArray[np.float64], limit: int) -> NDArray[np.int64]:
        """The positions (int64) of the ``limit`` terms of the largest worth above 0, of equal ones by code point."""
        if len(worth) <= limit:
            return np.flatnonzero(worth > 0)
        last = np.partition(worth, len(worth) - limit)[len(worth) - limit]
        best = np.flatnonzero(worth > last)
        level = np.flatnonzero(worth == last)
        if len(best) + len(level) > limit:
            packed = self.strings(ids[level])
            level = level[sort_order(packed.blob, packed.starts)[: limit - len(best)]]
        best = np.append(best, level)
        return best[worth[best] > 0]


class GivenTerms(TermNumbers):
    """Distinct terms by their positions, with the document frequencies that were given."""

    def __init__(self, terms: Sequence[str], df: Sequence[int]) -> None:
        self._terms, self._df = tuple(terms), np.asarray(df, np.int64)
        self._number = {term: number for number, term in enumerate(self._terms)}

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        return np.array([self._number.get(term, -1) for term in terms], np.int64)

    def names(self, ids: NDArray[np.int64]) -> list[str]:
        return [self._terms[number] for number in ids.tolist()]

    def strings(self, ids: NDArray[np.int64]) -> Packed:
        return Packed.of(self.names(ids))

    def df(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._df[ids]


def weighted_frequencies(
    indptr: NDArray[np.int64], terms: NDArray[np.int32], counts: NDArray[np.uint16], places: NDArray[np.int64],
    weights: NDArray[np.float64],
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The sums of weight · count by document and term, over rows of term counts.

    Row ``i`` is of the document ``places[i]`` (non-decreasing) and counts ``weights[i]`` times. Returns document, term
    (int64) and sum (float64), one entry a pair, documents in their order; a sum is added in the order of the rows.
    """
    lengths = np.diff(indptr)
    width = int(terms.max(initial=0)) + 1
    pairs, sums = sums_by_number(np.repeat(places, lengths) * width + terms, np.repeat(weights, lengths) * counts)
    return pairs // width, pairs % width, sums


def sums_by_number(
    numbers: NDArray[np.int64], values: NDArray[np.float64]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct ``numbers`` in order of first appearance, and the sums of their ``values`` in the order given."""
    distinct, first, which = np.unique(numbers, return_index=True, return_inverse=True)
    sums = np.bincount(which, weights=values, minlength=len(distinct)).astype(np.float64, copy=False)
    order = np.argsort(first)
    return distinct[order], sums[order]
