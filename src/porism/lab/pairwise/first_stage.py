"""Pairwise scores beside the run whose documents were compared: its order, its depth, and what one of them lacks."""

from __future__ import annotations

from typing import Literal

import numpy as np

from porism.errors import FormatError, OnProblem, Problem, QueryError, pluralise
from porism.lab.pairwise.scores import PairwiseRun, PairwiseScores
from porism.runs.run import Run

Unknown = Literal["error", "drop"]
"""What becomes of pairwise scores of queries or documents that the run does not have."""


def ranked_by(
    pairs: PairwiseRun, run: Run, *, depth: int | None = None, unknown: Unknown = "error",
    on_problem: OnProblem | None = None,
) -> PairwiseRun:
    """The pairwise scores with their candidates in the order of the run that found them, and only its first ``depth``.

    Documents of the run that were not compared are passed over: they are not candidates.

    :param unknown: an error, or they are dropped, counted and reported.
    :raises FormatError: scores are of a query or a document that the run does not have.
    :raises QueryError: the depth is below 1.
    """
    if depth is not None and depth < 1:
        raise QueryError(f"the depth is {depth}", hint="It is 1 or more.")
    if depth is not None and on_problem is not None:
        _report_depth(pairs, depth, on_problem)
    kept: list[PairwiseScores] = []
    for query in pairs.queries:
        if query.query_id not in run:
            _unknown(f"query {query.query_id}", f"it has pairwise scores, and the run {run.name} does not have it",
                     unknown, on_problem)
            continue
        places = {doc_id: place for place, (doc_id, _) in enumerate(run[query.query_id])}
        strange = [doc_id for doc_id in query.doc_ids if doc_id not in places]
        if strange:
            _unknown(
                f"query {query.query_id}",
                f"{pluralise(len(strange), 'document')} with pairwise scores not in the run {run.name}, such as "
                f"{strange[0]}",
                unknown, on_problem,
            )
        known = [(places[doc_id], at) for at, doc_id in enumerate(query.doc_ids) if doc_id in places]
        chosen = [at for place, at in sorted(known) if depth is None or place < depth]
        if chosen:
            kept.append(query.taken(np.array(chosen, np.int64), ranked=True))
    return PairwiseRun(tuple(kept), pairs.made_by)


def _unknown(where: str, message: str, unknown: Unknown, on_problem: OnProblem | None) -> None:
    if unknown == "error":
        raise FormatError(
            message, where=where, hint="Give the run that was compared, or drop what it does not have (--unknown drop)."
        )
    if on_problem is not None:
        on_problem(Problem(where, f"{message}: dropped"))


def _report_depth(pairs: PairwiseRun, depth: int, on_problem: OnProblem) -> None:
    """Reports queries that have fewer candidates than the depth."""
    short = [query for query in pairs.queries if len(query) < depth]
    if short:
        others = pluralise(len(short) - 1, "other query", "other queries")
        on_problem(Problem(
            f"query {short[0].query_id}",
            f"{len(short[0]):,} documents were compared, fewer than the depth of {depth:,}"
            + (f", and so for {others}" if len(short) > 1 else ""),
        ))
