"""The pages: handlers that read the address, call the library and render a template."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any, get_args

from fastapi import APIRouter, Query, Request
from fastapi.responses import HTMLResponse, Response

from porism.errors import PorismError, QueryError
from porism.search.grouping import thread_of
from porism.serve.web import answering, document_schema, documents, formula_answering, formula_views, schema
from porism.serve.web.api import Api, RememberedAnswers, describe
from porism.serve.web.equality import equality
from porism.serve.web.formula_views import read_formula
from porism.serve.web.known_questions import KnownQuestions
from porism.serve.web.parts import check_formulas, check_length
from porism.serve.web.problems import NotFound
from porism.serve.web.relations import relations
from porism.serve.web.rendering import FormulaLinker
from porism.serve.web.requests import FormulaSearchRequest, Match, PageRequest, SearchRequest
from porism.serve.web.served import Library, View
from porism.serve.web.settings import WebSettings
from porism.serve.web.templating import Templates
from porism.serve.web.urls import SearchState, address
from porism.types import Formula

MODES = ("documents", "formulas")
GROUPINGS = ("question", "none")
MATCHES: tuple[str, ...] = get_args(Match)

FilterList = Annotated[list[str], Query(alias="filter")]


KINDS = {
    ".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
    ".svg": "image/svg+xml", ".png": "image/png", ".woff2": "font/woff2", ".woff": "font/woff", ".ttf": "font/ttf",
}
MAX_FILE_BYTES = 8_000_000


def file_response(folder: Path, path: str, if_none_match: str = "") -> Response:
    """A file of a folder by its path there.

    :raises NotFound: there is no such file, it is not of a known kind, or the path leaves the folder.
    """
    root = folder.resolve()
    try:
        file = (root / path).resolve()
        kind = KINDS.get(file.suffix.lower())
        if not file.is_relative_to(root) or kind is None or not file.is_file() or file.stat().st_size > MAX_FILE_BYTES:
            raise NotFound(f"there is no file {path[:200]!r}")
        content = file.read_bytes()
    except (OSError, ValueError) as error:  # a null character, too long a name, no rights
        raise NotFound(f"there is no file {path[:200]!r}") from error
    tag = f'W/"{sha256(content).hexdigest()[:20]}"'
    headers = {"ETag": tag, "Cache-Control": "no-cache"}
    if tag in if_none_match.split(", "):
        return Response(status_code=304, headers=headers)
    return Response(content, media_type=kind, headers=headers)


class Pages:
    """The handlers of all pages."""

    def __init__(self, library: Library, settings: WebSettings, api: Api, known: KnownQuestions | None = None) -> None:
        """``known`` are the questions whose answers are judged: their results are marked with grades."""
        self._library, self._settings, self._api, self._limits = library, settings, api, settings.limits
        self.export = api.export
        self.known = known or KnownQuestions()
        self._pages = RememberedAnswers(256)
        self.templates = Templates(
            site=settings.title, indexes=tuple(library), has_editor=settings.editor is not None,
            models=settings.offered_models, first_model=Path(settings.model).stem, rerankers=settings.rerankers,
            has_judging=settings.judgments is not None, has_runs=bool(settings.runs), is_public=settings.public,
        )

    # -- searching -----------------------------------------------------------------------------------------------------

    def home(self, request: Request, index: str = "", mode: str = "documents") -> Response:
        """The first page: the box, examples, what is searched."""
        view = self._api.view(index)
        state = SearchState(mode=_known(mode, MODES), index=index)
        return self._page(
            request, view,
            lambda: self.templates.render("home.html", state=state, facts=describe(view), examples=EXAMPLES),
        )

    def search(
        self, request: Request, q: str = "", mode: str = "documents", index: str = "",
        filters: FilterList = [], sort: str = "relevance", match: str = "any", rerank: str = "",  # noqa: B006
        page: int = 1, k: int = 10, group_by: str = "question", group: str = "", exact: str = "",
        fragment: bool = False, model: str = "",
    ) -> Response:
        """Results, or what was wrong with the question; the ``fragment`` has the cards alone."""
        state = SearchState(
            q, _known(mode, MODES), index, tuple(filters), sort, _known(match, MATCHES), page, k, rerank,
            _known(group_by, GROUPINGS), group, exact and "yes", model,
        )
        view = self._api.view(index)
        if not q.strip() and not filters:
            return self.home(request, index, mode)
        try:
            chosen = view.with_model(model)
            return self._page(request, view, lambda: self._results(chosen, state, fragment))
        except QueryError as error:
            if request.headers.get("x-purpose") == "prefetch":  # a question that is still being typed
                return Response(status_code=204)
            read = answering.read_only(view, q[: self._limits.question_characters], self._limits)
            return HTMLResponse(
                self.templates.render(
                    "search.html", state=state, results=None, read=read, error=error, facts=describe(view)
                ),
                status_code=400,
            )

    def _results(self, view: View, state: SearchState, fragment: bool) -> str:
        results: schema.SearchResults | schema.FormulaResults
        asked: dict[str, Any] = {"q": state.q, "filters": dict(state.chosen), "page": state.page, "k": state.k}
        if state.mode == "formulas":
            explained = view.federated is not None  # whose formulas only their servers can explain, with the hits
            formulas = FormulaSearchRequest(**asked | {"match": state.match, "explain": explained})
            results = formula_answering.search_formulas(view, formulas, self._limits, aligned=True)
        else:
            request = SearchRequest(
                **asked, sort=state.sort, rerank=state.rerank, model=state.model, group=state.group,
                correct=not state.exact, group_by="question" if state.group_by == "question" else "",
            )
            results = answering.search(view, request, self._limits)
            if results.correction is not None and results.correction.followed:
                state = replace(state, q=results.correction.question)
        count = results.total
        if isinstance(results, schema.SearchResults) and results.groups is not None:
            count = results.groups
        return self.templates.render(
            "fragments/cards.html" if fragment else "search.html", state=state, results=results, read=None, error=None,
            facts=describe(view), last_page=min(-(-count // state.k), self._limits.depth // state.k),
            judged=self.known.find(state.q) if state.mode == "documents" else None,
        )

    def preview(self, request: Request, q: str = "", mode: str = "documents", index: str = "") -> Response:
        """How a question is read, as a fragment for the box."""
        view = self._api.view(index)
        return self._page(
            request, view,
            lambda: self.templates.render(
                "fragments/preview.html", read=self._read(view, q, mode), state=SearchState(q, mode, index)
            ),
        )

    def _read(self, view: View, q: str, mode: str) -> schema.QuestionView:
        if mode != "formulas":
            return answering.read_only(view, q, self._limits)
        return formula_answering.read_only(q, self._limits)

    def why(
        self, request: Request, q: str, id: str = "", key: str = "", index: str = "", filters: FilterList = [],  # noqa: B006
        fragment: bool = False, rerank: str = "", model: str = "",
    ) -> Response:
        """Why a document has its score, or the formula of a ``key``."""
        view = self._api.view(index) if key else self._api.document_view(index, id).with_model(model)
        state = SearchState(q, "formulas" if key else "documents", index, tuple(filters), rerank=rerank, model=model)

        def make() -> str:
            if key:
                explained, parts = formula_answering.explain_formula(view, q, key, self._limits)
            else:
                explained = answering.explain_one(view, q, id, state.chosen, self._limits, rerank)
                parts = answering.read_only(view, q, self._limits).parts
            return self.templates.render(
                "fragments/why.html" if fragment else "why.html", explained=explained, parts=parts, state=state,
                document=None if fragment or key else documents.show(view, id, self._limits),
                formula=explained.alignments[0].found if key else None,
            )

        return self._page(request, view, make)

    # -- documents -----------------------------------------------------------------------------------------------------

    def document(self, request: Request, id: str, index: str = "", q: str = "") -> Response:
        """A document to be read."""
        view = self._api.document_view(index, id)

        def make() -> str:
            shown = documents.show(view, id, self._limits, q)
            return self.templates.render(
                "document.html", document=shown, state=SearchState(q, index=index),
                linker=FormulaLinker(shown.parts, index), similar=self._similar_elsewhere(view, shown, 5),
                relations=relations(view, id, 5, self._limits),
            )

        return self._page(request, view, make)

    def _similar(self, view: View, doc_id: str, k: int) -> tuple[schema.HitView, ...]:
        try:
            return answering.similar(view, doc_id, k, self._limits).hits
        except QueryError:  # a document without words and formulas is like no other
            return ()

    def _similar_elsewhere(self, view: View, shown: document_schema.DocumentView, k: int) -> list[schema.HitView]:
        """Documents like one, without other answers to its question, which are its contents; one of each question."""
        seen = {thread_of(shown.metadata)}
        hits: list[schema.HitView] = []
        for hit in self._similar(view, shown.id, 4 * k if seen != {None} else k):
            thread = thread_of(hit.metadata)
            if thread is None or thread not in seen:
                seen.add(thread)
                hits.append(hit)
        return hits[:k]

    def similar(self, request: Request, id: str, index: str = "") -> Response:
        """Documents like one."""
        view = self._api.document_view(index, id)

        def make() -> str:
            return self.templates.render(
                "similar.html", document=documents.show(view, id, self._limits), hits=self._similar(view, id, 20),
                state=SearchState(index=index),
            )

        return self._page(request, view, make)

    def compare(self, request: Request, left: str, right: str, index: str = "") -> Response:
        """Two documents beside each other."""
        view = self._api.document_view(index, left, right)

        def make() -> str:
            comparison = documents.compare(view, left, right, self._limits)
            lefts: dict[int, list[str]] = {}
            rights: dict[int, list[str]] = {}
            for number, link in enumerate(comparison.links):
                for places, at in ((lefts, link.left), (rights, link.right)):
                    for formula in at:
                        places.setdefault(formula, []).append(f"l{number}")
            left_side, right_side = comparison.left, comparison.right
            left_views, right_views = (documents.formulas_of(side.sections) for side in (left_side, right_side))
            pairs = [(left_views[link.left[0]], right_views[link.right[0]], link) for link in comparison.links]
            return self.templates.render(
                "compare.html", comparison=comparison, state=SearchState(index=index), pairs=pairs,
                sides=((left_side, FormulaLinker((), index, lefts)), (right_side, FormulaLinker((), index, rights))),
            )

        return self._page(request, view, make)

    # -- formulas, help ------------------------------------------------------------------------------------------------

    def formula(self, request: Request, formula: str = "", fragment: bool = False, index: str = "") -> Response:
        """How a formula is read: notations and trees."""
        view = self._api.view(index)

        def make() -> str:
            read = None
            if formula.strip():
                read = formula_views.parsed(read_formula(check_length(formula, self._limits)))
            return self.templates.render(
                "fragments/tree.html" if fragment else "formula.html", parsed=read, written=formula,
                state=SearchState(index=index),
            )

        return self._page(request, view, make)

    def equal(self, request: Request, first: str = "", second: str = "", index: str = "") -> Response:
        """Whether two formulas are equal."""
        view = self._api.view(index)

        def make() -> str:
            known, error = None, None
            try:
                if first.strip() and second.strip():
                    left, right = (read_formula(check_length(text, self._limits)) for text in (first, second))
                    check_formulas((left, right), self._limits)
                    known = equality(left, right)
            except QueryError as problem:
                error = problem
            return self.templates.render(
                "equal.html", known=known, error=error, first=first, second=second, state=SearchState(index=index),
                examples=[[formula_views.view(Formula(latex)) for latex in pair] for pair in EQUAL_EXAMPLES],
            )

        return self._page(request, view, make)

    def occurrences(
        self, request: Request, formula: str = "", key: str = "", index: str = "", filters: FilterList = [],  # noqa: B006
        page: int = 1, k: int = 10,
    ) -> Response:
        """All places of a formula."""
        view = self._api.view(index)
        state = SearchState(mode="formulas", index=index, filters=tuple(filters), page=page, k=k)
        asked = PageRequest(q=formula, filters=dict(state.chosen), page=page, k=k)

        def make() -> str:
            answer = formula_answering.occurrences(view, formula, key, asked, self._limits)
            own = {"formula": formula, "key": key, "index": index, "filter": filters, "k": k if k != 10 else ""}
            return self.templates.render(
                "occurrences.html", answer=answer, state=state, last_page=-(-answer.documents // k),
                parts=answer.parts, page_address=lambda number: address("/occurrences", **own, page=number),
            )

        return self._page(request, view, make)

    def help(self, request: Request, index: str = "") -> Response:
        """How to ask."""
        view = self._api.view(index)
        return self._page(
            request, view, lambda: self.templates.render(
                "help.html", state=SearchState(index=index), limits=self._limits, facts=describe(view)
            )
        )

    def api_page(self, request: Request, index: str = "") -> Response:
        """The API for people: its routes, from its own description."""
        view = self._api.view(index)
        described: dict[str, Any] = request.app.openapi()
        return self._page(
            request, view,
            lambda: self.templates.render("api.html", state=SearchState(index=index), described=described),
        )

    def health(self) -> Response:
        """Whether the server answers, its version, and how much each index has."""
        html = self.templates.render("health.html", state=SearchState(), health=self._api.health())
        return HTMLResponse(html, headers={"Cache-Control": "no-store"})

    def generation(self, index: str = "") -> Response:
        """The number of the commit that is served, which a page asks for to notice a newer one."""
        body = f'{{"generation":{self._api.view(index).generation}}}'
        return Response(body, media_type="application/json", headers={"Cache-Control": "no-store"})

    def open_search(self, request: Request) -> Response:
        """The description by which a browser adds the server as a search engine."""
        base = str(request.base_url).rstrip("/")
        return Response(
            self.templates.render("opensearch.xml", base=base), media_type="application/opensearchdescription+xml"
        )

    def editor(self) -> Response:
        """The visual editor, which runs in a frame of its own.

        :raises NotFound: the server was started without one.
        """
        self._editor_folder()
        return HTMLResponse(self.templates.render("editor.html"))

    def _editor_folder(self) -> Path:
        if self._settings.editor is None:
            raise NotFound("this server has no visual editor", hint="Start it with --editor FOLDER.")
        return self._settings.editor

    def editor_file(self, path: str) -> Response:
        """A file of the editor's package.

        :raises NotFound: there is none.
        """
        return file_response(self._editor_folder(), path)

    def static(self, request: Request, path: str) -> Response:
        """A style sheet, script or picture of the pages.

        :raises NotFound: there is none.
        """
        return file_response(Path(__file__).parent / "static", path, request.headers.get("if-none-match", ""))

    # ------------------------------------------------------------------------------------------------------------------

    def _page(self, request: Request, view: View, make: Callable[[], str]) -> Response:
        return self._pages.respond(
            request, view, "text/html; charset=utf-8", lambda: (make().encode(), False), self.known.version
        )

    def error(self, status: int, error: PorismError) -> Response:
        """The page of an error."""
        html = self.templates.render("error.html", status=status, error=error, state=SearchState())
        return HTMLResponse(html, status_code=status)


def _known(value: str, values: Sequence[str]) -> str:
    """A value, or the first where it is none of them."""
    return value if value in values else values[0]


EXAMPLES = (
    (r"why does $\sum 1/n^2$ converge?", "documents"),
    (r"derivative of $x^n$", "documents"),
    (r"$\int_a^b f(x)g(x)\,dx$", "documents"),
    (r"$?x^2+?y^2=?z^2$", "formulas"),
    (r"$\sum_{i=1}^m i^2$", "formulas"),
)
"""Questions to begin with, each with its mode."""


EQUAL_EXAMPLES = (
    ("2x+4y-3=0", "y=-x/2+3/4"), (r"-2\le x\le 7", r"x\in[-2,7]"), ("(a+b)^2", "a^2+b^2"),
    (r"\sqrt{x^2}", "x"), (r"\sum_{k=1}^n k", r"\frac{n(n+1)}2"),
)
"""Pairs of formulas to begin with."""


def page_router(pages: Pages) -> Any:
    """The routes of the pages, which the description of the API leaves out."""
    router = APIRouter(include_in_schema=False)
    routes: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("/", pages.home), ("/search", pages.search), ("/preview", pages.preview), ("/why", pages.why),
        ("/document", pages.document), ("/similar", pages.similar), ("/compare", pages.compare),
        ("/export", pages.export), ("/formula", pages.formula), ("/equal", pages.equal),
        ("/occurrences", pages.occurrences), ("/help", pages.help), ("/health", pages.health), ("/api", pages.api_page),
        ("/generation", pages.generation), ("/opensearch.xml", pages.open_search),
        ("/editor", pages.editor), ("/editor/{path:path}", pages.editor_file),
        ("/static/{path:path}", pages.static),
    )
    for path, handler in routes:
        router.add_api_route(path, handler, methods=["GET"], response_class=HTMLResponse, response_model=None)
    return router
