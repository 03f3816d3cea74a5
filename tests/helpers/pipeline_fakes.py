"""Retrievers and rerankers whose every answer is given, and a clock that only they move."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from porism.lab.pipeline import ScoringReranker
from porism.runs.run import Run
from porism.types import Content, Query


class Clock:
    """Seconds that pass only when somebody says so."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class Fixed:
    """A retriever of given rankings; it keeps what it was asked, and each query takes ``seconds`` of the clock."""

    def __init__(
        self, results: Mapping[str, Mapping[str, float]], name: str = "fixed", clock: Clock | None = None,
        seconds: float = 0.0,
    ) -> None:
        self.results = results
        self.name = name
        self.clock = clock or Clock()
        self.seconds = seconds
        self.asked: list[tuple[tuple[str, ...], int]] = []

    def search(self, queries: Iterable[Query], k: int = 1000) -> Run:
        ids = tuple(query.id for query in queries)
        self.asked.append((ids, k))
        self.clock.now += self.seconds * len(ids)
        return Run({query_id: self.results.get(query_id, {}).items() for query_id in ids}, "own name").top(k)


class Given(ScoringReranker):
    """A reranker of given scores, NaN for documents that have none; it keeps what it was given."""

    def __init__(
        self, given: Mapping[str, float], depth: int = 100, clock: Clock | None = None, seconds: float = 0.0
    ) -> None:
        self.given = given
        self.depth = depth
        self.clock = clock or Clock()
        self.seconds = seconds
        self.asked: list[tuple[str, tuple[str, ...]]] = []

    def scores(self, query: Query, doc_ids: Sequence[str]) -> NDArray[np.float64]:
        self.asked.append((query.id, tuple(doc_ids)))
        self.clock.now += self.seconds
        return np.array([self.given.get(doc_id, np.nan) for doc_id in doc_ids])


def queries(*ids: str) -> list[Query]:
    return [Query(query_id, {"query": Content("words")}) for query_id in ids]


def order(run: Run, query_id: str) -> list[str]:
    return [doc_id for doc_id, _ in run[query_id]]
