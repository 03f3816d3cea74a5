"""Tuning of a fusion: a measure of what the same runs give with other parameters; the runs are aligned once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, OnProblem
from porism.lab.evaluate import Measure, Missing, Qrels, evaluate_run, parse_measure
from porism.lab.evaluate.evaluation import check_missing
from porism.lab.evaluate.judgments import whole_gains
from porism.lab.evaluate.splits import k_fold
from porism.lab.fusion import FUSIONS, Fusion, FusionTable, make_fusion
from porism.lab.tuning.objectives import DEFAULT_MEASURE, apply_tuned, plain_digest, qrels_digest, runs_digest
from porism.lab.tuning.search import Search
from porism.lab.tuning.space import Configuration, Space, with_parameters
from porism.lab.tuning.store import TrialStore
from porism.lab.tuning.trials import OnProgress
from porism.lab.tuning.tune import cross_validate, tune
from porism.lab.tuning.tuned import CrossValidated, Tuned
from porism.runs.run import Run
from porism.settings import write_settings
from porism.system.concurrency.caching import cached_property
from porism.version import __version__

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

UNJUDGED = -1
_PARAMETERS = {"nDCG": {"cutoff"}, "AP": {"rel", "cutoff"}, "P": {"rel", "cutoff"}}


@dataclass(frozen=True, slots=True)
class GainMeasure:
    """One measure over candidates in Q topics whose gains are known.

    ``gains`` (int64 [C]) are those of the candidates, ``UNJUDGED`` without a judgment; ``ideal`` (float64 [Q]) is what
    the sum of a topic is divided by, 0 where that is nothing. ``cutoff`` 0 is none.
    """

    kind: str
    judged_only: bool
    cutoff: int
    relevant: int
    gains: Ints
    ideal: Floats

    @classmethod
    def of(
        cls, measure: Measure, qrels: Qrels, topics: Sequence[str], offsets: Ints, doc_ids: Sequence[str]
    ) -> GainMeasure | None:
        """For candidates ``doc_ids`` [C], of topic t those at ``offsets[t]:offsets[t + 1]``.

        None if the measure is another, or its arguments, or a gain is negative: then ir_measures has to compute it.

        :raises ConfigError: there is no such measure.
        :raises FormatError: a gain is not a whole number.
        """
        resolved = measure.resolve()
        given = {name: value for name, value in resolved.params.items() if value is not None}
        kind = resolved.NAME
        if kind not in _PARAMETERS or not set(given) <= _PARAMETERS[kind]:
            return None
        cutoff, relevant = int(given.get("cutoff", 0)), int(given.get("rel", 1))
        gains = np.full(len(doc_ids), UNJUDGED, np.int64)
        ideal = np.zeros(len(topics))
        for number, topic in enumerate(topics):
            judged = whole_gains(topic, qrels.get(topic, {}))
            if any(gain < 0 for gain in judged.values()):
                return None
            start, stop = int(offsets[number]), int(offsets[number + 1])
            gains[start:stop] = [judged.get(doc_id, UNJUDGED) for doc_id in doc_ids[start:stop]]
            values = np.array(sorted(judged.values(), reverse=True), np.int64)
            if kind == "nDCG":
                best = values[: cutoff or None]
                ideal[number] = (best / np.log2(np.arange(2, len(best) + 2))).sum()
            else:
                ideal[number] = cutoff if kind == "P" else (values >= relevant).sum()
        return cls(kind, measure.judged_only, cutoff, relevant, gains, ideal)

    def values(self, offsets: Ints, ranked: Ints) -> Floats:
        """The value of each topic (float64 [Q]) for rankings: candidates ``ranked`` [N], best first, by ``offsets``."""
        gains = self.gains[ranked]
        topics = np.repeat(np.arange(len(self.ideal)), np.diff(offsets))
        if self.judged_only:
            judged = gains >= 0
            gains, topics = gains[judged], topics[judged]
        starts = np.searchsorted(topics, np.arange(len(self.ideal)))
        ranks = np.arange(1, len(gains) + 1) - starts[topics]
        if self.kind == "nDCG":
            gained = np.maximum(gains, 0) / np.log2(ranks + 1)
        else:
            relevant = gains >= self.relevant
            gained = relevant.astype(np.float64)
            if self.kind == "AP":
                so_far = np.concatenate([[0], np.cumsum(relevant)])
                gained *= (so_far[1:] - so_far[starts[topics]]) / ranks
        if self.cutoff:
            gained = np.where(ranks <= self.cutoff, gained, 0.0)
        sums = np.bincount(topics, gained, minlength=len(self.ideal)).astype(np.float64)  # integers of no results
        return np.divide(sums, self.ideal, out=np.zeros_like(sums), where=self.ideal > 0)


class FusionObjective:
    """A measure of a fusion of the same runs with different parameters; the runs are aligned once.

    :param parameters: those that are not tuned; the others have their defaults.
    :raises ConfigError: the method, a parameter or the measure does not exist, or an option has a wrong value.
    """

    def __init__(
        self, runs: Sequence[Run] | FusionTable, method: str, qrels: Qrels, measure: Measure | str = DEFAULT_MEASURE, *,
        parameters: Mapping[str, Any] | None = None, depth: int = 1000, missing: Missing = "zero",
    ) -> None:
        check_missing(missing, depth)
        given = write_settings(make_fusion(method, parameters))
        self.method, self.depth, self.missing, self.qrels = method, depth, missing, qrels
        self.measure = parse_measure(measure)
        self.table = runs if isinstance(runs, FusionTable) else FusionTable(runs)
        self.settings = dict.fromkeys(FUSIONS[method].__dataclass_fields__) | given
        counts = self.table.lengths.sum(axis=1).tolist()
        answered = {topic for topic, count in zip(self.table.query_ids, counts, strict=True) if count}
        self.topics: tuple[str, ...] = tuple(topic for topic in qrels if missing == "zero" or topic in answered)
        self._gains = GainMeasure.of(self.measure, qrels, self.table.query_ids, self.table.offsets, self.table.doc_ids)
        self._qrels_digest = qrels_digest(qrels)
        self._runs_digest = runs_digest(self.table.runs)
        self.digest: str = plain_digest(self.describe(), __version__)

    def fusion(self, parameters: Configuration) -> Fusion:
        """The fusion with these parameters.

        :raises ConfigError: one does not exist or does not fit.
        """
        settings = self.settings
        if settings.get("weights", 1) is None and any(path.startswith("weights.") for path in parameters):
            settings = settings | {"weights": [1.0] * len(self.table.runs)}
        values = with_parameters(settings, parameters)
        return make_fusion(self.method, {name: value for name, value in values.items() if value is not None})

    def fused(self, parameters: Configuration, name: str | None = None) -> Run:
        """The fused run.

        :raises ConfigError: as :meth:`fusion`; or the parameters do not fit the runs.
        """
        return self.fusion(parameters).fuse(self.table, depth=self.depth, name=name)

    def __call__(self, parameters: Configuration) -> dict[str, float]:
        """Topic → value.

        :raises ConfigError: as :meth:`fused`.
        """
        if self._gains is None:
            run = self.fused(parameters)
            evaluation = evaluate_run(run, self.qrels, [self.measure], missing=self.missing, depth=self.depth)
            return dict(evaluation.per_topic[repr(self.measure)])
        scores = self.fusion(parameters).scores(self.table)
        if not np.isfinite(scores).all():
            raise ConfigError("the scores of the runs are too large to be fused so")
        values = self._gains.values(*self._ranked(scores))
        by_topic = dict(zip(self.table.query_ids, values.tolist(), strict=True))
        return {topic: by_topic.get(topic, 0.0) for topic in self.topics}

    @cached_property
    def _last_ids_first(self) -> NDArray[np.int64]:
        """The candidates by topic and then by id, descending (int64 [C])."""
        bounds = self.table.offsets.tolist()
        by_id = self.table.doc_ids.__getitem__
        topics = (sorted(range(*span), key=by_id, reverse=True) for span in pairwise(bounds))
        return np.fromiter(chain.from_iterable(topics), np.int64, bounds[-1])

    def _ranked(self, scores: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """As :meth:`FusionTable.ranked`; ids are sorted once for all parameters, not for each."""
        lengths = np.diff(self.table.offsets)
        order = self._last_ids_first[np.lexsort((-scores[self._last_ids_first], self.table.topics))]
        if len(lengths) and lengths.max() > self.depth:
            order = order[np.arange(len(order)) - self.table.offsets[self.table.topics] < self.depth]
        offsets = np.concatenate([[0], np.cumsum(np.minimum(lengths, self.depth))]).astype(np.int64)
        return offsets, order

    def describe(self) -> dict[str, Any]:
        """Method, runs, measure, judgments and options, for the evidence."""
        return {
            "fusion": self.method,
            "settings": {name: value for name, value in self.settings.items() if value is not None},
            "sources": [run.name for run in self.table.runs],
            "runs": self._runs_digest,
            "measure": repr(self.measure),
            "missing": self.missing,
            "depth": self.depth,
            "qrels": self._qrels_digest,
        }


def tune_fusion(
    runs: Sequence[Run] | FusionTable, method: str, space: Space | Mapping[str, Any], qrels: Qrels,
    measure: Measure | str = DEFAULT_MEASURE, *, folds: int | Sequence[Iterable[str]] = 0, search: Search | None = None,
    topics: Iterable[str] | None = None, parameters: Mapping[str, Any] | None = None, depth: int = 1000,
    missing: Missing = "zero", seed: int = 0, name: str | None = None, store: TrialStore | None = None,
    on_progress: OnProgress | None = None, on_problem: OnProblem | None = None,
) -> tuple[Run, Tuned | CrossValidated]:
    """Tunes a fusion and makes the run: ``tune_fusion([a, b], "rrf", {"k": [10, 60, 200]}, qrels, folds=5)``.

    Without ``folds`` the run is tuned on its topics, and says so. With folds each topic is ranked by what the others
    chose, and the run is not tuned on its own topics. Topics without judgments are ranked by what all folds chose.

    :param space: parameters of the method; a simplex has a weight for each run.
    :param folds: how many, or the topics of each; 0 tunes on all.
    :param topics: the topics to tune on, or to divide into folds; all judged ones if not given.
    :param parameters: those that are not tuned.
    :raises ConfigError: the method, a parameter or the measure does not exist; or see :func:`tune`.
    :raises QueryError: a topic to tune on has no judgments.
    """
    objective = FusionObjective(runs, method, qrels, measure, parameters=parameters, depth=depth, missing=missing)
    chosen = Space.read(space, systems=len(objective.table.runs))
    wanted = objective.topics if topics is None else tuple(dict.fromkeys(topics))
    tuned: Tuned | CrossValidated
    if isinstance(folds, int) and folds == 0:
        tuned = tune(objective, chosen, search, wanted, store=store, on_progress=on_progress, on_problem=on_problem)
    else:
        parts = k_fold(wanted, folds, seed=seed) if isinstance(folds, int) else folds
        tuned = cross_validate(
            objective, chosen, search, parts, store=store, on_progress=on_progress, on_problem=on_problem
        )
    return apply_tuned(tuned, lambda values: objective.fused(values, name)), tuned
