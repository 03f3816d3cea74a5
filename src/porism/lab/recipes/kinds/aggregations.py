"""``[aggregations.NAME]``: pairwise scores of a file, aggregated into an order of another system's first results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

import numpy as np

from porism.lab.pairwise import AGGREGATIONS, Aggregation, Holes, aggregate, make_aggregation, ranked_by, read_pairwise
from porism.lab.pairwise.aggregation.registry import DEFAULT
from porism.lab.pipeline import rescored
from porism.lab.recipes.checking import Check, Loading
from porism.lab.recipes.digests import file_digest
from porism.lab.recipes.execution import Execution, OnCount
from porism.lab.recipes.kinds.base import RunStageKind, SystemKind
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
    :param method: how, by a name of :data:`porism.lab.pairwise.AGGREGATIONS`.
    :param depth: only so many first results are candidates; all that were compared where not given.
    :param holes: what a pair without a score gets.
    :param parameters: what else the recipe says: parameters of the method.
    """

    of: str
    pairs: str
    method: str = DEFAULT
    depth: int | None = None
    holes: Holes = "complement"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_depth(self.depth)

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
            if check.known(aggregation.method, AGGREGATIONS, "aggregation", (*path, "method")):
                known = [setting.name for setting in fields(AGGREGATIONS[aggregation.method]) if setting.init]
                self.check_rest(check, aggregation, path, lambda table: table.made, known)

    def load(self, loading: Loading) -> dict[str, str]:
        digests: dict[str, str] = {}
        for name, aggregation in self.of(loading.recipe).items():
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
        source = planner.runs[settings.of, topics]
        planner.add_run(
            self.stages[0], system, topics, [source], parameters, source.key, planner.data[self.table][system]
        )


AGGREGATION_KIND = AggregationKind()
