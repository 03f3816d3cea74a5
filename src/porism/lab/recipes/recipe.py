"""A recipe as a value: what is at its top, its tables by kind and name, and the graph of its systems."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping
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
        """The systems that it is made of: those that its setting ``of`` names, if it has one."""
        of: str | tuple[str, ...] = getattr(self, "of", ())
        return (of,) if isinstance(of, str) else of

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
        """The kind of table that defines a system."""
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
    """Raises a ConfigError unless it is a number of results."""
    if depth is not None and depth < 1:
        raise ConfigError(f"the depth is {depth}", hint="It is 1 or more.")


def check_folds(folds: int) -> None:
    """Raises a ConfigError unless topics can be divided into so many folds; 0 means none."""
    if folds < 0 or folds == 1:
        raise ConfigError(f"there cannot be {folds} folds", hint="Use 0 for none, or 2 and more.")


def check_seed(seed: int | None) -> None:
    """Raises a ConfigError unless it is a seed that all libraries take: from 0, of 32 bits."""
    if seed is not None and not 0 <= seed < 2**32:
        raise ConfigError(f"the seed is {seed}", hint="It is a whole number from 0 to 4,294,967,295.")


Needed = tuple[tuple[str, str], ...]
"""(system, topic set) of runs."""


def ordered(recipe: Recipe) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The systems, sources before what is made of them; and those that are made of themselves, which have no place."""
    waiting = {name: set(sources) for name, sources in _sources(recipe).items()}
    users: dict[str, list[str]] = {name: [] for name in waiting}
    for name, sources in waiting.items():
        for source in sources:
            users[source].append(name)
    order = [name for name, sources in waiting.items() if not sources]
    for name in order:  # it grows on the way
        for user in users[name]:
            waiting[user].discard(name)
            if not waiting[user]:
                order.append(user)
    return tuple(order), tuple(name for name in waiting if waiting[name])


def cycle(recipe: Recipe) -> tuple[str, ...]:
    """A circle of systems that are made of each other, the first one again at its end; empty if there is none."""
    _, rest = ordered(recipe)
    left = set(rest)
    sources = _sources(recipe)
    path: dict[str, None] = {}
    name = rest[0] if rest else ""
    while name and name not in path:
        path[name] = None
        name = next((source for source in sources[name] if source in left), "")
    names = list(path)
    return (*names[names.index(name) :], name) if name else ()


def members(recipe: Recipe, system: str) -> tuple[str, ...]:
    """A system and all that it is made of, each once, sources first."""
    return _reached(recipe, system, through_tuned=True)


def untuned_members(recipe: Recipe, system: str) -> tuple[str, ...]:
    """As :func:`members`, but not what tuned systems are made of: their parameters are chosen elsewhere."""
    return _reached(recipe, system, through_tuned=False)


def needs(recipe: Recipe, wanted: Iterable[tuple[str, str]]) -> Needed:
    """(system, topic set) of all runs that the wanted ones are made of, sources first; for recipes without cycles.

    Parts of topic sets are answered with their whole set.
    """
    systems, sources = recipe.systems, _sources(recipe)
    needed: dict[tuple[str, str], None] = {}
    waiting = [(system, base_set(topics)) for system, topics in wanted]
    while waiting:
        system, topics = waiting.pop()
        if (system, topics) in needed:
            continue
        needed[(system, topics)] = None
        for source in sources.get(system, ()):
            taught = systems[system].learns_on
            waiting += [(source, name) for name in ((topics, base_set(taught)) if taught else (topics,))]
    place = {name: number for number, name in enumerate(ordered(recipe)[0])}
    sets = {name: number for number, name in enumerate(recipe.tables.get("topics", ()))}
    return tuple(sorted(needed, key=lambda pair: (place.get(pair[0], -1), sets.get(pair[1], -1))))


def can_answer(recipe: Recipe, system: str, topics: str) -> bool:
    """Whether a system, and all that it is made of, can answer a topic set."""
    systems = recipe.systems
    return all(systems[part].can_answer(recipe, base_set(topics)) for part in members(recipe, system))


def answerable(recipe: Recipe, topics: str) -> tuple[str, ...]:
    """The systems that can answer a topic set."""
    return tuple(system for system in recipe.systems if can_answer(recipe, system, topics))


def demanded(recipe: Recipe) -> Needed:
    """(system, topic set) of all runs that the results need, sources first; without results of all that can be made."""
    wanted: list[tuple[str, str]] = []
    for result in recipe.results.values():
        wanted += result.needed_runs(recipe)
    if not recipe.results:
        wanted = [(system, name) for name in recipe.tables.get("topics", ()) for system in answerable(recipe, name)]
    known = recipe.systems
    return needs(recipe, [(system, topics) for system, topics in wanted if system in known])


def used_topics(results: Iterable[ResultSettings], demand: Needed) -> set[str]:
    """The topic sets that results are about or runs are needed on."""
    return {base_set(topics) for topics in (*(result.topics for result in results), *(topics for _, topics in demand))}


def _sources(recipe: Recipe) -> dict[str, tuple[str, ...]]:
    """System → the systems that it is made of, those that the recipe does not have left out."""
    systems = recipe.systems
    return {
        name: tuple(source for source in settings.sources if source in systems) for name, settings in systems.items()
    }


def _reached(recipe: Recipe, system: str, through_tuned: bool) -> tuple[str, ...]:
    systems, sources = recipe.systems, _sources(recipe)
    reached: dict[str, None] = {system: None}
    waiting = [system]
    while waiting:
        for source in sources.get(waiting.pop(), ()):
            if source not in reached and (through_tuned or not systems[source].is_tuned):
                reached[source] = None
                waiting.append(source)
    order, rest = ordered(recipe)
    return tuple(name for name in (*order, *rest) if name in reached)
