"""The routes by which an index is searched together with others: what a shard says, and what it finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter
from pydantic import BaseModel, Field

from porism.errors import QueryError
from porism.search.shards.shard import IndexShard
from porism.search.shards.values import (
    ShardCandidates,
    ShardCollection,
    ShardHits,
    ShardLinks,
    ShardQuestion,
    ShardStatistics,
    WholeStatistics,
)
from porism.web import schema
from porism.web.api import PREFIX, Api
from porism.web.settings import Limits

MOST_THREADS = 20_000
"""Threads of one request."""


class IndexBody(BaseModel):
    """Which index is meant; the first one where it is left out."""

    index: str = ""


class StatisticsBody(IndexBody):
    """A question whose terms are to be counted."""

    question: ShardQuestion


class CandidatesBody(StatisticsBody):
    """A question with the statistics of the whole collection; ``generation`` is the commit that they are of."""

    statistics: WholeStatistics
    depth: int = Field(ge=1)
    generation: int


class LinksBody(IndexBody):
    """Threads whose links are wanted, and others of which the shard may have documents."""

    threads: tuple[str, ...] = Field((), max_length=MOST_THREADS)
    asked: tuple[str, ...] = Field((), max_length=MOST_THREADS)
    generation: int


class HitsBody(StatisticsBody):
    """Documents that are to be shown."""

    statistics: WholeStatistics
    ids: tuple[str, ...]
    explain: bool = False
    generation: int


class ShardRoutes:
    """The handlers: each asks the shard that an index is."""

    def __init__(self, api: Api, limits: Limits) -> None:
        self._api, self._limits = api, limits

    def _shard(self, body: IndexBody) -> IndexShard:
        view = self._api.view(body.index)
        if view.federated is not None:
            raise QueryError(
                f"{view.name!r} has indexes of other servers: it is no shard", hint="Name one index of this server."
            )
        return view.shard

    def _checked(self, question: ShardQuestion) -> ShardQuestion:
        """A question within the limits.

        :raises QueryError: it is beyond them, or cannot be read.
        """
        content = question.read().query.content
        limits = self._limits
        if len(content.to_latex()) > limits.question_characters or len(question.conditions) > limits.formulas:
            raise QueryError(
                "the question is too long", hint=f"Ask with at most {limits.question_characters:,} characters."
            )
        if len(content.formulas) > limits.formulas:
            raise QueryError(
                f"the question has {len(content.formulas)} formulas", hint=f"Ask with at most {limits.formulas}."
            )
        return question

    def shard_collection(self, body: IndexBody) -> ShardCollection:
        """What the shard has, and how it makes terms."""
        return self._shard(body).collection()

    def shard_statistics(self, body: StatisticsBody) -> ShardStatistics:
        """How often what a question names is in the shard."""
        return self._shard(body).statistics(self._checked(body.question))

    def shard_candidates(self, body: CandidatesBody) -> ShardCandidates:
        """What the shard finds for a question, scored by the statistics of the whole collection."""
        if body.depth > self._limits.depth:
            raise QueryError(
                f"the depth is {body.depth:,}", hint=f"Ask for the first {self._limits.depth:,} documents at most."
            )
        return self._shard(body).candidates(
            self._checked(body.question), body.statistics, body.depth, body.generation
        )

    def shard_links(self, body: LinksBody) -> ShardLinks:
        """Links between threads that the shard's documents name."""
        return self._shard(body).links(body.threads, body.asked, body.generation)

    def shard_hits(self, body: HitsBody) -> ShardHits:
        """What is shown of documents."""
        if len(body.ids) > self._limits.results:
            raise QueryError(
                f"{len(body.ids)} documents are asked for", hint=f"Ask for at most {self._limits.results} at once."
            )
        return self._shard(body).hits(
            self._checked(body.question), body.statistics, body.ids, body.explain, body.generation
        )


def shard_router(routes: ShardRoutes) -> Any:
    """The routes."""
    router = APIRouter(prefix=f"{PREFIX}/shard")
    errors: dict[int | str, dict[str, Any]] = {
        400: {"model": schema.ErrorAnswer, "description": "The question or the statistics cannot be used."},
        404: {"model": schema.ErrorAnswer, "description": "There is no such index."},
        409: {"model": schema.ErrorAnswer, "description": "The index has a newer commit: begin again."},
    }
    handlers: tuple[tuple[str, Callable[..., Any], type[Any], str], ...] = (
        ("collection", routes.shard_collection, ShardCollection, "What a shard has"),
        ("statistics", routes.shard_statistics, ShardStatistics, "Count what a question names"),
        ("candidates", routes.shard_candidates, ShardCandidates, "Search by given statistics"),
        ("links", routes.shard_links, ShardLinks, "Links of threads"),
        ("hits", routes.shard_hits, ShardHits, "Show documents of a shard"),
    )
    for path, handler, model, summary in handlers:
        router.add_api_route(
            f"/{path}", handler, methods=["POST"], response_model=model, summary=summary, responses=errors,
            operation_id=handler.__name__,
        )
    return router
