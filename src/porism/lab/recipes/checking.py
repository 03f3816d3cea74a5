"""What the kinds of tables use to check a recipe, and to read and check the files that it names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from porism.errors import ConfigError, OnProblem
from porism.lab.evaluate import parse_measure
from porism.lab.recipes.draft import Draft, RecipeErrors
from porism.lab.recipes.recipe import Needed, Recipe, demanded, used_topics
from porism.settings import Path, nearest
from porism.system.concurrency.caching import cached_property
from porism.system.files.artifacts import ArtifactKind

_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")


class Check:
    """A recipe that is being checked; what is wrong with it goes to the draft's errors."""

    def __init__(self, draft: Draft) -> None:
        self.draft = draft
        self.recipe: Recipe = draft.recipe
        self.errors: RecipeErrors = draft.errors

    @cached_property
    def systems(self) -> list[str]:
        """The names of all systems, of those that are broken in themselves too: what names them is right."""
        return [name for table, kind in self.recipe.kinds.items() if kind.makes_runs for name in self.names(table)]

    @cached_property
    def demand(self) -> Needed:
        """(system, topic set) of the runs that the recipe needs."""
        return demanded(self.recipe)

    def names(self, table: str) -> list[str]:
        """The names of the tables of a kind, of those with errors too."""
        given = self.recipe.plain.get(table)
        return list(given) if isinstance(given, Mapping) else []

    def measures(self, measures: Iterable[str], path: Path) -> None:
        """Whether all exist, and there is one."""
        count = 0
        for count, measure in enumerate(measures, 1):
            with self.errors.taking((*path, count - 1)):
                parse_measure(measure).resolve()
        if not count:
            self.errors.error("no measure is named", path)

    def system(self, name: str, path: Path, known: Iterable[str] | None = None) -> bool:
        """Whether a system exists, and nothing was wrong with it in itself."""
        names = list(self.systems if known is None else known)
        if name not in names:
            self.errors.error(f"there is no system {name!r}", path, nearest_or(name, names, "[pipelines.NAME]"))
        return name in self.recipe.systems

    def other_system(self, name: str, path: Path, own: str) -> bool:
        """As :meth:`system`, for what a system of the name ``own`` is made of."""
        return self.system(name, path, [other for other in self.systems if other != own])

    def known(self, name: str, known: Iterable[str], kind: str, path: Path) -> bool:
        """Whether something of a kind exists: a fusion, a format."""
        if name not in known:
            self.errors.error(f"there is no {kind} {name!r}", path, nearest(name, known))
        return name in known

    def unknown(self, given: Mapping[str, Any], known: list[str], path: Path) -> None:
        """Whether all settings of a table exist."""
        dotted_path = ".".join(map(str, path))
        for key in given:
            if key not in known:
                self.errors.error(
                    f"there is no setting '{dotted_path}.{key}'", (*path, key), nearest(key, known, f"{dotted_path}.")
                )

    def artifact_name(self, kind: ArtifactKind, name: str, path: Path) -> bool:
        """Whether an index can keep something of a kind under this name."""
        try:
            kind.check_name(name)
        except ConfigError as error:
            self.errors.take(error, path)
            return False
        return True


def nearest_or(name: str, known: list[str], otherwise: str, prefix: str = "") -> str:
    """Which of the known names may have been meant; without any, what to write."""
    return nearest(name, known, prefix) if known else f"Write {otherwise} for it."


def nearest_or_add(name: str, known: list[str], table: str) -> str:
    """The name that may have been meant, or the table that would define it."""
    hint = nearest(name, known) if known else ""
    return f"{hint} Or add {table}." if hint.startswith("Did you mean") else f"Add {table}."


def toml_key(name: str) -> str:
    """A name as it is written in the header of a TOML table."""
    return name if _BARE_KEY.fullmatch(name) else f'"{name}"'


Data = Mapping[str, Any]
"""Kind of table → what it read; each kind's module has a function that gives it with its type."""


class Requirement(NamedTuple):
    """A module that has to be installed: where the recipe needs it, for what, and the extra of Porism that has it."""

    module: str
    path: Path
    purpose: str
    extra: str


class Loading(Check):
    """A recipe whose files are being read; ``data`` is what was read so far, by kind of table."""

    def __init__(self, draft: Draft, on_problem: OnProblem | None = None) -> None:
        super().__init__(draft)
        self.on_problem = on_problem
        self.used_topics = used_topics(self.recipe.results.values(), self.demand)
        self.data: dict[str, Any] = {}

    def exists(self, given: str, path: Path) -> FilePath | None:
        """A file of the recipe, if it is there."""
        try:
            file = self.draft.file(given)
            exists = file.exists()
        except (ConfigError, OSError, ValueError) as error:
            self.errors.take(error if isinstance(error, ConfigError) else ConfigError(str(error)), path)
            return None
        if not exists:
            self.errors.error(f"there is no file {str(file)!r}", path, "Paths start from the recipe's folder.")
        return file if exists else None

    def all_exist(self, given: Iterable[str], path: Path) -> None:
        """Notes which files of a list are not there; ``path`` is the setting that lists them."""
        for number, name in enumerate(given):
            self.exists(name, (*path, number))


def some_names(names: Iterable[str], most: int = 3) -> str:
    """The first of the names in order; ``none`` if there are none."""
    listed = list(names)
    return f"{', '.join(sorted(listed)[:most])}{' …' if len(listed) > most else ''}" or "none"
