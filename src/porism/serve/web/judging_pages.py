"""The laboratory pages: questions to judge documents for, two models side by side, and what each model finds."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Any
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Request
from fastapi.responses import HTMLResponse, JSONResponse, RedirectResponse, Response
from starlette.concurrency import run_in_threadpool

from porism.errors import QueryError
from porism.lab.evaluate import evaluate_run
from porism.lab.evaluate.agreement import agreement
from porism.runs.run import Run
from porism.search.questions import Question
from porism.serve.web import answering, schema
from porism.serve.web.api import Api
from porism.serve.web.judgments import GRADES, QRELS, TOPICS, Judgments, Topic, judge_name
from porism.serve.web.pages import Pages
from porism.serve.web.parts import parts_of
from porism.serve.web.pieces import PieceMaker
from porism.serve.web.problems import NotFound, Refused
from porism.serve.web.requests import Deadline
from porism.serve.web.served import View
from porism.serve.web.settings import Limits, WebSettings
from porism.serve.web.urls import SearchState, address

DEPTH = 20
"""Documents of each model that are pooled, and shown side by side."""

_PREFIX = "grade:"


class JudgingPages:
    """The handlers of the laboratory pages. All of them change or show the judgments of one folder."""

    def __init__(self, pages: Pages, api: Api, settings: WebSettings, judgments: Judgments) -> None:
        self._pages, self._api, self._limits = pages, api, settings.limits
        self._judgments, self._models = judgments, settings.judged_models

    def overview(self, index: str = "", judge: str = "") -> Response:
        """All questions, with what was judged and what each model has of it; and how far judges agree."""
        view = self._api.view(index)
        judges = self._judgments.judges
        agreements = [
            (first, second, agreed) for first, second in combinations(judges, 2)
            if (agreed := agreement(judges[first], judges[second])) is not None
        ]
        return self._show(
            "judge.html", index, topics=self._judgments.topics, models=self._models, measures=MEASURES,
            scores=scores(view, self._judgments, self._models, self._limits), judge=judge_name(judge) if judge else "",
            judges=judges, agreements=agreements,
        )

    def topic(self, id: str, index: str = "", saved: bool = False, judge: str = "") -> Response:
        """The documents to be judged for one question, with the grades that a judge has given."""
        view = self._api.view(index)
        try:
            topic = self._judgments.topic(id)
            own = self._judgments.grades(id, judge)
        except QueryError as error:
            raise NotFound(error.what, hint="All questions are at /judge.") from error
        pool = pool_of(view, topic, self._models, DEPTH, self._limits)
        return self._show(
            "judge_topic.html", index, pool=pool, grades=GRADES, own=own, saved=saved, models=self._models,
            judge=judge_name(judge) if judge else "",
        )

    async def ask(self, request: Request) -> Response:
        """Takes a new question, and goes to its page."""
        form = await _form(request)
        index = form.get("index", "")
        view = self._api.view(index)

        def take() -> str:
            view.index.question(form.get("q", ""))  # what cannot be asked is not kept
            return self._judgments.ask(form.get("q", "")).id

        topic_id = await run_in_threadpool(take)
        return RedirectResponse(address("/judge/topic", id=topic_id, index=index, judge=form.get("judge", "")), 303)

    async def grade(self, request: Request) -> Response:
        """Takes grades, and shows their page again; or says, as JSON, how many there are now."""
        form = await _form(request)
        grades: dict[str, int | None] = {}
        for name, value in form.items():
            if name.startswith(_PREFIX):
                if value and not value.isdecimal():
                    raise QueryError(f"the grade {value[:40]!r} is not a number")
                grades[name.removeprefix(_PREFIX)] = int(value[:4]) if value else None
        topic_id, index, judge = form.get("id", ""), form.get("index", ""), form.get("judge", "")
        await run_in_threadpool(self._judgments.grade, topic_id, grades, judge)
        if request.headers.get("accept") == "application/json":
            return JSONResponse(dict(await run_in_threadpool(self._judgments.grades, topic_id, judge)))
        return RedirectResponse(address("/judge/topic", id=topic_id, index=index, judge=judge, saved="1"), 303)

    def beside(self, q: str = "", left: str = "", right: str = "", index: str = "") -> Response:
        """The first results of two models for a question, with the judgments that there are for it."""
        view = self._api.view(index)
        chosen = (left or self._models[0], right or self._models[-1])
        for model in chosen:
            if model not in self._models:
                known = ", ".join(self._models)
                raise QueryError(f"the model {model[:200]!r} is not one of this server", hint=f"Choose from {known}.")
        sides = side_by_side(view, q, chosen, DEPTH, self._limits) if q.strip() else ()
        return self._show(
            "beside.html", index, q=q, sides=sides, chosen=chosen, models=self._models,
            judged=self._pages.known.find(q) if sides else None,
            seen=dict.fromkeys(hit.id for side in sides for hit in side.hits),
        )

    def file(self, name: str) -> Response:
        """One of the files of the judgments.

        :raises NotFound: there is none yet, or it is another file.
        """
        path = self._judgments.folder / name
        known = (TOPICS, QRELS, *(f"judge-{judge}.tsv" for judge in self._judgments.judges))
        if name not in known or not path.is_file():
            raise NotFound(f"there is no file {name[:200]!r}")
        kind = "application/x-ndjson" if name == TOPICS else "text/tab-separated-values; charset=utf-8"
        headers = {"Content-Disposition": f'attachment; filename="{name}"', "Cache-Control": "no-cache"}
        return Response(path.read_bytes(), media_type=kind, headers=headers)

    def _show(self, template: str, index: str, **values: Any) -> Response:
        html = self._pages.templates.render(template, state=SearchState(index=index), **values)
        return HTMLResponse(html, headers={"Cache-Control": "no-cache"})


MAX_FIELDS = 5_000
"""Fields of a form."""


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
    body = (await request.body()).decode("utf-8", "replace")
    try:
        fields = parse_qs(body, keep_blank_values=True, max_num_fields=MAX_FIELDS)
    except ValueError as error:
        raise Refused(413, "too_many_fields", f"the form has more than {MAX_FIELDS:,} fields") from error
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


MEASURES = ("nDCG'@10", "P'@10")


@dataclass(frozen=True, slots=True)
class Pool:
    """The documents to be judged for a question: of each model the first, in turns, so that none is favoured."""

    topic: Topic
    parts: tuple[schema.QueryPart, ...]
    hits: tuple[schema.HitView, ...]


@dataclass(frozen=True, slots=True)
class ModelRanking:
    """The first results of one model: hits, with the rank that the other model has for each (0 for none)."""

    model: str
    hits: tuple[schema.HitView, ...]
    elsewhere: tuple[int, ...]


def pool_of(view: View, topic: Topic, models: Sequence[str], depth: int, limits: Limits) -> Pool:
    """What is to be judged: the first ``depth`` documents of each model, and what was judged already.

    :raises QueryError: the question cannot be asked.
    :raises ConfigError: the index lacks what a model needs.
    """
    question = answering.read(view, topic.question, limits)
    rankings = [ranking(view, question, model, depth) for model in models]
    turns = (doc_id for turn in zip_longest(*rankings) for doc_id in turn if doc_id is not None)
    ids = list(dict.fromkeys((*turns, *(grade for grade in topic.grades if grade in view.index))))
    return Pool(topic, tuple(parts_of(view.index, question).parts), _hits(view, question, ids, limits))


def ranking(view: View, question: Question, model: str, depth: int) -> list[str]:
    """The ids of the first documents of a model."""
    key = ("laboratory", model, question.text, depth)

    def search() -> list[str]:
        run = view.index.with_models(model).ranked(question, depth)
        return [doc_id for doc_id, _ in run[question.query.id]]

    ids: list[str] = view.rankings.get(key, search)
    return ids


def side_by_side(
    view: View, text: str, models: tuple[str, str], depth: int, limits: Limits
) -> tuple[ModelRanking, ModelRanking]:
    """The first results of two models for a question.

    :raises QueryError: the question cannot be asked.
    :raises ConfigError: there is no such model, or the index lacks what it needs.
    """
    question = answering.read(view, text, limits)
    left, right = (ranking(view, question, model, depth) for model in models)
    return _beside(view, question, models[0], left, right, limits), _beside(
        view, question, models[1], right, left, limits
    )


def scores(
    view: View, judgments: Judgments, models: Sequence[str], limits: Limits
) -> Mapping[str, Mapping[str, list[float]]]:
    """Model → topic → the measures of :data:`MEASURES` for what was judged; topics with a relevant document only."""
    judged = {topic.id: topic for topic in judgments.topics if any(topic.grades.values())}
    qrels = {topic_id: dict(topic.grades) for topic_id, topic in judged.items()}
    by_model: dict[str, dict[str, list[float]]] = {}
    for model in models:
        run = Run({
            topic_id: [
                (doc_id, 1 / rank) for rank, doc_id in enumerate(
                    ranking(view, answering.read(view, topic.question, limits), model, limits.depth), 1
                )
            ] for topic_id, topic in judged.items()
        }, model)
        own: dict[str, list[float]] = {topic_id: [] for topic_id in judged}
        if qrels:
            for values in evaluate_run(run, qrels, MEASURES).per_topic.values():
                for topic_id in judged:
                    own[topic_id].append(values.get(topic_id, 0.0))
        by_model[model] = own
    return by_model


def _beside(
    view: View, question: Question, model: str, own: Sequence[str], other: Sequence[str], limits: Limits
) -> ModelRanking:
    ranks = {doc_id: rank for rank, doc_id in enumerate(other, 1)}
    return ModelRanking(model, _hits(view, question, own, limits), tuple(ranks.get(doc_id, 0) for doc_id in own))


def _hits(view: View, question: Question, ids: Sequence[str], limits: Limits) -> tuple[schema.HitView, ...]:
    parts = parts_of(view.index, question)
    pieces = PieceMaker(view, parts, Deadline(limits.alignment_seconds))
    hits = view.index.hits([(doc_id, 0.0) for doc_id in ids], question)
    return tuple(answering.shown_hit(view, hit, pieces, parts) for hit in hits)
