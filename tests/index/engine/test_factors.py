"""Norms by similar terms, against the product with the whole matrix."""

from __future__ import annotations

import numpy as np
import pytest
from case_tables import every_case

from porism.index.engine.factors_kernels import soft_norms
from porism.system.compiled.kernels import address


@every_case("softness", [0.0, 0.4, 1.0])
def test_norms_are_the_roots_of_products_with_the_matrix(softness: float) -> None:
    similar = np.array([[1.0, 0.5, 0.0], [0.5, 1.0, 0.25], [0.0, 0.25, 1.0]], np.float32)
    starts, columns = np.array([0, 2, 5, 7], np.int64), np.array([0, 1, 0, 1, 2, 1, 2], np.int32)
    values = np.concatenate([similar[row, columns[starts[row] : starts[row + 1]]] for row in range(3)])
    row_of = np.array([2, -1, 0, 1, -1], np.int32)  # terms 1 and 4 are similar to themselves only
    vectors = np.array([[3.0, 1.0, 2.0, 0.0, 0.0], [0.0, 0.0, 1.0, 4.0, 2.0], [0.0] * 5, [0.0, 5.0, 0.0, 0.0, 1.0]])
    whole = np.eye(5)
    for one in (0, 2, 3):
        for other in (0, 2, 3):
            if one != other:
                whole[one, other] = softness * similar[row_of[one], row_of[other]]
    indptr = np.concatenate([[0], np.cumsum((vectors > 0).sum(axis=1))]).astype(np.int64)
    terms = np.nonzero(vectors)[1].astype(np.int32)
    norms = np.empty(4)
    soft_norms(
        indptr, terms, vectors[vectors > 0], address(starts), address(columns), address(values), 3, row_of, softness,
        norms,
    )
    assert norms == pytest.approx([np.sqrt(vector @ whole @ vector) for vector in vectors])
