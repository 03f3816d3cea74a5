"""Why a reranker gave documents their scores: its own reasons, the share of the first stage, and what it left alone."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError, pluralise
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, Reranker, check_count
from porism.lab.pipeline.rerankers.scoring import ScoringReranker, scale
from porism.lab.pipeline.rerankers.texts import GivenDocuments
from porism.runs.run import Run
from porism.types import Document, Query


@dataclass(frozen=True, slots=True, eq=False)
class Reranked:
    """The results of one query before and after a reranker, which has scored them once.

    :param before: the run that was re-ranked, with this query alone; ``run`` is the one after it.
    :param scores: what the reranker gave the first documents (float64, NaN: none), in their order before; None where it
        does not say.
    """

    reranker: Reranker
    query: Query
    before: Run
    run: Run
    depth: int
    scores: NDArray[np.float64] | None

    @property
    def name(self) -> str:
        """What the reranker is called."""
        return name_of(self.reranker)

    def explain(self, doc_id: str) -> Explanation:
        """Why a document has its score after the reranker: a tree of contributions that adds up to it.

        :raises QueryError: it is not among the results.
        """
        score = dict(self.run[self.query.id]).get(doc_id)
        if score is None:
            raise QueryError(f"the document {doc_id!r} is not among the results that were re-ranked")
        ranking = self.before[self.query.id]
        at = next(place for place, (other, _) in enumerate(ranking) if other == doc_id)
        if at >= self.depth:
            first = pluralise(self.depth, "result")
            return Explanation(score, f"below the first {first}, which {self.name} re-ranked: as before, rank {at + 1}")
        if self.scores is None or not isinstance(self.reranker, ScoringReranker):
            return Explanation(score, f"score by {self.name}")
        if math.isnan(self.scores[at]):
            return Explanation(score, f"without a score by {self.name}: below the others, in the order before")
        ids = [other for other, _ in ranking[: len(self.scores)]]
        reason = self.reranker.reason(self.query, ids, self.scores, at)
        share = self.reranker.first_stage
        return reason if not share else self._mixed(score, reason, share, at)

    def _mixed(self, score: float, reason: Explanation, share: float, at: int) -> Explanation:
        """The sum with the first stage, both as standard scores over the documents that the reranker has scored."""
        assert self.scores is not None
        there = ~np.isnan(self.scores)
        old = np.array([value for _, value in self.before[self.query.id][: len(self.scores)]])
        (mean, deviation), (old_mean, old_deviation) = scale(self.scores[there]), scale(old[there])
        weight, weight_before = (1 - share) / deviation, share / old_deviation
        inner = [reason.scaled(weight), Explanation(-weight * mean, f"less the mean of {mean:.4f}")]
        new = Explanation(
            weight * (reason.value - mean),
            f"{self.name}: {1 - share:g} · ({reason.value:.4f} - {mean:.4f}) / {deviation:.4f}", inner,
        )
        earlier = Explanation(
            weight_before * (float(old[at]) - old_mean),
            f"the stage before, where it has rank {at + 1}: "
            f"{share:g} · ({float(old[at]):.4f} - {old_mean:.4f}) / {old_deviation:.4f}",
        )
        scored = pluralise(int(there.sum()), "document")
        return Explanation(score, f"sum of standard scores over the {scored} that {self.name} scored", [new, earlier])


class RerankerChain:
    """Rerankers that follow one another, each to its own depth: an option of a search.

    :param given: where the rerankers read documents that are not in an index here; it gets those of each search.
    """

    def __init__(self, rerankers: Sequence[Reranker], given: GivenDocuments | None = None) -> None:
        self.rerankers, self.given = tuple(rerankers), given
        self.depth = max(map(depth_of, self.rerankers), default=1)

    def __call__(self, query: Query, run: Run, documents: Mapping[str, Document]) -> list[Reranked]:
        """The results of a query after each of the rerankers."""
        if self.given is not None:
            self.given.found = documents
        done: list[Reranked] = []
        for reranker in self.rerankers:
            done.append(rerank_explained(reranker, query, done[-1].run if done else run))
        return done


def rerank_explained(reranker: Reranker, query: Query, before: Run, depth: int | None = None) -> Reranked:
    """Re-ranks the results of one query, and keeps what explains them; the reranker scores them once.

    :param depth: as :meth:`Reranker.rerank` has it; the reranker's own if not given.
    :param before: may have other queries too, which are left out.
    :raises QueryError: ``depth`` is below 1.
    """
    depth = check_count(depth_of(reranker) if depth is None else depth, "the depth")
    before = before.only([query.id])
    ids = [doc_id for doc_id, _ in before[query.id][:depth]] if query.id in before else []
    if not isinstance(reranker, ScoringReranker) or not ids:
        return Reranked(reranker, query, before, reranker.rerank([query], before, depth), depth, None)
    (scores,) = reranker.all_scores([(query, ids)])
    scores = np.asarray(scores, np.float64)
    return Reranked(reranker, query, before, reranker.with_scores(before, {query.id: scores}, depth), depth, scores)


def depth_of(reranker: Reranker) -> int:
    """How many results a reranker re-ranks where nothing else is said."""
    own: Any = getattr(reranker, "depth", None)
    return own if isinstance(own, int) else DEPTH


def name_of(reranker: Reranker) -> str:
    """What a reranker is called in explanations."""
    return getattr(reranker, "name", "") or type(reranker).__name__
