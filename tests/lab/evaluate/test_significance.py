"""Paired tests: worked out by hand, beside SciPy, and where there is nothing to test."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given, settings
from hypothesis import strategies as st

from porism.errors import ConfigError
from porism.lab.evaluate.significance import (
    EXACT_FLIPS,
    EXACT_RANKS,
    PairedTest,
    holm,
    paired_t_test,
    permutation_test,
    permutation_tests,
    stars,
    wilcoxon,
)

# Fractions that have no rounding: SciPy takes sums that differ in the last digit for different ones.
differences = st.lists(st.integers(-20, 20).map(lambda n: n / 32), min_size=2, max_size=9)


def test_t_by_hand() -> None:
    # mean 2, sample variance (1 + 0 + 1) / 2 = 1, so t = 2 / (1 / √3); with 2 degrees of freedom the two-tailed p is
    # 1 − t / √(2 + t²)
    t = 2 * math.sqrt(3)
    assert paired_t_test([1, 2, 3]) == PairedTest(pytest.approx(t), pytest.approx(1 - t / math.sqrt(2 + t * t)))
    assert paired_t_test([-1, -2, -3]).statistic == pytest.approx(-t)


@settings(deadline=None)
@given(differences)
def test_t_is_that_of_scipy(values: list[float]) -> None:
    stats = pytest.importorskip("scipy.stats")
    ours = paired_t_test(values)
    if len(set(values)) > 1:
        theirs = stats.ttest_1samp(values, 0)
        assert ours.statistic == pytest.approx(theirs.statistic)
        assert ours.p_value == pytest.approx(theirs.pvalue, abs=1e-12)
    elif values[0] == 0:
        assert ours == PairedTest(0.0, 1.0)
    else:
        assert ours == PairedTest(math.copysign(math.inf, values[0]), 0.0)


def test_wilcoxon_by_hand() -> None:
    # Ranks 1 2 3 4, negative is the first: of 16 assignments those with a sum of 0 or 1 are two, on either side.
    assert wilcoxon([-1, 2, 3, 4]) == PairedTest(1.0, 4 / 16)
    assert wilcoxon([5, 1, 2]) == PairedTest(0.0, 2 / 8)
    # Amounts 1 1 2 have the ranks 1.5 1.5 3: sums up to 1.5 are {} and either of the first two.
    assert wilcoxon([-1, 1, 2]) == PairedTest(1.5, 6 / 8)
    assert wilcoxon([-1, 1]) == PairedTest(1.5, 1.0)
    assert wilcoxon([0, 0, -1, 2, 3, 4, 0]) == PairedTest(1.0, 4 / 16)


@settings(deadline=None)
@given(st.lists(st.integers(1, 10**6), min_size=2, max_size=25, unique=True), st.randoms(use_true_random=False))
def test_wilcoxon_without_ties_is_that_of_scipy(amounts: list[int], random) -> None:  # type: ignore[no-untyped-def]
    stats = pytest.importorskip("scipy.stats")
    values = [amount * random.choice([-1, 1]) for amount in amounts]
    theirs = stats.wilcoxon(values, method="exact")
    assert wilcoxon(values) == PairedTest(theirs.statistic, pytest.approx(theirs.pvalue, abs=1e-12))


@settings(deadline=None)
@given(differences)
def test_wilcoxon_with_ties_is_the_share_of_all_signs(values: list[float]) -> None:
    changed = [value for value in values if value]
    if len(changed) < 2:
        assert wilcoxon(values) == PairedTest(0.0, 1.0)
        return
    amounts = sorted(map(abs, changed))
    ranks = [np.mean([place for place, amount in enumerate(amounts, 1) if amount == abs(value)]) for value in changed]
    half = sum(ranks) / 2
    observed = abs(sum(rank for rank, value in zip(ranks, changed, strict=True) if value > 0) - half)
    sums = [float(np.dot(ranks, signs)) for signs in product([0, 1], repeat=len(ranks))]
    share = np.mean([abs(total - half) >= observed - 1e-9 for total in sums])
    assert wilcoxon(values).p_value == pytest.approx(share)


def test_wilcoxon_of_many_topics_is_the_normal_approximation_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    random = np.random.default_rng(3)
    values = np.round(random.normal(0.05, 1, EXACT_RANKS + 50), 1)
    theirs = stats.wilcoxon(values, method="asymptotic", zero_method="wilcox")
    assert np.count_nonzero(values) > EXACT_RANKS
    assert wilcoxon(values) == PairedTest(pytest.approx(theirs.statistic), pytest.approx(theirs.pvalue))


def test_the_exact_share_and_the_approximation_meet() -> None:
    random = np.random.default_rng(4)
    values = random.normal(0.15, 1, EXACT_RANKS + 1)
    assert wilcoxon(values[:-1]).p_value == pytest.approx(wilcoxon(values).p_value, rel=0.25)


def test_permutations_by_hand() -> None:
    # ±1 ±2 ±3: as far from 0 as 6 are only +++ and −−−; as far as 4 (−1 2 3) are 4 of 8.
    assert permutation_test([1, 2, 3]) == PairedTest(2.0, 2 / 8)
    assert permutation_test([-1, 2, 3]) == PairedTest(pytest.approx(4 / 3), 4 / 8)
    assert permutation_test([0, 1, 0, 2, 3]) == PairedTest(pytest.approx(6 / 5), 2 / 8)  # a 0 has no sign


@settings(deadline=None)
@given(differences)
def test_few_permutations_are_all_looked_at(values: list[float]) -> None:
    stats = pytest.importorskip("scipy.stats")
    theirs = stats.permutation_test(
        (np.array(values), np.zeros(len(values))), lambda x, y, axis: np.mean(x - y, axis=axis),
        permutation_type="samples", vectorized=True, n_resamples=np.inf,
    )
    ours = permutation_test(values)
    assert ours.p_value == pytest.approx(theirs.pvalue)
    assert ours.statistic == pytest.approx(np.mean(values))


def test_many_permutations_are_sampled() -> None:
    values = np.random.default_rng(5).normal(0.1, 0.5, EXACT_FLIPS + 40)
    first = permutation_test(values, samples=50_000, seed=1)
    assert first == permutation_test(values, samples=50_000, seed=1)
    assert first.p_value != permutation_test(values, samples=50_000, seed=2).p_value
    # The sampled share has a standard error of √(p (1 − p) / 50,000); the t-test is close for so many topics.
    assert first.p_value == pytest.approx(paired_t_test(values).p_value, abs=0.02)
    certain = permutation_test(np.linspace(0.1, 1, 60), samples=999)
    assert certain.p_value == 1 / 1000  # the observed signs are one of a thousand


def test_all_permutations_are_looked_at_up_to_the_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("porism.lab.evaluate.significance.EXACT_FLIPS", 5)
    assert permutation_test([0.5] * 5).p_value == 2 / 32
    assert permutation_test([0.5] * 5, samples=1).p_value == 2 / 32
    assert permutation_test([0.5] * 6, samples=1).p_value in (0.5, 1.0)  # the sample and the observed one


def test_sampled_and_all_permutations_agree(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(6).normal(0.2, 0.6, 16)
    exact = permutation_test(values).p_value
    monkeypatch.setattr("porism.lab.evaluate.significance.EXACT_FLIPS", 3)
    sampled = permutation_test(values, samples=200_000).p_value
    assert sampled != exact
    assert sampled == pytest.approx(exact, abs=5 * math.sqrt(exact * (1 - exact) / 200_000))


def test_columns_are_tested_each_by_itself() -> None:
    columns = np.random.default_rng(7).normal(0.1, 0.5, (40, 3))
    columns[:, 1] = 0
    columns[8:, 2] = 0
    alone = [permutation_test(columns[:, number], samples=5_000) for number in range(3)]
    assert permutation_tests(columns, samples=5_000) == alone
    assert alone[1] == PairedTest(0.0, 1.0)
    assert alone[2].p_value * 2**7 == int(alone[2].p_value * 2**7)


@every_case("values", [[], [0.4], [0.0, 0.0, 0.0], [0.0], [1e-12, -1e-12]])
@every_case("test", [paired_t_test, wilcoxon, permutation_test])
def test_nothing_to_test_is_no_evidence(test, values: list[float]) -> None:  # type: ignore[no-untyped-def]
    assert test(values).p_value == 1.0
    assert math.isfinite(test(values).statistic)


@every_case("test", [paired_t_test, wilcoxon, permutation_test])
@every_case("value", [math.nan, math.inf])
def test_undefined_values_are_refused(test, value: float) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ConfigError, match="Leave out topics for which a measure is undefined"):
        test([0.1, value])


@settings(deadline=None)
@given(differences, st.sampled_from([wilcoxon, permutation_test, paired_t_test]))
def test_both_directions_are_alike(values: list[float], test) -> None:  # type: ignore[no-untyped-def]
    p = test(values).p_value
    assert 0 <= p <= 1
    assert test([-value for value in values]).p_value == pytest.approx(p)


def test_holm_by_hand() -> None:
    # In order 0.01 · 4, 0.02 · 3, 0.03 · 2, 0.9 · 1; the third would be no more than the second.
    assert holm([0.03, 0.01, 0.9, 0.02]) == pytest.approx((0.06, 0.04, 0.9, 0.06))
    assert holm([0.5, 0.6, 0.0]) == (1.0, 1.0, 0.0)
    assert holm([0.04]) == (0.04,)
    assert holm([]) == ()
    assert holm([1.0, 0.0]) == (1.0, 0.0)
    for wrong in (math.nan, 1.001, -0.001, 2.0):
        with pytest.raises(ConfigError, match="not between 0 and 1"):
            holm([0.1, wrong])


@settings(deadline=None)
@given(st.lists(st.floats(0, 1), max_size=12))
def test_holm_rejects_what_the_step_down_procedure_rejects(p_values: list[float]) -> None:
    adjusted = holm(p_values)
    for alpha in (0.01, 0.05, 0.5):
        rejected = 0  # of the sorted values, until the first that is not below α / (m − i)
        for step, p in enumerate(sorted(p_values)):
            if (len(p_values) - step) * p >= alpha:
                break
            rejected += 1
        assert sum(value < alpha for value in adjusted) == rejected
    assert all(value >= p for value, p in zip(adjusted, p_values, strict=True))


def test_stars() -> None:
    assert [stars(p) for p in (0.0099, 0.01, 0.0499, 0.05, 1.0)] == ["**", "*", "*", "", ""]


def test_options_are_checked() -> None:
    with pytest.raises(ConfigError, match="0 samples"):
        permutation_test([1, 2], samples=0)


def test_the_t_test_says_which_extra_it_needs(monkeypatch: pytest.MonkeyPatch) -> None:
    from porism.errors import MissingExtra

    monkeypatch.setitem(__import__("sys").modules, "scipy.special", None)
    with pytest.raises(MissingExtra, match=r"pip install 'porism\[lab\]'"):
        paired_t_test([1.0, 2.0])
    assert wilcoxon([-1, 2, 3, 4]).p_value == 0.25
    assert permutation_test([1, 2, 3]).p_value == 0.25


def test_rounding_does_not_make_a_difference() -> None:
    values = [-0.1, -0.4, 0.2, 0.15, 0.15]  # the sum is 0, in floating point 5e-17
    assert permutation_test(values).p_value == 1.0
    assert wilcoxon([0.3 - 0.2, 0.1, 0.2 - 0.1, -0.1]) == PairedTest(2.5, 10 / 16)  # four equal amounts, one negative
