"""A client of the REST API: each route is a method that returns a value of the schema.

::

    from porism.serve.web.client import Client

    with Client("http://127.0.0.1:8470") as client:
        for hit in client.search("why does $\\\\sum 1/n^2$ converge?").hits:
            print(hit.rank, hit.id)
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar

from porism.errors import PorismError, QueryError
from porism.extras import need
from porism.search.grouping import Grouping
from porism.serve.shards.bounds import check_bounds
from porism.serve.shards.requests import A, Request
from porism.serve.web import document_schema, run_schema, schema
from porism.version import __version__

if TYPE_CHECKING:
    import httpx

Filters = Mapping[str, str | Sequence[str]]
Model = TypeVar("Model", bound=schema.Model)

PREFIX = "/api/v1"

MAX_ADDRESS_BYTES = 4_000
"""Longer questions are sent as a body."""

MAX_WAIT = 30.0
"""A request that comes too often waits for so long at most, in seconds."""

MAX_BYTES = 64_000_000
"""A longer answer is not read."""

_AGAIN = frozenset({429, 503})


class ApiError(PorismError):
    """What a server says is wrong: ``status`` is that of HTTP (0 where no server answered), ``code`` is stable."""

    def __init__(self, what: str, *, status: int = 0, code: str = "", hint: str | None = None) -> None:
        super().__init__(what.rstrip("."), hint=hint)
        self.status, self.code = status, code


class Client:
    """The API of a server by its address; keeps connections open, and can be used by several threads."""

    def __init__(
        self, address: str = "http://127.0.0.1:8470", *, key: str | None = None, index: str = "", seconds: float = 30.0,
        tries: int = 3, transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Connects when it is first used.

        :param key: the API key, where the server demands one.
        :param index: the index that methods mean where they name none; empty for the server's first.
        :param seconds: how long a request may take.
        :param tries: how often a request is sent where the server is busy or asked too often.
        :param transport: what sends requests, in place of the network.
        :raises MissingExtra: httpx is not installed.
        """
        library = need("httpx", "web", "the client of the API")
        # not compressed: a few bytes could become more than the memory
        headers = {"User-Agent": f"porism/{__version__}", "Accept-Encoding": "identity"}
        if key is not None:
            headers["X-API-Key"] = key
        self.index, self.seconds, self._tries = index, seconds, max(1, tries)
        self.address = address.rstrip("/")
        self._unreachable: type[Exception] = library.HTTPError
        self._http: httpx.Client = library.Client(
            base_url=self.address + PREFIX, headers=headers, timeout=seconds, transport=transport
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def search(
        self, question: str, k: int = 10, *, page: int = 1, filters: Filters | None = None, sort: str = "relevance",
        rerank: str = "", explain: bool = False, group_by: Grouping = "", group: str = "", correct: bool = False,
        model: str = "", index: str | None = None,
    ) -> schema.SearchResults:
        """A page of the documents that answer a question.

        :raises ApiError: the question cannot be asked, or the server cannot be reached; so all methods do.
        """
        settings = {
            "sort": sort, "rerank": rerank, "explain": explain, "group_by": group_by, "group": group,
            "correct": correct, "model": model,
        }
        return self._ask("/search", schema.SearchResults, question, k, page, filters, index, **settings)

    def formulas(
        self, question: str, k: int = 10, *, page: int = 1, filters: Filters | None = None,
        match: Literal["any", "renamed", "identical", "equal"] = "any", explain: bool = True, index: str | None = None,
    ) -> schema.FormulaResults:
        """A page of the formulas that answer one."""
        return self._ask(
            "/formulas", schema.FormulaResults, question, k, page, filters, index, match=match, explain=explain
        )

    def patterns(
        self, pattern: str, k: int = 10, *, filters: Filters | None = None, directed: bool = False,
        index: str | None = None,
    ) -> schema.PatternResults:
        """The smallest statements that match a pattern, and how many do."""
        asked = {"q": pattern, "k": k, "filter": _pairs(filters), "directed": directed}
        return self._get("/patterns", schema.PatternResults, index, **asked)

    def explained(
        self, question: str, k: int = 10, *, page: int = 1, filters: Filters | None = None, index: str | None = None
    ) -> Iterator[schema.SearchResults | schema.Explained]:
        """The results of a search as soon as they are there, and then the explanation of each hit as it is made."""
        orjson = need("orjson", "web", "the client of the API")
        parameters = self._parameters(index, q=question, k=k, page=page, filter=_pairs(filters))
        try:
            with self._http.stream("GET", "/search/stream", params=parameters) as answer:
                for line in _lines(answer):
                    if answer.status_code != 200:
                        raise _error(answer.status_code, line)
                    event = orjson.loads(line)
                    if event["event"] == "results":
                        yield schema.SearchResults.model_validate(event["results"])
                    elif event["event"] == "explanation":
                        yield schema.Explained.model_validate(event["explanation"])
        except self._unreachable as error:
            raise self._not_reached(error) from error

    def export(
        self, question: str, form: Literal["bibtex", "csv", "json"] = "json", k: int = 100, *,
        filters: Filters | None = None, sort: str = "relevance", group_by: Grouping = "", model: str = "",
        index: str | None = None,
    ) -> str:
        """The results of a search as the text of a file."""
        asked = self._parameters(
            index, q=question, format=form, k=k, filter=_pairs(filters), sort=sort, group_by=group_by,
            model=model,
        )
        return self._request("GET", "/export", params=asked).decode()

    def explain(
        self, question: str, doc_id: str, *, filters: Filters | None = None, rerank: str = "", model: str = "",
        index: str | None = None,
    ) -> schema.Explained:
        """Why a document has its score for a question."""
        asked = {"q": question, "id": doc_id, "filter": _pairs(filters), "rerank": rerank, "model": model}
        return self._get("/explain", schema.Explained, index, **asked)

    def question(self, question: str, *, index: str | None = None) -> schema.QuestionView:
        """How a question is read."""
        return self._get("/question", schema.QuestionView, index, q=question)

    def parse(self, formula: str) -> schema.ParsedFormula:
        """How a formula is read, in all notations."""
        return self._get("/parse", schema.ParsedFormula, "", formula=formula)

    def convert(
        self, formula: str, to: Literal["latex", "mathml", "unicode", "spoken", "operators", "layout"] = "mathml"
    ) -> schema.Converted:
        """A formula in another notation."""
        return self._get("/convert", schema.Converted, "", formula=formula, to=to)

    def equal(self, first: str, second: str) -> schema.Equality:
        """Whether two formulas are equal."""
        return self._get("/equal", schema.Equality, "", first=first, second=second)

    def occurrences(
        self, formula: str = "", k: int = 10, *, key: str = "", page: int = 1, filters: Filters | None = None,
        index: str | None = None,
    ) -> schema.Occurrences:
        """A page of the documents that have a formula, named by its text or by its ``key``."""
        asked = {"formula": formula, "key": key, "k": k, "page": page, "filter": _pairs(filters)}
        return self._get("/occurrences", schema.Occurrences, index, **asked)

    def document(self, doc_id: str, question: str = "", *, index: str | None = None) -> document_schema.DocumentView:
        """A document; what matches a question is marked, where one is given."""
        return self._get("/document", document_schema.DocumentView, index, id=doc_id, q=question)

    def similar(self, doc_id: str, k: int = 10, *, index: str | None = None) -> document_schema.Similar:
        """The documents that are most like one."""
        return self._get("/similar", document_schema.Similar, index, id=doc_id, k=k)

    def relations(self, doc_id: str, k: int = 10, *, index: str | None = None) -> document_schema.RelationsView:
        """What a document is related to: what it uses, what uses it, and its counterparts."""
        return self._get("/relations", document_schema.RelationsView, index, id=doc_id, k=k)

    def compare(self, left: str, right: str, *, index: str | None = None) -> document_schema.ComparisonView:
        """Two documents, and what they have in common."""
        return self._get("/compare", document_schema.ComparisonView, index, left=left, right=right)

    def facets(self, question: str, *, filters: Filters | None = None, index: str | None = None) -> schema.FacetList:
        """How often the values of metadata are among the results of a question."""
        return self._get("/facets", schema.FacetList, index, q=question, filter=_pairs(filters))

    def suggest(self, question: str, k: int = 8, *, index: str | None = None) -> schema.Completions:
        """Completions of a question."""
        return self._get("/suggest", schema.Completions, index, q=question, k=k)

    def runs(self, *, baseline: str = "", measures: Sequence[str] = ()) -> run_schema.RunList:
        """The runs that a server shows, by their measures."""
        return self._get("/runs", run_schema.RunList, "", baseline=baseline, measures=", ".join(measures))

    def run(self, name: str, *, against: str = "", measures: Sequence[str] = ()) -> run_schema.RunTopics:
        """A run topic by topic, and its differences from another one."""
        return self._get("/run", run_schema.RunTopics, "", name=name, against=against, measures=", ".join(measures))

    def run_topic(self, name: str, topic: str, *, against: str = "", page: int = 1) -> run_schema.RunRanking:
        """A page of the ranking that a run has for a topic."""
        return self._get("/run/topic", run_schema.RunRanking, "", name=name, topic=topic, against=against, page=page)

    def add(self, documents: Iterable[Mapping[str, Any]], *, index: str | None = None) -> schema.Changed:
        """Adds documents, or replaces those that have their ids; returns once that is committed.

        Each is a mapping as a line of a JSONL file: ``id``, ``title``, ``body``, ``tags``, …; the key must be one that
        may change documents.
        """
        named = self.index if index is None else index
        body = {"index": named, "documents": [dict(document) for document in documents]}
        return self._send("POST", "/documents", schema.Changed, json=body)

    def delete(self, ids: Iterable[str], *, index: str | None = None) -> schema.Changed:
        """Deletes documents; returns once that is committed."""
        return self._send("DELETE", "/documents", schema.Changed, params=self._parameters(index, id=list(ids)))

    def indexes(self) -> tuple[schema.IndexView, ...]:
        """The indexes that are served."""
        return self.health().indexes

    def health(self) -> schema.Health:
        """The version of the server, and its indexes."""
        return self._get("/health", schema.Health, "")

    def shard(self, request: Request[A], *, index: str | None = None) -> A:
        """What an index answers as a shard of a larger collection; the steps of a search of several are
        :class:`porism.serve.shards.federated.FederatedIndex`'s.

        An answer that is too slow, too large or no answer at all is an error.

        :raises ApiError: with the code ``no_answer``, ``too_slow``, ``too_large``, ``no_sense``, or one of the server.
        """
        adapter: Any = need("pydantic", "web", "the client of the API").TypeAdapter(request.answer)
        response, content = self._answer(
            "POST", f"/shard/{request.step}",
            json={"index": self.index if index is None else index, **asdict(request)},  # type: ignore[call-overload]
        )
        if response.status_code != 200:
            raise _error(response.status_code, content)
        try:
            answer: A = adapter.validate_json(content)
            check_bounds(answer)
            request.check(answer)
        except (ValueError, QueryError) as error:
            raise _no_sense() from error
        return answer

    def _answer(self, method: str, route: str, **request: Any) -> tuple[httpx.Response, bytes]:
        """An answer with its content: within the time of a request, and not longer than :data:`MAX_BYTES`."""
        until = time.monotonic() + self.seconds
        content = bytearray()
        try:
            with self._http.stream(method, route, **request) as response:
                for chunk in _chunks(response):
                    content += chunk
                    if len(content) > MAX_BYTES:
                        raise ApiError(f"the answer has more than {MAX_BYTES:,} bytes", code="too_large")
                    if time.monotonic() > until:
                        raise ApiError(f"no whole answer within {self.seconds:g} s", code="too_slow")
        except self._unreachable as error:
            raise self._not_reached(error) from error
        return response, bytes(content)

    def _ask(
        self, route: str, model: type[Model], question: str, k: int, page: int, filters: Filters | None,
        index: str | None, /, **settings: Any,
    ) -> Model:
        if len(question.encode("utf-8", "surrogatepass")) <= MAX_ADDRESS_BYTES:
            return self._get(route, model, index, q=question, k=k, page=page, filter=_pairs(filters), **settings)
        lists = {key: [value] if isinstance(value, str) else list(value) for key, value in (filters or {}).items()}
        body = {
            "q": question, "k": k, "page": page, "index": self.index if index is None else index,
            "filters": lists, **settings,
        }
        return self._send("POST", route, model, json=body)

    def _get(self, route: str, model: type[Model], index: str | None, /, **parameters: Any) -> Model:
        return self._send("GET", route, model, params=self._parameters(index, **parameters))

    def _parameters(self, index: str | None, **parameters: Any) -> dict[str, Any]:
        named = self.index if index is None else index
        return {"index": named, **parameters} if named else parameters

    def _send(self, method: str, route: str, model: type[Model], **request: Any) -> Model:
        content = self._request(method, route, **request)
        try:
            return model.model_validate_json(content)
        except ValueError as error:
            raise _no_sense() from error

    def _request(self, method: str, route: str, **request: Any) -> bytes:
        for left in reversed(range(self._tries)):
            answer, content = self._answer(method, route, **request)
            if answer.status_code == 200:
                return content
            if answer.status_code not in _AGAIN or not left:
                break
            wait = answer.headers.get("retry-after", "1")
            time.sleep(min(MAX_WAIT, float(wait) if wait.isdigit() else 1.0))
        raise _error(answer.status_code, content)

    def _not_reached(self, error: Exception) -> ApiError:
        return ApiError(
            f"no answer from {str(self._http.base_url).removesuffix('/').removesuffix(PREFIX)} ({error})",
            code="no_answer", hint="Is the server running? porism serve --index DIR starts one.",
        )


def _pairs(filters: Filters | None) -> list[str]:
    """Filters as the API takes them: ``key=value``, a key again for any of several values."""
    return [
        f"{key}={value}" for key, values in (filters or {}).items()
        for value in ((values,) if isinstance(values, str) else values)
    ]


def _chunks(response: httpx.Response) -> Iterator[bytes]:
    """The content of an answer as it comes."""
    if response.headers.get("content-encoding", "identity") != "identity":
        raise ApiError("the answer is compressed, though it was not to be", code="no_sense")
    yield from response.iter_bytes()


def _lines(response: httpx.Response) -> Iterator[bytes]:
    """The lines of an answer as they come, none longer than :data:`MAX_BYTES`; at least one."""
    begun = b""
    for chunk in _chunks(response):
        *lines, begun = (begun + chunk).split(b"\n")
        yield from lines
        if len(begun) > MAX_BYTES:
            raise ApiError(f"a line of the answer has more than {MAX_BYTES:,} bytes", code="too_large")
    if begun or response.status_code != 200:
        yield begun


def _no_sense() -> ApiError:
    return ApiError("the answer is not valid", code="no_sense", hint="Is it a server of the same version of Porism?")


def _error(status: int, content: bytes) -> ApiError:
    """What an answer says is wrong; a proxy's answer has another form, and says it by its status."""
    try:
        body = schema.ErrorAnswer.model_validate_json(content).error
    except ValueError:
        return ApiError(f"the server answered with status {status}", status=status)
    return ApiError(body.message, status=status, code=body.code, hint=body.hint)
