"""``[runs.NAME]``: a run made elsewhere, a file for each topic set."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from porism.errors import PorismError
from porism.lab.recipes.checking import Check, Data, Loading, nearest_or, some_names
from porism.lab.recipes.digests import digest, file_digest
from porism.lab.recipes.draft import RecipeErrors
from porism.lab.recipes.execution import Execution
from porism.lab.recipes.kinds.base import SystemKind
from porism.lab.recipes.kinds.topics import has_topics, topic_set
from porism.lab.recipes.planning import Input, Planner
from porism.lab.recipes.recipe import Recipe, SystemSettings, own_settings
from porism.runs.run import Run
from porism.settings import Path, dotted


@dataclass(frozen=True, slots=True)
class RunSettings(SystemSettings):
    """A run made elsewhere: a file for each topic set (``files``), and how to read them."""

    ranks: Literal["position", "file"] = "position"
    duplicates: Literal["error", "best"] = "error"
    files: Mapping[str, str] = field(default_factory=dict)

    def can_answer(self, recipe: Recipe, topics: str) -> bool:
        return topics in self.files


@dataclass(frozen=True, slots=True)
class ReadRun:
    """A run as read, and the digest of its file."""

    run: Run
    digest: str


class RunKind(SystemKind[RunSettings]):
    """Runs made elsewhere. They have no stage: the file is the run."""

    table = "runs"
    settings = RunSettings
    rest = "files"
    untunable = "is a run made elsewhere"

    def read(self, given: dict[str, Any], path: Path, errors: RecipeErrors) -> dict[str, Any]:
        for name, file in list(given["files"].items()):
            if not isinstance(file, str):
                errors.error(
                    f"the setting {dotted((*path, name))!r} cannot be {file!r}", (*path, name),
                    "A run has a file for each topic set: dev = \"FILE\".",
                )
                del given["files"][name]
        return given

    def check(self, check: Check) -> None:
        sets = check.names("topics")
        known = [*sets, *own_settings(RunSettings, but="files")]
        for name, run in self.of(check.recipe).items():
            for topics in run.files:
                if topics not in sets:
                    check.errors.error(
                        f"there is no setting or topic set 'runs.{name}.{topics}'", ("runs", name, topics),
                        nearest_or(topics, known, "[topics.NAME]", f"runs.{name}."),
                    )
            if not run.files:
                check.errors.error(
                    f"runs.{name} has no file", ("runs", name), "Write one for a topic set: dev = \"FILE\"."
                )

    def check_can_answer(self, check: Check, system: str, topics: str, needed_by: str) -> None:
        if topics not in self.of(check.recipe)[system].files:
            check.errors.error(
                f"runs.{system} has no file for the topics {topics!r}, which {needed_by} needs", ("runs", system),
                f"Add {topics} = \"FILE\".",
            )

    def load(self, loading: Loading) -> dict[tuple[str, str], ReadRun]:
        runs: dict[tuple[str, str], ReadRun] = {}
        for name, settings in self.of(loading.recipe).items():
            for topics, file in settings.files.items():
                path = ("runs", name, topics)
                if not has_topics(loading.data, topics):
                    continue
                if (name, topics) not in loading.demand:
                    loading.exists(file, path)
                elif (read := self._run(loading, settings, topics, path)) is not None:
                    runs[name, topics] = ReadRun(read.run.renamed(name), read.digest)
        return runs

    def _run(self, loading: Loading, settings: RunSettings, topics: str, path: Path) -> ReadRun | None:
        file = loading.exists(settings.files[topics], path)
        if file is None:
            return None
        try:
            run = Run.read(file, loading.on_problem, ranks=settings.ranks, duplicates=settings.duplicates)
            content = file_digest(file)
        except PorismError as error:
            loading.errors.take(error, path)
            return None
        judged = topic_set(loading.data, topics).qrels
        if judged and not set(run) & set(judged):
            loading.errors.error(
                f"{dotted(path)} and the judgments of {topics!r} have no topic in common", path,
                f"The run has {some_names(run)}; the judgments are of {some_names(judged)}.",
            )
        return ReadRun(run, digest([content, settings.ranks, settings.duplicates]))

    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        content = read_runs(planner.data)[system, topics].digest
        planner.runs[system, topics] = Input(f"file of {system} for {topics}", content)

    def begin(self, execution: Execution) -> None:
        for (system, topics), read in read_runs(execution.data).items():
            execution.add_run(system, topics, read.run)


RUN_KIND = RunKind()


def read_runs(data: Data) -> Mapping[tuple[str, str], ReadRun]:
    """The runs that were read, by (system, topic set)."""
    runs: Mapping[tuple[str, str], ReadRun] = data["runs"]
    return runs
