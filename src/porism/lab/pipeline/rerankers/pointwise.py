"""Re-ranking by models that read texts now; the simplest reads a query and one document at once."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, check_count
from porism.lab.pipeline.rerankers.scoring import ScoringReranker, placed
from porism.lab.pipeline.rerankers.texts import RerankedTexts
from porism.types import Query
from porism.vectors.neural.scoring.base import Cost, Scorer, score_texts
from porism.vectors.neural.scoring.cache import ScoreCache


class ReadTexts(NamedTuple):
    """The text of a query, and the ids and texts of those of its documents that can be read."""

    question: str
    doc_ids: list[str]
    texts: list[str]


class TextReranker(ScoringReranker):
    """Gives documents the scores of a model that reads their texts.

    Documents that the index does not have, and those without text, come below the others.
    """

    batch = True

    def __init__(self, named: str, digest: str, texts: RerankedTexts, depth: int = DEPTH) -> None:
        """
        :param named: the model, and the ``digest`` of all on which its scores depend.
        :raises QueryError: ``depth`` is below 1.
        """
        self.named, self.digest, self.texts = named, digest, texts
        self.depth = check_count(depth, "the depth")
        self.cache: ScoreCache | None = None
        """Scores that were computed before, and those computed now: an interrupted run goes on there."""
        self.on_cost: Callable[[Cost], None] = lambda cost: None
        """Receives how much there is to do, before it is done."""
        self.on_progress: Callable[[int, int], None] = lambda done, total: None
        """Receives how much is done of how much."""

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        return self.all_scores([(query, doc_ids)])[0]

    @abstractmethod
    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]: ...

    def read(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[ReadTexts]:
        """What the model reads for each query; a query without text has no documents, of which it says nothing."""
        documents = self.texts.documents(doc_id for _, doc_ids in wanted for doc_id in doc_ids)
        read: list[ReadTexts] = []
        for query, doc_ids in wanted:
            question = self.texts.query(query)
            known = [doc_id for doc_id in doc_ids if doc_id in documents] if question.strip() else []
            read.append(ReadTexts(question, known, [documents[doc_id] for doc_id in known]))
        return read

    def describe(self) -> dict[str, Any]:
        return super().describe() | {
            "model": self.named, "digest": self.digest, "query_fields": list(self.texts.query_text.fields),
            "fields": list(self.texts.text.fields), "formulas": self.texts.text.formulas,
        }


class PointwiseReranker(TextReranker):
    """Gives each document the score of a model that reads it together with the query."""

    def __init__(self, scorer: Scorer, texts: RerankedTexts, depth: int = DEPTH) -> None:
        """See :class:`TextReranker`."""
        super().__init__(scorer.named, scorer.digest, texts, depth)
        self.scorer = scorer

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        read = self.read(wanted)
        inputs = [(part.question, text) for part in read for text in part.texts]
        scores = iter(score_texts(
            self.scorer, inputs, cache=self.cache, on_cost=self.on_cost, on_progress=self.on_progress
        ).tolist())
        return [
            placed(doc_ids, part.doc_ids, list(islice(scores, len(part.doc_ids))))
            for (_, doc_ids), part in zip(wanted, read, strict=True)
        ]

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        doc_id = doc_ids[at]
        read = self.scorer.read_lengths((self.texts.query(query), self.texts.documents([doc_id])[doc_id]))
        words = ", ".join(
            f"{count:,} of {of:,} tokens of the {text}"
            for text, (count, of) in zip(("query", "document"), read, strict=True)
        )
        return Explanation(float(scores[at]), f"{self.scorer.what} of {self.named}, which read {words}")
