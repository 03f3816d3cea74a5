"""Re-ranking by a language model that writes the order of several documents."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import Problem, pluralise
from porism.explanation import Explanation
from porism.lab.pipeline.protocols import DEPTH, Reranker
from porism.lab.pipeline.rerankers.model_kinds import ModelKind, ModelSettings, texts_for, tuned
from porism.lab.pipeline.rerankers.pointwise import TextReranker
from porism.lab.pipeline.rerankers.scoring import placed
from porism.lab.pipeline.rerankers.texts import DocumentSource, RerankedTexts
from porism.settings import SettingError
from porism.types import Query
from porism.vectors.neural.scoring.listwise import ListRanker


class ListwiseReranker(TextReranker):
    """Slides a window from the end of the results to their beginning; a language model orders the documents in each
    (RankGPT: Sun et al. 2023). The score of a document is its place from the end.

    The windows of all queries at one place are one batch. An answer that is malformed changes the order as far as it
    can be read, and never loses a document; how many there were is reported.
    """

    def __init__(
        self, ranker: ListRanker, texts: RerankedTexts, depth: int = DEPTH, *, window: int = 20, step: int = 10
    ) -> None:
        """
        :param window: documents that the model reads at once; ``step``: by how many the window moves.
        :raises QueryError: ``depth`` is below 1.
        """
        super().__init__(ranker.named, ranker.digest, texts, depth)
        self.ranker, self.window, self.step = ranker, window, step

    def all_scores(self, wanted: Sequence[tuple[Query, Sequence[str]]]) -> list[NDArray[np.float64]]:
        read = self.read(wanted)
        documents = [dict(zip(part.doc_ids, part.texts, strict=True)) for part in read]
        orders = [part.doc_ids for part in read]
        before = self.ranker.malformed
        places = [self.windows(len(order)) for order in orders]
        rounds = max(map(len, places), default=0)
        for number in range(rounds):
            asked = [at for at, of_query in enumerate(places) if number < len(of_query)]
            spans = [places[at][number] for at in asked]
            windows = [
                (read[at].question, tuple(documents[at][doc_id] for doc_id in orders[at][first:last]))
                for at, (first, last) in zip(asked, spans, strict=True)
            ]
            if number == 0:
                self.on_cost(self.ranker.cost(windows, sum(map(len, places)), self.cache))
            for at, (first, last), answer in zip(asked, spans, self.ranker.rank(windows, self.cache), strict=True):
                orders[at][first:last] = [orders[at][first + place] for place in answer]
            self.on_progress(number + 1, rounds)
        self._report(self.ranker.malformed - before)
        return [
            placed(doc_ids, order, range(len(order), 0, -1)) for order, (_, doc_ids) in zip(orders, wanted, strict=True)
        ]

    def windows(self, count: int) -> list[tuple[int, int]]:
        """Where the windows over so many documents begin and end, from the last to the first."""
        if count < 2:
            return []
        windows = [(max(0, count - self.window), count)]
        while windows[-1][0] > 0:
            first = max(0, windows[-1][0] - self.step)
            windows.append((first, first + self.window))
        return windows

    def _report(self, malformed: int) -> None:
        if malformed and self.texts.on_problem is not None:
            self.texts.on_problem(Problem(
                "re-ranking",
                f"{pluralise(malformed, 'answer')} of {self.named} did not name each document once: the others "
                "keep their order",
            ))

    def reason(self, query: Query, doc_ids: Sequence[str], scores: NDArray[np.float64], at: int) -> Explanation:
        windows = pluralise(len(self.windows(int(np.count_nonzero(~np.isnan(scores))))), "window")
        return Explanation(float(scores[at]), f"place from the end, as {self.named} orders {windows}")

    def describe(self) -> dict[str, Any]:
        return super().describe() | {"window": self.window, "step": self.step}


@dataclass(frozen=True, slots=True)
class ListwiseSettings(ModelSettings):
    """Documents have the place that a causal language model gives them.

    :param window: documents that it reads at once; ``step``: by how many the window moves.
    """

    window: int = 20
    step: int = 10

    def __post_init__(self) -> None:
        ModelSettings.__post_init__(self)
        if self.window < 2:
            raise SettingError(f"window cannot be {self.window}", path=("window",), hint="2 documents or more.")
        if not 1 <= self.step <= self.window:
            raise SettingError(
                f"step cannot be {self.step}", path=("step",), hint=f"From 1 to the window of {self.window}."
            )


def _listwise(index: DocumentSource, settings: ListwiseSettings, depth: int) -> Reranker:
    ranker = ListRanker(
        settings.model, length=settings.length, device=settings.device, precision=settings.precision,
        index_path=index.folder,
    )
    reranker = ListwiseReranker(ranker, texts_for(index, settings), depth, window=settings.window, step=settings.step)
    return tuned(reranker, settings)


LISTWISE_KIND: ModelKind[ListwiseSettings] = ModelKind("listwise", ListwiseSettings, _listwise)
