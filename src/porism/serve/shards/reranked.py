"""Answers of several indexes, here or on servers, whose first results were re-ranked by what their documents say."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from porism.index import Filters
from porism.lab.pipeline.answering import SEARCH
from porism.lab.pipeline.protocols import Reranker, check_count
from porism.lab.pipeline.rerankers.explaining import Reranked, depth_of, rerank_explained
from porism.lab.pipeline.rerankers.texts import GivenDocuments
from porism.runs.run import Run
from porism.search.answers import Hit, StageScore
from porism.serve.shards.federated import FederatedAnswer, FederatedIndex
from porism.types import Document, Query


def answer_reranked_together(
    together: FederatedIndex, documents: GivenDocuments, question: str, rerankers: Sequence[Reranker], k: int = 10, *,
    filters: Filters | None = None, relevant: Iterable[str] = (), not_relevant: Iterable[str] = (),
    explain: bool = False,
) -> FederatedAnswer:
    """The answer to a question as :meth:`FederatedIndex.search` gives it, with its first results re-ranked here by one
    reranker after another, each to its own ``depth``.

    Whole documents are fetched from their shards; what the rerankers take themselves is no part of the time of a shard.
    Hits have stages and explanations as those of :func:`porism.lab.pipeline.answering.answer_reranked`.

    :param documents: where the rerankers read, as it was given to them when they were made; holds those of the last
        question.
    :raises QueryError: as :meth:`FederatedIndex.search`.
    :raises ConfigError: as :meth:`FederatedIndex.search`, or a model cannot score.
    :raises ShardsMissing: no shard answers.
    """
    done: list[Reranked] = []
    first: list[Run] = []

    def reorder(query: Query, run: Run, found: Mapping[str, Document]) -> Run:
        documents.found = found
        done.clear()
        first[:] = [run]
        for reranker in rerankers:
            done.append(rerank_explained(reranker, query, done[-1].run if done else run))
        return done[-1].run if done else run

    fetched = max(check_count(k, "k"), *map(depth_of, rerankers), 1)
    answer = together.search(
        question, k, depth=fetched, filters=filters, explain=explain, relevant=relevant, not_relevant=not_relevant,
        reorder=reorder,
    )
    (query_id,) = first[0]
    names = [SEARCH, *(stage.name for stage in done)]
    found = [dict(run[query_id]) for run in (*first, *(stage.run for stage in done))]
    ranks = [{doc_id: rank for rank, doc_id in enumerate(scores, 1)} for scores in found]

    def reranked(hit: Hit) -> Hit:
        reasons = [hit.explanation, *(stage.explain(hit.id) if explain else None for stage in done)]
        stages = tuple(
            StageScore(name, places[hit.id], scores[hit.id], reason)
            for name, places, scores, reason in zip(names, ranks, found, reasons, strict=True)
        )
        return replace(hit, stages=stages, explanation=stages[-1].explanation)

    return replace(answer, hits=tuple(map(reranked, answer.hits)))
