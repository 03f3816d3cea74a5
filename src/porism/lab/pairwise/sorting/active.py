"""Active selection: those pairs are compared next of which least is known, near the top."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.lab.pairwise.aggregation.bradley_terry import BradleyTerry
from porism.lab.pairwise.scores import PairwiseScores
from porism.lab.pairwise.sorting.base import Sorting, Sorts, check_whole
from porism.settings import SettingError


@dataclass(frozen=True, slots=True)
class ActiveSelection(Sorting):
    """Rounds of comparisons, after each of which strengths are estimated (Bradley and Terry 1952) from all preferences
    so far. A round compares the pairs whose outcome is least certain, weighted by how near the top they are. That is p
    (1 - p) · (1 / (rᵢ + 1) + 1 / (rⱼ + 1)), with p as the strengths say and the present ranks r from 0.

    The first round compares neighbours in the order of the stage before. A pair is compared once.

    :param budget: preferences for each candidate, over all rounds.
    :param rounds: in so many rounds.
    """

    name: ClassVar[str] = "active"
    budget: float = 5.0
    rounds: int = 8

    def __post_init__(self) -> None:
        check_whole(self.rounds, "rounds")
        if not 0 < self.budget < float("inf"):
            raise SettingError(f"budget cannot be {self.budget}", path=("budget",), hint="A number above 0.")

    def sort(self, count: int) -> Sorts:
        left = min(max(count - 1, round(self.budget * count)), count * (count - 1) // 2)
        model = BradleyTerry(prior=0.05)
        known = np.full((count, count), np.nan)
        ids = tuple(map(str, range(count)))
        first, second = np.triu_indices(count, 1)
        ranks, strengths = np.arange(count), np.zeros(count)
        for number in range(self.rounds):
            size = count - 1 if number == 0 else -(-left // (self.rounds - number))
            chosen = self._chosen(known[first, second], strengths[first] - strengths[second],
                                  1.0 / (ranks[first] + 1) + 1.0 / (ranks[second] + 1), second - first, size, number)
            if not len(chosen):
                break
            pairs = np.column_stack([first[chosen], second[chosen]]).astype(np.int64)
            known[first[chosen], second[chosen]] = yield pairs
            left -= len(chosen)
            strengths = np.round(model.scores(PairwiseScores("", ids, known)), 9)  # ties are ties
            order = np.argsort(-strengths, kind="stable")
            ranks = np.empty(count, np.int64)
            ranks[order] = np.arange(count)
            if left <= 0:
                break
        return np.argsort(-strengths, kind="stable")

    def _chosen(
        self, known: np.ndarray, apart: np.ndarray, weights: np.ndarray, distance: np.ndarray, size: int, number: int
    ) -> np.ndarray:
        """The pairs of the next round, by their numbers."""
        if number == 0:
            return np.flatnonzero(distance == 1)
        chance = 1.0 / (1.0 + np.exp(-np.clip(apart, -500, 500)))
        worth = np.where(np.isnan(known), chance * (1.0 - chance) * weights, -1.0)
        best = np.argsort(-worth, kind="stable")[:size]
        return best[worth[best] >= 0]
