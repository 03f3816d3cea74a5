"""In which order the configurations of a space are tried: all, some at random, or along one parameter after another.

A search only says what to try next; what it gets for a configuration is one number, higher better (minus infinity
where the configuration failed). The best of all that was tried is chosen elsewhere, by the order of the space where
scores are equal. So the choice does not depend on the order of trying.

Optuna would save nothing here: it has no coordinate search, and :mod:`porism.lab.tuning.trials` shares evaluations
between folds and resumes in either case.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, ClassVar, Protocol

from porism.errors import ConfigError
from porism.lab.tuning.parameters import value_key
from porism.lab.tuning.space import Configuration, Space
from porism.settings import Settings, read_named, write_settings

Score = Callable[[Configuration], float]
"""Configuration → its score; a configuration that was tried before costs nothing."""

MAX_GRID = 100_000
"""More configurations than this are too many for a grid."""


class Search(Protocol):
    """A way of searching; its fields are its settings."""

    name: ClassVar[str]

    def total(self, space: Space) -> int | None:
        """How many configurations will be tried, if that is known.

        :raises ConfigError: the space cannot be searched so.
        """
        ...

    def explore(self, space: Space, score: Score) -> None:
        """Asks for the scores of the configurations to try."""
        ...


@dataclass(frozen=True, slots=True)
class GridSearch(Settings):
    """All configurations, in the order of the space; at most ``most``."""

    name: ClassVar[str] = "grid"
    most: int = MAX_GRID

    def total(self, space: Space) -> int:
        """All points of the space.

        :raises ConfigError: there are too many.
        """
        if space.size > self.most:
            raise ConfigError(
                f"the space has {space.size:,} configurations, and a grid at most {self.most:,}",
                hint="Use random or coordinate search, or fewer values.",
            )
        return space.size

    def explore(self, space: Space, score: Score) -> None:
        for configuration in space.points():
            score(configuration)


@dataclass(frozen=True, slots=True)
class RandomSearch(Settings):
    """``trials`` different configurations at random (or all, where there are not so many), drawn by the seed.

    :raises ConfigError: there are no trials.
    """

    name: ClassVar[str] = "random"
    trials: int = 100
    seed: int = 0

    def __post_init__(self) -> None:
        if self.trials < 1:
            raise ConfigError(f"a random search cannot have {self.trials} trials", hint="Use 1 or more.")

    def total(self, space: Space) -> int | None:
        """The trials; unknown where some range has no step, since it may have fewer different values."""
        return None if space.continuous else min(self.trials, space.size)

    def explore(self, space: Space, score: Score) -> None:
        """Tries what is drawn, until there are enough or nothing new comes up."""
        generator = random.Random(self.seed)
        most = self.trials if space.continuous else min(self.trials, space.size)
        tried: set[str] = set()
        barren = 0
        while len(tried) < most and barren < 1000 + 20 * most:
            configuration = space.draw(generator)
            key = value_key(configuration)
            if key in tried:
                barren += 1
                continue
            tried.add(key)
            barren = 0
            score(configuration)


@dataclass(frozen=True, slots=True)
class CoordinateSearch(Settings):
    """Line search along one parameter after another, until a round of all of them gains nothing.

    Each line is tried whole, the other parameters staying where they are, and the search moves to the best point on it
    (it stays if none is better; of equal ones it takes the first by the order of the space). The weights of a simplex
    are moved one at a time, the others sharing the rest in proportion. It begins in the middle of the space, and then
    at ``starts − 1`` random points, drawn by the seed; ``rounds`` bounds each of these.

    :raises ConfigError: there are no rounds or no starts.
    """

    name: ClassVar[str] = "coordinate"
    rounds: int = 10
    starts: int = 3
    seed: int = 0

    def __post_init__(self) -> None:
        if self.rounds < 1 or self.starts < 1:
            raise ConfigError(
                f"a coordinate search cannot have {self.rounds} rounds from {self.starts} starts",
                hint="Use 1 or more of both.",
            )

    def total(self, space: Space) -> None:
        """Unknown: it depends on what is found."""

    def explore(self, space: Space, score: Score) -> None:
        generator = random.Random(self.seed)
        for start in range(self.starts):
            self._climb(space, score, space.draw(generator) if start else space.middle())

    def _climb(self, space: Space, score: Score, start: dict[str, Any]) -> None:
        current, best = start, score(start)
        for _ in range(self.rounds):
            before = best
            for path, parameter in space.parameters.items():
                for direction in range(parameter.directions):
                    line = [{**current, path: value} for value in parameter.line(current[path], direction)]
                    scores = [score(configuration) for configuration in line]
                    if max(scores) > best:
                        best = max(scores)
                        current = line[scores.index(best)]
            if best <= before:
                return


SEARCHES: Mapping[str, type[GridSearch] | type[RandomSearch] | type[CoordinateSearch]] = MappingProxyType({
    search.name: search for search in (GridSearch, RandomSearch, CoordinateSearch)
})
"""The searches by name."""


def make_search(name: str, settings: Mapping[str, Any] = MappingProxyType({})) -> Search:
    """A search by name, with its settings.

    :raises ConfigError: there is no such search, or a setting does not exist or does not fit.
    """
    kinds: Mapping[str, type[Any]] = SEARCHES
    search: Search = read_named(kinds, name, settings, "search")
    return search


def search_record(search: Search) -> dict[str, Any]:
    """The search and its settings, as plain values."""
    return {"search": search.name, **write_settings(search)}
