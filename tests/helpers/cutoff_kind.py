"""A kind of table as another package would add it: the first results of another system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.checking import Check
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount, Parameters
from porism.lab.recipes.kinds.base import RunStageKind, SystemKind
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import SystemSettings, check_depth
from porism.lab.tuning import with_parameters
from porism.runs.run import Run
from porism.settings import Path


@dataclass(frozen=True, slots=True)
class CutoffSettings(SystemSettings):
    """The first ``k`` results of the system ``of``."""

    of: str
    k: int = 10

    def __post_init__(self) -> None:
        check_depth(self.k)


class CutRun(RunStageKind):
    """Keeps the first results."""

    name = "cut"

    def make_run(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> Run:
        return execution.run(stage.parameters["of"], stage.topics).top(stage.parameters["k"])


class CutoffKind(SystemKind[CutoffSettings]):
    """Cutoffs, whose ``k`` can be tuned."""

    table = "cutoffs"
    settings = CutoffSettings
    stages = (CutRun(),)

    def check(self, check: Check) -> None:
        for name, cutoff in self.of(check.recipe).items():
            check.other_system(cutoff.of, (self.table, name, "of"), name)

    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        cutoff = self.of(planner.recipe)[system]
        source = planner.runs[cutoff.of, topics]
        planner.add_run(self.stages[0], system, topics, [source], {"of": cutoff.of, "k": cutoff.k}, source.key)

    def parameters(self, draft: Draft, system: str, formulas: bool) -> dict[str, Any]:
        return {"k": self.of(draft.recipe)[system].k}

    def check_values(self, check: Check, system: str, values: Mapping[str, Any], formulas: bool, path: Path) -> None:
        if with_parameters(self.parameters(check.draft, system, formulas), values)["k"] < 1:
            raise ConfigError("a cutoff keeps at least one result")

    def varied_run(
        self, execution: Execution, system: str, topics: str, values: Parameters, only: Sequence[str] | None
    ) -> Run:
        cutoff = self.of(execution.recipe)[system]
        source = execution.varied(cutoff.of, topics, values, only)
        return source.top(values.get(system, {}).get("k", cutoff.k))


CUTOFF_KIND = CutoffKind()
