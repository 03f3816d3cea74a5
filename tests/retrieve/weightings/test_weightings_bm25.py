"""Variants of BM25 give what their papers' formulas give by hand."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from case_tables import every_case
from weighting_cases import TINY, Counted, score

from porism.errors import ConfigError
from porism.retrieve.weightings import BM25L, BM25T, BM25Adapt, BM25Atire, BM25Robertson, Impact, TFldp, weighting_named
from porism.retrieve.weightings.adaptive import LEVELS
from porism.retrieve.weightings.base import BM25, BM25Plus, ChannelStatistics, TermCounts

B = 0.25 + 0.75 * 5 / 3
"""Of the second document, whose length is 5 beside a mean of 3."""


def test_impact_is_the_frequency():
    assert weighting_named("impact") == Impact()
    assert score(Impact(), {"ccc": 0.5}, 1) == pytest.approx(0.5 * 3)
    assert Counted(TINY).scores(Impact(), {"ccc": 2.0})[1] == 6.0


def test_robertson():
    assert score(BM25Robertson(), {"ccc": 1}, 1) == pytest.approx(math.log(3.5 / 1.5) * 3 / (3 + 1.2 * B))


def test_robertson_leaves_out_terms_of_half_the_documents():
    assert Counted(TINY).scores(BM25Robertson(), {"a": 1, "bb": 1}) == [None] * 5


def test_atire_has_the_constant():
    assert score(BM25Atire(), {"ccc": 2}, 1) == pytest.approx(2 * math.log(4) * 2.2 * 3 / (3 + 1.2 * B))
    assert Counted(TINY).scores(BM25Atire(), {"bb": 1}) == [None] * 5  # ln(4 / 4)


@every_case("delta", [0.0, 0.5, 2.0])
def test_bm25l_in_its_published_form(delta):
    c = 3 / B
    expected = math.log(5 / 1.5) * 2.2 * (c + delta) / (1.2 + c + delta)
    assert score(BM25L(delta=delta), {"ccc": 1}, 1) == pytest.approx(expected)


def test_bm25_plus_ranks_absent_terms_as_equation_4_of_novotny_et_al_2021():
    """The published sum, with δ for terms that a document lacks, less what all documents get, over k1 + 1."""
    k1, b, query = 1.5, 0.75, {"a": 1, "ccc": 1, "bb": 1}
    counted = Counted(TINY)
    found = counted.scores(BM25Plus(k1, b, 1.0, absent=True), query)
    df = dict(zip(counted.vocabulary, counted.df.tolist(), strict=True))
    idf = {term: math.log(5 / df[term]) for term in query}  # four documents have a term
    lengths = [len(words) for words in TINY]
    for words, score_of, length in zip(TINY, found, lengths, strict=True):
        published = sum(
            idf[term] * ((k1 + 1) * words.count(term) / (k1 * (1 - b + b * length / 3) + words.count(term)) + 1.0)
            for term in query
        )
        assert (score_of or 0.0) * (k1 + 1) + sum(idf.values()) == pytest.approx(published)


def test_tfldp():
    expected = math.log(5 / 1) * (1 + math.log(1 + math.log(3 / (0.8 + 0.2 * 5 / 3) + 1)))
    assert score(TFldp(b=0.2), {"ccc": 1}, 1) == pytest.approx(expected)


def test_bm25t_solves_for_k1():
    counted = Counted(TINY)
    sums = BM25T().sums(counted.rows, counted.documents, counted.statistics, 4)
    k1 = BM25T().fitted(TermCounts(counted.df, counted.cf, sums))[0]
    mean = (math.log(2 / 1 + 1) + math.log(1 / B + 1)) / 2  # a: twice in a document of mean length, once in another
    assert k1 / (k1 - 1) * math.log(k1) == pytest.approx(mean)
    assert score(BM25T(), {"a": 1}, 0) == pytest.approx(math.log(4 / 2) * (k1 + 1) * 2 / (2 + k1))


def test_bm25t_where_k1_is_one():
    once = np.array([math.e - 1])
    terms = TermCounts(np.array([1]), once, np.array([[1.0, 0.0]]))
    assert BM25T().fitted(terms)[0] == pytest.approx(1.0)


def repeated(*frequencies: int, others: int) -> Counted:
    """A term with these frequencies, and documents without it."""
    return Counted([["x"] * frequency for frequency in frequencies] + [["y"]] * others)


def test_bm25_adapt_fits_k1_to_the_gains():
    counted = repeated(1, 1, 4, 4, others=16)  # d₁ … d₄ = 4, 2, 2, 2: the gain grows from r = 1 to 2 and stays
    weighting = BM25Adapt(b=0)
    sums = weighting.sums(counted.rows, counted.documents, counted.statistics, 2)
    assert sums[0, :5].tolist() == [2, 2, 2, 0, 0]
    gain, k1 = weighting.fitted(TermCounts(counted.df, counted.cf, sums), counted.statistics)
    first, second = (math.log2(ratio) - math.log2(4.5 / 21) for ratio in (2.5 / 5, 2.5 / 3))
    y = second / first
    exact = (2 * y - 2) / (2 - y)  # where (k1 + 1) · 2 / (k1 + 2) = y
    assert gain[0] == pytest.approx(first)
    assert k1[0] == pytest.approx(exact, rel=1e-6)
    assert counted.scores(weighting, {"x": 1})[2] == pytest.approx(first * (exact + 1) * 4 / (4 + exact), rel=1e-6)


def test_bm25_adapt_finds_the_least_squares_over_several_points():
    counted = repeated(*([1] * 40 + [2] * 12 + [3] * 5 + [4] * 3 + [6] * 3), others=400)
    weighting = BM25Adapt(b=0)
    sums = weighting.sums(counted.rows, counted.documents, counted.statistics, 2)
    _, k1 = weighting.fitted(TermCounts(counted.df, counted.cf, sums), counted.statistics)
    reached = [63, 23, 11, 6, 3, 3, 0]
    gains = [math.log2((b + 0.5) / (a + 1)) - math.log2(63.5 / 464) for a, b in pairwise(reached)]
    last = next(r for r in range(1, len(gains)) if gains[r] <= gains[r - 1])  # T, from 1
    assert last == 3

    def error(k: float) -> float:
        return sum((gains[r - 1] / gains[0] - (k + 1) * r / (k + r)) ** 2 for r in range(1, last + 1))

    assert error(k1[0]) <= min(error(10 ** (step / 100)) for step in range(-300, 300)) + 1e-12


def test_bm25_adapt_without_repetition_has_the_k1_given():
    counted = repeated(1, 1, others=8)
    weighting = BM25Adapt(k1=1.7, b=0)
    sums = weighting.sums(counted.rows, counted.documents, counted.statistics, 2)
    gain, k1 = weighting.fitted(TermCounts(counted.df, counted.cf, sums), counted.statistics)
    assert k1[0] == 1.7
    assert gain[0] == pytest.approx(math.log2(0.5 / 3) - math.log2(2.5 / 11))
    assert counted.scores(weighting, {"x": 1})[0] == 0.0  # and so little gain counts nothing


def test_bm25_adapt_counts_no_further_than_its_levels():
    counted = repeated(1000, others=3)
    sums = BM25Adapt(b=0).sums(counted.rows, counted.documents, counted.statistics, 2)
    assert sums[0].tolist() == [1] * LEVELS


@every_case(("weighting", "settings", "told"), [
    (BM25Robertson, {"k1": -1}, "k1 = -1"),
    (BM25Atire, {"b": 1.5}, "b = 1.5"),
    (BM25L, {"k1": 0}, "k1 = 0"),
    (BM25L, {"delta": -1}, "delta = -1"),
    (BM25Adapt, {"b": float("nan")}, "b = nan"),
    (BM25T, {"b": 2}, "b = 2"),
    (TFldp, {"delta": 0.5}, "delta = 0.5"),
])
def test_parameters_out_of_range_are_refused(weighting, settings, told):
    with pytest.raises(ConfigError, match=told):
        weighting(**settings)


def test_all_variants_but_atires_constant_agree_where_nothing_differs():
    df, statistics = np.array([3]), ChannelStatistics(1_000_000, 7.0)
    plain = BM25().term_weights(df, statistics)
    assert BM25Robertson().term_weights(df, statistics) == pytest.approx(plain, rel=1e-5)
