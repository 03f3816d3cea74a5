"""IBC: majority judgment over ratings that come from ranks.

Majority judgment (Balinski and Laraki, PNAS 2007) elects the candidate with the highest median rating. The fusions of
the Masaryk group (MIRMU at ARQMath 2020 and 2021) elect 1,000 winners so, one after the other. Who was elected changes
nobody's ratings, so one sort by median, drawn rating and chance elects the same.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from porism.lab.fusion.base import Fusion, check_deepest
from porism.lab.fusion.table import Floats, FusionTable, Ints

Silent = Literal["abstain", "zero"]
"""What a run without results for a topic does: it has no vote, or it rates all candidates 0, as in MIRMU's program."""

Median = Literal["lower", "average"]
"""The median of an even number of ratings: the mean of the two in the middle, or the lower one.

Majority judgment takes the lower one, so that with four runs a document needs three of them for a rating above 0. On
the runs of ARQMath 2020 the mean is better, and with an odd number of votes the two are the same.
"""


@dataclass(frozen=True, slots=True)
class IBC(Fusion):
    """Majority judgment: candidates by the median of their ratings, (deepest - rank) / deepest, and 0 where missing.

    The score of the i-th of c candidates is c - i + 1: how many
    were left when it was elected.

    :param ties: ``random``: among equal medians, by a rating drawn uniformly from the candidate's own, and then by
        chance; ``majority``: by Balinski and Laraki's own rule, which takes away one (lower) median grade after the
        other until they differ, and then later ids first.
    :param seed: of the drawing; what is drawn depends on the seed, the topic and the document alone.
    :param median: see :data:`Median`.
    :param deepest: the rank from which on ratings are 0.
    :param silent: see :data:`Silent`.
    """

    name: ClassVar[str] = "ibc"
    ties: Literal["random", "majority"] = "random"
    seed: int = 0
    median: Median = "average"
    deepest: int = 1000
    silent: Silent = "abstain"

    def __post_init__(self) -> None:
        check_deepest(self.deepest)

    def scores(self, table: FusionTable) -> Floats:
        votes = voting(table, self.silent).astype(np.float64)
        median, drawn, chance = judged_ratings(table, votes, self.deepest, self.median, self.seed)
        if self.ties == "random":
            return elected(table, [median, drawn, chance])
        from porism.lab.fusion.kernels import majority_values

        values = np.empty((len(median), len(table.runs)), np.int64)
        voters = votes.sum(axis=1).astype(np.int64)
        majority_values(table.offsets, table.starts, table.ranks, voters, self.deepest, values)
        return elected(table, [median, *values.T])


def voting(table: FusionTable, silent: Silent) -> NDArray[np.bool_]:
    """Which runs vote on which topics [topics, runs]."""
    return (table.lengths > 0) | (silent == "zero")


def judged_ratings(
    table: FusionTable, votes: Floats, deepest: int, median: Median, seed: int
) -> tuple[Ints, Ints, Floats]:
    """Twice the median, one drawn rating and a random number of each candidate, all [C]."""
    from porism.lab.fusion.kernels import judge

    size = len(table.doc_ids)
    middle, drawn = np.empty(size, np.int64), np.empty(size, np.int64)
    judge(
        table.offsets, table.starts, table.systems, table.ranks, np.ascontiguousarray(votes), deepest,
        median == "average", table.random(seed, 0), middle, drawn,
    )
    return middle, drawn, table.random(seed, 1)


def elected(table: FusionTable, keys: Sequence[NDArray[Any]]) -> Floats:
    """How many candidates of its topic were left when each was elected, by the first key, then the second, … [C].

    What is equal by all keys is ordered by id.
    """
    result = np.empty(len(table.doc_ids), np.float64)
    for start, stop in zip(table.offsets[:-1].tolist(), table.offsets[1:].tolist(), strict=True):
        parts = [-key[start:stop] for key in keys]
        order = np.lexsort(parts[::-1])
        differs = np.zeros(stop - start, bool)
        for part in parts:
            ordered = part[order]
            differs[1:] |= ordered[1:] != ordered[:-1]
        level = np.empty(stop - start, np.float64)
        level[order] = -np.cumsum(differs)
        result[table.sorted(start, level)] = np.arange(stop - start, 0, -1)
    return result
