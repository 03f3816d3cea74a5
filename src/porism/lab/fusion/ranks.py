"""Fusions of ranks: reciprocal rank fusion, Borda count, inverse square rank.

Ranks are those of :attr:`Run.ranks`: positions, or those of the file where the run was read with them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np

from porism.lab.fusion.base import Fusion, check_at_least, check_weights, weights_for
from porism.lab.fusion.table import Floats, FusionTable

_TOTAL, _MNZ, _LOG_MNZ = 0, 1, 6  # as in kernels, which are not loaded before they are needed


@dataclass(frozen=True, slots=True)
class RRF(Fusion):
    """Reciprocal rank fusion: the sum of weight / (k + rank) over the runs that have the document.

    Cormack, Clarke and Buettcher, SIGIR 2009; without weights there.

    :param k: how little the first ranks stand out; 0 or more.
    :param weights: one a run, any finite numbers; 1 each if not given.
    """

    name: ClassVar[str] = "rrf"
    k: float = 60.0
    weights: tuple[float, ...] | None = None

    def __post_init__(self) -> None:
        check_at_least("k", self.k, 0.0)
        check_weights(self.weights, negative=True)

    def scores(self, table: FusionTable) -> Floats:
        weights = weights_for(self.weights, table)
        return table.combined(_TOTAL, weights[table.systems] / (self.k + table.ranks))


@dataclass(frozen=True, slots=True)
class Borda(Fusion):
    """Borda count: of c candidates, the first in a run gets c points, the next c - 1, and so on.

    The candidates that a run does not have share its remaining points evenly (Aslam and Montague, SIGIR 2001): with n
    of c ranked, (c - n + 1) / 2 each. A run that lacks the topic gives all candidates the same, which decides nothing.
    Where ranks have gaps, c is at least the largest rank of any run, and the points that remain are those below the
    run's own largest rank.

    :param weights: one a run, 0 or more; 1 each if not given.
    :param points: ``candidates``: as above; ``run``: a document gets (n - rank + 1) / n, where n counts the results of
        the run for all its topics together, and what a run lacks gets nothing. So does polyfuse, by which
        Zhong et al. (2022) made their table 4.
    """

    name: ClassVar[str] = "borda"
    weights: tuple[float, ...] | None = None
    points: Literal["candidates", "run"] = "candidates"

    def __post_init__(self) -> None:
        check_weights(self.weights)

    def scores(self, table: FusionTable) -> Floats:
        from porism.lab.fusion.kernels import borda_points

        weights = weights_for(self.weights, table)
        if self.points == "run":
            size = np.array([len(run.doc_ids) for run in table.runs])[table.systems]
            return table.combined(_TOTAL, weights[table.systems] * (size - table.ranks + 1) / size)
        last = table.last_ranks
        candidates = np.maximum(np.diff(table.offsets), last.max(axis=1, initial=0))
        shared = (candidates[:, None] - last + 1) / 2
        # Every candidate begins with the shared points of all runs; what a rank is worth comes on top of them.
        begun = np.sort(weights * shared, axis=1).sum(axis=1)
        gained = np.empty(len(table.ranks), np.float64)
        borda_points(table.offsets, table.starts, table.systems, table.ranks, candidates, shared, weights, gained)
        return np.asarray(begun[table.topics] + table.combined(_TOTAL, gained))


@dataclass(frozen=True, slots=True)
class ISR(Fusion):
    """Inverse square rank: how many runs have the document, times the sum of 1 / rank².

    Mourão, Martins and Magalhães, Computerized Medical Imaging and Graphics 2015.
    """

    name: ClassVar[str] = "isr"

    def scores(self, table: FusionTable) -> Floats:
        return table.combined(_MNZ, 1.0 / table.ranks.astype(np.float64) ** 2)


@dataclass(frozen=True, slots=True)
class LogISR(Fusion):
    """Logarithmic inverse square rank: log(how many runs have the document + sigma), times the sum of 1 / rank².

    Mourão, Martins and Magalhães, 2015, who have no sigma: there all documents of one run only score 0.

    :param sigma: what keeps the logarithm of one run from being 0, so that such documents are ranked among each other;
        0 or more. With 1 it is what Zhong, Yang and Lin (2022, table 4) used.
    """

    name: ClassVar[str] = "log-isr"
    sigma: float = 0.01

    def __post_init__(self) -> None:
        check_at_least("sigma", self.sigma, 0.0)

    def scores(self, table: FusionTable) -> Floats:
        return table.combined(_LOG_MNZ, 1.0 / table.ranks.astype(np.float64) ** 2, self.sigma)


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
