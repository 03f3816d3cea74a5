"""IBC and WIBC: majority judgment over ratings that come from ranks, by medians or weighted medians.

Majority judgment (Balinski and Laraki, PNAS 2007) elects the candidate with the highest median rating. The fusions of
the Masaryk group (MIRMU at ARQMath 2020 and 2021) elect 1,000 winners so, one after the other. Who was elected changes
nobody's ratings, so one sort by median, drawn rating and chance elects the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.lab.fusion.base import FittedFusion, Fusion, LearnedFusion, Qrels, check_deepest, check_weights, weights_for
from porism.lab.fusion.regression import RBC, FittedRBC
from porism.lab.fusion.table import Floats, FusionTable, Ints
from porism.runs.run import Run

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

    The score of the i-th of c candidates is c - i + 1: how many were left when it was elected.

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


@dataclass(frozen=True, slots=True)
class WIBC(LearnedFusion):
    """Weighted majority judgment: by weighted medians, with ratings drawn by weight.

    Half of the weight is at or below the (lower) weighted median. MIRMU at ARQMath 2021, section 4.3, take the weights
    from the coefficients of a regression: :func:`porism.lab.fusion.fit_wibc`.

    :param weights: one a run, 0 or more.
    :param seed: of the drawing.
    :param median: see :data:`Median`.
    :param deepest: the rank from which on ratings are 0.
    :param silent: see :data:`Silent <porism.lab.fusion.majority.Silent>`.
    """

    name: ClassVar[str] = "wibc"
    weights: tuple[float, ...] | None = None
    seed: int = 0
    median: Median = "average"
    deepest: int = 1000
    silent: Silent = "abstain"

    def __post_init__(self) -> None:
        check_deepest(self.deepest)
        check_weights(self.weights)

    def scores(self, table: FusionTable) -> Floats:
        if self.weights is None:
            raise ConfigError(
                "wibc has no weights", hint="Give one a run (weights=0.5,0.3,0.2), or judgments to learn them from."
            )
        votes = voting(table, self.silent) * weights_for(self.weights, table)
        return elected(table, list(judged_ratings(table, votes, self.deepest, self.median, self.seed)))

    @property
    def must_learn(self) -> bool:
        return False

    def fit(
        self, runs: Sequence[Run] | FusionTable, qrels: Qrels, topics: Iterable[str] | None = None, *,
        validation_topics: Iterable[str] = (),
    ) -> FittedWIBC:
        if self.weights is not None:
            raise ConfigError("wibc has weights and judgments to learn them from", hint="Give one of the two.")
        return fit_wibc(runs, qrels, topics, settings=self, validation_topics=validation_topics)

    def restored(self, learnt: Mapping[str, Any]) -> FittedWIBC:
        return weighted_by(FittedRBC.from_dict(learnt), self)


@dataclass(frozen=True, slots=True)
class FittedWIBC(FittedFusion):
    """A :class:`WIBC` with the weights of a regression; runs made by it are tuned on the regression's topics."""

    name: ClassVar[str] = "wibc"
    settings: WIBC
    regression: FittedRBC = field(repr=False)

    @property
    def weights(self) -> tuple[float, ...]:
        """One a run, 0 or more, together 1."""
        return self.settings.weights or ()

    def scores(self, table: FusionTable) -> Floats:
        self.regression.check_runs(table)
        return self.settings.scores(table)

    def evidence(self) -> dict[str, Any]:
        return self.regression.evidence()

    def to_dict(self) -> dict[str, Any]:
        return self.regression.to_dict()


def fit_wibc(
    runs: Sequence[Run] | FusionTable, qrels: Qrels, topics: Iterable[str] | None = None, *,
    settings: WIBC | None = None, regression: RBC | None = None, validation_topics: Iterable[str] = (),
) -> FittedWIBC:
    """WIBC with the coefficients of a regression of the gain from the ratings as weights, scaled to a sum of 1.

    Negative coefficients become 0: a vote cannot weigh less than nothing. Arguments are those of :meth:`RBC.fit`; the
    regression is linear if none is given.

    :raises ConfigError: see there; the model is not linear; or no coefficient is above 0.
    """
    model = regression or RBC(model="linear", deepest=(settings or WIBC()).deepest)
    return weighted_by(model.fit(runs, qrels, topics, validation_topics=validation_topics), settings)


def weighted_by(regression: FittedRBC, settings: WIBC | None = None) -> FittedWIBC:
    """WIBC with the coefficients of a regression as weights, scaled to a sum of 1, negative ones 0.

    :raises ConfigError: the model is not linear, no coefficient is above 0, or the settings have weights already.
    """
    if settings is not None and settings.weights is not None:
        raise ConfigError("wibc has weights and a regression to take them from", hint="Give one of the two.")
    positive = [max(0.0, weight) for weight in regression.weights]
    if not any(positive):
        raise ConfigError("no run has a coefficient above 0", hint="Train on more topics, or give the weights.")
    weights = tuple(weight / sum(positive) for weight in positive)
    return FittedWIBC(replace(settings or WIBC(), weights=weights), regression)
