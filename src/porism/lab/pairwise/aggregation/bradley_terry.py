"""The Bradley-Terry model: the strengths under which the comparisons are most likely."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.errors import ConfigError
from porism.lab.pairwise.aggregation.base import Aggregation
from porism.lab.pairwise.scores import Floats, PairwiseScores
from porism.settings import SettingError


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
        """See the class.

        :raises ConfigError: the strengths have not settled after so many steps.
        """
        wins = np.nan_to_num(pairs.matrix) + np.nan_to_num(1.0 - pairs.matrix.T) + 0.5 * self.prior
        np.fill_diagonal(wins, 0.0)
        return self._fitted(wins, pairs.query_id)

    def _fitted(self, wins: Floats, query_id: str) -> Floats:
        """The logarithms of the strengths for a matrix of wins (float64 [k, k]), whose diagonal is 0."""
        if len(wins) < 2:
            return np.zeros(len(wins))
        found = np.log(wins.sum(1)) - np.log(wins.sum(0))
        found -= found.mean()
        change = np.inf
        for _ in range(0, self.steps, 3):
            first = _step(wins, found)
            second = _step(wins, first)
            last = second - first
            if np.abs(last).max() < self.tolerance:
                return second
            bend = last - (first - found)
            length = -math.sqrt(float((first - found) @ (first - found)) / max(float(bend @ bend), 1e-300))
            far = found - 2.0 * length * (first - found) + length * length * bend
            found = _step(wins, far)
            if not np.abs(found - far).max() < change:  # it leads away, or is not a number
                found = second
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
    found: Floats = np.log(shares @ strengths) - np.log(shares.sum(0))
    found -= found.mean()
    return found
