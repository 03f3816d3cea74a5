"""A recipe as a value: what is at its top, and its tables by kind and name."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any, ClassVar, TypeVar

from porism.errors import ConfigError
from porism.settings import Settings

S = TypeVar("S")

DEFAULT_MEASURES = ("nDCG'", "MAP'", "P'@10")
"""The measures of a recipe that names none: those of ARQMath."""

SAMPLE = "sample:"
"""What a path begins with that names a file of the bundled sample: ``sample:entries.jsonl``."""


class SystemSettings(Settings):
    """The base of the settings of a system: a table that answers topics with runs."""

    __slots__ = ()

    searches: ClassVar[bool] = False
    """Whether the system itself searches the index, and not only those that it is made of."""

    is_tuned: ClassVar[bool] = False
    """Whether the parameters of what it is made of are chosen by it, and cannot be chosen elsewhere."""

    @property
    def sources(self) -> tuple[str, ...]:
        """The systems that it is made of."""
        return ()

    @property
    def learns_on(self) -> str:
        """The topic set, or part of one, by whose judgments it is tuned or trained; empty if it is not."""
        return ""

    def can_answer(self, recipe: Recipe, topics: str) -> bool:
        """Whether it can answer a topic set itself; not what it is made of."""
        return True


class ResultSettings(Settings, ABC):
    """The base of the settings of a result: a table whose output is made of runs."""

    __slots__ = ()

    @property
    @abstractmethod
    def topics(self) -> str:
        """The topic set, or part of one, that it is about."""

    @abstractmethod
    def shown(self, recipe: Recipe) -> tuple[str, ...]:
        """The systems that it says something of."""

    @abstractmethod
    def needed_runs(self, recipe: Recipe) -> tuple[tuple[str, str], ...]:
        """(system, topic set) of the runs that it is made of."""


@dataclass(frozen=True, slots=True)
class TopSettings(Settings):
    """What is at the top of a recipe, outside of its tables.

    :param seed: of splits, folds, searches, tests, and methods that draw numbers.
    :param depth: results a topic.
    """

    name: str = "experiment"
    seed: int = 0
    measures: tuple[str, ...] = DEFAULT_MEASURES
    depth: int = 1000
    output: str | None = None
    cache: str | None = None

    def __post_init__(self) -> None:
        check_depth(self.depth)
        check_seed(self.seed)


@dataclass(frozen=True, slots=True)
class Recipe(TopSettings):
    """An experiment as data.

    :param tables: kind of table → name → settings; tables that cannot be read are left out.
    :param kinds: kind of table → the :class:`~porism.lab.recipes.kinds.base.TableKind` that knows what to do with it.
    :param plain: the recipe as it was read, for the record.
    """

    tables: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    kinds: Mapping[str, Any] = field(default_factory=dict)
    plain: Mapping[str, Any] = field(default_factory=dict)

    @property
    def systems(self) -> dict[str, SystemSettings]:
        """System → its settings, in the order in which reports show them."""
        return {name: settings for _, name, settings in self.of_type(SystemSettings)}

    @property
    def results(self) -> dict[str, ResultSettings]:
        """Result → its settings."""
        return {name: settings for _, name, settings in self.result_tables()}

    def result_tables(self) -> Iterator[tuple[str, str, ResultSettings]]:
        """Kind of table, name and settings of all results."""
        for table, name, settings in self.of_type(object):
            if isinstance(settings, ResultSettings):
                yield table, name, settings

    def of_type(self, base: type[S]) -> Iterator[tuple[str, str, S]]:
        """Kind of table, name and settings of all tables whose settings are of a type."""
        for table, named in self.tables.items():
            for name, settings in named.items():
                if isinstance(settings, base):
                    yield table, name, settings

    def table_of(self, system: str) -> str:
        """The kind of table that defines a system.

        :raises KeyError: there is no such system.
        """
        for table, name, _ in self.of_type(SystemSettings):
            if name == system:
                return table
        raise KeyError(system)


def base_set(topics: str) -> str:
    """The topic set of the recipe that a set or a part of one (``dev.train``) belongs to."""
    return topics.partition(".")[0]


def own_settings(kind: type[Any], *, but: str = "") -> list[str]:
    """The names that a table of this kind can have, but for the one that holds whatever else is given."""
    return [setting.name for setting in fields(kind) if setting.name != but]


def check_depth(depth: int | None) -> None:
    """Whether it is a number of results.

    :raises ConfigError: it is below 1.
    """
    if depth is not None and depth < 1:
        raise ConfigError(f"the depth is {depth}", hint="It is 1 or more.")


def check_folds(folds: int) -> None:
    """Whether topics can be divided into so many folds; 0 means none.

    :raises ConfigError: they cannot.
    """
    if folds < 0 or folds == 1:
        raise ConfigError(f"there cannot be {folds} folds", hint="Use 0 for none, or 2 and more.")


def check_seed(seed: int | None) -> None:
    """Whether it is a seed that all libraries take.

    :raises ConfigError: it is below 0, or takes more than 32 bits.
    """
    if seed is not None and not 0 <= seed < 2**32:
        raise ConfigError(f"the seed is {seed}", hint="It is a whole number from 0 to 4,294,967,295.")
