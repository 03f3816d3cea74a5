"""The routes by which an index is searched together with others: what a shard says, and what it finds."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import MISSING, fields
from typing import Any, get_type_hints

from fastapi import APIRouter
from pydantic import Field, create_model

from porism.errors import QueryError
from porism.serve.shards.bounds import check_bounds
from porism.serve.shards.formula_requests import MAX_FORMULA_DEPTH, REQUESTS, FormulaHitsRequest, FormulasRequest
from porism.serve.shards.requests import (
    CandidatesRequest,
    DocumentTermsRequest,
    FrequenciesRequest,
    GroupsRequest,
    HitsRequest,
    LinksRequest,
    PatternsRequest,
    PlacesRequest,
    Request,
    ScoresRequest,
    TextsRequest,
)
from porism.serve.shards.shard import IndexShard
from porism.serve.shards.values import ShardQuestion
from porism.serve.web import schema
from porism.serve.web.api import PREFIX, Api
from porism.serve.web.parts import check_formulas
from porism.serve.web.requests import Body
from porism.serve.web.settings import Limits
from porism.types import Formula

MAX_THREADS = 20_000
"""Threads of one request."""


MAX_SCORED = 1_000
"""Documents of one request that are scored."""

MAX_TERMS = 20_000
"""Terms of one request that are counted."""


class IndexBody(Body):
    """Which index is meant; the first one where it is left out."""

    index: str = ""


class ShardRoutes:
    """The handlers: each asks the shard that an index is."""

    def __init__(self, api: Api, limits: Limits) -> None:
        self._api, self._limits = api, limits

    def _shard(self, index: str) -> IndexShard:
        view = self._api.view(index)
        if view.federated is not None:
            raise QueryError(
                f"{view.name!r} has indexes of other servers: it is not a shard", hint="Name one index of this server."
            )
        return view.shard

    def _check(self, question: ShardQuestion) -> None:
        """Checks that a question is within the limits.

        :raises QueryError: it is beyond them, or cannot be read.
        """
        read = question.read()
        content = read.query.content
        limits = self._limits
        if len(content.to_latex()) > limits.question_characters or len(read.conditions) > limits.formulas:
            raise QueryError(
                "the question is too long", hint=f"Ask with at most {limits.question_characters:,} characters."
            )
        check_formulas(content.formulas, limits)

    def _check_formulas(self, formulas: Sequence[Formula]) -> None:
        """Checks that query formulas are within the limits.

        :raises QueryError: they are beyond them.
        """
        limits = self._limits
        if sum(len(formula.source) for formula in formulas) > limits.question_characters:
            raise QueryError(
                "the formulas are too long", hint=f"Ask with at most {limits.question_characters:,} characters."
            )
        check_formulas(tuple(formulas), limits)

    def answer(self, request: Request[Any], index: str) -> Any:
        """The answer of the shard that an index is.

        :raises QueryError: the request is beyond the limits, or cannot be read.
        """
        shard, limits = self._shard(index), self._limits
        check_bounds(request)
        if (question := getattr(request, "question", None)) is not None:
            self._check(question)
        if (formulas := getattr(request, "formulas", None)) is not None:
            self._check_formulas(formulas)
        if (statistics := getattr(request, "statistics", None)) is not None:
            statistics.check()
        if isinstance(request, (FormulasRequest, CandidatesRequest)):
            most = MAX_FORMULA_DEPTH if isinstance(request, FormulasRequest) else limits.depth
            if not 1 <= request.depth <= most:
                raise QueryError(f"the depth is {request.depth:,}", hint=f"Ask for the first 1 to {most:,} results.")
        if isinstance(request, (PatternsRequest, PlacesRequest)):
            least = 0 if isinstance(request, PlacesRequest) else 1
            if not least <= request.k <= limits.results:
                raise QueryError(f"k is {request.k:,}", hint=f"Ask for {least} to {limits.results:,} results.")
        for kinds, name, most in (
            ((HitsRequest, DocumentTermsRequest, TextsRequest), "ids", limits.results),
            ((ScoresRequest, GroupsRequest), "ids", MAX_SCORED), (FormulaHitsRequest, "asked", limits.results),
            (FrequenciesRequest, "terms", MAX_TERMS), (LinksRequest, "threads", MAX_THREADS),
            (LinksRequest, "asked", MAX_THREADS),
        ):
            if isinstance(request, kinds) and (count := len(getattr(request, name))) > most:
                raise QueryError(f"the request has {count:,} {name}", hint=f"Send at most {most:,} at once.")
        return shard.ask(request)


def shard_router(routes: ShardRoutes) -> Any:
    """The routes."""
    router = APIRouter(prefix=f"{PREFIX}/shard")
    errors: dict[int | str, dict[str, Any]] = {
        400: {"model": schema.ErrorAnswer, "description": "The question or the statistics cannot be used."},
        404: {"model": schema.ErrorAnswer, "description": "There is no such index."},
        409: {"model": schema.ErrorAnswer, "description": "The index has a newer commit: begin again."},
    }
    for request in REQUESTS:
        handler = _handler(routes, request)
        router.add_api_route(
            f"/{request.step}", handler, methods=["POST"], response_model=request.answer, summary=request.summary,
            description=request.__doc__, responses=errors, operation_id=handler.__name__,
        )
    return router


def _handler(routes: ShardRoutes, request: type[Request[Any]]) -> Callable[..., Any]:
    """What answers one step: the body of its requests has the fields of the type, and the name of the index."""
    types = get_type_hints(request)
    named: dict[str, Any] = {
        field.name: (
            types[field.name],
            Field(default_factory=field.default_factory) if field.default_factory is not MISSING
            else ... if field.default is MISSING else field.default,
        )
        for field in fields(request)  # type: ignore[arg-type]
    }
    body_type = create_model(f"{request.__name__}Body", __base__=IndexBody, **named)

    def handle(body: Any) -> Any:
        return routes.answer(request(**{name: getattr(body, name) for name in named}), body.index)

    handle.__annotations__["body"] = body_type
    handle.__name__ = f"shard_{request.step}"
    return handle
