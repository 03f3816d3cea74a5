"""Checks all of a recipe, reads its data and plans its stages; nothing is made before all of this succeeded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from porism.errors import OnProblem
from porism.lab.recipes.cache import Cache
from porism.lab.recipes.checking import Check, Data, Loading
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.base import ResultKind, StageKind, TableKind, kind_of
from porism.lab.recipes.kinds.collection_settings import collection_of
from porism.lab.recipes.kinds.topics import topic_set
from porism.lab.recipes.planning import Planner, RecipeStage
from porism.lab.recipes.reading import read_recipe
from porism.lab.recipes.recipe import SAMPLE, ResultSettings, cycle, members

CACHE_FOLDER = ".porism-cache"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A recipe without errors, ready to run: its stages in order, and the folders of its results and its cache."""

    draft: Draft
    data: Data
    planner: Planner
    stages: tuple[RecipeStage, ...]
    output: Path
    cache: Path


def prepare(
    source: str | os.PathLike[str] | Mapping[str, Any], folder: str | os.PathLike[str] = ".",
    output: str | os.PathLike[str] | None = None, cache: str | os.PathLike[str] | None = None,
    only: Iterable[str] = (), on_problem: OnProblem | None = None,
) -> Prepared:
    """Reads a recipe, checks it with all its files, and plans its stages.

    :raises RecipeError: something is wrong; all that was found is reported.
    """
    draft = read_recipe(source, folder)
    recipe, errors = draft.recipe, draft.errors
    check_recipe(draft)
    data = load_data(draft, on_problem)
    results = Path(output) if output is not None else draft.folder / (recipe.output or f"{draft.stem}-results")
    kept = Path(cache) if cache is not None else draft.folder / (recipe.cache or CACHE_FOLDER)
    _check_apart(draft, {"output": results, "cache": kept})
    errors.check()
    for table, name, result in recipe.result_tables():
        for warning in learned_warnings(draft, data, result):
            errors.warn(warning, recipe.kinds[table].place(recipe, name))
    planner = plan_stages(draft, data, only)
    stages = tuple(planner.stages.values())
    made_by = stage_kinds(draft)
    execution = Execution(draft, data, Cache(kept), planner, on_problem)
    for stage in stages:
        made_by[stage.kind].check_put(stage, execution, errors)
    errors.check()
    return Prepared(draft, data, planner, stages, results, kept)


def check_recipe(draft: Draft) -> None:
    """Notes all errors that the settings alone show."""
    recipe, errors = draft.recipe, draft.errors
    check = Check(draft)
    check.measures(recipe.measures, ("measures",))
    for kind in _kinds(draft):
        kind.check(check)
    if circle := cycle(recipe):
        errors.error(
            f"{circle[0]} is made of itself: {' takes '.join(circle)}", (recipe.table_of(circle[0]), circle[0], "of"),
            "Leave one of them out.",
        )
    if not check.systems and not any(kind.is_result and kind.of(recipe) for kind in _kinds(draft)):
        errors.error("there is no system", (), "Write [pipelines.NAME], [runs.NAME] or [fusions.NAME].")


def load_data(draft: Draft, on_problem: OnProblem | None = None) -> Data:
    """Everything but the collection itself; and whether the libraries are there that the stages will need."""
    loading = Loading(draft, on_problem)
    for kind in _kinds(draft):
        loading.data[kind.table] = kind.load(loading)
    needed = [library for kind in _kinds(draft) for library in kind.requirements(loading)]
    if not draft.errors:  # what is needed cannot be said of broken tables
        needed += [library for kind in _kinds(draft) for library in kind.term_requirements(loading)]
    for library in needed:
        if find_spec(library.module) is None:
            draft.errors.error(
                f"{library.purpose} needs {library.module}, which is not installed", library.path,
                f"Install it: pip install 'porism[{library.extra}]'.",
            )
    return loading.data


def plan_stages(draft: Draft, data: Data, only: Iterable[str] = ()) -> Planner:
    """The stages, each after those that it needs.

    :param only: systems and results; all if none is named.
    :raises RecipeError: one does not exist.
    """
    recipe, planner = draft.recipe, Planner(draft, data, only)
    for kind in _kinds(draft):
        kind.plan(planner)
    for system, topics in planner.demand:
        kind_of(recipe, system).plan_run(planner, system, topics)
    for kind in _kinds(draft):
        if isinstance(kind, ResultKind):
            for name in kind.of(recipe):
                if name in planner.results:
                    kind.plan_result(planner, name)
    return planner


def stage_kinds(draft: Draft) -> dict[str, StageKind]:
    """The kinds of stages by name."""
    return {stage.name: stage for kind in _kinds(draft) for stage in kind.stages}


def _kinds(draft: Draft) -> list[TableKind[Any]]:
    return list(draft.recipe.kinds.values())


def _check_apart(draft: Draft, folders: Mapping[str, Path]) -> None:
    """Whether results and cache lie outside the sources: what is written there must not be indexed."""
    collection = collection_of(draft.recipe)
    for given in collection.sources if collection is not None else ():
        if given.startswith(SAMPLE):
            continue
        source = draft.file(given).resolve()
        for setting, folder in folders.items():
            inside = folder.resolve()
            if source.is_dir() and inside.is_relative_to(source):
                parts = inside.relative_to(source).parts
                if not any(part.startswith(".") for part in parts):  # hidden folders are not sources
                    draft.errors.error(
                        f"the {setting} folder {str(folder)!r} lies in the source {given!r}, and would be indexed",
                        (setting,) if setting in draft.recipe.plain else ("collection", "source"),
                        f"Choose another one: {setting} = \"FOLDER\".",
                    )


_NAMED = 3
"""So many systems are named in a warning about more than one besides these."""


def learned_warnings(draft: Draft, data: Data, result: ResultSettings) -> list[str]:
    """A sentence on each way in which systems of a result learned from its topics; alike ones share a sentence."""
    recipe = draft.recipe
    alike: dict[tuple[str, bool, tuple[str, ...]], dict[str, dict[str, None]]] = {}
    for system in result.shown(recipe):
        for part, topics in learned_topics(draft, data, system, result.topics).items():
            how = kind_of(recipe, part).how_learned
            alike.setdefault((how, part == system, topics), {}).setdefault(system, {})[part] = None
    warnings = []
    for (how, itself, topics), systems in alike.items():
        several = len(systems) > 1
        parts = list(dict.fromkeys(part for named in systems.values() for part in named))
        if itself:
            subject = ("their models" if several else "its model") if how == "model" else "they" if several else "it"
            many = several
        else:
            many = len(parts) > 1
            subject = f"the {'models' if many else 'model'} of {_listed(parts)}" if how == "model" else _listed(parts)
        verb = f"{'were' if many else 'was'} {'trained' if how == 'training' else 'tuned'} on"
        count = f"{len(topics):,} {'topic' if len(topics) == 1 else 'topics'} of {result.topics!r}"
        warnings.append(
            f"{_listed(list(systems))} {'are' if several else 'is'} reported on {count} that {subject} {verb}; "
            "the report says so"
        )
    return warnings


def learned_topics(draft: Draft, data: Data, system: str, on: str) -> dict[str, tuple[str, ...]]:
    """Which of the topics ``on`` had a part in choosing how they themselves are ranked, by what learned from them.

    That is a tuned system, a trained fusion or the model of a pipeline or reranker, of all that a system is made of.
    Held-out rankings of a cross-validation do not count.
    """
    judged = topic_set(data, on).judged(on)
    learned: dict[str, tuple[str, ...]] = {}
    for part in members(draft.recipe, system):
        known = set(kind_of(draft.recipe, part).learned_topics(draft, data, part, on))
        if both := tuple(topic for topic in judged if topic in known):
            learned[part] = both
    return learned


def _listed(names: Sequence[str]) -> str:
    """``a, b and c``; of many the first and how many more there are."""
    if len(names) > _NAMED + 1:
        return f"{', '.join(names[:_NAMED])} … and {len(names) - _NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
