"""What an aggregation is, and how the scores that it gives become a run."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from porism.errors import ConfigError
from porism.lab.pairwise.scores import Floats, PairwiseScores
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
        """The score of each candidate (float64 [k]), higher is better; of pairs without holes, unless it takes them."""

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


def logarithm(probabilities: Floats, least: float) -> Floats:
    """log max(p, least), NaN where p is."""
    found: Floats = np.log(np.maximum(probabilities, least))
    return found


def check_least(least: float) -> None:
    """Refuses a least probability that is none.

    :raises SettingError: it is not above 0 and below 1/2.
    """
    if not 0.0 < least < 0.5:
        raise SettingError(f"least cannot be {least}", path=("least",), hint="Above 0 and below 0.5.")


def check_ranked(pairs: PairwiseScores, name: str) -> None:
    """Refuses candidates that are in no order.

    :raises ConfigError: nothing says how the stage before ranked the candidates.
    """
    if not pairs.ranked:
        raise ConfigError(
            f"{name} needs the order of the stage before, which the pairwise scores do not have",
            where=f"query {pairs.query_id}", hint="Give the run that was compared: --run FIRST_STAGE, or ranked_by.",
        )
