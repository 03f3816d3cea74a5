"""What can be added to the scores of the first documents that a search finds."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.retrieve.ranking import UnitResults
from porism.types import Query


class ScoreComponent(Protocol):
    """A part of a score that is computed for the candidates of a query only.

    ``candidates`` are the first documents by their scores so far, those of the components before included.
    """

    def applies(self, query: Query) -> bool:
        """Whether it can add anything; where no component does, no candidates beyond the results are looked for."""

    def further(self, query: Query) -> Sequence[tuple[int, NDArray[np.int32]]]:
        """Documents by segment (increasing) that are candidates whatever terms they have."""

    def scores(self, query: Query, candidates: UnitResults) -> NDArray[np.float64]:
        """What it adds to the score of each candidate (float64, ≥ 0)."""

    def explain(self, query: Query, candidates: UnitResults, position: int) -> Explanation:
        """What it adds to one of the candidates; the value is that of :meth:`scores`."""
