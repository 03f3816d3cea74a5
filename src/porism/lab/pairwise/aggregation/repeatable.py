"""The aggregations that look at the candidates once, by their names; loop truncation repeats one of them."""

from __future__ import annotations

from collections.abc import Mapping

from porism.lab.pairwise.aggregation.base import Aggregation
from porism.lab.pairwise.aggregation.bradley_terry import BradleyTerry
from porism.lab.pairwise.aggregation.consistency import OutOfFlip, ScoreDistance
from porism.lab.pairwise.aggregation.sums import Sum, SumLog, SymSum, SymSumLog
from porism.lab.pairwise.aggregation.wins import Binary, Max, Min

REPEATABLE: Mapping[str, type[Aggregation]] = {
    method.name: method
    for method in (Sum, Binary, Min, Max, SumLog, SymSum, SymSumLog, OutOfFlip, ScoreDistance, BradleyTerry)
}
