"""Confidence intervals by resampling topics."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from porism.errors import ConfigError

if TYPE_CHECKING:
    from porism.lab.evaluate.evaluation import Evaluation

Interval = tuple[float, float]
"""Lower and upper end."""

_CHUNK = 1 << 20


def confidence_interval(values: ArrayLike, level: float = 0.95, *, samples: int = 10_000, seed: int = 0) -> Interval:
    """The percentile bootstrap interval of the mean of values [topics] (Efron and Tibshirani 1993, section 13.3).

    Topics are drawn with replacement; the ends are quantiles of the means of the samples, between which lie a share of
    ``level``. The interval of a paired difference is that of the differences topic by topic. One value is its own
    interval.

    :raises ConfigError: there is no value, a value is not a finite number, or an option is out of its range.
    """
    return confidence_intervals(np.asarray(values, np.float64)[:, None], level, samples=samples, seed=seed)[0]


def confidence_intervals(
    columns: ArrayLike, level: float = 0.95, *, samples: int = 10_000, seed: int = 0
) -> list[Interval]:
    """:func:`confidence_interval` of each column of values [topics, columns], with the same samples for all.

    :raises ConfigError: there is no value, a value is not a finite number, or an option is out of its range.
    """
    check_bootstrap(level, samples)
    values = np.asarray(columns, np.float64)
    count = len(values)
    if not count or not np.isfinite(values).all():
        raise ConfigError("no confidence interval without values, or with one that is not a finite number")
    if not values.shape[1]:
        return []
    random = np.random.default_rng(seed)
    means = np.empty((samples, values.shape[1]))
    rows = max(1, _CHUNK // count)
    for start in range(0, samples, rows):
        size = min(rows, samples - start)
        drawn = random.integers(0, count, (size, count)) + np.arange(size)[:, None] * count
        times = np.bincount(drawn.ravel(), minlength=size * count).reshape(size, count)
        means[start : start + size] = times.astype(np.float64) @ values / count
    ends = np.quantile(means, [(1 - level) / 2, (1 + level) / 2], axis=0)
    # Rounding must not move an end beyond what any mean can be: a system with 1 for every topic ends at 1.
    ends = np.clip(ends, values.min(axis=0), values.max(axis=0))
    return [(float(low), float(high)) for low, high in ends.T]


def check_bootstrap(level: float, samples: int = 1) -> None:
    """Refuses options that no interval can be made with.

    :raises ConfigError: the level is not between 0 and 1, or there are fewer than 1 samples.
    """
    if not 0 < level < 1:
        raise ConfigError(f"the confidence level is {level}", hint="It is between 0 and 1, e.g. 0.95.")
    if samples < 1:
        raise ConfigError(f"a bootstrap with {samples} samples", hint="It takes 1 or more.")


def evaluation_intervals(
    evaluation: Evaluation, level: float = 0.95, *, samples: int = 10_000, seed: int = 0
) -> dict[str, Interval]:
    """Measure → interval of its aggregated value; of counts, which are summed, the interval of the sum.

    A topic for which a measure is undefined does not count for it; a measure that is undefined for all is left out.

    :raises ConfigError: an option is out of its range.
    """
    check_bootstrap(level, samples)
    intervals: dict[str, Interval] = {}
    by_topics: dict[tuple[str, ...], list[str]] = {}
    for name, values in evaluation.per_topic.items():
        if values:
            by_topics.setdefault(tuple(values), []).append(name)
    for topics, names in by_topics.items():
        columns = np.array([[evaluation.per_topic[name][topic] for name in names] for topic in topics], np.float64)
        for name, interval in zip(names, confidence_intervals(columns, level, samples=samples, seed=seed), strict=True):
            scale = len(topics) if evaluation.is_count(name) else 1
            intervals[name] = (interval[0] * scale, interval[1] * scale)
    return {name: intervals[name] for name in evaluation.per_topic if name in intervals}
