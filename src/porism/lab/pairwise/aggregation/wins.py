"""Wins counted, and the worst and the best comparison of a document."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.lab.pairwise.aggregation.base import Aggregation, off_diagonal
from porism.lab.pairwise.scores import Floats, PairwiseScores


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
