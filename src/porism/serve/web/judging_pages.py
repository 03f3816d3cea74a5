"""The laboratory pages: questions to judge documents for, two models side by side, and what each model finds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from porism.errors import QueryError
from porism.serve.web import judging
from porism.serve.web.api import Api
from porism.serve.web.judgments import GRADES, QRELS, TOPICS, Judgments
from porism.serve.web.pages import Pages
from porism.serve.web.problems import NotFound, Refused
from porism.serve.web.settings import WebSettings
from porism.serve.web.urls import SearchState, address

DEPTH = 20
"""Documents of each model that are pooled, and shown side by side."""

_PREFIX = "grade:"


class JudgingPages:
    """The handlers of the laboratory pages. All of them change or show the judgments of one folder."""

    def __init__(self, pages: Pages, api: Api, settings: WebSettings, judgments: Judgments) -> None:
        self._pages, self._api, self._limits = pages, api, settings.limits
        self._judgments, self._models = judgments, settings.judged_models

    def overview(self, index: str = "") -> Response:
        """All questions, with what was judged and what each model has of it."""
        view = self._api.view(index)
        return self._show(
            "judge.html", index, topics=self._judgments.topics, models=self._models, measures=judging.MEASURES,
            scores=judging.scores(view, self._judgments, self._models, self._limits),
        )

    def topic(self, id: str, index: str = "", saved: bool = False) -> Response:
        """The documents to be judged for one question."""
        view = self._api.view(index)
        try:
            topic = self._judgments.topic(id)
        except QueryError as error:
            raise NotFound(error.what, hint="All questions are at /judge.") from error
        pool = judging.pool(view, topic, self._models, DEPTH, self._limits)
        return self._show("judge_topic.html", index, pool=pool, grades=GRADES, saved=saved, models=self._models)

    async def ask(self, request: Request) -> Response:
        """Takes a new question, and goes to its page."""
        form = await _form(request)
        index = form.get("index", "")
        view = self._api.view(index)

        def take() -> str:
            view.index.question(form.get("q", ""))  # what cannot be asked is not kept
            return self._judgments.ask(form.get("q", "")).id

        topic_id = await run_in_threadpool(take)
        return RedirectResponse(address("/judge/topic", id=topic_id, index=index), 303)

    async def grade(self, request: Request) -> Response:
        """Takes the grades of a page, and shows it again."""
        form = await _form(request)
        grades: dict[str, int | None] = {}
        for name, value in form.items():
            if name.startswith(_PREFIX):
                if value and not value.isdecimal():
                    raise QueryError(f"the grade {value[:40]!r} is not a number")
                grades[name.removeprefix(_PREFIX)] = int(value[:4]) if value else None
        topic_id, index = form.get("id", ""), form.get("index", "")
        await run_in_threadpool(self._judgments.grade, topic_id, grades)
        return RedirectResponse(address("/judge/topic", id=topic_id, index=index, saved="1"), 303)

    def beside(self, q: str = "", left: str = "", right: str = "", index: str = "") -> Response:
        """The first results of two models for a question, with the judgments that there are for it."""
        view = self._api.view(index)
        chosen = (left or self._models[0], right or self._models[-1])
        for one in chosen:
            if one not in self._models:
                raise QueryError(
                    f"the model {one[:200]!r} is not one of this server", hint=f"Choose from {', '.join(self._models)}."
                )
        sides = judging.side_by_side(view, q, chosen, DEPTH, self._limits) if q.strip() else ()
        return self._show(
            "beside.html", index, q=q, sides=sides, chosen=chosen, models=self._models,
            judged=self._pages.known.find(q) if sides else None,
            seen=dict.fromkeys(hit.id for side in sides for hit in side.hits),
        )

    def file(self, name: str) -> Response:
        """One of the two files of the judgments.

        :raises NotFound: there is none yet, or it is another file.
        """
        path = self._judgments.folder / name
        if name not in (TOPICS, QRELS) or not path.is_file():
            raise NotFound(f"there is no file {name[:200]!r}")
        kind = "application/x-ndjson" if name == TOPICS else "text/tab-separated-values; charset=utf-8"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
        return Response(path.read_bytes(), media_type=kind, headers=headers)

    def _show(self, template: str, index: str, **values: Any) -> Response:
        html = self._pages.templates.render(template, state=SearchState(index=index), **values)
        return HTMLResponse(html, headers={"Cache-Control": "no-cache"})


async def _form(request: Request) -> dict[str, str]:
    """The fields of a form that one of our own pages sent.

    :raises Refused: another site sent it, or it is not a form.
    """
    origin = request.headers.get("origin")
    same = origin is None or urlsplit(origin).netloc == request.headers.get("host", "")
    if not same or request.headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        raise Refused(403, "other_site", "this form was sent by another site", "Open the page of this server.")
    if not request.headers.get("content-type", "").startswith("application/x-www-form-urlencoded"):
        raise Refused(415, "no_form", "this is not a form")
    fields = parse_qs((await request.body()).decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=5_000)
    return {name: values[-1] for name, values in fields.items()}


def judging_router(pages: JudgingPages) -> Any:
    """The routes of the laboratory pages."""
    router = APIRouter(include_in_schema=False)
    routes: tuple[tuple[str, str, Callable[..., Any]], ...] = (
        ("GET", "/judge", pages.overview), ("POST", "/judge", pages.ask), ("GET", "/judge/topic", pages.topic),
        ("POST", "/judge/topic", pages.grade), ("GET", "/judge/files/{name}", pages.file),
        ("GET", "/beside", pages.beside),
    )
    for method, path, handler in routes:
        router.add_api_route(path, handler, methods=[method], response_class=HTMLResponse, response_model=None)
    return router
