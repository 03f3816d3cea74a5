"""Re-ranking by a model that reads a query and two documents at once, now."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.lab.pairwise.aggregation.base import Aggregation
from porism.lab.pairwise.aggregation.registry import DEFAULT, aggregated_scores
from porism.lab.pairwise.scores import PairwiseRun, PairwiseScores
from porism.lab.pairwise.sorting.base import Places, Sorting, expected_comparisons, sort_together
from porism.lab.pipeline.rerankers.pairwise import DUO_DEPTH, PairwiseReranker
from porism.lab.pipeline.rerankers.texts import RerankedTexts
from porism.types import Query
from porism.vectors.neural.scoring.base import Cost, Scorer, score_texts
from porism.vectors.neural.scoring.cache import ScoreCache

Orders = Literal["both", "one"]
"""Whether each pair is read in both orders, k (k - 1) times, or once, the document that was ranked higher first; then
the other order has 1 - the score."""

PAIR_BATCH_SIZE = 200_000
"""Pairs that are one job: their texts are sorted by length together. One of 300 candidates has 89,700."""


class ModelPairsReranker(PairwiseReranker):
    """Compares the candidates by a model, and aggregates what it says; or sorts them with fewer comparisons.

    Documents that the index does not have, and those without text, come below the others.
    """

    batch = True

    def __init__(
        self, scorer: Scorer, texts: RerankedTexts, aggregation: Aggregation | str = DEFAULT, depth: int = DUO_DEPTH, *,
        orders: Orders = "both", sorting: Sorting | None = None, cache: ScoreCache | None = None,
        on_cost: Callable[[Cost], None] = lambda cost: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """
        :param scorer: reads a query and two documents.
        :param sorting: instead of an aggregation of all pairs; the score of a document is its place from the end.
        :param cache: see :class:`~porism.lab.pipeline.rerankers.pointwise.PointwiseReranker`.
        :raises ConfigError: there is no such aggregation or order.
        """
        super().__init__(aggregation, depth)
        if orders not in get_args(Orders):
            raise ConfigError(f"orders cannot be {orders!r}", hint="Choose both or one.")
        self.scorer, self.texts, self.orders, self.sorting = scorer, texts, orders, sorting
        self.cache = cache
        self.on_cost, self.on_progress = on_cost, on_progress
        self.last_pairs: PairwiseRun | None = None
        """The pairwise scores of the last re-ranking, to be written to a file; None where it sorted."""

    def pairs(self, query: Query, doc_ids: Sequence[str]) -> PairwiseScores:
        return self.compared([(query, doc_ids)]).queries[0]

    def compared(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> PairwiseRun:
        """The pairwise scores of the documents of several queries, all compared as one job."""
        kept = self._kept(wanted)
        scores = self._all_pairs(kept)
        found: list[PairwiseScores] = []
        for (query, _), (_, doc_ids, _) in zip(wanted, kept, strict=True):
            size = len(doc_ids)
            matrix = np.full((size, size), np.nan)
            asked = ~np.eye(size, dtype=bool) if self.orders == "both" else np.triu(np.ones((size, size), bool), 1)
            matrix[asked] = next(scores)
            found.append(PairwiseScores(query.id, tuple(doc_ids), matrix, ranked=True))
        return PairwiseRun(tuple(found), {"kind": "model", "model": self.scorer.named, "digest": self.scorer.digest})

    def _all_pairs(self, kept: Sequence[tuple[str, list[str], list[str]]]) -> Iterator[NDArray[np.float64]]:
        """The scores of all pairs of each query, by first and second document: as many queries as one job as have up to
        :data:`PAIR_BATCH_SIZE` pairs, so that memory does not grow with the number of queries."""
        counts = [len(texts) * (len(texts) - 1) // (1 if self.orders == "both" else 2) for _, _, texts in kept]
        whole, done, start = sum(counts), 0, 0
        while start < len(kept):
            stop = start + 1
            while stop < len(kept) and sum(counts[start : stop + 1]) <= PAIR_BATCH_SIZE:
                stop += 1
            inputs: list[tuple[str, ...]] = []
            for question, _, texts in kept[start:stop]:
                for i, first in enumerate(texts):
                    inputs += [
                        (question, first, second) for j, second in enumerate(texts)
                        if i != j and (self.orders == "both" or i < j)
                    ]
            scores = self._scored(inputs, done, whole)
            yield from np.split(scores, np.cumsum(counts[start:stop])[:-1])
            done, start = done + len(inputs), stop

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return self.all_scores([(query, doc_ids)])[0]

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        if self.sorting is not None:
            return self._sorted(wanted, self.sorting)
        found: list[NDArray[np.float64]] = []
        self.last_pairs = self.compared(wanted)
        for (_, doc_ids), pairs in zip(wanted, self.last_pairs.queries, strict=True):
            places = {doc_id: place for place, doc_id in enumerate(doc_ids)}
            scores = np.full(len(doc_ids), np.nan)
            if len(pairs):
                scores[[places[doc_id] for doc_id in pairs.doc_ids]] = aggregated_scores(pairs, self.aggregation)
            found.append(scores)
        return found

    def _sorted(
        self, wanted: Sequence[tuple[Query, Sequence[str]]], sorting: Sorting
    ) -> list[NDArray[np.float64]]:
        kept = self._kept(wanted)
        questions, texts = [one[0] for one in kept], [one[2] for one in kept]
        counts = [len(some) for some in texts]
        expected, done = expected_comparisons(sorting, counts), 0

        def compare(rows: Places) -> NDArray[np.float64]:
            nonlocal done
            inputs = [
                (questions[query], texts[query][first], texts[query][second]) for query, first, second in rows.tolist()
            ]
            scores = self._scored(inputs, done, max(expected, done + len(inputs)))
            done += len(inputs)
            return scores

        found: list[NDArray[np.float64]] = []
        orders = sort_together(sorting, counts, compare)
        for (_, doc_ids), (_, known, _), one in zip(wanted, kept, orders, strict=True):
            places = {doc_id: place for place, doc_id in enumerate(doc_ids)}
            scores = np.full(len(doc_ids), np.nan)
            scores[[places[known[at]] for at in one.order.tolist()]] = np.arange(len(known), 0, -1)
            found.append(scores)
        return found

    def _kept(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[tuple[str, list[str], list[str]]]:
        """Of each query its text, and the ids and texts of the documents that can be read; none without a query."""
        documents = self.texts.documents(doc_id for _, doc_ids in wanted for doc_id in doc_ids)
        found: list[tuple[str, list[str], list[str]]] = []
        for query, doc_ids in wanted:
            question = self.texts.query(query)
            known = [doc_id for doc_id in doc_ids if doc_id in documents] if question.strip() else []
            found.append((question, known, [documents[doc_id] for doc_id in known]))
        return found

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

    def explain(self, query: Query, doc_ids: Sequence[str], doc_id: str) -> Explanation:
        """The score of one of the documents that are compared, and the comparisons that it did best and worst in; of a
        sorting only the place from the end.

        :raises QueryError: it is not among them, or cannot be read.
        """
        if self.sorting is not None:
            scores = dict(zip(doc_ids, self.scores(query, doc_ids).tolist(), strict=True))
            if not scores.get(doc_id, np.nan) > 0:
                raise QueryError(f"the document {doc_id!r} is not compared, or has no text")
            return self._placed(scores[doc_id], self.sorting)
        pairs = self.pairs(query, doc_ids)
        if doc_id not in pairs.doc_ids:
            raise QueryError(f"the document {doc_id!r} is not compared, or has no text")
        score = float(aggregated_scores(pairs, self.aggregation)[pairs.doc_ids.index(doc_id)])
        return self._compared(pairs, doc_id, score, self.scorer.named)

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        if self.sorting is not None:
            return self._placed(float(scores[at]), self.sorting)
        known = {pairs.query_id: pairs for pairs in self.last_pairs.queries} if self.last_pairs is not None else {}
        pairs, scored = known.get(query.id), np.flatnonzero(~np.isnan(scores)).tolist()
        if pairs is None or pairs.doc_ids != tuple(doc_ids[place] for place in scored):
            pairs = self.pairs(query, doc_ids)
        return self._compared(pairs, doc_ids[at], float(scores[at]), self.scorer.named)

    def _placed(self, place: float, sorting: Sorting) -> Explanation:
        words = f"place from the end, sorted by {sorting.name} with comparisons by {self.scorer.named}"
        return Explanation(place, words)

    def describe(self) -> dict[str, Any]:
        sorting = {} if self.sorting is None else {"sorting": self.sorting.name}
        return super().describe() | sorting | {
            "model": self.scorer.named, "digest": self.scorer.digest, "orders": self.orders,
            "query_fields": list(self.texts.query_text.fields), "fields": list(self.texts.text.fields),
            "formulas": self.texts.text.formulas,
        }
