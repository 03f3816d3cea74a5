"""What tuning can maximise: a measure of the runs that a retriever or a pipeline makes."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from porism.lab.evaluate import Measure, Missing, Qrels, evaluate_run, parse_measure
from porism.lab.evaluate.evaluation import check_missing
from porism.lab.pipeline import formula_pipeline, pipeline
from porism.lab.tuning.parameters import value_key
from porism.lab.tuning.space import Configuration, with_parameters
from porism.lab.tuning.tuned import CrossValidated, Tuned
from porism.retrieve import RetrieverSettings, Searcher
from porism.runs.run import Run
from porism.search.models import read_model
from porism.search.models.models import model_from, write_model
from porism.search.searcher import IndexSearcher
from porism.types import Query
from porism.version import __version__

DEFAULT_MEASURE = "nDCG'"

MakeRun = Callable[[Configuration], Run]
"""Parameters → the run that they make."""


class RunObjective:
    """A measure of the run that parameters make, by topic.

    :param make_run: what makes the run; it sees no judgments.
    :param name: what the run depends on besides the parameters (an index's digest, the other settings), so that trials
        can be kept on disk; without it they cannot.
    :raises ConfigError: there is no such measure, or an option has a wrong value.
    """

    def __init__(
        self, make_run: MakeRun, qrels: Qrels, measure: Measure | str = DEFAULT_MEASURE, *, name: str = "",
        missing: Missing = "zero", depth: int | None = 1000,
    ) -> None:
        check_missing(missing, depth)
        self.make_run = make_run
        self.qrels = qrels
        self.measure = parse_measure(measure)
        self.measure.resolve()
        self.name, self.missing, self.depth = name, missing, depth
        self.topics: tuple[str, ...] = tuple(qrels)
        self._qrels_digest = qrels_digest(qrels)
        self.digest: str = plain_digest(name, self.describe(), __version__) if name else ""

    def __call__(self, parameters: Configuration) -> dict[str, float]:
        """Topic → value.

        :raises QueryError: the run and the judgments have no topic in common.
        """
        run = self.make_run(parameters)
        evaluation = evaluate_run(run, self.qrels, [self.measure], missing=self.missing, depth=self.depth)
        return dict(evaluation.per_topic[repr(self.measure)])

    def describe(self) -> dict[str, Any]:
        """Measure, judgments and options, for the evidence."""
        described = {
            "measure": repr(self.measure), "missing": self.missing, "depth": self.depth, "qrels": self._qrels_digest,
        }
        return described | ({"of": self.name} if self.name else {})


def settings_objective(
    build: Callable[[dict[str, Any]], Searcher], settings: Mapping[str, Any], queries: Iterable[Query], qrels: Qrels,
    measure: Measure | str = DEFAULT_MEASURE, *, k: int = 1000, name: str = "", missing: Missing = "zero",
) -> RunObjective:
    """The objective of any setting at any stage of what ``build`` makes of settings.

    ``build(with_parameters(settings, parameters)).search(queries, k)`` is the run. Only queries with judgments are
    searched. ``name`` says what the answers depend on besides the settings, such as the digest of the index.

    :raises ConfigError: see :class:`RunObjective`.
    """
    judged = [query for query in queries if query.id in qrels]

    def make_run(parameters: Configuration) -> Run:
        return build(with_parameters(settings, parameters)).search(judged, k)

    known = plain_digest(name, dict(settings), [[query.id, repr(query)] for query in judged], k) if name else ""
    return RunObjective(make_run, qrels, measure, name=known and f"{name} {known}", missing=missing, depth=k)


def model_objective(
    index: IndexSearcher, model: RetrieverSettings | str, queries: Iterable[Query], qrels: Qrels,
    measure: Measure | str = DEFAULT_MEASURE, *, formulas: bool = False, k: int = 1000, name: str = "",
    missing: Missing = "zero",
) -> RunObjective:
    """The objective of the settings of a model of any kind in a search of an index: ``feedback.weight``, for example.

    :param model: its settings, or its name.
    :param formulas: whether formulas are searched, not documents.
    :param name: as :func:`settings_objective` has it.
    :raises ConfigError: there is no such model, or see :class:`RunObjective`.
    """
    chosen = read_model(model, formulas) if isinstance(model, str) else model
    search = formula_pipeline if formulas else pipeline

    def build(settings: dict[str, Any]) -> Searcher:
        return search(index, model_from(settings, formulas))

    return settings_objective(
        build, write_model(chosen, formulas), queries, qrels, measure, k=k, name=name, missing=missing
    )


def apply_tuned(tuned: Tuned | CrossValidated, make_run: MakeRun) -> Run:
    """The run of tuned parameters, which says what it was tuned on; of a cross-validation that of held-out rankings.

    Topics in no fold have the parameters that all folds together chose.
    """
    if isinstance(tuned, Tuned):
        return tuned.applied(make_run(tuned.parameters))
    made: dict[str, Run] = {}
    runs: list[Run] = []
    for parameters in (*(fold.tuned.parameters for fold in tuned.folds), tuned.whole.parameters):
        key = value_key(parameters)
        if key not in made:
            made[key] = make_run(parameters)
        runs.append(made[key])
    *folds, rest = runs
    return tuned.applied(folds, rest)


def qrels_digest(qrels: Qrels) -> str:
    """Of the judgments, in whatever order they come."""
    return plain_digest({topic: dict(gains) for topic, gains in qrels.items()})


def runs_digest(runs: Sequence[Run]) -> str:
    """Of what runs find, with scores and ranks, in the order of the runs."""
    digest = hashlib.blake2b(digest_size=16)
    for run in runs:
        digest.update("\n".join([*run.query_ids, "", *run.doc_ids, ""]).encode("utf-8", "surrogatepass"))
        digest.update(run.offsets.tobytes() + run.scores.tobytes() + run.ranks.tobytes())
    return digest.hexdigest()


def plain_digest(*parts: Any) -> str:
    """Of plain values."""
    content = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.blake2b(content.encode(), digest_size=16).hexdigest()
