"""The tools of Porism for language models, by the Model Context Protocol."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from contextlib import closing
from functools import wraps
from typing import TYPE_CHECKING, Annotated, Any, Literal

from pydantic import Field

from porism.errors import PorismError
from porism.extras import need
from porism.search.goals import goal_query, read_goal
from porism.search.marked_text import show_content
from porism.search.questions import Question
from porism.serve.web import answering, formula_answering, mcp_texts, pattern_answering, schema
from porism.serve.web.api import describe
from porism.serve.web.equality import equality
from porism.serve.web.formula_views import problems_of, read_formula
from porism.serve.web.guarding import MCP_PATH, App, Guard
from porism.serve.web.mcp_lists import (
    Listing,
    listed_formulas,
    listed_hits,
    listed_statements,
    listing,
    listing_text,
)
from porism.serve.web.observing import Metrics
from porism.serve.web.parts import check_formulas, check_length, parts_of
from porism.serve.web.pieces import place_of
from porism.serve.web.problems import error_sentence
from porism.serve.web.requests import Deadline, FormulaSearchRequest, SearchRequest
from porism.serve.web.served import Library, View
from porism.serve.web.server import bind, server_config
from porism.serve.web.settings import Limits, WebSettings
from porism.version import __version__

if TYPE_CHECKING:
    from mcp.server import MCPServer

INSTRUCTIONS = """\
Porism finds mathematics in the documents of its indexes, by words and formulas together.
Write formulas in LaTeX between dollars: why does $\\sum 1/n^2$ converge?
Use `search` for documents and `search_formulas` for formulas; ?x in a formula is a wildcard. Then read the documents
that matter with `fetch`, by their ids, and cite these. `equal_formulas` checks whether two formulas are equal,
`premises` finds declarations of formal libraries that could prove a goal, and `patterns` statements of a given form."""

MAX_QUESTION, MAX_ID, MAX_FILTERS = 20_000, 2_000, 20
"""Longer texts, longer ids and more filters are refused before anything else looks at them."""

Detail = Annotated[
    Literal["short", "full"],
    Field(description="short: ids with a line each, at most 1,000 bytes in all; full: also places and passages."),
]
Id = Annotated[str, Field(max_length=MAX_ID, description="The id of a document, as a search gives it.")]
Characters = Annotated[int, Field(ge=500, le=40_000, description="The longest answer, in characters.")]
Count = Annotated[int, Field(ge=1, le=50, description="How many results.")]
Page = Annotated[int, Field(ge=1, le=10_000, description="The page of results.")]
Name = Annotated[str, Field(max_length=MAX_ID, description="The index; the first one if not given.")]
_Value = Annotated[str, Field(max_length=MAX_ID)]
Filters = Annotated[
    dict[_Value, _Value | Annotated[list[_Value], Field(max_length=MAX_FILTERS)]] | None,
    Field(max_length=MAX_FILTERS, description="Metadata that documents must have: key to value, or to values any of "
                                              "which."),
]


def make_mcp_server(library: Library, limits: Limits | None = None) -> MCPServer:
    """A server of all tools over indexes; new commits are answered from as they come.

    Answers are plain text. Those that list results have them as values too, and are short unless more is asked for.
    What is wrong with a call is an error that says what to do next.

    :raises MissingExtra: the SDK of the protocol is not installed.
    """
    need("mcp.server", "web", "porism mcp")
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import ToolError
    from mcp_types import CallToolResult, TextContent, ToolAnnotations

    bounds = limits or Limits()
    server: MCPServer = MCPServer("porism", version=__version__, instructions=INSTRUCTIONS, log_level="WARNING")

    def tool(function: Callable[..., str | tuple[str, Listing]]) -> None:
        """Adds a tool that gives a text, or the text of a list and its values."""
        signature = inspect.signature(function, eval_str=True)
        lists = signature.return_annotation is not str

        @wraps(function)
        def guarded(*arguments: Any, **given: Any) -> Any:
            try:
                result = function(*arguments, **given)
            except PorismError as error:
                raise ToolError(error_sentence(error)) from error
            if isinstance(result, str):
                return result
            text, values = result
            return CallToolResult(
                content=[TextContent(type="text", text=text)], structured_content=values.model_dump(mode="json")
            )

        returned = Annotated[CallToolResult, Listing] if lists else str
        guarded.__signature__ = signature.replace(return_annotation=returned)  # type: ignore[attr-defined]
        annotations = ToolAnnotations(read_only_hint=True, idempotent_hint=True, open_world_hint=False)
        server.add_tool(guarded, annotations=annotations, structured_output=lists)

    def documents(view: View, results: schema.SearchResults, detail: str, characters: int) -> tuple[str, Listing]:
        """Documents that were found, by whichever tool."""
        values = listing(results, listed_hits(view, results.hits), short=detail == "short")
        if detail == "short":
            return listing_text(values, "document"), values
        return mcp_texts.results_text(results, characters), values

    @tool
    def search(
        question: Annotated[
            str, Field(max_length=MAX_QUESTION, description="Words, and formulas in LaTeX between dollars.")
        ],
        k: Count = 10, page: Page = 1, filters: Filters = None, index: Name = "", detail: Detail = "short",
        characters: Characters = 6_000,
    ) -> tuple[str, Listing]:
        """Finds the documents that answer a question, best first: ids, titles, and a line of each."""
        view, request = library.view(index), SearchRequest(q=question, filters=_filters(filters), page=page, k=k)
        return documents(view, answering.search(view, request, bounds), detail, characters)

    @tool
    def premises(
        goal: Annotated[
            str, Field(max_length=MAX_QUESTION, description="A goal as Lean prints it: a hypothesis a line, then ⊢ and "
                                                            "the conclusion; or the conclusion alone."),
        ],
        k: Count = 10, page: Page = 1, filters: Filters = None, index: Name = "", detail: Detail = "short",
        characters: Characters = 6_000,
    ) -> tuple[str, Listing]:
        """Finds declarations of a formal library that could prove a goal, by the constants and symbols of its
        conclusion and by names. Types are not checked."""
        view, request = library.view(index), SearchRequest(q=goal, filters=_filters(filters), page=page, k=k)
        question = Question(goal_query(read_goal(check_length(goal, bounds))), text=goal)
        check_formulas(question.query.content.formulas, bounds)
        return documents(view, answering.search(view, request, bounds, question), detail, characters)

    @tool
    def search_formulas(
        formula: Annotated[
            str, Field(max_length=MAX_QUESTION, description="LaTeX; ?x is a wildcard. Words beside it prefer such "
                                                            "documents."),
        ],
        k: Count = 10, page: Page = 1,
        match: Annotated[
            Literal["any", "equal", "renamed", "identical"],
            Field(description="Which formulas count: similar ones; equal in value; the same up to names; the same."),
        ] = "any",
        filters: Filters = None, index: Name = "", detail: Detail = "short", characters: Characters = 6_000,
    ) -> tuple[str, Listing]:
        """Finds formulas like one, also renamed or rewritten, with the documents that have them."""
        request = FormulaSearchRequest(q=formula, filters=_filters(filters), page=page, k=k, match=match)
        answer = formula_answering.search_formulas(library.view(index), request, bounds)
        short = detail == "short"
        values = listing(answer, listed_formulas(answer.hits), short)
        return listing_text(values, "formula") if short else mcp_texts.formulas_text(answer, characters), values

    @tool
    def patterns(
        pattern: Annotated[
            str, Field(max_length=MAX_QUESTION, description="Expressions in Lean, Unicode or LaTeX with wildcards ?a "
                                                            "and _, and names, separated by commas; ⊢ before what "
                                                            "must be the conclusion: Real.sqrt, ⊢ ?a < ?b."),
        ],
        k: Count = 10, filters: Filters = None, index: Name = "", detail: Detail = "short",
    ) -> tuple[str, Listing]:
        """Finds the statements that match a pattern, smallest first. Types are not checked."""
        view = library.view(index)
        results = pattern_answering.search_patterns(view, pattern, k, _filters(filters), False, bounds)
        values = listing(results, listed_statements(results.hits), short=detail == "short")
        return listing_text(values, "statement"), values

    @tool
    def fetch(
        id: Id,
        start: Annotated[int, Field(ge=0, le=1_000_000_000, description="The character to begin with.")] = 0,
        index: Name = "", characters: Characters = 8_000,
    ) -> str:
        """Gives the text of a document, formulas in LaTeX; of a long one a part, and how to go on."""
        view = library.view(index)
        document, location = view.index.document(id), view.index.location(id)
        title = show_content(document.title, "latex") or (location.section[-1] if location.section else id)
        text = mcp_texts.document_text(document, title, place_of(location, len(view.index.snapshot.sources) > 1).text)
        return mcp_texts.cut(text, start, characters)

    @tool
    def explain(
        question: Annotated[str, Field(max_length=MAX_QUESTION, description="The question of a search.")],
        id: Id,
        filters: Filters = None, index: Name = "",
    ) -> str:
        """Says why a document has its score: what words and formulas contribute, and which formulas correspond."""
        view = library.view(index)
        parsed = answering.read(view, question, bounds)
        parts = parts_of(view.index, parsed)
        deadline = Deadline(bounds.seconds)
        return mcp_texts.explained_text(answering.explain(view, parsed, parts, id, _filters(filters), deadline))

    @tool
    def similar(
        id: Id,
        k: Count = 5, index: Name = "", characters: Characters = 6_000,
    ) -> str:
        """Finds the documents that are most like one, by words and formulas."""
        return mcp_texts.similar_text(answering.similar(library.view(index), id, k, bounds), characters)

    @tool
    def equal_formulas(
        first: Annotated[str, Field(max_length=MAX_QUESTION, description="A formula in LaTeX.")],
        second: Annotated[str, Field(max_length=MAX_QUESTION, description="Another one.")],
    ) -> str:
        """Checks whether two formulas, equations or inequalities are equal, also after rewriting or renaming variables.
        Says where they differ, or what an equality assumes. Formulas that are unknown may still be equal."""
        left, right = (read_formula(check_length(text, bounds)) for text in (first, second))
        check_formulas((left, right), bounds)
        return mcp_texts.equality_text(equality(left, right), [*problems_of(left), *problems_of(right)])

    @tool
    def indexes() -> str:
        """Lists the indexes that can be searched, with their fields and the metadata to filter by."""
        return mcp_texts.indexes_text(describe(served.view) for served in library.values())

    return server


def _filters(given: Mapping[str, str | list[str]] | None) -> dict[str, tuple[str, ...]]:
    return {key: (value,) if isinstance(value, str) else tuple(value) for key, value in (given or {}).items()}


def serve_on_stdio(library: Library) -> None:
    """Serves one client on standard input and output, until it closes them."""
    make_mcp_server(library).run("stdio")


def http_app(server: MCPServer, settings: WebSettings) -> App:
    """The tools as an ASGI application at :data:`MCP_PATH`, with the limits, host names and keys of the settings.

    Sessions are kept by nobody, so that any number of servers can stand behind one name.
    """
    from mcp.server.transport_security import TransportSecuritySettings

    checked_already = TransportSecuritySettings(enable_dns_rebinding_protection=False)  # by the guard
    app: Any = server.streamable_http_app(
        streamable_http_path=MCP_PATH, stateless_http=True, json_response=True, transport_security=checked_already,
        max_request_body_size=settings.limits.body_bytes,
    )
    return Guard(app, settings, Metrics())


def serve_on_http(
    settings: WebSettings, host: str, port: int, on_ready: Callable[[str], None] = lambda url: None
) -> None:
    """Serves any number of clients over HTTP until SIGINT or SIGTERM.

    :raises ConfigError: the address cannot be used.
    """
    bound = bind(host, port)
    try:
        with closing(Library(settings.indexes, settings.model, settings.formula_model)) as library:
            app = http_app(make_mcp_server(library, settings.limits), settings)
            shown = f"[{host}]" if ":" in host else host
            on_ready(f"http://{shown}:{bound.getsockname()[1]}{MCP_PATH}")
            need("uvicorn", "web", "the server").Server(server_config(app)).run(sockets=[bound])
    finally:
        bound.close()
