"""``[tuning.NAME]``: a system whose parameters are chosen by judgments, which is a system itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any, ClassVar

import orjson

from porism.errors import ConfigError, QueryError
from porism.lab.evaluate.splits import k_fold
from porism.lab.recipes.cache import CacheEntry, copy_files, writing
from porism.lab.recipes.checking import Check, Data, Loading
from porism.lab.recipes.digests import code_digest, digest, library_versions
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution, OnCount, Parameters
from porism.lab.recipes.kinds.base import Outputs, RunStageKind, StageKind, SystemKind, kind_of
from porism.lab.recipes.kinds.similarities import planned_similarities
from porism.lab.recipes.kinds.topics import (
    asks_for_formulas,
    check_judged,
    has_topics,
    judgments_digest,
    learned_from,
    topic_set,
    used_qrels,
)
from porism.lab.recipes.kinds.tuned_parameters import (
    check_parameters,
    chosen_similarities,
    linked,
    owner_of,
    parameter_space,
    values_by_system,
)
from porism.lab.recipes.planning import Input, Planner, RecipeStage
from porism.lab.recipes.recipe import SystemSettings, base_set, check_folds, check_seed, members
from porism.lab.tuning import (
    CrossValidated,
    Objective,
    RunObjective,
    Search,
    TrialStore,
    Tuned,
    apply_tuned,
    cross_validate,
    load_tuned,
    make_search,
    save_tuned,
    tune,
)
from porism.lab.tuning.search import search_record
from porism.runs.run import Run
from porism.settings import SettingError

MakeRun = Callable[[Mapping[str, Any]], Run]
"""Values by dotted path → the run that they make."""

TUNED_FILE = "tuned.json"
"""The name in the cache of what a tuning chose, with its evidence."""

MODELS_FOLDER = "models"
"""Where models that were tuned lie, in what a tuning leaves in the cache and in the output folder."""

@dataclass(frozen=True, slots=True)
class TuningSettings(SystemSettings):
    """A system whose parameters are chosen by judgments; it is a system itself, under its own name.

    :param of: the pipeline, reranker or fusion.
    :param on: the topic set by whose judgments the parameters are chosen.
    :param parameters: dotted path of a parameter → the values to try (see :mod:`porism.lab.tuning`). A path that
        begins with the name of a pipeline, reranker or fusion that the system is made of leads to a parameter of that.
        Paths with ``=`` between them have one value.
    :param measure: what is to be high; the first of the recipe where not given.
    :param search: ``grid``, ``random`` or ``coordinate``.
    :param folds: 0: the parameters are chosen on all topics of ``on``, to be used elsewhere. 2 or more: on the topics
        of ``on``, each is answered with what was chosen without its fold; elsewhere as with 0.
    :param by: the column of the topic information that is spread evenly over the folds.
    :param seed: of the folds and the search; that of the recipe where not given.
    """

    is_tuned: ClassVar[bool] = True

    of: str
    on: str
    parameters: Mapping[str, Any]
    measure: str | None = None
    search: str = "grid"
    folds: int = 0
    by: str | None = None
    seed: int | None = None
    trials: int | None = None
    rounds: int | None = None
    starts: int | None = None
    most: int | None = None

    def __post_init__(self) -> None:
        check_folds(self.folds)
        check_seed(self.seed)
        if not self.parameters:
            raise ConfigError("there is no parameter to tune", hint="For example: parameters = {k = [10, 60]}.")

    @property
    def learns_on(self) -> str:
        return self.on

    def seed_of(self, seed: int) -> int:
        """The seed, that of the recipe where it has none of its own."""
        return seed if self.seed is None else self.seed

    def made_search(self, seed: int) -> Search:
        """The search; one that draws numbers has the tuning's seed, or the recipe's.

        :raises ConfigError: there is no such search, or it has no such setting.
        """
        given = {
            name: value for name in ("trials", "rounds", "starts", "most") if (value := getattr(self, name)) is not None
        }
        if self.search in ("random", "coordinate"):
            given["seed"] = self.seed_of(seed)
        return make_search(self.search, given)


class Tune(StageKind):
    """Chooses the parameters; what an interrupted start tried is not tried again."""

    name = "tune"
    libraries = ("numpy", "numba", "scipy", "scikit-learn", "ir_measures")

    def write(self, stage: RecipeStage, execution: Execution, folder: FilePath, on_count: OnCount) -> dict[str, Any]:
        tuning = table_of(execution.draft, stage.name)
        qrels = used_qrels(execution, tuning.on)
        if not qrels:
            raise QueryError(
                f"no topic of {tuning.on!r} has judgments to tune on", hint="Are they of another collection?"
            )
        source = execution.planner.runs[tuning.of, base_set(tuning.on)].key
        made_by = [code_digest(type(self)), library_versions(self.libraries), stage.parameters.get("similarities")]
        trials = digest([source, *made_by])  # they know parameters, judgments and measure themselves
        formulas = asks_for_formulas(execution.recipe, tuning.on)
        space = parameter_space(execution.draft, tuning.of, tuning.parameters, formulas)
        search = tuning.made_search(execution.recipe.seed)
        objective = _objective(stage, execution, qrels, list(space.parameters), trials)
        store = TrialStore(execution.cache.growing("trials", trials), execution.on_problem)
        options: dict[str, Any] = {"store": store, "on_progress": on_count, "on_problem": execution.on_problem}
        tuned: Tuned | CrossValidated
        if tuning.folds:
            tuned = cross_validate(objective, space, search, _folds(execution, tuning, qrels), **options)
        else:
            tuned = tune(objective, space, search, tuple(qrels), **options)
        save_tuned(folder / TUNED_FILE, tuned)
        _save_models(execution, folder / MODELS_FOLDER, stage.name, _whole(tuned))
        return {"chosen": chosen(tuned), "summary": tuned.summary()}

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        copy_files(entry.file(MODELS_FOLDER), outputs.folder / MODELS_FOLDER, "*.json")


class ApplyTuned(RunStageKind):
    """Answers topics with the parameters that were chosen."""

    name = "apply"
    verb = "run"
    libraries = ("numpy", "numba", "scipy", "scikit-learn")

    def make_run(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> Run:
        of = table_of(execution.draft, stage.name).of

        def make_run(values: Mapping[str, Any]) -> Run:
            return execution.varied(of, stage.topics, tuned_values(execution.draft, stage.name, values))

        return applied(execution, stage.name, stage.topics, make_run)


class TuningKind(SystemKind[TuningSettings]):
    """Tuned systems."""

    table = "tuning"
    settings = TuningSettings
    stages = (Tune(), ApplyTuned())
    how_learned = "tuning"
    untunable = "is tuned already"

    def check(self, check: Check) -> None:
        for name, tuning, path in self.each(check.recipe):
            check_judged(check, tuning.on, (*path, "on"))
            if tuning.measure is not None:
                check.measures([tuning.measure], (*path, "measure"))
            try:
                tuning.made_search(check.recipe.seed)
            except SettingError as error:
                check.errors.take(error, path)
            except ConfigError as error:
                check.errors.error(error.what, (*path, "search"), error.hint)
            if not check.other_system(tuning.of, (*path, "of"), name):
                continue
            if why := kind_of(check.recipe, tuning.of).untunable:
                other = check.recipe.systems[tuning.of]
                check.errors.error(
                    f"{tuning.of!r} {why} and has no parameters to tune", (*path, "of"),
                    f"Tune {other.sources[0]!r}, and name all parameters." if other.is_tuned else None,
                )
                continue
            parts = members(check.recipe, tuning.of)
            if not any(check.errors.touch((check.recipe.table_of(part), part)) for part in parts):
                # What is wrong there would be reported again for each value.
                formulas = asks_for_formulas(check.recipe, tuning.on)
                check_parameters(check, tuning.of, tuning.parameters, formulas, (*path, "parameters"))

    def load(self, loading: Loading) -> None:
        for _, tuning, path in self.each(loading.recipe):
            if not has_topics(loading.data, tuning.on):
                continue
            given = topic_set(loading.data, tuning.on)
            if tuning.by is not None and not given.has_column(tuning.by, (*path, "by"), loading.errors):
                continue
            if tuning.folds and given.qrels and (part := tuning.on.partition(".")[2]) in ("", *given.parts):
                topics = given.parts[part] if part else tuple(given.qrels)
                if len(topics) < tuning.folds:
                    loading.errors.error(
                        f"{len(topics)} topics cannot be divided into {tuning.folds} folds", (*path, "folds")
                    )

    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        tuning = self.of(planner.recipe)[system]
        if (self.table, system) not in planner.others:
            self._plan_tune(planner, system, tuning)
        tuned, source = planner.others[self.table, system], planner.runs[tuning.of, topics]
        held_out = topics == base_set(tuning.on)
        planner.add_run(self.stages[1], system, topics, [tuned, source], {}, tuned.key, source.key, held_out)

    def _plan_tune(self, planner: Planner, system: str, tuning: TuningSettings) -> None:
        recipe, formulas = planner.recipe, asks_for_formulas(planner.recipe, tuning.on)
        given, source = topic_set(planner.data, tuning.on), planner.runs[tuning.of, base_set(tuning.on)]
        parameters = {
            "of": tuning.of,
            "measure": tuning.measure or recipe.measures[0],
            "space": parameter_space(planner.draft, tuning.of, tuning.parameters, formulas).to_plain(),
            **search_record(tuning.made_search(recipe.seed)),
            "folds": tuning.folds,
            "by": tuning.by,
            "seed": tuning.seed_of(recipe.seed),
            "depth": recipe.depth,
        }
        if similarities := planned_similarities(planner, system, formulas):
            parameters["similarities"] = similarities
        judged = judgments_digest(planner, tuning.on)
        strata = [given.information.get(topic, {}).get(tuning.by) for topic in given.qrels] if tuning.by else []
        inputs = {source.name: source.key, f"judgments {tuning.on}": judged}
        stage = planner.add(self.stages[0], system, tuning.on, inputs, parameters, source.key, judged, strata)
        planner.others[self.table, system] = Input(stage.id, stage.key)

    def similarities(
        self, draft: Draft, system: str, formulas: bool, values: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[str, ...]:
        tuning = self.of(draft.recipe)[system]
        return chosen_similarities(draft, tuning.of, tuning.parameters, formulas)

    def learned_topics(self, draft: Draft, data: Data, system: str, topics: str) -> Iterable[str]:
        tuning = self.of(draft.recipe)[system]
        return learned_from(data, tuning.on, tuning.folds, topics)


TUNING_KIND = TuningKind()


def table_of(draft: Draft, system: str) -> TuningSettings:
    """The table of a tuned system."""
    table: TuningSettings = draft.recipe.tables["tuning"][system]
    return table


def tuned_values(draft: Draft, system: str, values: Mapping[str, Any]) -> Parameters:
    """What a tuned system chose, or tries, by the system that each value belongs to."""
    tuning = table_of(draft, system)
    return values_by_system(draft, tuning.of, values, asks_for_formulas(draft.recipe, tuning.on))


def applied(execution: Execution, system: str, topics: str, make_run: MakeRun) -> Run:
    """The run that a tuning's parameters make; it says on which topics they were tuned.

    On the topics that tuned it, with folds, each is answered by what was chosen without it.
    """
    key = execution.planner.others["tuning", system].key
    tuned = load_tuned(execution.cache.path("tune", key) / TUNED_FILE)
    if topics == base_set(table_of(execution.draft, system).on):
        return apply_tuned(tuned, make_run)
    whole = _whole(tuned)
    return whole.applied(make_run(whole.parameters))


def _whole(tuned: Tuned | CrossValidated) -> Tuned:
    """What was chosen on all topics."""
    return tuned.whole if isinstance(tuned, CrossValidated) else tuned


def chosen(tuned: Tuned | CrossValidated) -> dict[str, Any]:
    """What was chosen, for the record: the parameters and their score, with folds those of each."""
    if isinstance(tuned, Tuned):
        return {"parameters": dict(tuned.parameters), "score": tuned.score, "topics": len(tuned.topics)}
    return {
        "parameters": dict(tuned.whole.parameters),
        "held_out_score": tuned.score,
        "folds": [{"parameters": dict(fold.tuned.parameters), "topics": len(fold.topics)} for fold in tuned.folds],
    }


def _folds(execution: Execution, tuning: TuningSettings, qrels: Iterable[str]) -> tuple[tuple[str, ...], ...]:
    """The folds of a tuning, of the topics that have judgments."""
    given = topic_set(execution.data, tuning.on)
    chosen_topics = given.topics(tuning.on)
    topics = [topic for topic in qrels if chosen_topics is None or topic in set(chosen_topics)]
    strata = None
    if tuning.by is not None:
        strata = {topic: row[tuning.by] for topic, row in given.information.items()}
    return k_fold(topics, tuning.folds, seed=tuning.seed_of(execution.recipe.seed), strata=strata)


def _objective(
    stage: RecipeStage, execution: Execution, qrels: dict[str, dict[str, int]], paths: list[str], trials: str
) -> Objective:
    """What is to be high, by a faster way of the system's kind where only the system itself is tuned."""
    draft, tuning = execution.draft, table_of(execution.draft, stage.name)
    topics, measure = base_set(tuning.on), stage.parameters["measure"]
    formulas = asks_for_formulas(draft.recipe, tuning.on)
    alone = all(len(linked(path)) == 1 for path in paths)
    if alone and {owner_of(draft, tuning.of, path, formulas)[0] for path in paths} == {tuning.of}:
        faster = kind_of(draft.recipe, tuning.of).objective(execution, tuning.of, topics, qrels, measure)
        if faster is not None:
            return faster

    def make_run(values: Mapping[str, Any]) -> Run:
        return execution.varied(tuning.of, topics, tuned_values(draft, stage.name, values), tuple(qrels))

    return RunObjective(make_run, qrels, measure, name=trials, depth=draft.recipe.depth)


def _save_models(execution: Execution, folder: FilePath, system: str, tuned: Tuned) -> None:
    """Writes what was tuned as models for use elsewhere, which say on which topics. The system is ``SYSTEM.json``; what
    it is made of is, where it has tuned parameters, ``SYSTEM/PART.json``."""
    draft, tuning = execution.draft, table_of(execution.draft, system)
    formulas = asks_for_formulas(draft.recipe, tuning.on)
    for part, values in tuned_values(draft, system, tuned.parameters).items():
        model = kind_of(draft.recipe, part).model(draft, part, values, formulas, tuned.topics)
        if model is None:
            continue
        target = folder / f"{system}.json" if part == tuning.of else folder / system / f"{part}.json"
        with writing(target):
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(orjson.dumps(model, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))
