"""What an aggregation is, and those that look at the candidates once; loop truncation repeats one of them.

They sum or count comparisons, take the best or worst one, weigh contradictions less, or fit strengths.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from porism.errors import ConfigError
from porism.lab.pairwise.scores import Floats, PairwiseScores, flipped
from porism.settings import SettingError, Settings, write_settings

MIN_COUNT = 1e-9
"""Probabilities below this count as this much under a logarithm. What a model gives in 32 bits differs from 1 by 6e-8
or by nothing, so certainty still counts more than the next smaller score."""


@dataclass(frozen=True, slots=True)
class Aggregation(Settings, ABC):
    """A way of making one score a document of the pairwise scores of a query; a frozen dataclass of its parameters.

    Below, pᵢⱼ is P(dᵢ > dⱼ), and Jᵢ are all candidates but dᵢ.
    """

    name: ClassVar[str]
    """What the method is called in commands and recipes."""

    needs_ranks: ClassVar[bool] = False
    """Whether it looks at the order of the stage before."""

    takes_holes: ClassVar[bool] = False
    """Whether it is defined where pairs have no score."""

    @abstractmethod
    def scores(self, pairs: PairwiseScores) -> Floats:
        """The score of each candidate (float64 [k]), higher is better; of pairs without holes, unless it takes them.

        :raises ConfigError: candidates are in no order, and it needs one; or no solution was found.
        """

    @property
    def uses_ranks(self) -> bool:
        """Whether it, with its parameters, looks at the order of the stage before."""
        return self.needs_ranks

    def described(self) -> dict[str, Any]:
        """Method and parameters as plain values."""
        return {"method": self.name, "parameters": write_settings(self)}


def off_diagonal(matrix: Floats, diagonal: float = 0.0) -> Floats:
    """A copy whose diagonal counts for nothing, so that a sum over a row is one over Jᵢ."""
    copy = matrix.copy()
    np.fill_diagonal(copy, diagonal)
    return copy


def row_sums(matrix: Floats) -> Floats:
    """The sum over Jᵢ in each row of a matrix (float64 [k])."""
    total: Floats = off_diagonal(matrix).sum(1)
    return total


def logarithm(probabilities: Floats, least: float) -> Floats:
    """log max(p, least), NaN where p is."""
    logarithms: Floats = np.log(np.maximum(probabilities, least))
    return logarithms


@dataclass(frozen=True, slots=True)
class BradleyTerry(Aggregation):
    """log γᵢ of the likeliest model P(dᵢ beats dⱼ) = γᵢ / (γᵢ + γⱼ) (Bradley and Terry 1952).

    A comparison of dᵢ and dⱼ in this order is pᵢⱼ wins of dᵢ and 1 - pᵢⱼ of dⱼ; pairs without a score are none. Each
    two candidates also share ``prior`` comparisons that are drawn. So there is always one likeliest solution, also
    where a candidate won or lost everything, and where some were never compared. The mean of the scores is 0.

    It is found by γᵢ ← (Σⱼ wᵢⱼ γⱼ / (γᵢ + γⱼ)) / (Σⱼ wⱼᵢ / (γᵢ + γⱼ)) (Newman 2023). Here wᵢⱼ are the wins of dᵢ over
    dⱼ. This has the fixed point of the MM algorithm γᵢ ← Wᵢ / Σⱼ nᵢⱼ / (γᵢ + γⱼ) (Hunter 2004) in fewer steps. Two
    steps are extrapolated to a third (SQUAREM: Varadhan and Roland 2008), as long as that comes nearer.

    :param prior: drawn comparisons that are added to each pair; above 0.
    :param tolerance: the largest change of a log γᵢ in the last step.
    :param steps: at most so many steps; an error where these do not suffice.
    """

    name: ClassVar[str] = "bradley-terry"
    takes_holes: ClassVar[bool] = True
    prior: float = 0.01
    tolerance: float = 1e-4
    steps: int = 10_000

    def __post_init__(self) -> None:
        for name in ("prior", "tolerance"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise SettingError(f"{name} cannot be {value}", path=(name,), hint="A number above 0.")
        if self.steps < 1:
            raise SettingError(f"steps cannot be {self.steps}", path=("steps",), hint="At least 1.")

    def scores(self, pairs: PairwiseScores) -> Floats:
        wins = np.nan_to_num(pairs.matrix) + np.nan_to_num(1.0 - pairs.matrix.T) + 0.5 * self.prior
        np.fill_diagonal(wins, 0.0)
        return self._fitted(wins, pairs.query_id)

    def _fitted(self, wins: Floats, query_id: str) -> Floats:
        """The logarithms of the strengths for a matrix of wins (float64 [k, k]), whose diagonal is 0."""
        if len(wins) < 2:
            return np.zeros(len(wins))
        current = np.log(wins.sum(1)) - np.log(wins.sum(0))
        current -= current.mean()
        change = np.inf
        for _ in range(0, self.steps, 3):
            first = _step(wins, current)
            second = _step(wins, first)
            last = second - first
            if np.abs(last).max() < self.tolerance:
                return second
            bend = last - (first - current)
            length = -math.sqrt(float((first - current) @ (first - current)) / max(float(bend @ bend), 1e-300))
            far = current - 2.0 * length * (first - current) + length * length * bend
            current = _step(wins, far)
            if not np.abs(current - far).max() < change:  # it leads away, or is not a number
                current = second
            change = float(np.abs(last).max())
        raise ConfigError(
            f"the strengths have not settled after {self.steps:,} steps", where=f"query {query_id}",
            hint="Choose a larger prior or tolerance, or more steps.",
        )


def _step(wins: Floats, logarithms: Floats) -> Floats:
    """One step of Newman's iteration, from and to log γ with the mean 0 (float64 [k])."""
    strengths = np.exp(logarithms)
    shares = np.add.outer(strengths, strengths)
    np.divide(wins, shares, out=shares)
    stepped: Floats = np.log(shares @ strengths) - np.log(shares.sum(0))
    stepped -= stepped.mean()
    return stepped


@dataclass(frozen=True, slots=True)
class Sum(Aggregation):
    """sᵢ = Σⱼ pᵢⱼ (SUM: Pradeep, Nogueira and Lin 2021)."""

    name: ClassVar[str] = "sum"

    def scores(self, pairs: PairwiseScores) -> Floats:
        return row_sums(pairs.matrix)


@dataclass(frozen=True, slots=True)
class SymSum(Aggregation):
    """sᵢ = Σⱼ (pᵢⱼ + (1 - pⱼᵢ)) (SYM-SUM: Pradeep, Nogueira and Lin 2021)."""

    name: ClassVar[str] = "sym-sum"

    def scores(self, pairs: PairwiseScores) -> Floats:
        return row_sums(pairs.matrix + (1.0 - pairs.matrix.T))


@dataclass(frozen=True, slots=True)
class _Logarithmic(Aggregation):
    """A sum of logarithms.

    :param least: smaller probabilities count as this much.
    """

    least: float = MIN_COUNT

    def __post_init__(self) -> None:
        if not 0.0 < self.least < 0.5:
            raise SettingError(f"least cannot be {self.least}", path=("least",), hint="Above 0 and below 0.5.")


@dataclass(frozen=True, slots=True)
class SumLog(_Logarithmic):
    """sᵢ = Σⱼ log pᵢⱼ (SUM-LOG: Pradeep, Nogueira and Lin 2021)."""

    name: ClassVar[str] = "sum-log"

    def scores(self, pairs: PairwiseScores) -> Floats:
        return row_sums(logarithm(pairs.matrix, self.least))


@dataclass(frozen=True, slots=True)
class SymSumLog(_Logarithmic):
    """sᵢ = Σⱼ (log pᵢⱼ + log(1 - pⱼᵢ)) (SYM-SUM-LOG: Avila and Lourenço 2021, equation 6)."""

    name: ClassVar[str] = "sym-sum-log"

    def scores(self, pairs: PairwiseScores) -> Floats:
        return row_sums(sym_logarithms(pairs.matrix, self.least))


def sym_logarithms(matrix: Floats, least: float) -> Floats:
    """log pᵢⱼ + log(1 - pⱼᵢ) of each pair (float64 [k, k]), NaN on the diagonal."""
    return logarithm(matrix, least) + logarithm(1.0 - matrix.T, least)


@dataclass(frozen=True, slots=True)
class OutOfFlip(_Logarithmic):
    """sᵢ = Σ over j in D, j ≠ i, of (log pᵢⱼ + log(1 - pⱼᵢ)). D are the candidates that have no flip with the
    last one of the stage before, that one included (Avila and Lourenço 2021, equations 7 and 8).

    Every candidate gets a score, those that are not in D too.
    """

    name: ClassVar[str] = "out-of-flip"
    needs_ranks: ClassVar[bool] = True

    def scores(self, pairs: PairwiseScores) -> Floats:
        if not pairs.ranked:
            raise ConfigError(
                f"{self.name} needs the order of the stage before, which the pairwise scores do not have",
                where=f"query {pairs.query_id}",
                hint="Give the run that was compared: --run FIRST_STAGE, or ranked_by.",
            )
        if not len(pairs):
            return np.zeros(0)
        counts = ~flipped(pairs)[-1]
        total: Floats = off_diagonal(sym_logarithms(pairs.matrix, self.least))[:, counts].sum(1)
        return total


@dataclass(frozen=True, slots=True)
class ScoreDistance(_Logarithmic):
    """``sᵢ = Σⱼ (1 - |pᵢⱼ - (1 - pⱼᵢ)|) · log pᵢⱼ`` (PROPORTIONAL-TO-SCORE-DISTANCE: Avila and Lourenço 2021, equation
    9)."""

    name: ClassVar[str] = "score-distance"

    def scores(self, pairs: PairwiseScores) -> Floats:
        matrix = pairs.matrix
        agreement = 1.0 - np.abs(matrix - (1.0 - matrix.T))
        return row_sums(agreement * logarithm(matrix, self.least))


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
