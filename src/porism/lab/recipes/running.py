"""Runs a recipe: checks all of it, then makes what the cache does not have, and records how."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import orjson

from porism.errors import OnProblem, PorismError, Problem
from porism.lab.recipes.cache import Cache, CacheEntry, writing
from porism.lab.recipes.digests import code_digest, library_versions, versions_of
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.base import Outputs
from porism.lab.recipes.kinds.report import ReportResult
from porism.lab.recipes.planning import RecipeStage
from porism.lab.recipes.preparing import Prepared, prepare, stage_kinds
from porism.lab.recipes.recipe import Recipe
from porism.runs.run import Run
from porism.system.files.text import write_whole
from porism.version import __version__


@dataclass(frozen=True, slots=True)
class StageEvent:
    """What happens to a stage: ``started``, ``progress`` (``done`` of ``total``, None where unknown), ``made`` or
    ``cached`` (with the seconds that it took to make)."""

    stage: RecipeStage
    what: Literal["started", "progress", "made", "cached"]
    done: int = 0
    total: int | None = None
    seconds: float = 0.0


OnEvent = Callable[[StageEvent], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an experiment will do: its stages in order, those of them whose output is in the cache, and warnings."""

    recipe: Recipe
    stages: tuple[RecipeStage, ...]
    cached: frozenset[str]
    warnings: tuple[Problem, ...]
    output: Path
    cache: Path


@dataclass(frozen=True, slots=True)
class Experiment:
    """An experiment that was run.

    ``run_files`` is (system, topic set) → the run's file, which :meth:`run` reads; ``reports`` are by name; ``record``
    is what ``record.json`` in the ``output`` folder holds; ``cached`` are the stages that were not made again.
    """

    recipe: Recipe
    output: Path
    run_files: Mapping[tuple[str, str], Path]
    reports: Mapping[str, ReportResult]
    record: Mapping[str, Any]
    warnings: tuple[Problem, ...]
    cached: frozenset[str] = field(default=frozenset())

    def run(self, system: str, topics: str) -> Run:
        """A run that was made, with its provenance.

        :raises KeyError: there is none of this system on this topic set.
        """
        return Run.read(self.run_files[(system, topics)]).renamed(system)


def plan_recipe(
    recipe: str | os.PathLike[str] | Mapping[str, Any],
    *,
    folder: str | os.PathLike[str] = ".",
    output: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    only: Iterable[str] = (),
    on_problem: OnProblem | None = None,
) -> Plan:
    """Checks a recipe as :func:`run_recipe` does, and says what it would do; nothing is written.

    :raises RecipeError: something is wrong with the recipe or its files; all that was found is reported.
    """
    ready = prepare(recipe, folder, output, cache, only, on_problem)
    store = Cache(ready.cache, on_problem)
    cached = frozenset(stage.id for stage in ready.stages if store.find(stage.kind, stage.key) is not None)
    return Plan(ready.draft.recipe, ready.stages, cached, ready.draft.errors.warnings, ready.output, ready.cache)


def run_recipe(
    recipe: str | os.PathLike[str] | Mapping[str, Any],
    *,
    folder: str | os.PathLike[str] = ".",
    output: str | os.PathLike[str] | None = None,
    cache: str | os.PathLike[str] | None = None,
    fresh: bool = False,
    only: Iterable[str] = (),
    jobs: int | None = None,
    on_event: OnEvent | None = None,
    on_problem: OnProblem | None = None,
) -> Experiment:
    """Runs a recipe, from a TOML file or from the same as plain values.

    Stages whose settings, inputs and code are as they were come from the cache. An interrupted experiment goes on
    where it stopped when it is started again.

    :param folder: where the paths of a recipe from plain values start; those of a file start from its folder.
    :param output: the folder of the results; ``FILE-results`` beside the recipe where neither this nor the recipe says.
    :param cache: the folder of the cache; ``.porism-cache`` beside the recipe where neither this nor the recipe says.
    :param fresh: makes everything again.
    :param only: systems and reports to make, with what they need; all if none is named.
    :param jobs: processes that analyse documents, and threads that compare terms; all cores if not given.
    :param on_event: is called with what happens.
    :param on_problem: is called with what was skipped, repaired or made again.
    :raises RecipeError: something is wrong with the recipe or its files; all of it is reported, before any work.
    :raises CacheLocked: another process uses the cache.
    :raises StorageError: the disk is full or a folder cannot be written.
    """
    ready = prepare(recipe, folder, output, cache, only, on_problem)
    store = Cache(ready.cache, on_problem, fresh=fresh)
    with writing(ready.output):  # before any work
        ready.output.mkdir(parents=True, exist_ok=True)
        (ready.output / f".{os.getpid()}.part").touch()
        (ready.output / f".{os.getpid()}.part").unlink()
    with (store.locked(), Execution(ready.draft, ready.data, store, ready.planner, on_problem, jobs) as execution):
        return _Runner(ready, store, execution, on_event or (lambda event: None)).run()


class _Runner:
    """Makes the stages of one experiment in order."""

    def __init__(self, ready: Prepared, store: Cache, execution: Execution, notify: OnEvent) -> None:
        self.ready, self.store, self.execution, self.notify = ready, store, execution, notify
        self.kinds = stage_kinds(ready.draft)
        self.outputs = Outputs(ready.output)
        self.done: list[tuple[RecipeStage, CacheEntry, bool]] = []

    def run(self) -> Experiment:
        """Makes all stages, and writes the record of what was made even if one fails."""
        record: dict[str, Any] = {}
        recipe, warnings = self.ready.draft.recipe, self.ready.draft.errors.warnings
        for kind in recipe.kinds.values():
            kind.begin(self.execution)
        try:
            for stage in self.ready.stages:
                self._stage(stage)
        finally:
            record = make_record(recipe.plain, recipe.seed, self.done, map(str, warnings))
            record["finished"] = len(self.done) == len(self.ready.stages)
            if self.done:
                write_record(self.outputs.folder, record)
        cached = frozenset(stage.id for stage, _, was_there in self.done if was_there)
        reports = {
            name: result for (_, name), result in self.outputs.results.items() if isinstance(result, ReportResult)
        }
        return Experiment(recipe, self.outputs.folder, self.outputs.runs, reports, record, warnings, cached)

    def _stage(self, stage: RecipeStage) -> None:
        entry = self.store.find(stage.kind, stage.key)
        was_there = entry is not None
        if entry is None:
            self.notify(StageEvent(stage, "started"))
            try:
                entry = self.kinds[stage.kind].make(
                    stage, self.execution,
                    lambda done, total: self.notify(StageEvent(stage, "progress", done, total)),
                )
            except PorismError as error:
                error.where = f"{stage.id}: {error.where}" if error.where else stage.id
                error.args = (f"{error.where}: {error.what}{f'. {error.hint}' if error.hint else ''}",)
                raise
            except Exception as error:
                error.add_note(f"This happened in the stage: {stage.id}.")
                raise
        self.done.append((stage, entry, was_there))
        self.notify(StageEvent(stage, "cached" if was_there else "made", seconds=entry.seconds))
        self.kinds[stage.kind].put(stage, entry, self.execution, self.outputs)


RECORD_FILE = "record.json"
_FORMAT = 1


def write_record(folder: Path, record: Mapping[str, Any]) -> Path:
    """Writes the record; it appears whole or not at all.

    :raises PorismError: the folder cannot be written.
    """
    target = folder / RECORD_FILE
    content = orjson.dumps(
        record, option=orjson.OPT_INDENT_2 | orjson.OPT_APPEND_NEWLINE | orjson.OPT_NON_STR_KEYS, default=_plain
    )
    with writing(target):
        folder.mkdir(parents=True, exist_ok=True)
    return write_whole(target, content)


def make_record(
    recipe: Mapping[str, Any], seed: int, stages: Iterable[tuple[RecipeStage, CacheEntry, bool]],
    warnings: Iterable[str],
) -> dict[str, Any]:
    """The record: the recipe as read, the versions, and for each stage its key, inputs, parameters and times.

    ``seconds`` are those that it took to make the output, now or, if it was cached, then.
    """
    listed = list(stages)
    by_name = {stage.kind: stage.type for stage, _, _ in listed}
    types = {name: by_name[name] for name in sorted(by_name)}
    libraries = {name for kind in types.values() for name in kind.libraries}
    return {
        "format": _FORMAT,
        "recipe": recipe,
        "seed": seed,
        "versions": {
            "porism": __version__,
            **(library_versions(()) if listed else {}),
            **versions_of(sorted(libraries)),
        },
        "code": {name: code_digest(type(kind)) for name, kind in types.items()},
        "warnings": list(warnings),
        "stages": [
            {
                "stage": stage.id,
                "kind": stage.kind,
                "key": stage.key,
                "cached": cached,
                "seconds": entry.seconds,
                "inputs": dict(stage.inputs),
                "parameters": dict(stage.parameters),
                "output": dict(entry.about),
            }
            for stage, entry, cached in listed
        ],
        "tuned": {
            stage.name: {"on": stage.topics, **entry.about["chosen"]}
            for stage, entry, _ in listed if "chosen" in entry.about
        },
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Mapping):
        return dict(value)
    return str(value)
