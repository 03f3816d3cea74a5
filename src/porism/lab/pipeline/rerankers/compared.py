"""Re-ranking by a model that reads a query and two documents at once, now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.explanation import Explanation
from porism.lab.pairwise.aggregation.methods import Aggregation
from porism.lab.pairwise.aggregation.registry import DEFAULT, aggregated_scores
from porism.lab.pairwise.scores import PairwiseRun, PairwiseScores
from porism.lab.pairwise.sorting.base import Places, Sorting, expected_comparisons, sort_together
from porism.lab.pipeline.rerankers.pairwise import DUO_DEPTH, PairwiseReranker
from porism.lab.pipeline.rerankers.pointwise import ReadTexts, TextReranker
from porism.lab.pipeline.rerankers.scoring import placed
from porism.lab.pipeline.rerankers.texts import RerankedTexts
from porism.types import Query
from porism.vectors.neural.scoring.base import Cost, Scorer, score_texts

Orders = Literal["both", "one"]
"""Whether each pair is read in both orders, k (k - 1) times, or once, the document that was ranked higher first; then
the other order has 1 - the score."""

PAIR_BATCH_SIZE = 200_000
"""Pairs that are one job: their texts are sorted by length together. One of 300 candidates has 89,700."""


class ModelPairsReranker(TextReranker, PairwiseReranker):
    """Compares the candidates by a model, and aggregates what it says; or sorts them with fewer comparisons."""

    def __init__(
        self, scorer: Scorer, texts: RerankedTexts, aggregation: Aggregation | str = DEFAULT, depth: int = DUO_DEPTH, *,
        orders: Orders = "both", sorting: Sorting | None = None,
    ) -> None:
        """
        :param scorer: reads a query and two documents.
        :param sorting: instead of an aggregation of all pairs; the score of a document is its place from the end.
        :raises ConfigError: there is no such aggregation or order.
        """
        if orders not in get_args(Orders):
            raise ConfigError(f"orders cannot be {orders!r}", hint="Choose both or one.")
        PairwiseReranker.__init__(self, aggregation, depth)
        TextReranker.__init__(self, scorer.named, scorer.digest, texts, depth)
        self.scorer, self.orders, self.sorting = scorer, orders, sorting
        self.last_pairs: PairwiseRun | None = None
        """The pairwise scores of the last re-ranking, to be written to a file; None where it sorted."""

    def pairs(self, query: Query, doc_ids: Sequence[str]) -> PairwiseScores:
        return self.compared([(query, doc_ids)]).queries[0]

    def compared(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> PairwiseRun:
        """The pairwise scores of the documents of several queries, all compared as one job."""
        read = self.read(wanted)
        scores = self._all_pairs(read)
        by_query: list[PairwiseScores] = []
        for (query, _), part in zip(wanted, read, strict=True):
            size = len(part.doc_ids)
            matrix = np.full((size, size), np.nan)
            asked = ~np.eye(size, dtype=bool) if self.orders == "both" else np.triu(np.ones((size, size), bool), 1)
            matrix[asked] = next(scores)
            by_query.append(PairwiseScores(query.id, tuple(part.doc_ids), matrix, ranked=True))
        return PairwiseRun(tuple(by_query), {"kind": "model", "model": self.named, "digest": self.digest})

    def _all_pairs(self, read: Sequence[ReadTexts]) -> Iterator[NDArray[np.float64]]:
        """The scores of all pairs of each query, by first and second document: as many queries as one job as have up to
        :data:`PAIR_BATCH_SIZE` pairs, so that memory does not grow with the number of queries."""
        sizes = [len(part.texts) for part in read]
        counts = [size * (size - 1) // (1 if self.orders == "both" else 2) for size in sizes]
        whole, done, start = sum(counts), 0, 0
        while start < len(read):
            stop = start + 1
            while stop < len(read) and sum(counts[start : stop + 1]) <= PAIR_BATCH_SIZE:
                stop += 1
            inputs: list[tuple[str, ...]] = []
            for question, _, texts in read[start:stop]:
                for i, first in enumerate(texts):
                    inputs += [
                        (question, first, second) for j, second in enumerate(texts)
                        if i != j and (self.orders == "both" or i < j)
                    ]
            scores = self._scored(inputs, done, whole)
            yield from np.split(scores, np.cumsum(counts[start:stop])[:-1])
            done, start = done + len(inputs), stop

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        if self.sorting is not None:
            return self._sorted(wanted, self.sorting)
        self.last_pairs = self.compared(wanted)
        return [
            placed(doc_ids, pairs.doc_ids, aggregated_scores(pairs, self.aggregation).tolist())
            for (_, doc_ids), pairs in zip(wanted, self.last_pairs.queries, strict=True)
        ]

    def _sorted(self, wanted: Sequence[tuple[Query, Sequence[str]]], sorting: Sorting) -> list[NDArray[np.float64]]:
        read = self.read(wanted)
        counts = [len(part.texts) for part in read]
        expected, done = expected_comparisons(sorting, counts), 0

        def compare(rows: Places) -> NDArray[np.float64]:
            nonlocal done
            inputs = [
                (read[query].question, read[query].texts[first], read[query].texts[second])
                for query, first, second in rows.tolist()
            ]
            scores = self._scored(inputs, done, max(expected, done + len(inputs)))
            done += len(inputs)
            return scores

        return [
            placed(doc_ids, [part.doc_ids[at] for at in ranking.order.tolist()], range(len(part.doc_ids), 0, -1))
            for (_, doc_ids), part, ranking in zip(
                wanted, read, sort_together(sorting, counts, compare), strict=True
            )
        ]

    def _scored(
        self, inputs: Sequence[tuple[str, ...]], done: int = 0, whole: int | None = None
    ) -> NDArray[np.float64]:
        """The scores of inputs that are ``whole`` together with others, of which ``done`` are done. The cost of all is
        announced with the first of them, as if the others were like those of these that have no score yet."""
        whole = len(inputs) if whole is None else whole
        share = whole / max(1, len(inputs))

        def announce(cost: Cost) -> None:
            if not done:
                count, new = round(cost.inputs * share), cost.inputs - cost.cached
                times = (count - cost.cached) / new if new else 0.0
                self.on_cost(Cost(count, cost.cached, round(cost.tokens * times), cost.seconds * times))

        return score_texts(
            self.scorer, inputs, cache=self.cache, on_cost=announce,
            on_progress=lambda ready, count: self.on_progress(done + ready, done + count if share == 1 else whole),
        )

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        if self.sorting is not None:
            return self._placed(float(scores[at]), self.sorting)
        known = {pairs.query_id: pairs for pairs in self.last_pairs.queries} if self.last_pairs is not None else {}
        pairs, scored = known.get(query.id), np.flatnonzero(~np.isnan(scores)).tolist()
        if pairs is None or pairs.doc_ids != tuple(doc_ids[place] for place in scored):
            pairs = self.pairs(query, doc_ids)
        return self._compared(pairs, doc_ids[at], float(scores[at]), self.named)

    def _placed(self, place: float, sorting: Sorting) -> Explanation:
        words = f"place from the end, sorted by {sorting.name} with comparisons by {self.named}"
        return Explanation(place, words)

    def describe(self) -> dict[str, Any]:
        sorting = {} if self.sorting is None else {"sorting": self.sorting.name}
        return super().describe() | sorting | {"orders": self.orders}
