"""The units nearest to a query among many vectors: scores that do not depend on the machine, ties by one rule.

A product of matrices is fast, but what it adds first depends on the machine and on the shapes. So all units that can be
among the best by its result, with its error, are multiplied again in float64 and in one order, and ranked by that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.engine.topk import best

_ROUNDING = 1.2e-7
"""Twice the unit round-off of float32."""

_GROUP = 64
"""Units of which only the best score is looked at first."""


def products(vectors: NDArray[np.float32], query: NDArray[np.float32]) -> NDArray[np.float64]:
    """The inner product (float64) of each row with the query, summed up in one order."""
    terms: NDArray[Any] = vectors.astype(np.float64) * query.astype(np.float64)
    sums: NDArray[np.float64] = terms.sum(axis=1)
    return sums


def product_error(query: NDArray[np.float32], longest: float = 1.0) -> float:
    """How far an inner product in float32 can be off, of the query with vectors of at most the length given."""
    return float((len(query) + 2) * _ROUNDING * max(1.0, longest * float(np.linalg.norm(query))))


def nearest(
    near: NDArray[np.float32], k: int, order: NDArray[np.int32], error: float,
    exact: Callable[[NDArray[np.int32]], NDArray[np.float64]],
) -> tuple[NDArray[np.int32], NDArray[np.float64]]:
    """The best ``k`` units and their exact scores, best first; of equal ones those first that ``order`` ranks first.

    :param near: the score of each unit (float32) to within ``error``; those of -inf are not results.
    :param order: the ranks of the units by descending id (:attr:`porism.index.Segment.id_order`).
    :param exact: the exact scores of units.
    """
    candidates = _candidates(near, k, 2 * error)
    return best(candidates, exact(candidates), order, k)


def _candidates(near: NDArray[np.float32], k: int, margin: float) -> NDArray[np.int32]:
    """The units whose scores are less than the ``k``-th best by ``margin`` at most.

    No score is sorted that is below the ``k``-th best of the groups' maxima, which so many units reach.
    """
    groups = len(near) // _GROUP
    least = -np.inf
    if 4 * k < groups:
        peaks = near[: groups * _GROUP].reshape(groups, _GROUP).max(axis=1)
        least = float(np.partition(peaks, groups - k)[groups - k]) - margin
    rows = np.flatnonzero(near >= np.float32(least) if least > -np.inf else near > -np.inf)
    if k < len(rows):
        scores = near[rows]
        least = float(np.partition(scores, len(scores) - k)[len(scores) - k]) - margin
        rows = rows[scores >= np.float32(least)]
    return rows.astype(np.int32)
