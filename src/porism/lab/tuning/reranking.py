"""The share of the first stage in a re-ranking, chosen by judgments; all of it, the reranker left out, is a choice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from porism.errors import ConfigError, QueryError
from porism.lab.evaluate import Measure, Missing, Qrels
from porism.lab.evaluate.splits import k_fold
from porism.lab.pipeline import ScoringReranker
from porism.lab.pipeline.protocols import check_count
from porism.lab.tuning.objectives import DEFAULT_MEASURE, RunObjective, apply_tuned
from porism.lab.tuning.space import Configuration
from porism.lab.tuning.tune import cross_validate, tune
from porism.lab.tuning.tuned import CrossValidated, Tuned
from porism.runs.run import Run
from porism.types import Query

SHARES: tuple[float, ...] = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1, 0.0)
"""The shares that are tried. The first of equally good ones is chosen: that with more of the first stage."""

FIRST_STAGE = "first_stage"
"""The parameter that is chosen."""


def tune_first_stage(
    reranker: ScoringReranker, queries: Iterable[Query], run: Run, qrels: Qrels,
    measure: Measure | str = DEFAULT_MEASURE, *, depth: int | None = None, shares: Sequence[float] = SHARES,
    folds: int = 5, seed: int = 0, missing: Missing = "zero",
) -> tuple[Run, Tuned | CrossValidated]:
    """Re-ranks a run once, chooses the share of its own scores in the sum with the new ones, and makes the run.

    A share of 1 is the run as it was: where it is chosen, the reranker lowers its first stage on these topics. With
    folds each topic is ranked by the share that the others chose; topics without judgments have that of all.

    :param depth: so many results of each query are re-ranked; by default as the reranker does.
    :param folds: how many; 0 chooses on all topics, and the run says so.
    :raises ConfigError: a share is not from 0 to 1, or there is no such measure.
    :raises QueryError: no query of the run has judgments, or the run has a query that is not among ``queries``.
    """
    wrong = [share for share in shares if not 0 <= share <= 1]
    if wrong or not shares:
        raise ConfigError(f"shares of the first stage cannot be {wrong or 'none'}", hint="They are from 0 to 1.")
    judged = {query_id: qrels[query_id] for query_id in run if query_id in qrels}
    if not judged:
        raise QueryError(
            "no query of the run has judgments", where=run.name, hint="Give the judgments of these topics."
        )
    depth = check_count(reranker.depth if depth is None else depth, "the depth")
    scores = reranker.first_scores(queries, run, depth)

    def make_run(parameters: Configuration) -> Run:
        share = float(parameters[FIRST_STAGE])
        return run if share == 1 else reranker.with_scores(run, scores, depth, share)

    objective = RunObjective(make_run, judged, measure, missing=missing)
    space: dict[str, Any] = {FIRST_STAGE: list(shares)}
    tuned: Tuned | CrossValidated
    if folds:
        tuned = cross_validate(objective, space, folds=k_fold(objective.topics, folds, seed=seed))
    else:
        tuned = tune(objective, space)
    return apply_tuned(tuned, make_run), tuned
