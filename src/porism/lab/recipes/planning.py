"""The stages of an experiment and their keys: the digest of all that a stage's output depends on."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.checking import Data
from porism.lab.recipes.digests import code_digest, digest, library_versions
from porism.lab.recipes.draft import Draft, RecipeError
from porism.lab.recipes.recipe import Needed, can_answer, demanded, needs, used_topics
from porism.settings import nearest


class StageType:
    """What a kind of stage is called, and which libraries' versions count for it."""

    name: str
    """Its name in the cache and in the record."""

    verb: str = ""
    """What it does, as it is shown; the name where empty."""

    libraries: tuple[str, ...] = ()
    """The distributions whose version can change its output."""

    counts_bytes: bool = False
    """Whether its progress is counted in bytes."""


@dataclass(frozen=True, slots=True)
class RecipeStage:
    """One step: what it makes, from what, and the key under which that is cached.

    :param kind: the name of its :class:`StageType`.
    :param name: of what it makes; ``collection`` for the index.
    :param topics: the topic set; empty for what depends on the collection alone.
    :param key: the digest of the stage's settings, its inputs, the code and the libraries that make it.
    :param inputs: the ids of stages before it, and the digests of files by what they are.
    :param parameters: its settings, as plain values.
    """

    kind: str
    name: str
    topics: str
    key: str
    inputs: Mapping[str, str]
    parameters: Mapping[str, Any]
    type: StageType = field(repr=False)

    @property
    def id(self) -> str:
        """What it is called: ``run words on dev``."""
        verb = self.type.verb or self.kind
        return f"{verb} {self.name} on {self.topics}" if self.topics else f"{verb} {self.name}"


@dataclass(frozen=True, slots=True)
class Input:
    """Something that a stage is made from: what it is called in the record, and its key or digest."""

    name: str
    key: str


class Planner:
    """The stages of a recipe that was checked and whose data was read, as they are worked out.

    :param only: systems and results to make; all if none is named.
    :raises RecipeError: one of these does not exist.
    """

    def __init__(self, draft: Draft, data: Data, only: Iterable[str] = ()) -> None:
        self.draft = draft
        self.recipe = draft.recipe
        self.data = data
        self.stages: dict[str, RecipeStage] = {}
        self.runs: dict[tuple[str, str], Input] = {}
        """The runs that were planned, by (system, topic set)."""
        self.others: dict[tuple[str, str], Input] = {}
        """What else stages are made from, by kind of table and name."""
        chosen = tuple(dict.fromkeys(only))
        results = self.recipe.results
        self.results = tuple(name for name in results if not chosen or name in chosen)
        self.demand = self._demand(chosen)
        self.used_topics = used_topics([results[name] for name in self.results], self.demand)

    def add(
        self, kind: StageType, name: str, topics: str, inputs: Mapping[str, str], parameters: Mapping[str, Any],
        *content: Any,
    ) -> RecipeStage:
        """A stage whose key is made of its parameters and ``content``: the keys and digests of its inputs."""
        key = digest([kind.name, name, parameters, content, code_digest(type(kind)), library_versions(kind.libraries)])
        stage = RecipeStage(kind.name, name, topics, key, inputs, parameters, kind)
        self.stages[stage.id] = stage
        return stage

    def add_run(
        self, kind: StageType, name: str, topics: str, inputs: Iterable[Input], parameters: Mapping[str, Any],
        *content: Any,
    ) -> RecipeStage:
        """As :meth:`add`, for a stage that makes a run."""
        stage = self.add(kind, name, topics, {input_.name: input_.key for input_ in inputs}, parameters, *content)
        self.runs[name, topics] = Input(stage.id, stage.key)
        return stage

    def _demand(self, only: tuple[str, ...]) -> Needed:
        """(system, topic set) of the runs to make, sources first."""
        everywhere = demanded(self.recipe)
        if not only:
            return everywhere
        systems, results = self.recipe.systems, self.recipe.results
        known = [*systems, *results]
        for name in only:
            if name not in known:
                raise RecipeError([
                    ConfigError(f"there is no system or report {name!r} in the recipe", hint=nearest(name, known))
                ])
        wanted = [pair for name in results if name in only for pair in results[name].needed_runs(self.recipe)]
        for name in only:
            if name in systems:
                needed = [pair for pair in everywhere if pair[0] == name]
                wanted += needed or [
                    (name, topics) for topics in self.recipe.tables.get("topics", ())
                    if can_answer(self.recipe, name, topics)
                ]
        return needs(self.recipe, wanted)
