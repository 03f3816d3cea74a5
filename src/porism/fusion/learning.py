"""Fusions that learn from judgments: fitted, or cross-validated so that no topic is ranked by what it taught."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from porism.errors import ConfigError
from porism.fusion.base import Fusion
from porism.fusion.majority import WIBC
from porism.fusion.regression import RBC, FittedRBC, Qrels, _judged_topics, _tuned
from porism.fusion.table import Floats, FusionTable
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import write_settings


@dataclass(frozen=True, slots=True)
class FittedWIBC(Fusion):
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
        """Also tuned on the topics of training and validation."""
        return _tuned(Fusion.provenance(self, table, depth), self.regression)

    def made_by(self, table: FusionTable, depth: int) -> dict[str, Any]:
        """Method, parameters and sources as plain values."""
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


def fit(
    method: RBC | WIBC,
    runs: Sequence[Run] | FusionTable,
    qrels: Qrels,
    topics: Iterable[str] | None = None,
    *,
    validation_topics: Iterable[str] = (),
) -> FittedRBC | FittedWIBC:
    """Fits a fusion that learns: :meth:`RBC.fit` or :func:`fit_wibc`.

    :raises ConfigError: see there; or the method has its weights or coefficients already.
    """
    if isinstance(method, RBC):
        if method.coefficients is not None:
            raise ConfigError("rbc has coefficients and judgments to learn them from", hint="Give one of the two.")
        return method.fit(runs, qrels, topics, validation_topics=validation_topics)
    if method.weights is not None:
        raise ConfigError("wibc has weights and judgments to learn them from", hint="Give one of the two.")
    return fit_wibc(runs, qrels, topics, settings=method, validation_topics=validation_topics)


def cross_validate_fusion(
    method: RBC | WIBC,
    runs: Sequence[Run],
    qrels: Qrels,
    topics: Iterable[str] | None = None,
    *,
    folds: int = 5,
    seed: int = 0,
    depth: int = 1000,
    name: str | None = None,
) -> Run:
    """Fuses each topic by a model that was fitted without it.

    The judged topics are divided into ``folds`` parts of sizes that differ by one at most, by the seed and not by their
    order; each part is fused by a model of the others. Topics of the runs that are not among them are fused by a model
    of all. What is fused so is not tuned on its topics; the folds stand in the evidence.

    :param topics: those to divide; all judged ones if not given.
    :raises ConfigError: there are fewer topics than folds, or fewer than 2 folds; and as :func:`fit`.
    """
    training = _judged_topics(qrels, qrels if topics is None else topics)
    if not 2 <= folds <= len(training):
        raise ConfigError(f"{len(training)} topics cannot be divided into {folds} folds",
                          hint="There are 2 folds or more, and no more than topics.")
    present = {topic for run in runs for topic in run.query_ids}
    shuffled = sorted(training)
    random.Random(seed).shuffle(shuffled)
    parts = [shuffled[fold::folds] for fold in range(folds)]
    table = FusionTable(runs)
    fused: list[Run] = []
    records: list[dict[str, Any]] = []
    for part in parts:
        others = [topic for topic in training if topic not in set(part)]
        fitted = fit(method, table, qrels, others)
        regression = fitted if isinstance(fitted, FittedRBC) else fitted.regression
        records.append({"held_out": sorted(part), **regression.evidence()})
        fused.append(fitted.fuse([run.only(part) for run in runs], depth=depth))
    if rest := present - set(training):
        fused.append(fit(method, table, qrels, training).fuse([run.only(rest) for run in runs], depth=depth))
    plain: Fusion = method
    known = plain.provenance(table, depth)
    made_by = {**known.made_by, "cross_validation": {"folds": folds, "seed": seed}}
    evidence = (*known.evidence, {"kind": "cross-validated regression", "folds": records})
    # A model of all is tuned on the topics that it learnt from, but ranks others only.
    provenance = Provenance(made_by, known.tuned_on, evidence, known.seconds)
    return _joined(table.query_ids, fused, name or method.name, provenance)


def _joined(topics: Sequence[str], parts: Sequence[Run], name: str, provenance: Provenance) -> Run:
    """Runs of different topics as one, with the topics in this order."""
    home = {topic: (run, number) for run in parts for number, topic in enumerate(run.query_ids)}
    doc_ids: list[str] = []
    scores: list[Floats] = [np.empty(0, np.float64)]
    offsets = [0]
    for topic in topics:
        run, number = home[topic]
        start, stop = int(run.offsets[number]), int(run.offsets[number + 1])
        doc_ids.extend(run.doc_ids[start:stop])
        scores.append(run.scores[start:stop])
        offsets.append(len(doc_ids))
    return Run.from_columns(topics, offsets, doc_ids, np.concatenate(scores), name, provenance=provenance)
