"""Condorcet fusion: candidates sorted by pairwise majority."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from porism.lab.fusion.base import Fusion, check_weights, weights_for
from porism.lab.fusion.ranks import Borda
from porism.lab.fusion.table import Floats, FusionTable


@dataclass(frozen=True, slots=True)
class Condorcet(Fusion):
    """Condorcet-fuse: a sort in which the document that more runs (by weight) rank higher comes first.

    Montague and Aslam, CIKM 2002. A run prefers what it has to what it has not, and does not vote between two that it
    has not. Majorities can go in circles, so what comes out depends on the sort. Here it is a stable merge sort of the
    candidates in the order of their Borda count (and then later ids first), which also decides where votes are equal.
    No document is directly below one that a majority ranks under it.

    The score of the i-th of c candidates is c - i + 1: how many were left when it was elected.

    :param weights: one a run, 0 or more; 1 each if not given.
    """

    name: ClassVar[str] = "condorcet"
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_weights(self.weights)

    def scores(self, table: FusionTable) -> Floats:
        from porism.lab.fusion.kernels import elect_by_pairs

        weights = weights_for(self.weights, table)
        points = Borda(self.weights).scores(table)
        bounds = zip(table.offsets[:-1].tolist(), table.offsets[1:].tolist(), strict=True)
        parts = [table.sorted(start, points[start:stop]) for start, stop in bounds]
        first = np.concatenate([*parts, np.empty(0, np.int64)])
        elected = np.empty(len(first), np.float64)
        elect_by_pairs(
            table.offsets, table.starts, table.systems, table.ranks, len(table.runs), weights, first, elected
        )
        return elected
