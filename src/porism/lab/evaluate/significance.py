"""Whether two systems differ by more than chance: paired tests over topics, and a correction for testing many.

All tests are two-tailed and take the differences of two systems topic by topic. They are defined for every input and
never give a NaN: without a difference there is no evidence (p = 1), and with fewer than two topics there is none
either.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from porism.errors import ConfigError
from porism.extras import need

TIE = 1e-9
"""Values of two systems that differ by no more are equal: sums in another order differ in their last digits."""

EXACT_FLIPS = 20
"""Up to so many topics with a difference, the permutation test looks at every assignment of signs."""

EXACT_RANKS = 200
"""Up to so many topics with a difference, Wilcoxon's test counts every assignment of signs."""

_CHUNK = 1 << 20


@dataclass(frozen=True, slots=True)
class PairedTest:
    """The outcome of a test: its statistic and the two-tailed p-value."""

    statistic: float
    p_value: float


_NOTHING = PairedTest(0.0, 1.0)


def paired_t_test(differences: ArrayLike) -> PairedTest:
    """Student's two-tailed t-test of the hypothesis that the mean of the differences [topics] is 0.

    The statistic is t with n − 1 degrees of freedom. Differences that are all alike and not 0 give an infinite t and
    p = 0; with fewer than two topics t is 0 and p is 1.

    :raises ConfigError: a difference is not a finite number.
    :raises MissingExtra: SciPy is not installed.
    """
    values = _checked(differences)
    if len(values) < 2 or not values.any():
        return _NOTHING
    mean = float(values.mean())
    spread = float(values.std(ddof=1))
    if spread <= TIE * abs(mean):
        return PairedTest(math.copysign(math.inf, mean), 0.0)
    t = mean / (spread / math.sqrt(len(values)))
    special: Any = need("scipy.special", "lab", "the t-test")
    return PairedTest(t, float(min(1.0, 2.0 * special.stdtr(len(values) - 1, -abs(t)))))


def wilcoxon(differences: ArrayLike) -> PairedTest:
    """Wilcoxon's signed-rank test, two-tailed; topics without a difference are left out, as Wilcoxon did.

    The statistic is the smaller of the sums of ranks of positive and of negative differences. Equal amounts share
    their mean rank. Up to :data:`EXACT_RANKS` topics p is exact, also with ties. It is the share of all assignments of
    signs that give a sum as extreme. Beyond, it is that of the normal distribution with the variance corrected for
    ties. With fewer than two topics that differ p is 1.

    :raises ConfigError: a difference is not a finite number.
    """
    values = _checked(differences)
    values = values[values != 0]
    if len(values) < 2:
        return _NOTHING
    doubled = _doubled_ranks(np.abs(values))
    positive = int(doubled[values > 0].sum())
    total = int(doubled.sum())
    smaller = min(positive, total - positive)
    if len(values) <= EXACT_RANKS:
        p = 2.0 * _share_of_sums_up_to(doubled, smaller)
    else:
        # Of each rank, half is expected with variance rank² / 4; in doubled ranks that is (doubled / 2)².
        deviation = math.sqrt(float((doubled.astype(np.float64) ** 2).sum())) / 2
        p = math.erfc((total / 2 - smaller) / deviation / math.sqrt(2))
    return PairedTest(smaller / 2, min(1.0, p))


def permutation_test(differences: ArrayLike, *, samples: int = 100_000, seed: int = 0) -> PairedTest:
    """Fisher's paired randomisation test, two-tailed: the signs of the differences [topics] are exchanged at random.

    The statistic is the mean difference; p is the share of assignments of signs that give a mean as far from 0. Up to
    :data:`EXACT_FLIPS` topics with a difference all assignments are looked at. Else there are ``samples`` random ones,
    of which the observed one counts as another, so that p is never 0 (Davison and Hinkley 1997, eq. 4.11).

    :raises ConfigError: a difference is not a finite number, or there are fewer than 1 samples.
    """
    values = _checked(differences)
    return permutation_tests(values[:, None], samples=samples, seed=seed)[0] if len(values) else _NOTHING


def permutation_tests(differences: ArrayLike, *, samples: int = 100_000, seed: int = 0) -> list[PairedTest]:
    """:func:`permutation_test` of each column of differences [topics, tests], with the same random signs for all.

    :raises ConfigError: a difference is not a finite number, or there are fewer than 1 samples.
    """
    if samples < 1:
        raise ConfigError(f"a permutation test with {samples} samples", hint="It takes 1 or more.")
    columns = _checked(differences, 2)
    count, tests = columns.shape
    results = [_NOTHING] * tests
    sampled: list[int] = []
    for column in range(tests):
        values = columns[:, column]
        changed = values[values != 0]
        if len(changed) == 0 or count < 2:
            continue
        if len(changed) <= EXACT_FLIPS:
            sums = np.abs(_all_signed_sums(changed))
            p = float(np.count_nonzero(sums >= _bound(changed)) / len(sums))
            results[column] = PairedTest(float(values.mean()), p)
        else:
            sampled.append(column)
    if sampled:
        chosen = columns[:, sampled]
        bounds = np.array([_bound(chosen[:, place]) for place in range(len(sampled))])
        as_far = np.zeros(len(sampled), np.int64)
        random = np.random.default_rng(seed)
        rows = max(1, _CHUNK // count)
        for start in range(0, samples, rows):
            size = min(rows, samples - start)
            flipped = np.unpackbits(np.frombuffer(random.bytes(-(-size * count // 8)), np.uint8), count=size * count)
            sums = chosen.sum(axis=0) - 2.0 * (flipped.reshape(size, count).astype(np.float64) @ chosen)
            as_far += np.count_nonzero(np.abs(sums) >= bounds, axis=0)
        for place, column in enumerate(sampled):
            p = (1 + int(as_far[place])) / (1 + samples)
            results[column] = PairedTest(float(columns[:, column].mean()), p)
    return results


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """P-values adjusted for their number by the step-down procedure of Holm (1979), in the order given.

    Rejecting those with an adjusted value below α rejects a true hypothesis of the family with a probability of at
    most α. The i-th smallest of m is multiplied by m − i + 1, and none is less than one before it, nor above 1.

    :raises ConfigError: a value is not between 0 and 1.
    """
    if not all(0 <= p <= 1 for p in p_values):
        raise ConfigError("a p-value is not between 0 and 1")
    adjusted = [1.0] * len(p_values)
    least = 0.0
    for step, place in enumerate(sorted(range(len(p_values)), key=lambda place: p_values[place])):
        least = max(least, min(1.0, (len(p_values) - step) * p_values[place]))
        adjusted[place] = least
    return tuple(adjusted)


def stars(p_value: float) -> str:
    """The mark of a (corrected) p-value in a table: ``**`` below 0.01, ``*`` below 0.05, else nothing."""
    return "**" if p_value < 0.01 else "*" if p_value < 0.05 else ""


def _checked(differences: ArrayLike, dimensions: int = 1) -> NDArray[np.float64]:
    """The differences as float64, those within :data:`TIE` as 0."""
    values = np.array(differences, np.float64)
    if values.ndim != dimensions or not np.isfinite(values).all():
        raise ConfigError(
            "a difference is not a finite number", hint="Leave out topics for which a measure is undefined."
        )
    values[np.abs(values) <= TIE] = 0.0
    return values


def _bound(values: NDArray[np.float64]) -> float:
    """What a signed sum must reach to be as far from 0 as the observed one, but for rounding."""
    return float(abs(values.sum()) - TIE * np.abs(values).sum())


def _all_signed_sums(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """The sums under all signs of all values but the first: the other half is the same with the sign turned."""
    sums = values[:1]
    for value in values[1:]:
        sums = np.concatenate([sums + value, sums - value])
    return sums


def _doubled_ranks(amounts: NDArray[np.float64]) -> NDArray[np.int64]:
    """Twice the ranks from 1, smallest first; amounts within :data:`TIE` of the one before share their mean rank."""
    order = np.argsort(amounts, kind="stable")
    starts = np.flatnonzero(np.concatenate([[True], np.diff(amounts[order]) > TIE]))
    ends = np.append(starts[1:], len(amounts))
    doubled = np.empty(len(amounts), np.int64)
    doubled[order] = np.repeat(starts + 1 + ends, ends - starts)
    return doubled


def _share_of_sums_up_to(doubled: NDArray[np.int64], most: int) -> float:
    """The share of subsets of the ranks whose sum is ``most`` or less, by a recurrence over the ranks."""
    shares = np.zeros(most + 1)
    shares[0] = 1.0
    for rank in doubled.tolist():
        with_rank = np.zeros_like(shares)
        if rank <= most:
            with_rank[rank:] = shares[: most + 1 - rank]
        shares = (shares + with_rank) / 2
    return float(shares.sum())
