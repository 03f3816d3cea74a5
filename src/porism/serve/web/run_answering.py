"""Answers about runs: all of them beside a baseline, one of them topic by topic, and its ranking for a topic."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

from fastapi import APIRouter, Query

from porism.errors import QueryError
from porism.lab.evaluate import Qrels, RunComparison, TestResult
from porism.runs.run import Run
from porism.serve.web import run_schema, run_tables
from porism.serve.web.api import PREFIX, errors_of
from porism.serve.web.known_questions import GradeScale, JudgedQuestion, scale_of
from porism.serve.web.laboratory import Laboratory
from porism.serve.web.problems import NotFound
from porism.serve.web.run_tables import DEPTH, known
from porism.settings import nearest
from porism.system.concurrency.caching import Memory

PER_PAGE = 50


@dataclass(frozen=True, slots=True)
class Compared:
    """Some runs with their scores, the judgments behind them, and what has them all in a memory."""

    key: tuple[object, ...]
    runs: tuple[Run, ...]
    comparison: RunComparison
    qrels: Qrels
    scale: GradeScale


@dataclass(frozen=True, slots=True)
class TopicAnswer:
    """The ranking of a run for a topic, and what it is judged by."""

    run: Run
    judged: JudgedQuestion
    qrels: Qrels
    ranking: run_schema.RunRanking


class RunAnswers:
    """Runs of a laboratory measured; what was measured last is remembered until a file changes."""

    def __init__(self, laboratory: Laboratory) -> None:
        self.laboratory = laboratory
        self._comparisons: Memory[RunComparison] = Memory(32)

    def all(self, baseline: str, measures: str) -> tuple[Compared | None, tuple[str, ...], list[str]]:
        """All runs beside a baseline (None where none can be scored), the measures, and what is wrong with runs.

        :raises NotFound: there is no such baseline.
        """
        runs, problems = self.laboratory.runs()
        qrels = self.laboratory.qrels()
        scale = scale_of(qrels)
        chosen = run_tables.measures_of(measures, scale)
        scored = [run for run in runs if any(topic in qrels and run[topic] for topic in run)]
        problems += [f"{run.name} has no topic with judgments" for run in runs if run not in scored] if qrels else []
        if not scored:
            return None, chosen, problems
        names = [run.name for run in scored]
        if baseline and baseline not in names:
            raise NotFound(f"there is no run {baseline[:200]!r}", hint=nearest(baseline, names))
        first = names.index(baseline) if baseline else 0
        key = ("runs", self.laboratory.version(), chosen, first)
        comparison = self._comparisons.get(key, lambda: run_tables.compared(scored, qrels, chosen, first))
        return Compared(key, tuple(scored), comparison, qrels, scale), chosen, problems

    def one(self, name: str, against: str, measures: str) -> Compared:
        """A run by itself, or behind another one that is the baseline.

        :raises NotFound: there is no such run.
        :raises QueryError: nothing is judged.
        """
        run, other = self._find(name), self._other(name, against)
        qrels = self._judged_qrels()
        scale = scale_of(qrels)
        chosen = run_tables.measures_of(measures, scale)
        runs = (run,) if other is None else (other, run)
        key = ("run", self.laboratory.version(), chosen, *(shown_run.name for shown_run in runs))
        comparison = self._comparisons.get(key, lambda: run_tables.compared(runs, qrels, chosen))
        return Compared(key, runs, comparison, qrels, scale)

    def topic(self, name: str, topic: str, against: str, page: int) -> TopicAnswer:
        """A page of the ranking that a run has for a topic.

        :raises NotFound: there is no such run, topic or page.
        :raises QueryError: nothing is judged.
        """
        run, other = self._find(name), self._other(name, against)
        qrels = self._judged_qrels()
        scale = scale_of(qrels)
        if topic not in qrels and topic not in run:
            raise NotFound(f"neither the run nor the judgments have a topic {topic[:200]!r}")
        if not 1 <= page <= DEPTH // PER_PAGE:
            raise NotFound(f"there is no page {page}", hint=f"The first {DEPTH:,} results are shown.")
        judged = JudgedQuestion(topic, qrels.get(topic, {}), scale)
        values: Mapping[str, float] = {}
        if topic in qrels and run[topic]:
            own = {topic: qrels[topic]}
            values = run_tables.compared([run], own, run_tables.measures_of("", scale)).evaluations[0].aggregated
        ranking = ranked_page(run, judged, other, page)
        return TopicAnswer(run, judged, qrels, ranking.model_copy(
            update={"text": _text(self.laboratory, topic), "values": _values(values)}
        ))

    def _other(self, name: str, against: str) -> Run | None:
        return self._find(against) if against and against != name else None

    def _find(self, name: str) -> Run:
        names = self.laboratory.names()
        if name not in names:
            raise NotFound(f"there is no run {name[:200]!r}", hint=nearest(name[:200], names) or "All are at /runs.")
        return self.laboratory.run(name, names[name])

    def _judged_qrels(self) -> Qrels:
        qrels = self.laboratory.qrels()
        if not qrels:
            raise QueryError("nothing is judged yet", hint="Grade documents at /judge, then runs can be measured.")
        return qrels


def run_list(answers: RunAnswers, baseline: str, measures: str) -> run_schema.RunList:
    """All runs as a value of the API."""
    compared, chosen, problems = answers.all(baseline, measures)
    if compared is None:
        judged = len(answers.laboratory.qrels())
        return run_schema.RunList(measures=chosen, judged_topics=judged, problems=tuple(problems))
    comparison = compared.comparison
    return run_schema.RunList(
        measures=chosen, baseline=comparison.names[comparison.baseline], judged_topics=len(compared.qrels),
        runs=tuple(
            run_schema.RunScores(
                name=evaluation.run_name, topics=len(evaluation.topics), values=_values(evaluation.aggregated),
                tests={
                    measure: _test(results[evaluation.run_name]) for measure, results in comparison.tests.items()
                    if evaluation.run_name in results
                },
            )
            for evaluation in comparison.evaluations
        ),
        notes=tuple(comparison.legend()), problems=tuple(problems),
    )


def run_topics(answers: RunAnswers, name: str, against: str, measures: str) -> run_schema.RunTopics:
    """A run topic by topic as a value of the API."""
    comparison = answers.one(name, against, measures).comparison
    own = comparison[name]
    baseline = comparison.names[comparison.baseline]
    gaps = {
        measure: comparison.differences(name, measure) for measure in comparison.measures
    } if baseline != name else {}
    return run_schema.RunTopics(
        name=name, against=baseline if baseline != name else None, measures=comparison.measures,
        values=_values(own.aggregated),
        tests={measure: _test(results[name]) for measure, results in comparison.tests.items() if name in results},
        topics=tuple(
            run_schema.TopicScores(
                topic=topic, text=_text(answers.laboratory, topic), answered=topic not in own.missing_topics,
                values={measure: known(own.per_topic[measure].get(topic)) for measure in comparison.measures},
                differences={measure: known(gap.get(topic)) for measure, gap in gaps.items()},
            )
            for topic in comparison.topics
        ),
        notes=tuple(own.notes()),
    )


def ranked_page(run: Run, judged: JudgedQuestion, other: Run | None, page: int) -> run_schema.RunRanking:
    """A page of what a run has for a topic, with the ranks in another run; relevant documents that it lacks are listed
    best first."""
    ranking = run[judged.topic][:DEPTH]
    others = other[judged.topic][:DEPTH] if other is not None else ()
    there = {doc_id: rank for rank, (doc_id, _) in enumerate(others, 1)}
    first = (page - 1) * PER_PAGE
    ids = {doc_id for doc_id, _ in ranking}
    missed = sorted(
        (doc_id for doc_id, gain in judged.gains.items() if gain >= judged.scale.relevant and doc_id not in ids),
        key=lambda doc_id: -judged.gains[doc_id],
    )
    return run_schema.RunRanking(
        name=run.name, topic=judged.topic, against=other.name if other is not None else None, values={},
        total=len(ranking), judged=sum(doc_id in judged.gains for doc_id in ids), page=page, per_page=PER_PAGE,
        hits=tuple(
            run_schema.RankedDocument(
                rank=rank, id=doc_id, score=score, gain=judged.gains.get(doc_id), grade=judged.grade(doc_id).text,
                rank_there=there.get(doc_id),
            )
            for rank, (doc_id, score) in enumerate(ranking[first : first + PER_PAGE], first + 1)
        ),
        missed=tuple(
            run_schema.MissedDocument(id=doc_id, gain=judged.gains[doc_id], grade=judged.grade(doc_id).text)
            for doc_id in missed
        ),
    )


def _values(values: Mapping[str, float]) -> dict[str, float | None]:
    return {measure: known(value) for measure, value in values.items()}


def _test(result: TestResult) -> run_schema.RunTest:
    low, high = result.interval
    return run_schema.RunTest(
        difference=result.difference, low=low, high=high, p_value=result.p_value, adjusted=result.adjusted,
        wins=result.wins, ties=result.ties, losses=result.losses,
    )


def _text(laboratory: Laboratory, topic: str) -> str | None:
    text = laboratory.text(topic)
    return " ".join(text.to_latex().split())[:2_000] if text is not None else None


RunName = Annotated[str, Query(description="The name of a run, as `runs` lists it.")]
Against = Annotated[str, Query(description="Another run, from which the differences are.")]
Measures = Annotated[str, Query(description="Up to 12 measures, with commas between; the usual ones if left out.")]


def run_api_router(answers: RunAnswers) -> Any:
    """The routes."""
    router = APIRouter(prefix=PREFIX)

    def runs(baseline: Against = "", measures: Measures = "") -> run_schema.RunList:
        """All runs by their measures, each tested against a baseline, the first of them if none is named."""
        return run_list(answers, baseline, measures)

    def run(name: RunName, against: Against = "", measures: Measures = "") -> run_schema.RunTopics:
        """A run topic by topic, alone or beside another one."""
        return run_topics(answers, name, against, measures)

    def run_topic(
        name: RunName, topic: Annotated[str, Query(description="The id of a topic.")], against: Against = "",
        page: Annotated[int, Query(description="The page of 50 results, from 1.")] = 1,
    ) -> run_schema.RunRanking:
        """The ranking that a run has for a topic: grades, ranks in another run, and relevant documents it lacks."""
        return answers.topic(name, topic, against, page).ranking

    for path, handler, model, summary in (
        ("/runs", runs, run_schema.RunList, "List runs"), ("/run", run, run_schema.RunTopics, "A run topic by topic"),
        ("/run/topic", run_topic, run_schema.RunRanking, "The ranking of a run for a topic"),
    ):
        router.add_api_route(
            path, handler, methods=["GET"], response_model=model, summary=summary, responses=errors_of(400, 404, 422),
            operation_id=handler.__name__,
        )
    return router
