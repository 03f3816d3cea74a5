"""Flips: pairs about which a model contradicts itself."""

from __future__ import annotations

import numpy as np
import pytest
from pairwise_cases import NAN, THREE, made_up

from porism.lab.pairwise import PairwiseRun, PairwiseScores, count_flips, flipped, flips_at


def test_flips_by_hand() -> None:
    found = count_flips(THREE)
    assert (found.candidates, found.pairs, found.flips) == (3, 3, 1)
    assert found.of_documents.tolist() == [1, 0, 1]
    assert found.rate == pytest.approx((1 / 2 + 0 + 1 / 2) / 3)  # equation 5: the mean of #flips / (n - 1)
    assert flipped(THREE).tolist() == [[False, False, True], [False, False, False], [True, False, False]]


def test_both_kinds_of_contradiction_are_flips() -> None:
    neither = PairwiseScores("q", ("a", "b"), np.array([[NAN, 0.1], [0.2, NAN]]))
    both = PairwiseScores("q", ("a", "b"), np.array([[NAN, 0.9], [0.8, NAN]]))
    assert count_flips(neither).flips == count_flips(both).flips == 1


def test_the_example_of_the_paper() -> None:
    # P(i > j) = 1.68e-6 and 1 - P(j > i) = 0.999
    pair = PairwiseScores("768208", ("1008083", "112760"), np.array([[NAN, 1.68e-6], [0.001, NAN]]))
    assert count_flips(pair).rate == 1.0


def test_pairs_of_one_order_do_not_count() -> None:
    matrix = np.full((3, 3), NAN)
    matrix[0, 1] = matrix[1, 0] = matrix[0, 2] = 0.9
    found = count_flips(PairwiseScores("q", ("a", "b", "c"), matrix))
    assert (found.pairs, found.flips, found.rate) == (1, 1, 1.0)  # c has no pair of both orders
    assert count_flips(PairwiseScores("q", (), np.zeros((0, 0)))).rate == 0.0


def test_flips_at_depths() -> None:
    pairs = PairwiseRun((made_up(1, 20), made_up(2, 30, "r")))
    found = flips_at(pairs, [10, 25])
    assert [[one.candidates for one in of_depth] for of_depth in found.values()] == [[10, 10], [20, 25]]
    assert found[10][0].flips == count_flips(pairs.queries[0].first(10)).flips
    assert list(flips_at(pairs)) == [30]
