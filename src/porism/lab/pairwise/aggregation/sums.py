"""Sums over all other candidates, of probabilities and of logarithms, of one order and of both."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from porism.lab.pairwise.aggregation.base import LEAST, Aggregation, check_least, logarithm, off_diagonal
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

    least: float = LEAST

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
