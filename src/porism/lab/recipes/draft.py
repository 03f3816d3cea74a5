"""A recipe as it was read, with what is wrong with it; and reading of settings that goes on after an error."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

from porism.errors import ConfigError
from porism.lab.recipes.errors import RecipeErrors, without
from porism.lab.recipes.recipe import SAMPLE, Recipe
from porism.sample import sample_path
from porism.settings import Path as SettingPath
from porism.settings import SettingError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Draft:
    """A recipe as read, what was found wrong with it, and the folder that its paths start from."""

    recipe: Recipe
    errors: RecipeErrors
    folder: Path
    stem: str

    def file(self, given: str) -> Path:
        """A path of the recipe as a path from here.

        :raises ConfigError: it names a file of the bundled sample that is not there.
        """
        if given.startswith(SAMPLE):
            try:
                return sample_path(given.removeprefix(SAMPLE))
            except (FileNotFoundError, ValueError):
                raise ConfigError(
                    f"the bundled sample has no file {given!r}",
                    hint="Choose from sample:entries.jsonl, sample:queries.jsonl, sample:qrels.txt.",
                ) from None
        return self.folder / given


def tolerant(
    read: Callable[[Mapping[str, Any]], T], given: Mapping[str, Any], at: SettingPath, errors: RecipeErrors
) -> T | None:
    """What ``read`` makes of the settings; each that it refuses is noted and left out, until the rest can be read."""
    settings: Mapping[str, Any] | None = given
    while settings is not None:
        try:
            return read(settings)
        except SettingError as error:
            path = error.path
            if path in ((), at) and (named := _named_in(error.what, settings)):
                path = (*at, named)
                errors.take(SettingError(error.what, path=path, hint=error.hint), at)
            else:
                errors.take(error, at)
        except ConfigError as error:
            errors.take(error, at)
            return None
        settings = without(settings, path[len(at) :] if path[: len(at)] == at else path)
    return None


def _named_in(what: str, settings: Mapping[str, Any]) -> str:
    """The setting that a message about a whole table speaks of; empty if it is about none or several."""
    words = set(re.findall(r"[\w-]+", what.rpartition(": ")[2]))
    named = [name for name in settings if name in words]
    return named[0] if len(named) == 1 else ""
