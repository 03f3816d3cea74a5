"""What the kinds of tables use to read and check the files that a recipe names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path as FilePath
from typing import Any, NamedTuple

from porism.errors import ConfigError, OnProblem
from porism.lab.recipes.draft import Draft
from porism.lab.recipes.errors import RecipeErrors
from porism.lab.recipes.graph import Needed, demanded
from porism.lab.recipes.recipe import Recipe, base_set
from porism.settings import Path

Data = Mapping[str, Any]
"""Kind of table → what it read; each kind's module has a function that gives it with its type."""


class Requirement(NamedTuple):
    """A module that has to be installed: where the recipe needs it, for what, and the extra of Porism that has it."""

    module: str
    path: Path
    purpose: str
    extra: str


class Loading:
    """A recipe whose files are being read; what is wrong with them goes to the draft's errors.

    ``data`` is what was read so far, by kind of table.
    """

    def __init__(self, draft: Draft, on_problem: OnProblem | None = None) -> None:
        self.draft = draft
        self.recipe: Recipe = draft.recipe
        self.errors: RecipeErrors = draft.errors
        self.on_problem = on_problem
        self.demand: Needed = demanded(self.recipe)
        judged = [result.topics for result in self.recipe.results.values()]
        self.used_topics = {base_set(topics) for topics in (*judged, *(topics for _, topics in self.demand))}
        self.data: dict[str, Any] = {}

    def exists(self, given: str, path: Path) -> FilePath | None:
        """A file of the recipe, if it is there."""
        try:
            file = self.draft.file(given)
            found = file.exists()
        except (ConfigError, OSError, ValueError) as error:
            self.errors.take(error if isinstance(error, ConfigError) else ConfigError(str(error)), path)
            return None
        if not found:
            self.errors.error(f"there is no file {str(file)!r}", path, "Paths start from the recipe's folder.")
        return file if found else None

    def all_exist(self, given: Iterable[str], path: Path) -> None:
        """Notes which files of a list are not there; ``path`` is the setting that lists them."""
        for number, name in enumerate(given):
            self.exists(name, (*path, number))


def some_names(names: Iterable[str], most: int = 3) -> str:
    """The first of the names in order; ``none`` if there are none."""
    listed = list(names)
    return f"{', '.join(sorted(listed)[:most])}{' …' if len(listed) > most else ''}" or "none"
