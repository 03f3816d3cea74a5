"""``[fusions.NAME]``: the results of several systems, combined."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import Any

from porism.errors import ConfigError
from porism.lab.fusion import FUSIONS, LEARNED, Fusion, FusionTable, LearnedFusion, cross_validate_fusion, make_fusion
from porism.lab.recipes.checking import Check, Data, Loading, Requirement
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount, Parameters
from porism.lab.recipes.kinds.base import RunStageKind, SystemKind
from porism.lab.recipes.kinds.topics import check_judged, judgments_digest, learned_from, used_qrels
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.recipe import SystemSettings, base_set, check_depth, check_folds
from porism.lab.tuning import FusionObjective, Objective, with_parameters
from porism.runs.run import Run
from porism.settings import Path, SettingError, nearest, write_settings

_KEPT_TABLES = 8


@dataclass(frozen=True, slots=True)
class FusionSettings(SystemSettings):
    """Systems combined.

    :param of: the systems, in the order of the weights.
    :param method: how, by a name of :data:`porism.lab.fusion.FUSIONS`.
    :param depth: results a topic; the recipe's where not given.
    :param train_on: the topic set on whose judgments the method is trained, where it is one that learns.
    :param folds: on the topics that it is trained on, each is ranked by a model of the other folds; 0: by one that
        knows it. Elsewhere, by a model of all.
    :param parameters: what else the recipe says: parameters of the method.
    """

    of: tuple[str, ...]
    method: str = "rrf"
    depth: int | None = None
    train_on: str | None = None
    folds: int = 0
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        check_depth(self.depth)
        check_folds(self.folds)
        if not self.of:
            raise ConfigError("a fusion needs a system to fuse", hint='For example: of = ["first", "second"].')
        if len(set(self.of)) < len(self.of):
            raise ConfigError("a fusion cannot take one system twice", hint="Give it a larger weight.")

    @property
    def learns_on(self) -> str:
        return self.train_on or ""

    def made(self, seed: int) -> Fusion:
        """The method with its parameters; one that draws numbers has the recipe's seed if it is given none of its own.

        :raises ConfigError: the method does not exist; a SettingError where a parameter does not fit.
        """
        if self.method not in FUSIONS:
            raise SettingError(
                f"there is no fusion {self.method!r}", path=("method",), hint=nearest(self.method, FUSIONS)
            )
        parameters = dict(self.parameters)
        if "seed" in FUSIONS[self.method].__dataclass_fields__:
            parameters.setdefault("seed", seed)
        return make_fusion(self.method, parameters)


class FuseRuns(RunStageKind):
    """Fuses runs; a method that learns is trained first."""

    name = "fuse"
    libraries = ("numpy", "numba", "scipy", "scikit-learn")

    def make_run(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> Run:
        settings: FusionSettings = execution.recipe.tables["fusions"][stage.name]
        runs = [execution.run(source, stage.topics) for source in settings.of]
        return combine(execution, stage.name, settings.made(execution.recipe.seed), runs, stage.topics, {})


class FusionKind(SystemKind[FusionSettings]):
    """Fusions."""

    table = "fusions"
    settings = FusionSettings
    rest = "parameters"
    stages = (FuseRuns(),)

    def check(self, check: Check) -> None:
        for name, fusion, path in self.each(check.recipe):
            for number, system in enumerate(fusion.of):
                check.other_system(system, (*path, "of", number), name)
            if check.known(fusion.method, FUSIONS, "fusion", (*path, "method")):
                self._check_method(check, fusion, path)

    def _check_method(self, check: Check, fusion: FusionSettings, path: Path) -> None:
        method = FUSIONS[fusion.method]
        parameters = [setting.name for setting in fields(method) if setting.init]
        made = self.check_rest(check, fusion, path, lambda table: table.made(check.recipe.seed), parameters)
        for setting in ("weights", "coefficients"):
            weights = getattr(made, setting, None)
            if weights is not None and len(weights) != len(fusion.of):
                check.errors.error(
                    f"there are {len(weights)} {setting} for {len(fusion.of)} systems", (*path, setting),
                    f"Give one a system, in this order: {', '.join(fusion.of)}.",
                )
        if fusion.train_on is not None:
            if fusion.method not in LEARNED:
                check.errors.error(
                    f"the fusion {fusion.method!r} learns nothing", (*path, "train_on"),
                    f"Those that do are {' and '.join(LEARNED)}.",
                )
            check_judged(check, fusion.train_on, (*path, "train_on"))
            if getattr(made, "weights", None) is not None or getattr(made, "coefficients", None) is not None:
                check.errors.error(
                    f"{fusion.method} has weights, and judgments to learn them from", (*path, "train_on"),
                    "Give one of the two.",
                )
        elif fusion.folds:
            check.errors.error(
                "folds are of topics to learn from", (*path, "folds"), "Name the topic set: train_on = \"…\"."
            )
        if isinstance(made, LearnedFusion) and made.must_learn and fusion.train_on is None:
            check.errors.error(
                f"{fusion.method} has to learn from judgments", (*path, "method"),
                "Name a topic set: train_on = \"…\".",
            )

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        for name, fusion in self.of(loading.recipe).items():
            if fusion.train_on is not None:
                yield Requirement("sklearn", (self.table, name, "train_on"), "fitting a fusion", "lab")

    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        settings, seed = self.of(planner.recipe)[system], planner.recipe.seed
        parameters = {
            "of": list(settings.of), "method": settings.method, "depth": settings.depth or planner.recipe.depth,
            **write_settings(settings.made(seed)),
        }
        sources = [planner.runs[name, topics] for name in settings.of]
        content: list[Any] = [source.key for source in sources]
        if settings.train_on is not None:
            training = base_set(settings.train_on)
            sources += [planner.runs[name, training] for name in settings.of]
            judged = judgments_digest(planner, settings.train_on)
            parameters |= {"train_on": settings.train_on, "folds": settings.folds, "seed": seed}
            content = [[source.key for source in sources], judged, topics == training]
        planner.add_run(self.stages[0], system, topics, sources, parameters, content)

    def parameters(self, draft: Draft, system: str, formulas: bool) -> dict[str, Any]:
        return _parameters(draft, system)

    def check_values(self, check: Check, system: str, values: Mapping[str, Any], formulas: bool, path: Path) -> None:
        varied_method(check.draft, system, values)

    def varied_run(
        self, execution: Execution, system: str, topics: str, values: Parameters, only: Sequence[str] | None
    ) -> Run:
        method = varied_method(execution.draft, system, values.get(system, {}))
        sources = self.of(execution.recipe)[system].of
        runs = [execution.varied(source, topics, values, only) for source in sources]
        return combine(execution, system, method, runs, topics, values)

    def objective(
        self, execution: Execution, system: str, topics: str, qrels: Mapping[str, Mapping[str, int]], measure: str
    ) -> Objective | None:
        fusion, recipe = self.of(execution.recipe)[system], execution.recipe
        if fusion.train_on is not None:
            return None
        return FusionObjective(
            [execution.run(source, topics).only(qrels) for source in fusion.of], fusion.method, qrels, measure,
            parameters=write_settings(fusion.made(recipe.seed)), depth=fusion.depth or recipe.depth,
        )

    def weights(self, settings: FusionSettings) -> int | None:
        return len(settings.of)

    def learned_topics(self, draft: Draft, data: Data, system: str, topics: str) -> Iterable[str]:
        fusion = self.of(draft.recipe)[system]
        return () if fusion.train_on is None else learned_from(data, fusion.train_on, fusion.folds, topics)


FUSION_KIND = FusionKind()


def varied_method(draft: Draft, system: str, values: Mapping[str, Any]) -> Fusion:
    """The method of a fusion with other values at dotted paths.

    :raises ConfigError: a path leads nowhere, or a value does not fit.
    """
    fusion: FusionSettings = draft.recipe.tables["fusions"][system]
    settings = _parameters(draft, system)
    if settings.get("weights", 1) is None and any(path.startswith("weights.") for path in values):
        settings["weights"] = [1.0] * len(fusion.of)
    settings = with_parameters(settings, values)
    return make_fusion(fusion.method, {name: value for name, value in settings.items() if value is not None})


def _parameters(draft: Draft, system: str) -> dict[str, Any]:
    """All parameters of the method of a fusion, those that are None too."""
    fusion: FusionSettings = draft.recipe.tables["fusions"][system]
    method = fusion.made(draft.recipe.seed)
    names = [name for name, field in type(method).__dataclass_fields__.items() if field.init]
    return dict.fromkeys(names) | write_settings(method)


def combine(
    execution: Execution, system: str, method: Fusion, runs: Sequence[Run], topics: str, values: Parameters
) -> Run:
    """The fusion of runs by a method, which is trained first where the table of the system says so.

    :param values: other parameters of what the runs are made by, on the topics that it is trained on too.
    """
    settings: FusionSettings = execution.recipe.tables["fusions"][system]
    depth = settings.depth or execution.recipe.depth
    if settings.train_on is None or not isinstance(method, LearnedFusion):
        return method.fuse(_table(execution, runs), depth=depth, name=system)
    training = base_set(settings.train_on)
    qrels = used_qrels(execution, settings.train_on)
    if settings.folds and training == topics:
        return cross_validate_fusion(
            method, list(runs), qrels, folds=settings.folds, seed=execution.recipe.seed, depth=depth, name=system
        )
    sources = [execution.varied(run.name, training, values) for run in runs]
    fitted = method.fit(_table(execution, sources), qrels)
    return fitted.fuse(_table(execution, runs), depth=depth, name=system)


def _table(execution: Execution, runs: Sequence[Run]) -> FusionTable:
    """The runs aligned; kept, since tuning fuses the same ones many times."""
    tables: OrderedDict[tuple[int, ...], FusionTable] = execution.shared("aligned runs", OrderedDict)
    key = tuple(map(id, runs))
    table = tables.get(key)
    if table is None or any(mine is not other for mine, other in zip(table.runs, runs, strict=True)):
        table = tables[key] = FusionTable(runs)
    while len(tables) > _KEPT_TABLES:
        tables.popitem(last=False)
    return table
