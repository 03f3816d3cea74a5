"""Inner products of queries with all vectors of a segment: what exact search compares, and what it takes the time for.

A few queries are compared by compiled kernels, which read each vector once as it is stored. Many are compared by
products of matrices, block by block, of blocks that fit into the cache where vectors must be widened to float32.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from porism.index.vector_rows import VectorRows
from porism.retrieve.vectors.product_kernels import best_of_float16, best_of_float32, best_of_int8, widen_float16
from porism.system.compiled.kernels import address, as_layout

FEW_QUERIES = 8
"""Up to so many queries are faster one by one."""

_BLOCK = {"float32": 32_768, "float16": 2_048, "int8": 2_048}
"""Rows of a block: those that are widened stay in the cache until they are multiplied."""


def best_products(
    rows: VectorRows, queries: NDArray[np.float32], able: NDArray[np.bool_]
) -> NDArray[np.float32]:
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
