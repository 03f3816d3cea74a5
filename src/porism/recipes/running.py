"""Runs a recipe: checks all of it, then makes what the cache does not have."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

from porism.errors import ConfigError, OnProblem, PorismError, Problem
from porism.recipes.cache import Cache, Entry, writing
from porism.recipes.checking import Checker
from porism.recipes.data import Data, Loader
from porism.recipes.learning import Tuner
from porism.recipes.making import StageMaker
from porism.recipes.reading import Draft, read_recipe
from porism.recipes.records import make_record, place_models, place_report, place_run, write_record
from porism.recipes.reporting import Reporter, ReportResult
from porism.recipes.settings import SAMPLE, Recipe
from porism.recipes.stages import Planner, Stage
from porism.recipes.tuned_topics import learned_warnings
from porism.runs.run import Run
from porism.search.sources.indexing import Progress

CACHE_FOLDER = ".porism-cache"


@dataclass(frozen=True, slots=True)
class StageEvent:
    """What happens to a stage: ``started``, ``progress`` (``done`` of ``total``, None where unknown), ``made`` or
    ``cached`` (with the seconds that it took to make)."""

    stage: Stage
    what: Literal["started", "progress", "made", "cached"]
    done: int = 0
    total: int | None = None
    seconds: float = 0.0


OnEvent = Callable[[StageEvent], None]


@dataclass(frozen=True, slots=True)
class Plan:
    """What an experiment will do: its stages in order, those of them whose output is in the cache, and warnings."""

    recipe: Recipe
    stages: tuple[Stage, ...]
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


@dataclass(frozen=True, slots=True)
class _Checked:
    """A recipe without errors, ready to run."""

    draft: Draft
    data: Data
    planner: Planner
    stages: tuple[Stage, ...]
    output: Path
    cache: Path


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

    :raises RecipeError: something is wrong with the recipe or its files; all that was found is told.
    """
    checked = _checked(recipe, folder, output, cache, only, on_problem)
    store = Cache(checked.cache, on_problem)
    cached = frozenset(stage.id for stage in checked.stages if store.find(stage.kind, stage.key) is not None)
    return Plan(
        checked.draft.recipe, checked.stages, cached, checked.draft.findings.warnings, checked.output, checked.cache
    )


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
    :param on_event: is told what happens.
    :param on_problem: is told what was skipped, repaired or made again.
    :raises RecipeError: something is wrong with the recipe or its files; all that was found is told, before any work.
    :raises CacheLocked: another process uses the cache.
    :raises StorageError: the disk is full or a folder cannot be written.
    """
    checked = _checked(recipe, folder, output, cache, only, on_problem)
    store = Cache(checked.cache, on_problem, fresh=fresh)
    with writing(checked.output):  # before any work
        checked.output.mkdir(parents=True, exist_ok=True)
        (checked.output / f".{os.getpid()}.part").touch()
        (checked.output / f".{os.getpid()}.part").unlink()
    with store.locked(), StageMaker(checked.draft, checked.data, store, checked.planner, on_problem) as workshop:
        return _Runner(checked, store, workshop, jobs, on_event or (lambda event: None)).run()


class _Runner:
    """Makes the stages of one experiment in order."""

    def __init__(self, checked: _Checked, store: Cache, workshop: StageMaker, jobs: int | None, tell: OnEvent) -> None:
        self.checked, self.store, self.workshop, self.jobs, self.tell = checked, store, workshop, jobs, tell
        self.tuner = Tuner(workshop)
        self.reporter = Reporter(workshop, self.tuner)
        self.done: list[tuple[Stage, Entry, bool]] = []
        self.run_files: dict[tuple[str, str], Path] = {}
        self.reports: dict[str, ReportResult] = {}

    def run(self) -> Experiment:
        """Makes all stages, and writes the record of what was made even if one fails."""
        record: dict[str, Any] = {}
        draft, output = self.checked.draft, self.checked.output
        warnings = draft.findings.warnings
        try:
            for stage in self.checked.stages:
                self._stage(stage)
        finally:
            record = make_record(draft.recipe.plain, draft.recipe.seed, self.done, map(str, warnings))
            record["finished"] = len(self.done) == len(self.checked.stages)
            if self.done:
                write_record(output, record)
        cached = frozenset(stage.id for stage, _, was_there in self.done if was_there)
        return Experiment(draft.recipe, output, self.run_files, self.reports, record, warnings, cached)

    def _stage(self, stage: Stage) -> None:
        entry = self.store.find(stage.kind, stage.key)
        was_there = entry is not None
        if entry is None:
            self.tell(StageEvent(stage, "started"))
            try:
                entry = self._made(stage)
            except PorismError as error:
                _place(error, stage)
                raise
            except Exception as error:
                error.add_note(f"This happened in the stage: {stage.id}.")
                raise
        self.done.append((stage, entry, was_there))
        self.tell(StageEvent(stage, "cached" if was_there else "made", seconds=entry.seconds))
        output = self.checked.output
        if stage.kind in ("run", "rerank", "fuse", "apply"):
            target = output / "runs" / stage.topics / f"{stage.name}.run"
            self.run_files[(stage.name, stage.topics)] = place_run(entry, target)
        elif stage.kind in ("embeddings", "similarities"):
            self.workshop.terms.place(stage, entry)
        elif stage.kind == "tune":
            place_models(entry, output)
        elif stage.kind == "report":
            settings = self.checked.draft.recipe.report[stage.name]
            placed = place_report(entry, output / (settings.output or stage.name))
            self.reports[stage.name] = ReportResult.read(stage.name, stage.topics, placed)

    def _made(self, stage: Stage) -> Entry:
        def count(done: int, total: int | None) -> None:
            self.tell(StageEvent(stage, "progress", done, total))

        def read(progress: Progress) -> None:
            self.tell(StageEvent(stage, "progress", progress.bytes_done, progress.bytes_total or None))

        started = time.monotonic()
        if stage.kind == "index":
            return self.workshop.make_index(stage, read, self.jobs)
        if stage.kind in ("tokenizer", "embeddings", "similarities"):
            return self.workshop.terms.make(stage, count, self.jobs)
        if stage.kind == "tune":
            return self.tuner.make(stage, count)
        if stage.kind == "report":
            return self.reporter.make(stage)
        if stage.kind == "run":
            run = self.workshop.answer(stage, count)
        elif stage.kind == "rerank":
            run = self.workshop.rerank(stage, count)
        elif stage.kind == "fuse":
            run = self.workshop.fuse(stage.name, stage.topics)
        else:
            run = self.tuner.apply(stage)
        return self.workshop.keep_run(stage, run, time.monotonic() - started)


def _place(error: PorismError, stage: Stage) -> None:
    """Makes the error say in which stage it happened."""
    error.where = f"{stage.id}: {error.where}" if error.where else stage.id
    error.args = (f"{error.where}: {error.what}{f'. {error.hint}' if error.hint else ''}",)


def _checked(
    source: str | os.PathLike[str] | Mapping[str, Any], folder: str | os.PathLike[str],
    output: str | os.PathLike[str] | None, cache: str | os.PathLike[str] | None, only: Iterable[str],
    on_problem: OnProblem | None,
) -> _Checked:
    """The recipe, read and checked with all its files, and its stages.

    :raises RecipeError: something is wrong.
    """
    draft = read_recipe(source, folder)
    recipe, findings = draft.recipe, draft.findings
    Checker(draft).check()
    data = Loader(draft, on_problem).load()
    results = Path(output) if output is not None else draft.folder / (recipe.output or f"{draft.stem}-results")
    kept = Path(cache) if cache is not None else draft.folder / (recipe.cache or CACHE_FOLDER)
    _check_apart(draft, {"output": results, "cache": kept})
    findings.check()
    for name, report in recipe.report.items():
        for told in learned_warnings(draft, data, report):
            findings.warn(told, draft.report_path(name))
    planner = Planner(draft, data)
    stages = planner.plan(only)
    terms = StageMaker(draft, data, Cache(kept), planner, on_problem).terms
    for stage in stages:
        if stage.kind in ("embeddings", "similarities"):
            table = planner.terms.matrices[stage.name].table if stage.kind == "similarities" else stage.name
            try:
                terms.check_place(stage)
            except ConfigError as error:
                findings.take(error, (stage.kind, table))
    findings.check()
    return _Checked(draft, data, planner, stages, results, kept)


def _check_apart(draft: Draft, folders: Mapping[str, Path]) -> None:
    """Whether results and cache lie outside the sources: what is written there must not be indexed."""
    collection = draft.recipe.collection
    for given in collection.sources if collection is not None else ():
        if given.startswith(SAMPLE):
            continue
        source = draft.file(given).resolve()
        for setting, folder in folders.items():
            inside = folder.resolve()
            if source.is_dir() and inside.is_relative_to(source):
                parts = inside.relative_to(source).parts
                if not any(part.startswith(".") for part in parts):  # hidden folders are no sources
                    draft.findings.error(
                        f"the {setting} folder {str(folder)!r} lies in the source {given!r}, and would be indexed",
                        (setting,) if setting in draft.recipe.plain else ("collection", "source"),
                        f"Choose another one: {setting} = \"FOLDER\".",
                    )
