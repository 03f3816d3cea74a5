"""Re-ranking: the first results of a run in a better order, the others beneath them in the order that they had."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import FormatError, QueryError
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, check_count, check_queries, describe
from porism.lab.pipeline.stages import CutReranker
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.types import Query

_GAP = 2.0**-20
"""Scores beneath others differ from them by this share of the largest at least: still so in 32 bits."""


class ScoringReranker(ABC):
    """A reranker that gives each document a score for the query; a subclass says which."""

    depth: int = DEPTH
    """How many results it re-ranks where a pipeline does not say."""

    tuned_on: tuple[str, ...] = ()
    """The topics on whose judgments its settings were chosen; every run that it re-ranks carries them."""

    name: str = ""
    """What explanations call it; its type where it has no name."""

    first_stage: float = 0.0
    """The share of the scores that the run had in a sum with the new ones; see :func:`interpolated`."""

    @abstractmethod
    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        """The score of each document (float64, in the order given), NaN for one that it cannot score."""

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        """:meth:`scores` of several queries; a subclass that scores many documents faster at once does so here."""
        return [self.scores(query, doc_ids) for query, doc_ids in wanted]

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        """Why one of the documents that :meth:`all_scores` scored together has its score: ``doc_ids[at]``, which has
        one. A subclass that knows more says more."""
        return Explanation(float(scores[at]), f"score by {self.name or type(self).__name__}")

    def describe(self) -> dict[str, Any]:
        """What it does, as plain values for JSON; subclasses add their settings."""
        return {"kind": type(self).__name__}

    def rerank(self, queries: Iterable[Query], run: Run, depth: int | None = None) -> Run:
        """The run with the first ``depth`` results of each query by their new scores; see :func:`rescored`.

        :raises QueryError: the run has a query that is not among ``queries``, or ``depth`` is below 1.
        """
        depth = check_count(self.depth if depth is None else depth, "the depth")
        return self.with_scores(run, self.first_scores(queries, run, depth), depth)

    def first_scores(self, queries: Iterable[Query], run: Run, depth: int) -> dict[str, NDArray[np.float64]]:
        """The scores of the first ``depth`` results of each query of a run, by its id, as :meth:`with_scores` takes
        them; queries without results are left out.

        :raises QueryError: the run has a query that is not among ``queries``.
        """
        by_id = {query.id: query for query in check_queries(queries)}
        wanted: list[tuple[Query, Sequence[str]]] = []
        for number, query_id in enumerate(run.query_ids):
            if query_id not in by_id:
                raise QueryError(
                    f"the run has results of the query {query_id!r}, which is not among those given",
                    where=run.name, hint="Give all queries of the run, or take the others out by run.only.",
                )
            start, stop = int(run.offsets[number]), int(run.offsets[number + 1])
            if first := run.doc_ids[start : min(stop, start + depth)]:
                wanted.append((by_id[query_id], first))
        by_query = self.all_scores(wanted)
        return {query.id: scores for (query, _), scores in zip(wanted, by_query, strict=True)}

    def with_scores(
        self, run: Run, scores: Mapping[str, NDArray[np.float64]], depth: int, share: float | None = None
    ) -> Run:
        """The run as :meth:`rerank` gives it, of the scores that :meth:`all_scores` gave the first ``depth`` results
        of each query; ``share`` is another than :attr:`first_stage`."""
        share = self.first_stage if share is None else share
        mixed: dict[str, NDArray[np.float64]] = {}
        for number, query_id in enumerate(run.query_ids):
            if query_id in scores:
                new, start = np.asarray(scores[query_id], np.float64), int(run.offsets[number])
                mixed[query_id] = interpolated(new, run.scores[start : start + len(new)], share)
        sum_with = {"first_stage": share} if share else {}
        made_by = {
            "kind": "rerank", "depth": depth, "reranker": describe(self), **sum_with,
            "of": dict(run.provenance.made_by) if run.provenance else {"kind": "run", "name": run.name},
        }
        sources = [run.provenance, Provenance(tuned_on=self.tuned_on)]
        return rescored(run, mixed).with_provenance(Provenance.merged(sources, made_by))

    def __mod__(self, k: int) -> CutReranker:
        return CutReranker(self, k)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(depth={self.depth})"


def placed(doc_ids: Sequence[str], scored: Sequence[str], scores: Sequence[float]) -> NDArray[np.float64]:
    """The scores of documents of which some are scored (float64, in the order of ``doc_ids``, NaN for the others)."""
    known = dict(zip(scored, scores, strict=True))
    return np.array([known.get(doc_id, np.nan) for doc_id in doc_ids], np.float64)


def interpolated(new: NDArray[np.float64], old: NDArray[np.float64], share: float) -> NDArray[np.float64]:
    """``share`` of the old scores and ``1 - share`` of the new ones (float64 [n]); where the share is 0, the new ones.

    Both count as standard scores over the documents of the query that have a new one; the others have none (NaN).
    """
    if not share:
        return new
    there = ~np.isnan(new)
    mixed = np.full(len(new), np.nan)
    if there.any():
        (mean, deviation), (old_mean, old_deviation) = scale(new[there]), scale(old[there])
        standard, old_standard = (new[there] - mean) / deviation, (old[there] - old_mean) / old_deviation
        mixed[there] = (1 - share) * standard + share * old_standard
    return mixed


def scale(scores: NDArray[np.float64]) -> tuple[float, float]:
    """The mean and the standard deviation of scores, by which they become standard scores; where all are equal, 1 in
    place of the deviation, so that they become 0."""
    deviation = float(scores.std())
    return float(scores.mean()), deviation if deviation > 0 else 1.0


def rescored(run: Run, scores: Mapping[str, Sequence[float] | NDArray[np.float64]], name: str | None = None) -> Run:
    """The run with new scores for the first results of each query: best first, then the others in their former
    order.

    ``scores`` has, for a query, the new score of each of its first so many results (NaN: it has none, and belongs to
    the others). The others' scores continue the new ones on their scale. They lie apart as they did, times the spread
    of the new scores over that of the old ones of the same documents. All scores are finite and fall from the new ones
    to the last. Where numbers of this size cannot do so, all of the query's scores become positions from the end.
    A query without new scores stays as it is.

    :raises FormatError: a score is infinite, or there are more scores than results.
    """
    doc_ids: list[str] = []
    parts: list[NDArray[np.float64]] = [np.zeros(0)]
    for number, query_id in enumerate(run.query_ids):
        at = slice(int(run.offsets[number]), int(run.offsets[number + 1]))
        ids, old = run.doc_ids[at], run.scores[at]
        new = np.full(len(ids), np.nan)
        given = np.asarray(scores.get(query_id, ()), np.float64)
        if given.ndim != 1 or len(given) > len(ids):
            raise FormatError(
                f"there are new scores of shape {given.shape} for {len(ids)} results", where=f"query {query_id}"
            )
        new[: len(given)] = given
        if np.isinf(new).any():
            wrong = ids[int(np.flatnonzero(np.isinf(new))[0])]
            raise FormatError(f"the new score of document {wrong!r} is not finite", where=f"query {query_id}")
        first = np.array(
            sorted(
                sorted(np.flatnonzero(~np.isnan(new)).tolist(), key=lambda i: ids[i], reverse=True),
                key=lambda i: -new[i],
            ),
            np.int64,
        )
        others = np.flatnonzero(np.isnan(new))
        doc_ids.extend(ids[i] for i in (*first.tolist(), *others.tolist()))
        parts.append(_continued(new[first], old[first], old[others]) if len(first) else old)
    return Run.from_columns(
        run.query_ids, run.offsets, doc_ids, np.concatenate(parts), name or run.name, provenance=run.provenance
    )


def _continued(new: NDArray[np.float64], old: NDArray[np.float64], others: NDArray[np.float64]) -> NDArray[np.float64]:
    """New scores, falling, and beneath them scores for others: float64 [len(new) + len(others)]."""
    if not len(others):
        return new
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        spread = (new[0] - new[-1]) / (old.max() - old.min())
        scale = spread if np.isfinite(spread) and spread > 0 else 1.0
        beneath = new[-1] - scale * np.maximum(0.0, old.min() - others)
        gap = _GAP * max(float(np.abs(new).max()), float(np.abs(beneath).max()), _GAP)
        steps = gap * np.arange(len(others) + 1)
        beneath = (np.minimum.accumulate(np.append(new[-1], beneath) + steps) - steps)[1:]
        scores = np.append(new, beneath)
        sound = np.isfinite(scores).all() and (np.diff(scores[len(new) - 1 :]) < 0).all()
    return scores if sound else np.arange(len(scores), 0, -1, dtype=np.float64)
