"""The pages of runs: all of them beside a baseline, one of them topic by topic, and its ranking for a topic."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from importlib.util import find_spec
from threading import Lock
from typing import Any

from fastapi import APIRouter
from fastapi.responses import HTMLResponse, Response

from porism.errors import PorismError
from porism.lab.evaluate import Qrels, RunComparison, evaluation_intervals, precision_recall
from porism.lab.reports import Plot, svg
from porism.lab.reports.curve_plots import precision_recall_plot
from porism.lab.reports.plots import SHOWN_RUNS, most_different
from porism.lab.reports.topic_plots import boxes_plot, differences_plot, intervals_plot
from porism.runs.run import Run
from porism.serve.web import run_tables
from porism.serve.web.api import Api
from porism.serve.web.known_questions import Grade, topic_text
from porism.serve.web.pages import Pages
from porism.serve.web.pieces import plain_pieces
from porism.serve.web.rendering import plain_html, safe
from porism.serve.web.run_answering import PER_PAGE, Compared, RunAnswers
from porism.serve.web.run_tables import DEPTH, values_by_run
from porism.serve.web.sanitizing import clean_drawing
from porism.serve.web.served import View
from porism.serve.web.settings import WebSettings
from porism.serve.web.urls import SearchState, address
from porism.system.concurrency.caching import Memory
from porism.types import Content, Formula

STRIP = 100
MAX_TEXT_LENGTH = 160
"""Of a topic's text in a table so many characters are shown."""


@dataclass(frozen=True)
class RunState:
    """What a page of runs depends on; :meth:`url` is its address."""

    path: str
    index: str = ""
    name: str = ""
    against: str = ""
    baseline: str = ""
    measures: str = ""
    sort: str = ""
    order: str = ""

    def url(self, **changes: str) -> str:
        """The address with some changes."""
        own: dict[str, str] = {**asdict(self), **changes}
        return address(own.pop("path"), **own)

    @property
    def falls(self) -> bool:
        """Whether the largest come first: values as a rule, names not."""
        return self.order == "falls" if self.order in ("falls", "rises") else self.sort != "name"

    def sorted_by(self, column: str) -> str:
        """The address of the table sorted by a column, the other way round where it is sorted by it."""
        usual = "rises" if column == "name" else "falls"
        if column != self.sort:
            return self.url(sort=column, order="")
        other = "rises" if self.falls else "falls"
        return self.url(order="" if other == usual else other)

    def direction(self, column: str) -> str:
        """The value of ``aria-sort`` for a column, empty where the table is sorted by another one."""
        return "" if column != self.sort else "descending" if self.falls else "ascending"


class RunPages:
    """The handlers of the pages of runs. They change nothing."""

    def __init__(self, pages: Pages, api: Api, settings: WebSettings, answers: RunAnswers) -> None:
        self._pages, self._api, self._limits, self._answers = pages, api, settings.limits, answers
        self._laboratory = answers.laboratory
        self._plots: Memory[list[Drawn]] = Memory(32)

    def runs(
        self, index: str = "", baseline: str = "", measures: str = "", sort: str = "", order: str = ""
    ) -> Response:
        """All runs by their measures."""
        state = RunState("/runs", index, baseline=baseline, measures=measures, sort=sort, order=order)
        compared, chosen, problems = self._answers.all(baseline, measures)
        table, plots = None, []
        if compared is not None:
            table = run_tables.table_of_runs(compared.comparison, sort, state.falls)
            plots = self._drawn(compared, table.measure)
        return self._show(
            "runs.html", index, run_state=state, table=table, plots=plots, can_draw=can_draw(),
            problems=problems, names=compared.comparison.names if compared is not None else (),
            judged=len(self._laboratory.qrels()), asked_measures=", ".join(chosen),
        )

    def run(
        self, name: str, index: str = "", against: str = "", measures: str = "", sort: str = "", order: str = ""
    ) -> Response:
        """One run topic by topic, alone or beside another one."""
        state = RunState("/run", index, name, against, measures=measures, sort=sort, order=order)
        compared = self._answers.one(name, against, measures)
        comparison, has_other = compared.comparison, len(compared.runs) > 1
        table = run_tables.table_of_topics(comparison, name, sort, state.falls)
        return self._show(
            "run.html", index, run_state=state, table=table, names=list(self._laboratory.names()),
            evaluation=comparison[name], baseline=comparison[against] if has_other else None,
            tests={measure: results[name] for measure, results in comparison.tests.items()} if has_other else {},
            legend=comparison.legend() if has_other else [],
            texts={topic: text for topic in comparison.topics
                   if (text := self._rendered(topic, MAX_TEXT_LENGTH)) is not None},
            plots=self._drawn(compared, table.measure), can_draw=can_draw(),
            asked_measures=", ".join(comparison.measures),
        )

    def topic(self, name: str, topic: str, index: str = "", against: str = "", page: int = 1) -> Response:
        """The ranking that a run has for a topic, with what is judged of it."""
        view = self._api.view(index)
        answer = self._answers.topic(name, topic, against, page)
        judged, ranking = answer.judged, answer.ranking
        order = [judged_topic for judged_topic in answer.qrels if judged_topic in answer.run or judged_topic == topic]
        place = order.index(topic) if topic in order else -1
        ids = [doc_id for doc_id, _ in answer.run[topic][:DEPTH]]
        return self._show(
            "run_topic.html", index, ranking=ranking, against=ranking.against or "", judged=judged,
            text=self._rendered(topic), question=self._question(topic), last_page=-(-ranking.total // PER_PAGE),
            strip=strip([judged.grade(doc_id) for doc_id in ids[:STRIP]]), strip_length=min(STRIP, len(ids)),
            before=order[place - 1] if place > 0 else "", after=order[place + 1] if -1 < place < len(order) - 1 else "",
            titles=_titles(view, [*(hit.id for hit in ranking.hits), *(missed.id for missed in ranking.missed)]),
            summary=judged.summary(ids),
        )

    # ------------------------------------------------------------------------------------------------------------------

    def _drawn(self, compared: Compared, measure: str) -> list[Drawn]:
        if not can_draw():
            return []
        return self._plots.get(
            (*compared.key, measure),
            lambda: plots_of(compared.comparison, measure, compared.runs, compared.qrels, compared.scale.relevant),
        )

    def _question(self, topic: str) -> str:
        """The topic as a question for the search, its title alone where all of it is too long."""
        text = self._laboratory.text(topic)
        query = self._laboratory.topics().get(topic)
        whole = topic_text(query) if query is not None else ""
        content = query.content if query is not None else text
        if content is None or text is None:
            return ""
        fits = len(whole) <= self._limits.question_characters and len(content.formulas) <= self._limits.formulas
        return whole if whole and fits else " ".join(text.to_latex().split())[: self._limits.question_characters]

    def _rendered(self, topic: str, most: int = 2_000) -> Any:
        text = self._laboratory.text(topic)
        return plain_html(plain_pieces(beginning(text, most))) if text is not None else None

    def _show(self, template: str, index: str, /, **values: Any) -> Response:
        html = self._pages.templates.render(template, state=SearchState(index=index), **values)
        return HTMLResponse(html, headers={"Cache-Control": "no-cache"})


def beginning(content: Content, most: int) -> Content:
    """The first parts of a content, about ``most`` characters, with an ellipsis where something is left out."""
    parts: list[str | Formula] = []
    left = most
    for part in content.parts:
        size = len(part) if isinstance(part, str) else len(part.source)
        if size > left:
            if isinstance(part, str):
                parts.append(part[:left])
            return Content.of(*parts, "…")
        parts.append(part)
        left -= size
    return content


def _titles(view: View, doc_ids: list[str]) -> dict[str, Any]:
    """Document → title, for those that the index has; without a title the id."""
    titles: dict[str, Any] = {}
    for doc_id in doc_ids:
        if doc_id in view.index:
            try:
                title = plain_pieces(view.index.document(doc_id).title)
            except PorismError:  # deleted since
                continue
            titles[doc_id] = plain_html(title) if title else doc_id
    return titles


def run_router(pages: RunPages) -> Any:
    """The routes of the pages of runs."""
    router = APIRouter(include_in_schema=False)
    routes: tuple[tuple[str, Callable[..., Any]], ...] = (
        ("/runs", pages.runs), ("/run", pages.run), ("/run/topic", pages.topic),
    )
    for path, handler in routes:
        router.add_api_route(path, handler, methods=["GET"], response_class=HTMLResponse, response_model=None)
    return router


_drawing = Lock()
"""matplotlib's settings are those of the process."""

STRIP_STEP, STRIP_HEIGHT = 8, 34


@dataclass(frozen=True, slots=True)
class Drawn:
    """A plot as a page shows it."""

    title: str
    caption: str
    svg: Any


def can_draw() -> bool:
    """Whether matplotlib is installed."""
    return find_spec("matplotlib") is not None


def plots_of(comparison: RunComparison, measure: str, runs: Sequence[Run], qrels: Qrels, relevant: int) -> list[Drawn]:
    """How runs differ in one measure: means with intervals, topics, the spread over topics, precision and recall."""
    values = values_by_run(comparison, measure)
    several = len(values) > 1
    baseline = comparison.baseline if several else None
    defined = all((column == column).any() for column in values.values())
    with _drawing:
        drawn: list[Plot] = []
        if several and defined:
            results = comparison.tests[measure]
            name = comparison.names[comparison.baseline]
            shown = most_different(values, name, SHOWN_RUNS)
            evaluations = comparison.evaluations
            drawn += [
                intervals_plot(
                    {evaluation.run_name: evaluation.aggregated[measure] for evaluation in evaluations},
                    {evaluation.run_name: evaluation_intervals(evaluation)[measure] for evaluation in evaluations},
                    {run: result.difference for run, result in results.items()},
                    {run: result.interval for run, result in results.items()}, measure, baseline=name,
                    level=comparison.level, stars={run: result.stars for run, result in results.items()},
                    summed=comparison.evaluations[0].is_count(measure),
                ),
                differences_plot(comparison.topics, values, name, measure, shown=shown),
            ]
        if defined:
            drawn.append(boxes_plot(values, measure, baseline=baseline))
        curves = {
            name: precision_recall(run, qrels, True, rel=relevant, depth=DEPTH)
            for name, run in zip(comparison.names, runs, strict=True)
        }
        drawn.append(precision_recall_plot(
            curves, baseline=baseline,
            note=f"Unjudged documents are removed first; a gain of {relevant} or more is relevant.",
        ))
        return [Drawn(plot.title, plot.caption, safe(clean_drawing(svg(plot, styles=False)))) for plot in drawn]


def strip(grades: Sequence[Grade]) -> Any:
    """The first results as bars: the higher the better, a dot for one that is not judged. Grades differ by height."""
    marks = []
    for number, grade in enumerate(grades):
        x = number * STRIP_STEP
        title = f"<title>{number + 1}: {grade.text}</title>"
        if grade.level is None:
            marks.append(f'<g class="none">{title}<circle cx="{x + 3}" cy="{STRIP_HEIGHT - 4}" r="1.5"/></g>')
        else:
            height = 4 + 10 * grade.level
            marks.append(
                f'<g class="g{grade.level}">{title}'
                f'<rect x="{x}" y="{STRIP_HEIGHT - height}" width="6" height="{height}"/></g>'
            )
    width = max(1, len(grades) * STRIP_STEP)
    judged = sum(grade.level is not None for grade in grades)
    return safe(clean_drawing(
        f'<svg class="strip" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {STRIP_HEIGHT}" width="{width}" '
        f'height="{STRIP_HEIGHT}" role="img" aria-label="Grades of the first {len(grades)} results, of which {judged} '
        f'are judged">{"".join(marks)}</svg>'
    ))
