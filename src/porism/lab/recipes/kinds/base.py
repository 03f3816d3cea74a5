"""The protocol of kinds of tables: what a recipe can say, how that is checked, planned and made.

A kind is in one module of this folder: the settings of its table, a subclass of :class:`TableKind`, and the stages that
make its output, each a subclass of :class:`StageKind`. What answers topics with runs is a :class:`SystemKind`, what is
made of runs a :class:`ResultKind`. It is known once :data:`porism.lab.recipes.kinds.registry.KINDS` lists it.

An experiment calls the kinds in the order of the registry: ``read`` and ``check`` of all tables, then ``load`` and
``requirements``, then ``plan``; nothing is made before all of this succeeded for all tables.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path as FilePath
from types import MappingProxyType
from typing import Any, ClassVar, Generic, Literal, TypeVar

from porism.errors import ConfigError
from porism.lab.recipes.cache import CacheEntry, copy_run
from porism.lab.recipes.checking import Check, Data, Loading, Requirement
from porism.lab.recipes.draft import Draft, RecipeErrors, tolerant
from porism.lab.recipes.execution import RUN_FILE, Execution, OnCount, Parameters
from porism.lab.recipes.planning import Planner, RecipeStage, StageType
from porism.lab.recipes.recipe import Recipe, ResultSettings, SystemSettings, own_settings
from porism.lab.tuning import Objective
from porism.runs.run import Run
from porism.settings import Path, Settings

S = TypeVar("S", bound=Settings)
T = TypeVar("T")
Y = TypeVar("Y", bound=SystemSettings)
R = TypeVar("R", bound=ResultSettings)


@dataclass(frozen=True, slots=True)
class Outputs:
    """What an experiment puts into its output folder, to be found there by its user.

    :param runs: (system, topic set) → the run's file.
    :param results: kind of stage and name → what the stage made.
    """

    folder: FilePath
    runs: dict[tuple[str, str], FilePath] = field(default_factory=dict)
    results: dict[tuple[str, str], Any] = field(default_factory=dict)


class StageKind(StageType, ABC):
    """How the output of one kind of stage is made, and where its user finds it."""

    goes_on: ClassVar[bool] = False
    """Whether what an interrupted start has written is there again when the next one makes the output."""

    @abstractmethod
    def write(self, stage: RecipeStage, execution: Execution, folder: FilePath, on_count: OnCount) -> dict[str, Any]:
        """Writes the output into a folder, and gives what the record says of it, ready for JSON.

        :raises KeyboardInterrupt: it was interrupted; the next start goes on from there.
        """

    def make(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> CacheEntry:
        """Makes the output and keeps it in the cache; raises what :meth:`write` does."""
        started, cache = time.monotonic(), execution.cache
        opening = cache.unfinished if self.goes_on else cache.making
        with opening(stage.kind, stage.key) as folder:
            about = self.write(stage, execution, folder, on_count)
            return cache.keep(stage.kind, stage.key, folder, about, time.monotonic() - started)

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        """Puts the output, from the cache, to where it is looked for."""
        return

    def check_put(self, stage: RecipeStage, execution: Execution, errors: RecipeErrors) -> None:
        """Whether :meth:`put` would find the place taken; called before anything is made."""
        return


class RunStageKind(StageKind):
    """A stage that makes a run."""

    @abstractmethod
    def make_run(self, stage: RecipeStage, execution: Execution, on_count: OnCount) -> Run:
        """The run of the system on the stage's topics."""

    def write(self, stage: RecipeStage, execution: Execution, folder: FilePath, on_count: OnCount) -> dict[str, Any]:
        run = self.make_run(stage, execution, on_count)
        run.renamed(stage.name).write(folder / RUN_FILE)
        return {"topics": len(run), "results": len(run.doc_ids)}

    def put(self, stage: RecipeStage, entry: CacheEntry, execution: Execution, outputs: Outputs) -> None:
        target = outputs.folder / "runs" / stage.topics / f"{stage.name}.run"
        outputs.runs[stage.name, stage.topics] = copy_run(entry.file(RUN_FILE), target)


class TableKind(Generic[S]):
    """One kind of table of a recipe."""

    table: str
    """What the table is called."""

    settings: type[S]
    """What it holds."""

    rest: str = ""
    """The setting that holds whatever else a table says; empty where it can say nothing else."""

    former: ClassVar[Mapping[str, str]] = MappingProxyType({})
    """Former names of settings, which recipes may still have, and those of today."""

    form: ClassVar[Literal["named", "single", "either"]] = "named"
    """Whether a recipe has several by name (``[topics.NAME]``), a single one (``[collection]``), or either."""

    stages: tuple[StageKind, ...] = ()
    """The kinds of stages that make what the table defines."""

    makes_runs: ClassVar[bool] = False

    is_result: ClassVar[bool] = False
    """Whether what a table defines is a result by itself, so that a recipe needs no system beside it."""

    reads_collection: ClassVar[bool] = False
    """Whether what a table defines is made of the collection, which is indexed then even where nothing searches it."""

    needs_one_index: ClassVar[bool] = False
    """Whether what a table defines is made for the folder of one index, so that a collection cannot have several."""

    def of(self, recipe: Recipe) -> Mapping[str, S]:
        """The tables of a recipe by name; a single one has the name of the kind."""
        tables: Mapping[str, S] = recipe.tables.get(self.table, {})
        return tables

    def each(self, recipe: Recipe) -> Iterator[tuple[str, S, Path]]:
        """The tables of a recipe: name, settings, and the place in the recipe."""
        for name, settings in self.of(recipe).items():
            yield name, settings, self.place(recipe, name)

    def is_single(self, given: Any) -> bool:
        """Whether a recipe has one table under the name of the kind, and not several by name."""
        is_flat = not isinstance(given, Mapping) or any(not isinstance(value, Mapping) for value in given.values())
        return self.form == "single" or (self.form == "either" and is_flat)

    def place(self, recipe: Recipe, name: str) -> Path:
        """The place of a table in the recipe."""
        return (self.table,) if self.is_single(recipe.plain.get(self.table)) else (self.table, name)

    def check_name(self, name: str, path: Path, errors: RecipeErrors) -> None:
        """Whether a table can have this name, which can be one of a file."""

    def read(self, given: dict[str, Any], path: Path, errors: RecipeErrors) -> dict[str, Any]:
        """A table before its settings are made of it; what cannot be used is noted and left out."""
        return given

    def check(self, check: Check) -> None:
        """Notes what is wrong with all tables of the kind, as far as the recipe alone shows it."""

    def check_rest(
        self, check: Check, table: Any, path: Path, read: Callable[[S], T], known: Iterable[str]
    ) -> T | None:
        """What ``read`` makes of a table, of whose settings beside its own those that are not ``known`` are noted and
        left out, and so are those that it refuses."""
        names, given = list(known), getattr(table, self.rest)
        check.unknown(given, [*own_settings(self.settings, but=self.rest), *names], path)
        return tolerant(
            lambda some: read(replace(table, **{self.rest: some})),
            {name: value for name, value in given.items() if name in names}, path, check.errors,
        )

    def load(self, loading: Loading) -> Any:
        """Reads and checks the files that the tables name; what it gives is the kind's :data:`Data`."""
        return None

    def requirements(self, loading: Loading) -> Iterable[Requirement]:
        """The libraries that the stages will need which the core of Porism does not have."""
        return ()

    def term_requirements(self, loading: Loading) -> Iterable[Requirement]:
        """As :meth:`requirements`, of what can be said only of a recipe without errors."""
        return ()

    def channels(self, recipe: Recipe, folder: FilePath) -> Iterable[str]:
        """The channels of the collection that the tables ask for."""
        return ()

    def plan(self, planner: Planner) -> None:
        """Adds the stages that others begin with; those of systems and results are planned one by one."""

    def begin(self, execution: Execution) -> None:
        """Gives what is there before any stage is made."""


class SystemKind(TableKind[Y]):
    """A kind of table that defines systems, which answer topics with runs.

    The parameters of a system are its settings by dotted path; those that are None can be tuned, too.
    """

    makes_runs: ClassVar[bool] = True

    how_learned: ClassVar[str] = "training"
    """How such a system learns from topics, as warnings call it: ``training``, ``tuning``, or by its ``model``."""

    untunable: ClassVar[str] = ""
    """Why the parameters of such a system cannot be tuned: ``is a run made elsewhere``; empty if they can."""

    @abstractmethod
    def plan_run(self, planner: Planner, system: str, topics: str) -> None:
        """Adds the stage that makes the run of a system on a whole topic set; its sources were planned before."""

    def check_can_answer(self, check: Check, system: str, topics: str, needed_by: str) -> None:
        """Notes what keeps a system itself from answering a topic set that a result needs."""

    def parameters(self, draft: Draft, system: str, formulas: bool) -> dict[str, Any]:
        """All parameters of a system as plain values, on topics that ask for documents or for formulas.

        :raises ConfigError: the settings do not fit.
        """
        return {}

    def check_values(self, check: Check, system: str, values: Mapping[str, Any], formulas: bool, path: Path) -> None:
        """Whether a system can have other values at dotted paths; what these name is checked at ``path``.

        :raises ConfigError: a path leads nowhere, or a value does not fit.
        """
        return

    def varied_run(
        self, execution: Execution, system: str, topics: str, values: Parameters, only: Sequence[str] | None
    ) -> Run:
        """The run of a system, with other parameters of it and of what it is made of, for some topics or all.

        :raises ConfigError: its parameters cannot be tuned.
        """
        raise ConfigError(f"{system!r} cannot have other parameters: it {self.untunable or 'has none'}")

    def objective(
        self, execution: Execution, system: str, topics: str, qrels: Mapping[str, Mapping[str, int]], measure: str
    ) -> Objective | None:
        """A faster way to score parameters of this system alone than by its whole runs; None if there is none."""
        return None

    def model(
        self, draft: Draft, system: str, values: Mapping[str, Any], formulas: bool, tuned_on: tuple[str, ...]
    ) -> dict[str, Any] | None:
        """The model of a system with values that were chosen on some topics, as a file has it; None if it has none."""
        return None

    def weights(self, settings: Y) -> int | None:
        """How many weights a simplex among its parameters has; None if it has no weights."""
        return None

    def similarities(
        self, draft: Draft, system: str, formulas: bool, values: Mapping[str, Any] = MappingProxyType({})
    ) -> tuple[str, ...]:
        """The similarity matrices that a system, with other values at dotted paths, searches with or chooses from; not
        those of what it is made of."""
        return ()

    def learned_topics(self, draft: Draft, data: Data, system: str, topics: str) -> Iterable[str]:
        """The topics from which a system learned what it ranks a topic set with; not those of what it is made of."""
        return ()


class ResultKind(TableKind[R]):
    """A kind of table whose output is made of runs."""

    @abstractmethod
    def plan_result(self, planner: Planner, name: str) -> None:
        """Adds the stage of a result; the runs that it needs were planned before."""


def kind_of(recipe: Recipe, system: str) -> SystemKind[Any]:
    """The kind of a system."""
    kind: SystemKind[Any] = recipe.kinds[recipe.table_of(system)]
    return kind
