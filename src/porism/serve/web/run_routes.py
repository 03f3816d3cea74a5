"""The routes of the API that answer about runs, where a server shows some."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query

from porism.serve.web import run_schema
from porism.serve.web.api import PREFIX, errors_of
from porism.serve.web.run_answering import RunAnswers, run_list, run_ranking, run_topics

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
        return run_ranking(answers, name, topic, against, page)

    for path, handler, model, summary in (
        ("/runs", runs, run_schema.RunList, "List runs"), ("/run", run, run_schema.RunTopics, "A run topic by topic"),
        ("/run/topic", run_topic, run_schema.RunRanking, "The ranking of a run for a topic"),
    ):
        router.add_api_route(
            path, handler, methods=["GET"], response_model=model, summary=summary, responses=errors_of(400, 404, 422),
            operation_id=handler.__name__,
        )
    return router
