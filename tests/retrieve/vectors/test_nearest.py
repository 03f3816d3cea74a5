"""Exact search of vectors: products as NumPy computes them, and the best units by score and then by order."""

from __future__ import annotations

from typing import Any

import numpy as np
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from porism.index.strings import offsets
from porism.index.vector_rows import VectorRows, pack
from porism.retrieve.vectors.nearest import FEW_QUERIES, best_products, nearest, product_error, products


def stored(numbers: Any, counts: list[int], width: int = 37) -> VectorRows:
    """Made-up rows of length 1, of things with so many rows each."""
    vectors = np.random.default_rng(7).normal(size=(sum(counts), width)).astype(np.float32)
    vectors[::3] *= 1e-6  # so that some numbers of float16 are subnormal
    vectors[1::3] /= np.linalg.norm(vectors[1::3], axis=1, keepdims=True)
    packed, scales = pack(vectors, numbers)
    return VectorRows(packed, offsets(np.array(counts)), scales)


@every_case("numbers", ["float32", "float16", "int8"])
@every_case("counts", [[1] * 3_000, [0, 3, 1, 0, 0, 2, 7, 0] * 500], ids=["one row", "chunks"])
@every_case("queries", [1, FEW_QUERIES + 1])
def test_products_are_those_of_the_best_row_of_each_thing(numbers: Any, counts: list[int], queries: int) -> None:
    rows = stored(numbers, counts)
    asked = np.random.default_rng(1).normal(size=(queries, rows.dimensions)).astype(np.float32)
    able = np.random.default_rng(2).random(len(counts)) < 0.7
    whole = rows.decode(0, len(rows.vectors))
    found = best_products(rows, asked, able)
    assert found.shape == (queries, len(counts))
    longest = float(np.linalg.norm(whole, axis=1).max())
    for row, query in zip(found, asked, strict=True):
        exact = products(whole, query)
        expected = [
            exact[start:stop].max() if allowed and stop > start else -np.inf
            for start, stop, allowed in zip(rows.offsets[:-1], rows.offsets[1:], able, strict=True)
        ]
        np.testing.assert_allclose(row, expected, rtol=0, atol=product_error(query, longest))


def test_segments_without_vectors_have_no_products() -> None:
    rows = VectorRows(np.empty((0, 4), np.float32), np.zeros(3, np.int64))
    assert (best_products(rows, np.ones((1, 4), np.float32), np.ones(2, np.bool_)) == -np.inf).all()


@every_case("numbers", ["float32", "float16", "int8"])
def test_numbers_of_16_and_8_bits_are_widened_as_numpy_widens_them(numbers: Any) -> None:
    """Products with unit vectors are the numbers themselves, largest and smallest among them."""
    special = np.array([[65504.0, -65504.0, 6e-8, -6e-8, 0.0, -0.0, 1.0, 2.0 ** -14]], np.float32)
    packed, scales = pack(special, numbers)
    rows = VectorRows(packed, np.array([0, 1]), scales)
    able = np.ones(1, np.bool_)
    for queries in (np.eye(8, dtype=np.float32), np.tile(np.eye(8, dtype=np.float32), (2, 1))):
        np.testing.assert_array_equal(best_products(rows, queries, able)[:8, 0], rows.decode(0, 1)[0])


def ranked(scores: NDArray[np.float64], able: NDArray[np.bool_], order: NDArray[np.int32], k: int) -> list[int]:
    units = np.flatnonzero(able).tolist()
    return sorted(units, key=lambda unit: (-scores[unit], -order[unit]))[:k]


@given(
    st.integers(1, 3_000), st.integers(1, 40), st.floats(0, 1), st.integers(1, 50), st.integers(0, 1 << 30),
)
def test_the_best_units_are_found_among_equal_ones_and_whatever_the_error(
    count: int, k: int, share: float, levels: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    exact = chance.integers(0, levels, count) / levels
    order = chance.permutation(count).astype(np.int32)
    able = chance.random(count) < share
    error = 0.01
    near = np.where(able, exact + chance.uniform(-error, error, count) * 0.99, -np.inf).astype(np.float32)
    units, scores = nearest(near, k, order, error, lambda some: exact[some])
    assert units.tolist() == ranked(exact, able, order, k)
    assert scores.tolist() == exact[units].tolist()
