"""The application: API, pages, errors and guard put together."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from porism.errors import PorismError
from porism.extras import need
from porism.serve.web.guarding import read_keys
from porism.serve.web.observing import Metrics, log_line
from porism.serve.web.problems import NotFound, Refused, error_answer, refusal
from porism.serve.web.public import NO_ROBOTS, ROBOTS, public_settings
from porism.serve.web.remote_shards import open_servers
from porism.serve.web.served import Library, ServedTogether
from porism.serve.web.settings import WebSettings
from porism.version import __version__

DESCRIPTION = """Search mathematics by words and formulas together.

Questions are text with formulas between dollars. Every answer has `generation`, the commit of the index that it is
about, and an `ETag`. Errors have one form: `error` with `code`, `message` and, where there is one, a `hint`."""


def open_library(settings: WebSettings) -> Library:
    """The indexes of a server, opened.

    :raises IndexNotFound: an index does not exist, and as :func:`porism.search.index.open_index`.
    :raises ConfigError: an address is not valid, or indexes here cannot be searched together with servers.
    """
    seconds = settings.limits.server_seconds
    servers = open_servers(settings.servers, seconds)
    return Library(
        settings.indexes, settings.model, settings.formula_model, servers, seconds, settings.rerankers,
        settings.offered_models,
    )


def create_app(settings: WebSettings, library: Library | None = None) -> Any:
    """The ASGI application of a server.

    :raises MissingExtra: the extra ``porism[web]`` is not installed.
    :raises IndexNotFound: an index does not exist, and as :func:`porism.search.index.open_index`.
    """
    fastapi = need("fastapi", "web", "the web app")
    from porism.serve.web.api import PREFIX, Api, api_router, check_parameters
    from porism.serve.web.delivering import Delivery
    from porism.serve.web.guarding import Guard
    from porism.serve.web.ingest import Ingest, ingest_router
    from porism.serve.web.judging_pages import JudgingPages, judging_router
    from porism.serve.web.judgments import Judgments
    from porism.serve.web.known_questions import KnownQuestions
    from porism.serve.web.laboratory import Laboratory
    from porism.serve.web.page_pictures import PagePictureRoute, picture_router
    from porism.serve.web.pages import Pages, page_router
    from porism.serve.web.pasting import pasting_router
    from porism.serve.web.run_answering import RunAnswers, run_api_router
    from porism.serve.web.run_pages import RunPages, run_router
    from porism.serve.web.shard_routes import ShardRoutes, shard_router

    if settings.public:
        settings = public_settings(settings)
        os.environ.pop("PORISM_EDITOR_URL", None)  # links to files are for whoever sits at this machine
    served = library or open_library(settings)
    metrics = Metrics()
    api = Api(served, settings.limits)
    judgments = Judgments(settings.judgments) if settings.judgments is not None else None
    laboratory = Laboratory(settings.runs, settings.qrels, settings.topics, judgments)
    known = KnownQuestions(judgments, lambda: (laboratory.topics(), laboratory.qrels()))
    pages = Pages(served, settings, api, known)

    ingest = Ingest(served) if settings.ingest is not None else None

    @asynccontextmanager
    async def lifespan(app: Any) -> AsyncIterator[None]:
        need("anyio.to_thread", "web", "the web app").current_default_thread_limiter().total_tokens = settings.threads
        yield
        if ingest is not None:
            ingest.close()

    app = fastapi.FastAPI(
        title=settings.title, version=__version__, description=DESCRIPTION, lifespan=lifespan,
        docs_url=None, redoc_url=None, openapi_url=f"{PREFIX}/openapi.json",
    )
    checked = [fastapi.Depends(check_parameters)]
    app.include_router(api_router(api), dependencies=checked)
    app.include_router(shard_router(ShardRoutes(api, settings.limits)), dependencies=checked)
    app.include_router(page_router(pages))
    app.include_router(picture_router(PagePictureRoute(api)))
    app.include_router(pasting_router())
    if judgments is not None:
        app.include_router(judging_router(JudgingPages(pages, api, settings, judgments)))
    if settings.runs:
        answers = RunAnswers(laboratory)
        app.include_router(run_api_router(answers), dependencies=checked)
        app.include_router(run_router(RunPages(pages, api, settings, answers)))
    if ingest is not None and settings.ingest is not None:
        app.include_router(ingest_router(ingest, read_keys(settings.ingest)), dependencies=checked)

    def metrics_page() -> Any:
        for index in served.values():
            if isinstance(index, ServedTogether):  # its documents are those of the others
                continue
            view = index.view
            metrics.index(view.name, len(view.index), view.generation)
        return fastapi.Response(metrics.text(), media_type="text/plain; version=0.0.4; charset=utf-8")

    def robots() -> Any:
        return fastapi.Response(ROBOTS if settings.public else NO_ROBOTS, media_type="text/plain")

    app.add_api_route("/metrics", metrics_page, methods=["GET"], include_in_schema=False)
    app.add_api_route("/robots.txt", robots, methods=["GET"], include_in_schema=False)
    _add_errors(app, pages, fastapi)
    if settings.origins:
        cors = need("fastapi.middleware.cors", "web", "the web app").CORSMiddleware
        app.add_middleware(
            cors, allow_origins=list(settings.origins), allow_methods=["GET", "POST", "DELETE"],
            allow_headers=["X-API-Key", "Authorization", "Content-Type"], expose_headers=["ETag"],
        )
    return Guard(Delivery(app), settings, metrics)


def _add_errors(app: Any, pages: Any, fastapi: Any) -> None:
    """Errors as values of the API below ``/api/``, and as pages elsewhere."""
    starlette = need("starlette.exceptions", "web", "the web app")
    validation = need("fastapi.exceptions", "web", "the web app").RequestValidationError

    def answer(request: Any, error: Any) -> Any:
        status, value = error_answer(error)
        if not request.url.path.startswith("/api/"):
            return pages.error(status, error)
        return fastapi.Response(value.model_dump_json(), status, media_type="application/json")

    def http_error(request: Any, error: Any) -> Any:
        if error.status_code == 404:
            return answer(request, NotFound("there is no such page", hint="The API is described at /api."))
        refused = Refused(error.status_code, "http_error", str(error.detail))
        response = answer(request, refused)
        for name, value in (error.headers or {}).items():
            response.headers[name] = value
        return response

    def validation_error(request: Any, error: Any) -> Any:
        details = [
            {"parameter": ".".join(map(str, wrong["loc"][1:])), "problem": wrong["msg"]} for wrong in error.errors()
        ]
        named = f"Parameter {details[0]['parameter']}: " if details and details[0]["parameter"] else ""
        first = f"{named}{details[0]['problem']}" if details else "A parameter is wrong"
        if not request.url.path.startswith("/api/"):
            return pages.error(422, Refused(422, "invalid", first))
        _, body = refusal(422, "invalid", first, "The parameters are described at /api.")
        value = need("orjson", "web", "the web app").loads(body)
        value["error"]["details"] = details
        return fastapi.responses.JSONResponse(value, 422)

    def unexpected(request: Any, error: Any) -> Any:
        log_line(event="error", path=request.url.path[:200], error=type(error).__name__, message=str(error)[:500])
        return answer(request, Refused(500, "internal", "something went wrong here", "It has been logged."))

    app.add_exception_handler(PorismError, answer)
    app.add_exception_handler(starlette.HTTPException, http_error)
    app.add_exception_handler(validation, validation_error)
    app.add_exception_handler(Exception, unexpected)


