"""What stages are made with: the recipe, the data, the cache, what was made before, and runs in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from typing import Any, TypeVar

from porism.errors import OnProblem, SourceError
from porism.lab.recipes.cache import Cache, CacheEntry
from porism.lab.recipes.checking import Data
from porism.lab.recipes.digests import digest
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.planning import Planner
from porism.lab.recipes.recipe import base_set, untuned_members
from porism.runs.run import Run

T = TypeVar("T")
C = TypeVar("C", bound=AbstractContextManager[Any])

OnCount = Callable[[int, int | None], None]
"""Called with how much is done and how much there is, if that is known."""

Parameters = Mapping[str, Mapping[str, Any]]
"""System → dotted path → value: settings that differ from those of the recipe."""

RUN_FILE = "run"
"""The name of a run's file in the cache."""

_KEPT_RUNS = 8


class Execution(AbstractContextManager["Execution"]):
    """The making of an experiment's stages; a context manager, which keeps open what stages share.

    :param jobs: processes that analyse documents, and threads that compare terms; all cores if not given.
    """

    def __init__(
        self, draft: Draft, data: Data, cache: Cache, planner: Planner, on_problem: OnProblem | None = None,
        jobs: int | None = None,
    ) -> None:
        self.draft, self.recipe, self.data, self.cache, self.planner = draft, draft.recipe, data, cache, planner
        self.on_problem, self.jobs = on_problem, jobs
        self._stack = ExitStack()
        self._shared: dict[str, Any] = {}
        self._runs: dict[tuple[str, str], Run] = {}
        self._varied: OrderedDict[str, Run] = OrderedDict()

    def __exit__(self, *error: object) -> None:
        self._stack.close()

    def shared(self, name: str, make: Callable[[], T]) -> T:
        """Something that several stages use, made once."""
        if name not in self._shared:
            self._shared[name] = make()
        made: T = self._shared[name]
        return made

    def opened(self, name: str, open_it: Callable[[], C]) -> C:
        """As :meth:`shared`, of something that is closed at the end."""

        def opening() -> C:
            opened = open_it()
            self._stack.push(opened)
            return opened

        return self.shared(name, opening)

    def entry(self, kind: str, key: str, name: str) -> CacheEntry:
        """What an earlier stage made."""
        entry = self.cache.find(kind, key)
        if entry is None:
            raise SourceError(f"{name} vanished from the cache while it was needed", hint="Start again.")
        return entry

    def add_run(self, system: str, topics: str, run: Run) -> None:
        """Gives a run that no stage makes."""
        self._runs[system, topics] = run

    def run(self, system: str, topics: str) -> Run:
        """A run of the recipe on a whole topic set; it must have been made."""
        pair = (system, base_set(topics))
        if pair not in self._runs:
            stage = self.planner.stages[self.planner.runs[pair].name]
            entry = self.entry(stage.kind, stage.key, stage.id)
            self._runs[pair] = Run.read(entry.file(RUN_FILE)).renamed(system)
        return self._runs[pair]

    def varied(self, system: str, topics: str, values: Parameters, only: Sequence[str] | None = None) -> Run:
        """The run of a system of which some parts have other parameters; nothing of it is cached on disk.

        :param only: the topics to answer; all if not given.
        """
        parts = [part for part in untuned_members(self.recipe, system) if part in values]
        if not parts:
            whole = self.run(system, topics)
            return whole if only is None else whole.only(only)
        key = digest([system, topics, {part: values[part] for part in parts}, only])
        if key in self._varied:
            self._varied.move_to_end(key)
            return self._varied[key]
        kind = self.recipe.kinds[self.recipe.table_of(system)]
        run: Run = kind.varied_run(self, system, topics, values, only)
        self._varied[key] = run
        while len(self._varied) > _KEPT_RUNS:
            self._varied.popitem(last=False)
        return run
