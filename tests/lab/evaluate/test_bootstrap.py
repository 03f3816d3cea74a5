"""Confidence intervals by the percentile bootstrap."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from case_tables import every_case
from hypothesis import given
from hypothesis import strategies as st

from porism.errors import ConfigError
from porism.lab.evaluate import confidence_interval, evaluate_run, evaluation_intervals
from porism.lab.evaluate.bootstrap import confidence_intervals
from porism.runs.run import Run


def test_all_samples_of_three_topics() -> None:
    # The 27 samples of 0, 0.3 and 0.9, each as likely: their quantiles are those of the bootstrap's limit.
    values = [0.0, 0.3, 0.9]
    means = sorted(np.mean(sample) for sample in product(values, repeat=3))
    assert [float(mean) for mean in means[:4]] == pytest.approx([0, 0.1, 0.1, 0.1])
    # A level of 0.9 cuts 5% on either side: 1.35 of 27 samples, so 0.1 and (from above: 0.9, then 0.7 three times) 0.7.
    assert confidence_interval(values, 0.9) == pytest.approx((0.1, 0.7))
    assert confidence_interval(values, 0.99) == pytest.approx((0.0, 0.9))


def test_many_topics_have_the_interval_of_the_normal_distribution() -> None:
    values = np.random.default_rng(1).normal(0.4, 0.2, 400)
    low, high = confidence_interval(values)
    error = values.std() / math.sqrt(400)
    assert low == pytest.approx(values.mean() - 1.96 * error, abs=0.1 * error)
    assert high == pytest.approx(values.mean() + 1.96 * error, abs=0.1 * error)


def test_it_is_that_of_scipy() -> None:
    stats = pytest.importorskip("scipy.stats")
    values = np.random.default_rng(2).beta(1, 3, 60)
    theirs = stats.bootstrap(
        (values,), np.mean, confidence_level=0.9, n_resamples=50_000, method="percentile", rng=np.random.default_rng(3)
    ).confidence_interval
    ours = confidence_interval(values, 0.9, samples=50_000)
    width = theirs.high - theirs.low
    assert ours == pytest.approx((theirs.low, theirs.high), abs=0.02 * width)


def test_the_seed_decides() -> None:
    values = np.random.default_rng(4).random(30)
    assert confidence_interval(values, seed=1) == confidence_interval(values, seed=1)
    assert confidence_interval(values, seed=1) != confidence_interval(values, seed=2)


def test_columns_have_the_intervals_that_they_have_alone() -> None:
    columns = np.random.default_rng(5).random((25, 3))
    alone = [confidence_interval(columns[:, place]) for place in range(3)]
    assert np.array(confidence_intervals(columns)) == pytest.approx(np.array(alone))
    assert confidence_intervals(np.empty((4, 0))) == []


@given(st.lists(st.floats(-1, 1), min_size=1, max_size=8))
def test_it_lies_within_the_values(values: list[float]) -> None:
    low, high = confidence_interval(values, samples=200)
    assert min(values) <= low <= high <= max(values)
    if len(set(values)) == 1:
        assert (low, high) == (values[0], values[0])


@every_case("values", [[], [0.1, math.nan]])
def test_no_interval_without_values(values: list[float]) -> None:
    with pytest.raises(ConfigError, match="no confidence interval without values"):
        confidence_interval(values)


def test_options_are_checked() -> None:
    for level in (0, 1, 95, math.nan):
        with pytest.raises(ConfigError, match="between 0 and 1"):
            confidence_interval([1.0], level)
    with pytest.raises(ConfigError, match="0 samples"):
        confidence_interval([1.0], samples=0)


def test_intervals_of_an_evaluation() -> None:
    qrels = {topic: {"a": 2, "b": 0} for topic in "stuv"}
    run = Run({"s": [("a", 1.0)], "t": [("b", 1.0), ("a", 0.5)], "u": [("a", 1.0)]})
    evaluation = evaluate_run(run, qrels, ["MAP'", "num_rel_ret"])
    intervals = evaluation_intervals(evaluation, 0.8)
    assert intervals["MAP'"] == confidence_interval([1, 0.5, 1, 0], 0.8)
    low, high = confidence_interval([1, 1, 1, 0], 0.8)
    assert intervals["num_rel_ret"] == pytest.approx((4 * low, 4 * high))  # counts are summed, and so are their ends
    assert list(intervals) == ["MAP'", "num_rel_ret"]
    # In s there is no pair to compare, so Accuracy is defined for t alone.
    some = evaluate_run(Run({"s": [("a", 1.0)], "t": [("a", 1.0), ("b", 0.5)]}),
                        {"s": {"a": 0}, "t": {"a": 2, "b": 0}}, ["Accuracy"])
    assert evaluation_intervals(some) == {"Accuracy": (1.0, 1.0)}
    undefined = evaluate_run(Run({"s": [("a", 1.0)]}), {"s": {"a": 0}}, ["Accuracy", "P@1"])
    assert evaluation_intervals(undefined) == {"P@1": (0.0, 0.0)}
