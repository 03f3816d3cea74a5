"""The compiled parts of feedback: what documents hold of each term, and sums by term."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.compiled.kernels import compiled, inlined

_COUNTS = "Array(uint16, 1, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"
_TERMS = "Array(int32, 1, 'C', readonly=True)"
_REALS = "Array(float64, 1, 'C', readonly=True)"


@inlined()
def _table(entries: Any) -> Any:
    """An empty hash table for so many entries; its size is a power of two."""
    size = 16
    while size < 2 * entries:
        size *= 2
    return np.full(size, -1, np.int64)


@inlined()
def _slot(number: Any, size: Any) -> Any:
    """Where the search for a number begins."""
    mixed = np.uint64(number) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(size - 1))


@compiled(f"Tuple((int64[::1], int64[::1], float64[::1]))({_NUMBERS}, {_TERMS}, {_COUNTS}, {_NUMBERS}, {_REALS})")
def weighted_frequencies(indptr: Any, terms: Any, counts: Any, places: Any, weights: Any) -> Any:
    """The sums of weight · count by document and term, over rows of term counts.

    Row ``i`` is of the document ``places[i]`` (non-decreasing) and counts ``weights[i]`` times. Returns document, term
    (int64) and sum (float64), one entry a pair, documents in their order; a sum is added in the order of the rows.
    """
    rows = len(places)
    most = 0
    row = 0
    while row < rows:
        first = row
        while row < rows and places[row] == places[first]:
            row += 1
        most = max(most, indptr[row] - indptr[first])
    table = _table(most)
    size = len(table)
    of = np.empty(indptr[rows], np.int64)
    found = np.empty(indptr[rows], np.int64)
    sums = np.empty(indptr[rows], np.float64)
    count = 0
    start = 0  # slots with entries before this one are of other documents: as good as empty
    for row in range(rows):
        if row > 0 and places[row] != places[row - 1]:
            start = count
        for posting in range(indptr[row], indptr[row + 1]):
            term = np.int64(terms[posting])
            slot = _slot(term, size)
            while table[slot] >= start and found[table[slot]] != term:
                slot = (slot + 1) & (size - 1)
            entry = table[slot]
            if entry < start:
                entry = count
                table[slot] = entry
                of[entry], found[entry], sums[entry] = places[row], term, 0.0
                count += 1
            sums[entry] += weights[row] * counts[posting]
    return of[:count].copy(), found[:count].copy(), sums[:count].copy()


@compiled(f"Tuple((int64[::1], float64[::1]))({_NUMBERS}, {_REALS})")
def sums_by_number(numbers: Any, values: Any) -> Any:
    """The distinct ``numbers`` in order of first appearance, and the sums of their ``values`` in the order given."""
    table = _table(len(numbers))
    size = len(table)
    distinct = np.empty(len(numbers), np.int64)
    sums = np.zeros(len(numbers), np.float64)
    count = 0
    for i in range(len(numbers)):
        slot = _slot(numbers[i], size)
        while table[slot] >= 0 and distinct[table[slot]] != numbers[i]:
            slot = (slot + 1) & (size - 1)
        if table[slot] < 0:
            table[slot] = count
            distinct[count] = numbers[i]
            count += 1
        sums[table[slot]] += values[i]
    return distinct[:count].copy(), sums[:count].copy()
