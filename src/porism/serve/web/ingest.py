"""Changes of indexes over the API: documents are added, replaced and deleted; the answer comes after the commit."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import partial
from queue import Empty, SimpleQueue
from threading import Thread
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from pydantic import Field

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.corpus.base import ReaderOptions
from porism.corpus.tables.json_records import Record
from porism.corpus.tables.reader import record_id, to_document
from porism.errors import IndexLocked, PorismError, Problem, QueryError
from porism.index import IndexWriter
from porism.search.sources.indexing import analyze_documents, languages_in, prepare_for_searches
from porism.serve.web import schema
from porism.serve.web.api import PREFIX, Name
from porism.serve.web.guarding import ApiKey, find_key
from porism.serve.web.problems import Refused
from porism.serve.web.requests import Body
from porism.serve.web.served import Library, ServedIndex, ServedTogether
from porism.types import Document

log = logging.getLogger("porism.serve.web")

MAX_BATCH_SIZE = 1_000
"""Requests that wait are committed together, up to so many documents."""

LOCKED_SECONDS = 20.0
"""How long a change waits for another program that writes to the index."""

_LOOK_SECONDS = 0.1


@dataclass(frozen=True, slots=True)
class Change:
    """What one request does to an index, and the promise of its answer."""

    documents: tuple[Document, ...] = ()
    deleted: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    done: Future[schema.Changed] = field(default_factory=Future)


def read_records(records: Sequence[Mapping[str, Any]]) -> Change:
    """The documents of records, whose keys are read as those of a JSONL file.

    :raises QueryError: a record has no id, or two have the same one.
    """
    problems: list[Problem] = []
    documents: dict[str, Document] = {}
    options = ReaderOptions()
    for number, values in enumerate(records):
        where = f"documents[{number}]"
        doc_id = record_id(values, options)
        if not doc_id:
            hint = 'Each needs one: {"id": "…", "title": "…", "body": "…"}.'
            raise QueryError(f"the document {where} has no id", hint=hint)
        if doc_id in documents:
            raise QueryError(f"the document {where} has the id {doc_id[:200]!r} of another document of the request")
        document = to_document(Record(number, values), where, options, problems.append, "api")
        if document is not None:
            documents[doc_id] = document
    return Change(tuple(documents.values()), problems=tuple(problems))


class IndexChanger:
    """Makes the changes of one index, one commit after another, in a thread of its own."""

    def __init__(self, served: ServedIndex) -> None:
        self._served = served
        self._waiting: SimpleQueue[Change | None] = SimpleQueue()
        self._thread = Thread(target=self._work, name=f"changes of {served.name}", daemon=True)
        self._thread.start()

    def change(self, change: Change) -> Future[schema.Changed]:
        """Promises the answer to a change; it comes after the commit, when searches find what was added."""
        self._waiting.put(change)
        return change.done

    def close(self) -> None:
        """Makes what waits, and ends."""
        self._waiting.put(None)
        self._thread.join()

    def _work(self) -> None:
        while (first := self._waiting.get()) is not None:
            together = [first]
            ended = False
            while sum(len(change.documents) for change in together) < MAX_BATCH_SIZE:
                try:
                    following = self._waiting.get_nowait()
                except Empty:
                    break
                if following is None:
                    ended = True
                    break
                together.append(following)
            self._answer(together)
            if ended:
                return

    def _answer(self, waiting: Sequence[Change]) -> None:
        together = [change for change in waiting if change.done.set_running_or_notify_cancel()]  # who asks may be gone
        try:
            answers = self._commit(together)
        except Exception as error:  # the request fails with it, and the next change is made as before
            for change in together:
                change.done.set_exception(error)
            return
        try:
            self._served.refresh()
        except PorismError as error:  # what is committed stays, and is searched when it can be opened
            log.warning("not reopened: %s", error, extra={"index": self._served.name})
        for change, answer in zip(together, answers, strict=True):
            change.done.set_result(answer)

    def _commit(self, together: Sequence[Change]) -> list[schema.Changed]:
        """Makes changes in their order, in one commit.

        :raises Refused: another program writes to the index for too long.
        """
        with self._writer() as writer:
            analyzer = Analyzer(AnalysisConfig.from_dict(writer.config, writer.path), languages_in(writer.path))
            counts = []
            for change in together:
                problems = list(change.problems)
                for batch, skipped in analyze_documents(change.documents, analyzer, 1) if change.documents else ():
                    writer.add(batch)
                    problems += skipped
                counts.append((len(change.documents), writer.delete(change.deleted), problems))
            of_models: list[Problem] = []
            writer.commit(before_publish=partial(prepare_for_searches, on_problem=of_models.append))
            generation = writer.generation
        return [
            schema.Changed(
                index=self._served.name, generation=generation, written=written, deleted=deleted,
                problems=tuple(f"{problem.where}: {problem.what}" for problem in (*problems, *of_models)),
            )
            for written, deleted, problems in counts
        ]

    def _writer(self) -> IndexWriter:
        until = time.monotonic() + LOCKED_SECONDS
        while True:
            try:
                return IndexWriter(self._served.path, create=False)
            except IndexLocked as error:
                if time.monotonic() > until:
                    raise Refused(
                        503, "index_locked", "another program writes to the index",
                        "Nothing was changed; send the request again later.",
                    ) from error
                time.sleep(_LOOK_SECONDS)


class Ingest:
    """Changes of all indexes of a server."""

    def __init__(self, library: Library) -> None:
        self._library = library
        self._changers: dict[str, IndexChanger] = {}

    def change(self, index: str, change: Change) -> Future[schema.Changed]:
        """Promises the answer to a change of an index, of the first where no name is given.

        :raises QueryError: there is no index of this name.
        """
        name = self._library.view(index).name
        if isinstance(served := self._library[name], ServedTogether):
            raise QueryError(
                f"{name!r} is all indexes together: documents are changed in one",
                hint=f"Choose from {', '.join(part.name for part in served.parts)}.",
            )
        if name not in self._changers:
            self._changers[name] = IndexChanger(self._library[name])
        return self._changers[name].change(change)

    def close(self) -> None:
        """Makes all that waits."""
        for changer in self._changers.values():
            changer.close()


MAX_DOCUMENTS = 1_000
"""Documents of one request."""


class DocumentsBody(Body):
    """Documents to be added, or to replace those that have their ids; keys as in a JSONL file."""

    index: str = ""
    documents: list[dict[str, Any]] = Field(min_length=1, max_length=MAX_DOCUMENTS)


Ids = Annotated[list[str], Query(alias="id", min_length=1, max_length=MAX_DOCUMENTS, description="Ids, repeatable.")]


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
