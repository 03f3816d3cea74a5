"""The units nearest to a query among many vectors: scores that do not depend on the machine, ties by one rule.

Inner products with all vectors of a segment come first: a few queries are compared by compiled kernels, which read each
vector once as it is stored. Many are compared by products of matrices, block by block, of blocks that fit into the
cache where vectors must be widened to float32.

What such a product adds first depends on the machine and on the shapes. So all units that can be among the best by its
result, with its error, are multiplied again in float64 and in one order, and ranked by that.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.index.engine.topk import best
from porism.index.vector_rows import VectorRows
from porism.retrieve.vectors.product_kernels import best_of_float16, best_of_float32, best_of_int8, widen_float16
from porism.system.compiled.kernels import address, as_layout

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


FEW_QUERIES = 8
"""Up to so many queries are faster one by one."""

_BLOCK = {"float32": 32_768, "float16": 2_048, "int8": 2_048}
"""Rows of a block: those that are widened stay in the cache until they are multiplied."""


def best_products(rows: VectorRows, queries: NDArray[np.float32], able: NDArray[np.bool_]) -> NDArray[np.float32]:
    """The largest inner product of each query with a row of each thing (float32, queries × things); -inf of things that
    are not ``able`` to be results (bool, one a thing) or have no row.

    Each is off by no more than :func:`porism.retrieve.vectors.nearest.product_error` says.
    """
    near = np.full((len(queries), len(able)), -np.inf, np.float32)
    if len(rows.vectors) == 0:
        return near
    if len(queries) <= FEW_QUERIES:
        for row, query in zip(near, queries, strict=True):
            _one_by_one(rows, as_layout(query, np.float32), as_layout(able, np.bool_), row)
    else:
        _in_blocks(rows, queries, able, near)
    return near


def _one_by_one(
    rows: VectorRows, query: NDArray[np.float32], able: NDArray[np.bool_], near: NDArray[np.float32]
) -> None:
    offsets, vectors = as_layout(rows.offsets, np.int64), np.ascontiguousarray(rows.vectors)
    before = (0, len(able), address(able), address(offsets), address(vectors))
    after = (rows.dimensions, address(query), address(near))
    if vectors.dtype == np.int8:
        assert rows.scales is not None
        scales = as_layout(rows.scales, np.float32)
        best_of_int8(*before, address(scales), *after)
    else:
        (best_of_float16 if vectors.dtype == np.float16 else best_of_float32)(*before, *after)


def _in_blocks(
    rows: VectorRows, queries: NDArray[np.float32], able: NDArray[np.bool_], near: NDArray[np.float32]
) -> None:
    compared = np.flatnonzero(able & (np.diff(rows.offsets) > 0))
    begins, ends = rows.offsets[compared], rows.offsets[compared + 1]
    size = _BLOCK[rows.vectors.dtype.name]
    first = 0
    while first < len(compared):
        start = int(begins[first])
        last = max(int(np.searchsorted(begins, start + size, side="left")), first + 1)
        things, stop = compared[first:last], int(ends[last - 1])
        scores = queries @ _wide(rows, start, stop).T
        if rows.scales is not None:
            scores *= rows.scales[start:stop]
        # rows of things that are not compared stand between those of others: they belong to none of the ranges
        bounds = np.stack([begins[first:last], ends[first:last]], axis=1).ravel() - start
        if len(things) == stop - start:
            near[:, things] = scores
        else:
            near[:, things] = np.maximum.reduceat(scores, bounds[:-1], axis=1)[:, ::2]
        first = last


def _wide(rows: VectorRows, start: int, stop: int) -> NDArray[np.float32]:
    """Rows as float32, without their scales."""
    block = rows.vectors[start:stop]
    if block.dtype != np.float16:
        wide: NDArray[np.float32] = block.astype(np.float32, copy=False)
        return wide
    halves = as_layout(block, np.float16)
    widened = np.empty(halves.shape, np.float32)
    widen_float16(address(halves), halves.size, address(widened))
    return widened
