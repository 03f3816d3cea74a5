"""The REST API, version 1: routes that read parameters, call the library and return values of the schema."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel

from porism.search.grouping import Grouping
from porism.search.index import filters_from_strings
from porism.serve.web import (
    answering,
    document_schema,
    documents,
    formula_answering,
    formula_views,
    pattern_answering,
    requests,
    schema,
)
from porism.serve.web.completing import complete
from porism.serve.web.equality import equality
from porism.serve.web.parts import check_formulas, check_length, parts_of
from porism.serve.web.problems import NotFound, Refused
from porism.serve.web.relations import relations
from porism.serve.web.requests import Deadline, FormulaSearchRequest, SearchRequest
from porism.serve.web.served import Library, View
from porism.serve.web.settings import Limits
from porism.settings import nearest
from porism.system.concurrency.caching import Memory
from porism.version import __version__

PREFIX = "/api/v1"

_MAX_REMEMBERED_BYTES = 400_000


class RememberedAnswers:
    """Answers to requests by the commit that they are about, with their ETags."""

    def __init__(self, count: int) -> None:
        self._bodies: Memory[bytes] = Memory(count)

    def respond(
        self, request: Request, view: View | None, media_type: str, make: Callable[[], tuple[bytes, bool]],
        version: str = "",
    ) -> Response:
        """The answer, from memory where this commit was asked the same before; 304 where the client has it.

        :param make: gives the body, and whether it is partial: such a one is not remembered.
        :param version: of what else the answer depends on.
        """
        headers = {"Cache-Control": "no-cache"}
        if request.method != "GET" or (view is not None and view.federated is not None):  # servers change unseen
            return Response(make()[0], media_type=media_type, headers=headers)
        commit = f"{view.name} {view.generation}" if view is not None else ""
        asked = f"{__version__} {commit} {version} {request.url.path}?{request.url.query}"
        headers["ETag"] = tag = f'W/"{sha256(asked.encode()).hexdigest()[:20]}"'
        if tag in request.headers.get("if-none-match", "").split(", "):
            return Response(status_code=304, headers=headers)
        if tag in self._bodies:
            return Response(self._bodies.get(tag, lambda: b""), media_type=media_type, headers=headers)
        body, partial = make()
        if partial:
            del headers["ETag"]
        elif len(body) <= _MAX_REMEMBERED_BYTES:
            self._bodies.get(tag, lambda: body)
        return Response(body, media_type=media_type, headers=headers)

Text = Annotated[str, Query(description=r"Words and formulas between dollars, e.g. derivative of $x^n$.")]
Name = Annotated[str, Query(description="The name of an index; the first one where it is left out.")]
FilterList = Annotated[
    list[str], Query(alias="filter", description="key=value of the metadata; one key again means any of its values.")
]
PageNumber = Annotated[int, Query(description="The page, from 1.")]
PerPage = Annotated[int, Query(description="Results of a page.")]
DocumentId = Annotated[str, Query(description="The id of a document.")]
Sort = Annotated[str, Query(description="`relevance`, or a key of the metadata that results name in `sorts`.")]
Match = Annotated[
    requests.Match,
    Query(description="Which formulas count: similar ones, equal up to names, the same, or equal in value."),
]
Rerank = Annotated[str, Query(description="A reranker of the server, for a better order; none where it is left out.")]
Model = Annotated[str, Query(description="A model that the server offers, in place of its first one.")]
Explain = Annotated[bool, Query(description="Whether each result is explained.")]
Target = Annotated[
    Literal["latex", "mathml", "unicode", "spoken", "operators", "layout"], Query(description="The notation.")
]
GroupBy = Annotated[
    Grouping, Query(description="`question`: one result for each question, or section of a book; see `group` of hits.")
]
Correct = Annotated[bool, Query(description="Whether words that no document has are replaced by what may be meant.")]
GroupId = Annotated[str, Query(description="Only the results of this group.")]
FileFormat = Annotated[Literal["bibtex", "csv", "json"], Query(description="What the file is.")]
FILE_FORMATS = {
    "bibtex": ("application/x-bibtex; charset=utf-8", "bib"), "csv": ("text/csv; charset=utf-8", "csv"),
    "json": ("application/json", "json"),
}
PatternText = Annotated[
    str, Query(description='Conditions between commas: `?a ⊔ (?b ⊓ ?c) = _`, `⊢ ?a < ?b`, `Real.sqrt`, `"comm"`.')
]
Directed = Annotated[bool, Query(description="Whether the sides of = and ↔ stay where they are.")]
FormulaKey = Annotated[str, Query(description="The `key` of a formula that was found.")]
FormulaText = Annotated[str, Query(description="A formula: LaTeX with or without dollars, or MathML.")]


class Api:
    """The handlers of all routes."""

    def __init__(self, library: Library, limits: Limits) -> None:
        self._library, self._limits = library, limits
        self._answers = RememberedAnswers(512)

    def view(self, index: str) -> View:
        """The commit of an index that a request works with.

        :raises NotFound: there is no such index.
        """
        if index and index not in self._library:
            raise NotFound(f"there is no index {index!r}", hint=f"Choose from {', '.join(self._library)}.")
        return self._library.view(index)

    def document_view(self, index: str, *doc_ids: str) -> View:
        """The same, for documents that it must have.

        :raises NotFound: it lacks one of them.
        """
        view = self.view(index)
        for doc_id in doc_ids:
            if doc_id not in view.index:
                raise NotFound(f"there is no document {doc_id[:200]!r}", hint="Ids are those that a search returns.")
        return view

    def _answer(self, request: Request, view: View | None, make: Callable[[], schema.Model]) -> Response:
        """The value that ``make`` returns as JSON, from memory where this commit was asked the same before."""
        def dump() -> tuple[bytes, bool]:
            value = make()
            return value.model_dump_json().encode(), getattr(value, "partial", False)

        return self._answers.respond(request, view, "application/json", dump)

    def search(
        self, request: Request, q: Text, index: Name = "", filters: FilterList = [],  # noqa: B006
        page: PageNumber = 1, k: PerPage = 10, sort: Sort = "relevance", rerank: Rerank = "", explain: Explain = False,
        group_by: GroupBy = "", group: GroupId = "", correct: Correct = False, model: Model = "",
    ) -> Response:
        """Documents that answer a question, with facets, hints and the parts that matches refer to."""
        chosen = dict(filters_from_strings(filters))
        return self.search_body(request, SearchRequest(
            q=q, index=index, filters=chosen, page=page, k=k, sort=sort, rerank=rerank, explain=explain,
            group_by=group_by, group=group, correct=correct, model=model,
        ))

    def search_body(self, request: Request, body: SearchRequest) -> Response:
        """The same with a body of JSON: `q`, `index`, `filters` (key to values), `page`, `k`, `sort`, `rerank`,
        `model`, `explain`, `group_by`, `group`, `correct`."""
        view = self.view(body.index).with_model(body.model)
        return self._answer(request, view, lambda: answering.search(view, body, self._limits))

    def export(
        self, request: Request, q: Text, format: FileFormat = "json", index: Name = "", filters: FilterList = [],  # noqa: B006
        page: PageNumber = 1, k: PerPage = 100, sort: Sort = "relevance", rerank: Rerank = "", group_by: GroupBy = "",
        group: GroupId = "", model: Model = "",
    ) -> Response:
        """Results as a file of BibTeX, CSV or JSON; `k` may be as many as are counted."""
        view, chosen = self.view(index).with_model(model), dict(filters_from_strings(filters))
        asked = SearchRequest(
            q=q, filters=chosen, page=page, k=k, sort=sort, rerank=rerank, group_by=group_by, group=group
        )
        kind, ending = FILE_FORMATS[format]
        answer = self._answers.respond(
            request, view, kind, lambda: (answering.export(view, asked, format, self._limits).encode(), False)
        )
        answer.headers["Content-Disposition"] = f'attachment; filename="results.{ending}"'
        return answer

    def stream(
        self, q: Text, index: Name = "", filters: FilterList = [], page: PageNumber = 1, k: PerPage = 10,  # noqa: B006
        model: Model = "",
    ) -> StreamingResponse:
        """The same as lines of JSON: first the results, then the explanation of each hit as it is made, then the end.

        Each line has ``event``: ``results``, ``explanation`` or ``end``.
        """
        view = self.view(index).with_model(model)
        chosen = dict(filters_from_strings(filters))
        asked = SearchRequest(q=q, filters=chosen, page=page, k=k, model=model)
        results = answering.search(view, asked, self._limits)
        return StreamingResponse(self._explained(view, results, q, chosen), media_type="application/x-ndjson")

    def _explained(
        self, view: View, results: schema.SearchResults, text: str, filters: dict[str, tuple[str, ...]]
    ) -> Iterator[str]:
        yield f'{{"event":"results","results":{results.model_dump_json()}}}\n'
        deadline = Deadline(self._limits.seconds)
        question = answering.read(view, text, self._limits)
        parts = parts_of(view.index, question)
        for hit in results.hits:
            if deadline.over():
                break
            explained = answering.explain(view, question, parts, hit.id, filters, deadline)
            yield f'{{"event":"explanation","explanation":{explained.model_dump_json()}}}\n'
        yield f'{{"event":"end","partial":{str(deadline.missed).lower()}}}\n'

    def formulas(
        self, request: Request, q: Text, index: Name = "", filters: FilterList = [],  # noqa: B006
        page: PageNumber = 1, k: PerPage = 10, match: Match = "any", explain: Explain = True,
    ) -> Response:
        """Formulas that answer one, with the documents that have them; ``?x`` is any subexpression."""
        chosen = dict(filters_from_strings(filters))
        return self.formulas_body(request, FormulaSearchRequest(
            q=q, index=index, filters=chosen, page=page, k=k, match=match, explain=explain
        ))

    def formulas_body(self, request: Request, body: FormulaSearchRequest) -> Response:
        """The same with a body of JSON: `q`, `index`, `filters` (key to values), `page`, `k`, `match`, `explain`."""
        view = self.view(body.index)
        return self._answer(request, view, lambda: formula_answering.search_formulas(view, body, self._limits))

    def patterns(
        self, request: Request, q: PatternText, index: Name = "", filters: FilterList = [],  # noqa: B006
        k: PerPage = 10, directed: Directed = False,
    ) -> Response:
        """Statements, formal or not, that have an expression of a given form; the smallest come first."""
        view, chosen = self.view(index), dict(filters_from_strings(filters))
        return self._answer(
            request, view, lambda: pattern_answering.search_patterns(view, q, k, chosen, directed, self._limits)
        )

    def explain(
        self, request: Request, q: Text, id: DocumentId, index: Name = "", filters: FilterList = [],  # noqa: B006
        rerank: Rerank = "", model: Model = "",
    ) -> Response:
        """Why a document has its score for a question, and how formulas of both match."""
        view = self.document_view(index, id).with_model(model)
        chosen = dict(filters_from_strings(filters))
        return self._answer(request, view, lambda: answering.explain_one(view, q, id, chosen, self._limits, rerank))

    def question(self, request: Request, q: Text, index: Name = "") -> Response:
        """How a question is read: its words, formulas, phrases and filters; nothing is searched."""
        view = self.view(index)
        return self._answer(request, view, lambda: answering.read_only(view, q, self._limits))

    def parse(self, request: Request, formula: FormulaText) -> Response:
        """How a formula is read: all notations, its operator tree as a value and as SVG, what was not understood."""
        read = formula_views.read_formula(check_length(formula, self._limits))
        return self._answer(request, None, lambda: formula_views.parsed(read))

    def convert(self, request: Request, formula: FormulaText, to: Target = "mathml") -> Response:
        """A formula in another notation."""
        read = formula_views.read_formula(check_length(formula, self._limits))
        return self._answer(request, None, lambda: formula_views.converted(read, to))

    def equal(self, request: Request, first: FormulaText, second: FormulaText) -> Response:
        """Whether two formulas are equal: written alike, up to names, in value, or as statements; with steps where
        these are simple. Of others a point where they differ, and what they share."""
        left, right = (formula_views.read_formula(check_length(text, self._limits)) for text in (first, second))
        check_formulas((left, right), self._limits)
        return self._answer(request, None, lambda: equality(left, right))

    def occurrences(
        self, request: Request, formula: FormulaText = "", key: FormulaKey = "", index: Name = "",
        filters: FilterList = [], page: PageNumber = 1, k: PerPage = 10,  # noqa: B006
    ) -> Response:
        """All documents that have a formula, which is named by its text or by the `key` of a result, with the text
        around it."""
        view = self.view(index)
        asked = requests.PageRequest(q=formula, filters=dict(filters_from_strings(filters)), page=page, k=k)
        return self._answer(
            request, view, lambda: formula_answering.occurrences(view, formula, key, asked, self._limits)
        )

    def document(self, request: Request, id: DocumentId, index: Name = "", q: Text = "") -> Response:
        """A document, with what matches a question marked where one is given."""
        view = self.document_view(index, id)
        return self._answer(request, view, lambda: documents.show(view, id, self._limits, q))

    def similar(self, request: Request, id: DocumentId, index: Name = "", k: PerPage = 10) -> Response:
        """The documents that are most like one."""
        view = self.document_view(index, id)
        return self._answer(request, view, lambda: answering.similar(view, id, k, self._limits))

    def relations(self, request: Request, id: DocumentId, index: Name = "", k: PerPage = 10) -> Response:
        """What a document is related to: what it uses, what uses it, and its counterparts."""
        view = self.document_view(index, id)
        return self._answer(request, view, lambda: relations(view, id, k, self._limits))

    def compare(self, request: Request, left: DocumentId, right: DocumentId, index: Name = "") -> Response:
        """Two documents, and which formulas and words of them correspond."""
        view = self.document_view(index, left, right)
        return self._answer(request, view, lambda: documents.compare(view, left, right, self._limits))

    def facets(self, request: Request, q: Text, index: Name = "", filters: FilterList = []) -> Response:  # noqa: B006
        """How often the values of metadata are among the results of a question."""
        view = self.view(index)
        chosen = dict(filters_from_strings(filters))
        return self._answer(request, view, lambda: answering.facets(view, q, chosen, self._limits))

    def suggest(
        self, q: Text, index: Name = "", k: Annotated[int, Query(ge=1, le=50, description="Completions.")] = 8
    ) -> schema.Completions:
        """Completions of a question: commands, words, tags and formulas of the index, and titles, which are results."""
        return complete(self.view(index), check_length(q, self._limits), k)

    def indexes(self) -> list[schema.IndexView]:
        """The indexes that are served."""
        return [describe(served.view) for served in self._library.values()]

    def health(self) -> schema.Health:
        """Whether the server answers, its version, and its indexes."""
        return schema.Health(status="ok", version=__version__, indexes=tuple(self.indexes()))


def describe(view: View) -> schema.IndexView:
    """What an index contains."""
    segments = view.index.snapshot.segments
    return schema.IndexView(
        name=view.name, documents=len(view.index), generation=view.generation,
        fields=tuple(dict.fromkeys(name for segment in segments for name in segment.fields)),
        channels=tuple(view.index.analyzer.channels), metadata=tuple(view.metadata_counts),
        formulas=sum(len(segment.keys) for segment in segments), ready=view.vocabulary is not None,
    )


def check_parameters(request: Request) -> None:
    """Refuses parameters that a route does not have: a filter that is misspelt must not be a search without it.

    :raises Refused: with the one that may be meant.
    """
    known = {parameter.alias for parameter in request.scope["route"].dependant.query_params}
    for name in request.query_params:
        if name not in known:
            hint = nearest(name, sorted(known)) if known else "Send what is asked as a body of JSON."
            raise Refused(422, "invalid", f"there is no parameter {name[:100]!r}", hint)


_ERRORS = {
    400: "The request cannot be answered as it is.", 404: "What is named does not exist.",
    422: "A parameter is missing or of the wrong type.",
}


def errors_of(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """How errors are described in OpenAPI."""
    return {status: {"model": schema.ErrorAnswer, "description": _ERRORS[status]} for status in statuses}


def api_router(api: Api) -> Any:
    """The routes of the API."""
    router = APIRouter(prefix=PREFIX)
    errors = errors_of(400, 404, 422)
    routes: tuple[tuple[str, str, Callable[..., Any], type[BaseModel] | None, str], ...] = (
        ("GET", "/search", api.search, schema.SearchResults, "Search documents"),
        ("POST", "/search", api.search_body, schema.SearchResults, "Search documents, with a body"),
        ("GET", "/formulas", api.formulas, schema.FormulaResults, "Search formulas"),
        ("POST", "/formulas", api.formulas_body, schema.FormulaResults, "Search formulas, with a body"),
        ("GET", "/patterns", api.patterns, schema.PatternResults, "Search statements by pattern"),
        ("GET", "/explain", api.explain, schema.Explained, "Explain a score"),
        ("GET", "/question", api.question, schema.QuestionView, "Read a question"),
        ("GET", "/parse", api.parse, schema.ParsedFormula, "Parse a formula"),
        ("GET", "/convert", api.convert, schema.Converted, "Convert a formula"),
        ("GET", "/equal", api.equal, schema.Equality, "Compare two formulas"),
        ("GET", "/occurrences", api.occurrences, schema.Occurrences, "All places of a formula"),
        ("GET", "/document", api.document, document_schema.DocumentView, "Fetch a document"),
        ("GET", "/similar", api.similar, document_schema.Similar, "Similar documents"),
        ("GET", "/relations", api.relations, document_schema.RelationsView, "Uses, users and counterparts"),
        ("GET", "/compare", api.compare, document_schema.ComparisonView, "Compare two documents"),
        ("GET", "/facets", api.facets, schema.FacetList, "Count facets"),
        ("GET", "/suggest", api.suggest, schema.Completions, "Complete a question"),
        ("GET", "/health", api.health, schema.Health, "Health"),
    )
    for method, path, handler, model, summary in routes:
        router.add_api_route(
            path, handler, methods=[method], response_model=model, summary=summary, responses=errors,
            operation_id=f"{handler.__name__}",
        )
    router.add_api_route(
        "/export", api.export, methods=["GET"], summary="Export results as BibTeX, CSV or JSON",
        response_class=Response, responses=errors, operation_id="export",
    )
    router.add_api_route(
        "/search/stream", api.stream, methods=["GET"], summary="Search, with explanations as they are made",
        response_class=StreamingResponse, responses=errors, operation_id="stream",
    )
    router.add_api_route(
        "/indexes", api.indexes, methods=["GET"], response_model=list[schema.IndexView], summary="List indexes",
        operation_id="indexes",
    )
    return router
