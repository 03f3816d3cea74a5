"""Stages that learn from judgments: parameters are tuned, and what was chosen answers topics."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import orjson

from porism.errors import QueryError
from porism.recipes.cache import MODELS_FOLDER, Entry, writing
from porism.recipes.data import asks_for_formulas
from porism.recipes.derived import tuning_search, tuning_space
from porism.recipes.digests import code_digest, digest, library_versions
from porism.recipes.making import StageMaker
from porism.recipes.settings import TuningSettings
from porism.recipes.stages import Stage
from porism.recipes.systems import Definition, Parameters, base_set, owner_of, split_by_system
from porism.recipes.terms_making import OnCount
from porism.runs.run import Run
from porism.settings import write_settings
from porism.tuning import (
    CrossValidated,
    FusionObjective,
    RunObjective,
    TrialStore,
    Tuned,
    apply_tuned,
    cross_validate,
    load_tuned,
    save_tuned,
    tune,
)

MakeRun = Callable[[Mapping[str, Any]], Run]
"""Values by dotted path → the run that they make."""

TUNED_FILE = "tuned.json"
"""The name in the cache of what a tuning chose, with its evidence."""


class Tuner:
    """The tunings of a recipe."""

    def __init__(self, workshop: StageMaker) -> None:
        self.workshop = workshop
        self.recipe = workshop.recipe

    def make(self, stage: Stage, on_count: OnCount) -> Entry:
        """Chooses the parameters; what an interrupted start tried is not tried again.

        :raises QueryError: no topic has judgments.
        :raises ConfigError: all configurations failed, or there are fewer topics than folds.
        """
        started = time.monotonic()
        workshop, tuning = self.workshop, self.recipe.tuning[stage.name]
        qrels = workshop.qrels(tuning.on)
        if not qrels:
            raise QueryError(
                f"no topic of {tuning.on!r} has judgments to tune on", hint="Are they of another collection?"
            )
        space = tuning_space(self.recipe, tuning, self._formulas(tuning), workshop.draft)
        search = tuning_search(tuning, self.recipe.seed)
        objective = self._objective(stage, tuning, qrels, list(space.parameters))
        store = TrialStore(workshop.cache.growing("trials", self._trials_key(stage)), workshop.on_problem)
        tuned: Tuned | CrossValidated
        if tuning.folds:
            folds = workshop.data.folds(workshop.draft, stage.name, qrels)
            tuned = cross_validate(
                objective, space, search, folds, store=store, on_progress=on_count, on_problem=workshop.on_problem
            )
        else:
            tuned = tune(
                objective, space, search, tuple(qrels), store=store, on_progress=on_count,
                on_problem=workshop.on_problem,
            )
        with workshop.cache.making(stage.kind, stage.key) as folder:
            save_tuned(folder / TUNED_FILE, tuned)
            whole = tuned.whole if isinstance(tuned, CrossValidated) else tuned
            self._save_models(folder / MODELS_FOLDER, stage.name, whole)
            about = {"chosen": chosen(tuned), "summary": tuned.summary()}
            return workshop.cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def _save_models(self, folder: Path, system: str, tuned: Tuned) -> None:
        """Writes what was tuned as models for use elsewhere, which say on which topics: the system as ``SYSTEM.json``,
        and of a system that is made of others each of these that has tuned parameters as ``SYSTEM/PART.json``."""
        tuning = self.recipe.tuning[system]
        for part, values in self.by_system(tuning, tuned.parameters).items():
            definition = Definition(self.recipe, self.workshop.draft.folder, part)
            model = definition.stored(values, self._formulas(tuning), tuned.topics)
            if model is None:
                continue
            target = folder / f"{system}.json" if part == tuning.of else folder / system / f"{part}.json"
            with writing(target):
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(orjson.dumps(model, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE))

    def apply(self, stage: Stage) -> Run:
        """The run of a tuned system on a topic set."""
        tuning, topics = self.recipe.tuning[stage.name], stage.topics
        return self.applied(stage.name, topics, lambda values: self._varied(tuning, topics, values))

    def applied(self, system: str, topics: str, make_run: MakeRun) -> Run:
        """The run that a tuning's parameters make; it says on which topics they were tuned.

        On the topics that tuned it, with folds, each is answered by what was chosen without it.
        """
        tuned = self.tuned(system)
        if topics == base_set(self.recipe.tuning[system].on):
            return apply_tuned(tuned, make_run)
        whole = tuned.whole if isinstance(tuned, CrossValidated) else tuned
        return whole.applied(make_run(whole.parameters))

    def tuned(self, system: str) -> Tuned | CrossValidated:
        """What a tuning chose; it must have been made."""
        stage = self.workshop.planner.tune_stages[system]
        return load_tuned(self.workshop.cache.path(stage.kind, stage.key) / TUNED_FILE)

    def by_system(self, tuning: TuningSettings, values: Mapping[str, Any]) -> Parameters:
        """Tuned values by the system that each belongs to."""
        return split_by_system(self.recipe, tuning, values, self._formulas(tuning), self.workshop.draft.folder)

    def _varied(
        self, tuning: TuningSettings, topics: str, values: Mapping[str, Any], only: tuple[str, ...] | None = None
    ) -> Run:
        return self.workshop.varied(tuning.of, topics, self.by_system(tuning, values), only)

    def _formulas(self, tuning: TuningSettings) -> bool:
        return asks_for_formulas(self.workshop.data, tuning.on)

    def _objective(
        self, stage: Stage, tuning: TuningSettings, qrels: dict[str, dict[str, int]], paths: list[str]
    ) -> RunObjective | FusionObjective:
        """What is to be high. Where only the parameters of a fusion are tuned, its runs are aligned once."""
        workshop, folder = self.workshop, self.workshop.draft.folder
        topics, measure = base_set(tuning.on), stage.parameters["measure"]
        owners = {owner_of(self.recipe, tuning, path, self._formulas(tuning), folder)[0] for path in paths}
        if owners == {tuning.of} and tuning.of in self.recipe.fusions:
            fusion = self.recipe.fusions[tuning.of]
            if fusion.train_on is None:
                method = Definition(self.recipe, folder, tuning.of).fusion({})
                return FusionObjective(
                    [workshop.run(source, topics).only(qrels) for source in fusion.of], fusion.method, qrels, measure,
                    parameters=write_settings(method), depth=fusion.depth or self.recipe.depth,
                )

        def make_run(values: Mapping[str, Any]) -> Run:
            return self._varied(tuning, topics, values, tuple(qrels))

        return RunObjective(make_run, qrels, measure, name=self._trials_key(stage), depth=self.recipe.depth)

    def _trials_key(self, stage: Stage) -> str:
        """Of all that trials depend on besides parameters, judgments and measure, which they know themselves."""
        tuning = self.recipe.tuning[stage.name]
        run = self.workshop.planner.run_keys[(tuning.of, base_set(tuning.on))]
        return digest([run, code_digest("tune"), library_versions("tune"), stage.parameters.get("similarities")])


def chosen(tuned: Tuned | CrossValidated) -> dict[str, Any]:
    """What was chosen, for the record: the parameters and their score, with folds those of each."""
    if isinstance(tuned, Tuned):
        return {"parameters": dict(tuned.parameters), "score": tuned.score, "topics": len(tuned.topics)}
    return {
        "parameters": dict(tuned.whole.parameters),
        "held_out_score": tuned.score,
        "folds": [{"parameters": dict(fold.tuned.parameters), "topics": len(fold.topics)} for fold in tuned.folds],
    }
