"""WIBC: majority judgment by weighted medians, whose weights can be learnt by a regression."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

from porism.errors import ConfigError
from porism.lab.fusion.base import FittedFusion, Fusion, LearnedFusion, Qrels, check_deepest, check_weights, weights_for
from porism.lab.fusion.majority import Median, Silent, elected, judged_ratings, voting
from porism.lab.fusion.regression import RBC, FittedRBC, tuned_by
from porism.lab.fusion.table import Floats, FusionTable
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import write_settings


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
        self,
        runs: Sequence[Run] | FusionTable,
        qrels: Qrels,
        topics: Iterable[str] | None = None,
        *,
        validation_topics: Iterable[str] = (),
    ) -> FittedWIBC:
        """:func:`fit_wibc` with these settings.

        :raises ConfigError: see there; or it has weights already.
        """
        if self.weights is not None:
            raise ConfigError("wibc has weights and judgments to learn them from", hint="Give one of the two.")
        return fit_wibc(runs, qrels, topics, settings=self, validation_topics=validation_topics)

    def restored(self, learnt: Mapping[str, Any]) -> FittedWIBC:
        """WIBC by a stored regression.

        :raises ConfigError: it is not one, or see :func:`weighted_by`.
        """
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
        """See :class:`WIBC`.

        :raises ConfigError: the runs are not those that it was fitted to, or in another order.
        """
        self.regression.check_runs(table)
        return self.settings.scores(table)

    def provenance(self, table: FusionTable, depth: int) -> Provenance:
        return tuned_by(Fusion.provenance(self, table, depth), self.regression)

    def evidence(self) -> dict[str, Any]:
        return self.regression.evidence()

    def to_dict(self) -> dict[str, Any]:
        """The regression as plain values for JSON.

        :raises ConfigError: its model is not linear.
        """
        return self.regression.to_dict()

    def made_by(self, table: FusionTable, depth: int) -> dict[str, Any]:
        return {**Fusion.made_by(self, table, depth), "parameters": write_settings(self.settings)}


def fit_wibc(
    runs: Sequence[Run] | FusionTable,
    qrels: Qrels,
    topics: Iterable[str] | None = None,
    *,
    settings: WIBC | None = None,
    regression: RBC | None = None,
    validation_topics: Iterable[str] = (),
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
