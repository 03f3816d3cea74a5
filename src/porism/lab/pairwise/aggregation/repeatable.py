"""The aggregations that look at the candidates once, by their names; loop truncation repeats one of them.

They sum or count comparisons, take the best or worst one, or weigh contradictions less.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.lab.pairwise.aggregation.base import (
    MIN_COUNT,
    Aggregation,
    check_least,
    check_ranked,
    logarithm,
    off_diagonal,
)
from porism.lab.pairwise.aggregation.bradley_terry import BradleyTerry
from porism.lab.pairwise.flips import flipped
from porism.lab.pairwise.scores import Floats, PairwiseScores


@dataclass(frozen=True, slots=True)
class Sum(Aggregation):
    """sᵢ = Σⱼ pᵢⱼ (SUM: Pradeep, Nogueira and Lin 2021)."""

    name: ClassVar[str] = "sum"

    def scores(self, pairs: PairwiseScores) -> Floats:
        total: Floats = off_diagonal(pairs.matrix).sum(1)
        return total


@dataclass(frozen=True, slots=True)
class SymSum(Aggregation):
    """sᵢ = Σⱼ (pᵢⱼ + (1 - pⱼᵢ)) (SYM-SUM: Pradeep, Nogueira and Lin 2021)."""

    name: ClassVar[str] = "sym-sum"

    def scores(self, pairs: PairwiseScores) -> Floats:
        total: Floats = off_diagonal(pairs.matrix + (1.0 - pairs.matrix.T)).sum(1)
        return total


@dataclass(frozen=True, slots=True)
class _Logarithmic(Aggregation):
    """A sum of logarithms.

    :param least: smaller probabilities count as this much.
    """

    least: float = MIN_COUNT

    def __post_init__(self) -> None:
        check_least(self.least)


@dataclass(frozen=True, slots=True)
class SumLog(_Logarithmic):
    """sᵢ = Σⱼ log pᵢⱼ (SUM-LOG: Pradeep, Nogueira and Lin 2021)."""

    name: ClassVar[str] = "sum-log"

    def scores(self, pairs: PairwiseScores) -> Floats:
        total: Floats = off_diagonal(logarithm(pairs.matrix, self.least)).sum(1)
        return total


@dataclass(frozen=True, slots=True)
class SymSumLog(_Logarithmic):
    """sᵢ = Σⱼ (log pᵢⱼ + log(1 - pⱼᵢ)) (SYM-SUM-LOG: Avila and Lourenço 2021, equation 6)."""

    name: ClassVar[str] = "sym-sum-log"

    def scores(self, pairs: PairwiseScores) -> Floats:
        total: Floats = off_diagonal(sym_logarithms(pairs.matrix, self.least)).sum(1)
        return total


def sym_logarithms(matrix: Floats, least: float) -> Floats:
    """log pᵢⱼ + log(1 - pⱼᵢ) of each pair (float64 [k, k]), NaN on the diagonal."""
    return logarithm(matrix, least) + logarithm(1.0 - matrix.T, least)


@dataclass(frozen=True, slots=True)
class OutOfFlip(Aggregation):
    """sᵢ = Σ over j in D, j ≠ i, of (log pᵢⱼ + log(1 - pⱼᵢ)), . D are the candidates that have no flip with the
    last one of the stage before, that one included (Avila and Lourenço 2021, equations 7 and 8).

    Every candidate gets a score, those that are not in D too.

    :param least: smaller probabilities count as this much.
    """

    name: ClassVar[str] = "out-of-flip"
    needs_ranks: ClassVar[bool] = True
    least: float = MIN_COUNT

    def __post_init__(self) -> None:
        check_least(self.least)

    def scores(self, pairs: PairwiseScores) -> Floats:
        """See the class.

        :raises ConfigError: nothing says how the stage before ranked the candidates.
        """
        check_ranked(pairs, self.name)
        if not len(pairs):
            return np.zeros(0)
        counts = ~flipped(pairs)[-1]
        total: Floats = off_diagonal(sym_logarithms(pairs.matrix, self.least))[:, counts].sum(1)
        return total


@dataclass(frozen=True, slots=True)
class ScoreDistance(Aggregation):
    """``sᵢ = Σⱼ (1 - |pᵢⱼ - (1 - pⱼᵢ)|) · log pᵢⱼ`` (PROPORTIONAL-TO-SCORE-DISTANCE: Avila and Lourenço 2021, equation
    9).

    :param least: smaller probabilities count as this much under the logarithm.
    """

    name: ClassVar[str] = "score-distance"
    least: float = MIN_COUNT

    def __post_init__(self) -> None:
        check_least(self.least)

    def scores(self, pairs: PairwiseScores) -> Floats:
        matrix = pairs.matrix
        agreement = 1.0 - np.abs(matrix - (1.0 - matrix.T))
        total: Floats = off_diagonal(agreement * logarithm(matrix, self.least)).sum(1)
        return total


@dataclass(frozen=True, slots=True)
class Binary(Aggregation):
    """sᵢ = Σⱼ 1[pᵢⱼ > 1/2] (BINARY: Nogueira et al. 2019); a pᵢⱼ of exactly 1/2 is half a win, as Copeland has it."""

    name: ClassVar[str] = "binary"

    def scores(self, pairs: PairwiseScores) -> Floats:
        matrix = off_diagonal(pairs.matrix)
        wins: Floats = (matrix > 0.5).sum(1) + 0.5 * (matrix == 0.5).sum(1)
        return wins


@dataclass(frozen=True, slots=True)
class Min(Aggregation):
    """sᵢ = minⱼ pᵢⱼ (MIN: Nogueira et al. 2019); 0 of a single candidate."""

    name: ClassVar[str] = "min"

    def scores(self, pairs: PairwiseScores) -> Floats:
        return off_diagonal(pairs.matrix, 1.0).min(1) if len(pairs) > 1 else np.zeros(len(pairs))


@dataclass(frozen=True, slots=True)
class Max(Aggregation):
    """sᵢ = maxⱼ pᵢⱼ (MAX: Nogueira et al. 2019); 0 of a single candidate."""

    name: ClassVar[str] = "max"

    def scores(self, pairs: PairwiseScores) -> Floats:
        return off_diagonal(pairs.matrix, 0.0).max(1) if len(pairs) > 1 else np.zeros(len(pairs))


REPEATABLE: Mapping[str, type[Aggregation]] = {
    method.name: method
    for method in (Sum, Binary, Min, Max, SumLog, SymSum, SymSumLog, OutOfFlip, ScoreDistance, BradleyTerry)
}
