"""All comparisons, which the other sortings want to do without."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.lab.pairwise.sorting.base import Sorting, Sorts


@dataclass(frozen=True, slots=True)
class AllPairs(Sorting):
    """Every two candidates are compared; a candidate's score is the sum of its preferences.

    With ``both`` that is the order of ``sym-sum``. Equal sums keep the order of the stage before.
    """

    name: ClassVar[str] = "all-pairs"

    def sort(self, count: int) -> Sorts:
        upper = np.column_stack(np.triu_indices(count, 1)).astype(np.int64)
        preferred = yield upper
        sums = np.bincount(upper[:, 0], preferred, count) + np.bincount(upper[:, 1], 1.0 - preferred, count)
        return np.argsort(-sums, kind="stable")
