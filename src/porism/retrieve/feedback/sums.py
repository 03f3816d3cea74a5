"""The sums that feedback needs: what documents hold of each term, and values by term.

These are of few documents, so that NumPy is fast enough, and no kernel has to be compiled for them.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def weighted_frequencies(
    indptr: NDArray[np.int64],
    terms: NDArray[np.int32],
    counts: NDArray[np.uint16],
    places: NDArray[np.int64],
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
