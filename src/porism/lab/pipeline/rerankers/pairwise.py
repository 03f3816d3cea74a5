"""Re-ranking by pairwise scores, those of a file or those that a model gives now."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import OnProblem, pluralise
from porism.explanation import Explanation
from porism.lab.pairwise.aggregation.methods import Aggregation
from porism.lab.pairwise.aggregation.registry import DEFAULT, aggregated_scores, make_aggregation
from porism.lab.pairwise.scores import Holes, PairwiseRun, PairwiseScores
from porism.lab.pipeline.protocols import check_count
from porism.lab.pipeline.rerankers.scoring import ScoringReranker, placed
from porism.types import Query

DUO_DEPTH = 50
"""So many results are compared with each other where nothing else is said: 2,450 ordered pairs a query."""

_SHOWN = 3
"""So many comparisons are shown, the best and the worst."""


class PairwiseReranker(ScoringReranker):
    """Gives documents the score that an aggregation makes of comparisons with the others; a subclass compares them."""

    depth = DUO_DEPTH

    def __init__(
        self, aggregation: Aggregation | str = DEFAULT, depth: int = DUO_DEPTH, *, holes: Holes = "complement",
        on_problem: OnProblem | None = None,
    ) -> None:
        """
        :param aggregation: one with its parameters, or a name of :data:`porism.lab.pairwise.AGGREGATIONS`.
        :raises ConfigError: there is no such aggregation.
        :raises QueryError: ``depth`` is below 1.
        """
        self.aggregation = make_aggregation(aggregation) if isinstance(aggregation, str) else aggregation
        self.depth = check_count(depth, "the depth")
        self.holes = holes
        self.on_problem = on_problem

    @abstractmethod
    def pairs(self, query: Query, doc_ids: Sequence[str]) -> PairwiseScores:
        """The pairwise scores of documents, in the order given; those that cannot be compared are left out."""

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        pairs = self.pairs(query, doc_ids)
        aggregated = aggregated_scores(pairs, self.aggregation, holes=self.holes, on_problem=self.on_problem)
        return placed(doc_ids, pairs.doc_ids, aggregated.tolist())

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        return self._compared(self.pairs(query, doc_ids), doc_ids[at], float(scores[at]))

    def _compared(self, pairs: PairwiseScores, doc_id: str, score: float, by: str = "") -> Explanation:
        """The score of one of the documents that were compared."""
        others = len(pairs) - 1
        words = f"{self.aggregation.name} of {pluralise(others, 'comparison')}{f' by {by}' if by else ''}"
        if not others:
            return Explanation(score, words)
        at, whole = pairs.doc_ids.index(doc_id), pairs.without_holes(self.holes).matrix
        preferred = (whole[at] + 1.0 - whole[:, at]) / 2
        order = [other for other in np.argsort(-preferred, kind="stable").tolist() if other != at]
        named = [f"{pairs.doc_ids[other]} {preferred[other]:.2f}" for other in order]
        won = int(np.count_nonzero(preferred[order] > 0.5))
        worst = f", worst against {', '.join(named[_SHOWN:][-_SHOWN:])}" if len(named) > _SHOWN else ""
        return Explanation(
            score, f"{words}, of which {won:,} {'is' if won == 1 else 'are'} won; best against "
                   f"{', '.join(named[:_SHOWN])}{worst}"
        )

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"aggregation": self.aggregation.described(), "holes": self.holes}


class StoredPairsReranker(PairwiseReranker):
    """Re-ranks by pairwise scores that were computed before; documents without any come below the others."""

    def __init__(
        self, run: PairwiseRun, aggregation: Aggregation | str = DEFAULT, depth: int = DUO_DEPTH, *,
        holes: Holes = "complement", on_problem: OnProblem | None = None,
    ) -> None:
        """See :class:`PairwiseReranker`."""
        super().__init__(aggregation, depth, holes=holes, on_problem=on_problem)
        self.run = run
        self._by_query = {pairs.query_id: pairs for pairs in run.queries}

    def pairs(self, query: Query, doc_ids: Sequence[str]) -> PairwiseScores:
        known = self._by_query.get(query.id)
        if known is None:
            return PairwiseScores(query.id, (), np.zeros((0, 0)), ranked=True)
        places = {doc_id: place for place, doc_id in enumerate(known.doc_ids)}
        return known.taken([places[doc_id] for doc_id in doc_ids if doc_id in places], ranked=True)

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"of": dict(self.run.made_by)}
