"""The routes of the API that change documents."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field

from porism.serve.web import schema
from porism.serve.web.access import ApiKey, find_key
from porism.serve.web.api import PREFIX, Name
from porism.serve.web.ingest import Change, Ingest, read_records
from porism.serve.web.problems import Refused
from porism.serve.web.requests import Body

MOST_DOCUMENTS = 1_000
"""Documents of one request."""


class DocumentsBody(Body):
    """Documents to be added, or to replace those that have their ids; keys as in a JSONL file."""

    index: str = ""
    documents: list[dict[str, Any]] = Field(min_length=1, max_length=MOST_DOCUMENTS)


Ids = Annotated[list[str], Query(alias="id", min_length=1, max_length=MOST_DOCUMENTS, description="Ids, repeatable.")]


def ingest_router(ingest: Ingest, keys: tuple[ApiKey, ...]) -> Any:
    """The routes, for requests with one of the keys."""
    router = APIRouter(prefix=PREFIX)
    errors: dict[int | str, dict[str, Any]] = {
        400: {"model": schema.ErrorAnswer, "description": "A document has no id, or there is no such index."},
        401: {"model": schema.ErrorAnswer, "description": "The key may not change documents."},
        503: {"model": schema.ErrorAnswer, "description": "Another program writes to the index."},
    }

    def check(request: Request) -> None:
        given = request.headers.get("x-api-key") or request.headers.get("authorization", "").removeprefix("Bearer ")
        if find_key(keys, given) is None:
            raise Refused(
                401, "no_key", "this key may not change documents", "Send a key of the file of --ingest as X-API-Key."
            )

    async def add(request: Request, body: DocumentsBody) -> schema.Changed:
        """Adds documents or replaces them; answers once they are committed and found by searches."""
        check(request)
        change = await asyncio.to_thread(read_records, body.documents)
        return await asyncio.wrap_future(ingest.change(body.index, change))

    async def delete(request: Request, ids: Ids, index: Name = "") -> schema.Changed:
        """Deletes documents; answers once that is committed."""
        check(request)
        return await asyncio.wrap_future(ingest.change(index, Change(deleted=tuple(ids))))

    for method, handler, summary in (("POST", add, "Add or replace documents"), ("DELETE", delete, "Delete documents")):
        router.add_api_route(
            "/documents", handler, methods=[method], response_model=schema.Changed, summary=summary, responses=errors,
            operation_id=f"{handler.__name__}_documents",
        )
    return router
