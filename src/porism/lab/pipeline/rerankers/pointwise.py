"""Re-ranking by a model that reads a query and one document at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, check_count
from porism.lab.pipeline.rerankers.scoring import ScoringReranker
from porism.lab.pipeline.rerankers.texts import RerankedTexts
from porism.types import Query
from porism.vectors.neural.scoring.base import Cost, Scorer, score_texts
from porism.vectors.neural.scoring.cache import ScoreCache


class PointwiseReranker(ScoringReranker):
    """Gives each document the score of a model that reads it together with the query.

    Documents that the index does not have, and those without text, come below the others.
    """

    batch = True

    def __init__(
        self, scorer: Scorer, texts: RerankedTexts, depth: int = DEPTH, *, cache: ScoreCache | None = None,
        on_cost: Callable[[Cost], None] = lambda cost: None,
        on_progress: Callable[[int, int], None] = lambda done, total: None,
    ) -> None:
        """
        :param cache: scores that were computed before, and those computed now: an interrupted run goes on there.
        :param on_cost: receives how much there is to do, before it is done.
        :param on_progress: receives how many pairs are scored of how many.
        :raises QueryError: ``depth`` is below 1.
        """
        self.scorer = scorer
        self.texts = texts
        self.depth = check_count(depth, "the depth")
        self.cache = cache
        self.on_cost, self.on_progress = on_cost, on_progress

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return self.all_scores([(query, doc_ids)])[0]

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        documents = self.texts.documents(doc_id for _, doc_ids in wanted for doc_id in doc_ids)
        found = [np.full(len(doc_ids), np.nan) for _, doc_ids in wanted]
        inputs: list[tuple[str, ...]] = []
        places: list[tuple[int, int]] = []
        for number, (query, doc_ids) in enumerate(wanted):
            text = self.texts.query(query)
            for at, doc_id in enumerate(doc_ids):
                if text.strip() and doc_id in documents:  # a query without text says nothing about documents
                    inputs.append((text, documents[doc_id]))
                    places.append((number, at))
        scores = score_texts(
            self.scorer, inputs, cache=self.cache, on_cost=self.on_cost, on_progress=self.on_progress
        )
        for (number, at), score in zip(places, scores.tolist(), strict=True):
            found[number][at] = score
        return found

    def explain(self, query: Query, doc_id: str) -> Explanation:
        """The score of a document, and how much of both texts the model read.

        :raises QueryError: the index does not have the document, or it has no text.
        """
        documents = self.texts.documents([doc_id])
        if doc_id not in documents:
            raise QueryError(f"the document {doc_id!r} is not in the index or has no text")
        texts = (self.texts.query(query), documents[doc_id])
        (score,) = score_texts(self.scorer, [texts], cache=self.cache).tolist()
        return self._read(score, texts)

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        doc_id = doc_ids[at]
        return self._read(float(scores[at]), (self.texts.query(query), self.texts.documents([doc_id])[doc_id]))

    def _read(self, score: float, texts: tuple[str, str]) -> Explanation:
        read = self.scorer.read_lengths(texts)
        words = ", ".join(
            f"{count:,} of {of:,} tokens of the {what}"
            for what, (count, of) in zip(("query", "document"), read, strict=True)
        )
        return Explanation(score, f"{self.scorer.what} of {self.scorer.named}, which read {words}")

    def describe(self) -> dict[str, Any]:
        return {
            "kind": type(self).__name__, "model": self.scorer.named, "digest": self.scorer.digest,
            "query_fields": list(self.texts.query_text.fields), "fields": list(self.texts.text.fields),
            "formulas": self.texts.text.formulas,
        }
