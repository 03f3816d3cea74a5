"""``[aggregations.NAME]``: pairwise scores, aggregated into an order of another system's first results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from porism.errors import ConfigError
from porism.lab.pairwise import AGGREGATIONS, Aggregation, Holes, aggregate, make_aggregation, ranked_by, read_pairwise
from porism.lab.pairwise.aggregation.registry import DEFAULT
from porism.lab.pipeline import rescored
from porism.lab.recipes.checking import Check, Loading
from porism.lab.recipes.digests import file_digest
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import RunStageKind, SystemKind
from porism.lab.recipes.kinds.rerankers import PAIRS_FILE, RERANKER_KIND, compares_all
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import SystemSettings, check_depth
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import write_settings


@dataclass(frozen=True, slots=True)
class AggregationSettings(SystemSettings):
    """Pairwise scores aggregated.

    :param of: the system whose results were compared; those that were not stay below the others.
    :param pairs: the file of pairwise scores (:func:`porism.lab.pairwise.read_pairwise`).
    :param reranker: in place of a file: a system of the recipe that compares all pairs, whose comparisons are taken.
    :param method: how, by a name of :data:`porism.lab.pairwise.AGGREGATIONS`.
    :param depth: only so many first results are candidates; all that were compared where not given.
    :param holes: what a pair without a score gets.
    :param parameters: what else the recipe says: parameters of the method.
    """

    of: str
    pairs: str = ""
    reranker: str = ""
    method: str = DEFAULT
    depth: int | None = None
    holes: Holes = "complement"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_depth(self.depth)
        if bool(self.pairs) == bool(self.reranker):
            raise ConfigError(
                "pairwise scores are those of a file or of a reranker",
                hint='Write pairs = "FILE" or reranker = "NAME".',
            )

    @property
    def sources(self) -> tuple[str, ...]:
        return (self.of, self.reranker) if self.reranker else (self.of,)

    @property
    def made(self) -> Aggregation:
        """The method with its parameters.

        :raises ConfigError: there is no such method, or it has no such parameter.
        """
        return make_aggregation(self.method, self.parameters)


class AggregatePairs(RunStageKind):
    """Orders the results of another system by pairwise scores."""

    name = "aggregate"
    libraries = ("numpy", "numba", "scipy")

    def make_run(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> Run:
        settings: AggregationSettings = execution.recipe.tables["aggregations"][stage.name]
        source = execution.run(settings.of, stage.topics)
        if settings.reranker:
            compared_by = execution.planner.stages[execution.planner.runs[settings.reranker, stage.topics].name]
            entry = execution.entry(compared_by.kind, compared_by.key, compared_by.id)
            pairs = read_pairwise(entry.file(PAIRS_FILE))
        else:
            pairs = read_pairwise(execution.draft.file(settings.pairs))
        compared = ranked_by(pairs, source, depth=settings.depth, unknown="drop", on_problem=execution.on_problem)
        run = aggregate(compared, settings.made, name=stage.name, holes=settings.holes, on_problem=execution.on_problem)
        scores = {}
        for query_id in run:
            new = dict(run[query_id])
            scores[query_id] = np.array([new.get(doc_id, np.nan) for doc_id, _ in source[query_id]])
        made_by = run.provenance.made_by if run.provenance else {}
        ordered = rescored(source, scores, stage.name)
        return ordered.with_provenance(Provenance.merged([source.provenance], made_by))


class AggregationKind(SystemKind[AggregationSettings]):
    """Aggregations of pairwise scores."""

    table = "aggregations"
    settings = AggregationSettings
    rest = "parameters"
    untunable = "orders results by stored scores"
    stages = (AggregatePairs(),)

    def check(self, check: Check) -> None:
        for name, aggregation, path in self.each(check.recipe):
            check.other_system(aggregation.of, (*path, "of"), name)
            if aggregation.reranker:
                check.other_system(aggregation.reranker, (*path, "reranker"), name)
                table = RERANKER_KIND.of(check.recipe).get(aggregation.reranker)
                if table is None or not compares_all(table.kind, table.settings):
                    check.errors.error(
                        f"{aggregation.reranker!r} does not compare all pairs of documents", (*path, "reranker"),
                        "Name a table [rerankers.NAME] of the kind duo-t5 or pairwise-cross-encoder.",
                    )
            if check.known(aggregation.method, AGGREGATIONS, "aggregation", (*path, "method")):
                known = [setting.name for setting in fields(AGGREGATIONS[aggregation.method]) if setting.init]
                self.check_rest(check, aggregation, path, lambda table: table.made, known)

    def load(self, loading: Loading) -> dict[str, str]:
        digests: dict[str, str] = {}
        for name, aggregation in self.of(loading.recipe).items():
            if aggregation.reranker:
                continue
            path = (self.table, name, "pairs")
            file = loading.exists(aggregation.pairs, path)
            if file is not None:
                with loading.errors.taking(path):
                    digests[name] = file_digest(file)
        return digests

    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        settings = self.of(planner.recipe)[system]
        parameters = {
            "of": settings.of, "method": settings.method, "depth": settings.depth, "holes": settings.holes,
            **write_settings(settings.made),
        }
        sources = [planner.runs[source, topics] for source in settings.sources]
        content = [source.key for source in sources]
        if settings.pairs:
            content.append(planner.data[self.table][system])
        planner.add_run(self.stages[0], system, topics, sources, parameters, *content)


AGGREGATION_KIND = AggregationKind()
