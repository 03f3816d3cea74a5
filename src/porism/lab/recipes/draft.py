"""A recipe as it was read, and what is wrong with it; all that can be found is reported at once, each with its line."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path as FilePath
from typing import Any, TypeVar

from porism.errors import ConfigError, PorismError, Problem
from porism.lab.recipes.lines import line_of
from porism.lab.recipes.recipe import SAMPLE, Recipe
from porism.sample import sample_path
from porism.settings import Path, SettingError, dotted


class RecipeError(ConfigError):
    """A recipe that cannot be run; ``errors`` are all that was found, in the order of the file, a line each."""

    def __init__(self, errors: Iterable[PorismError]) -> None:
        self.errors = tuple(errors)
        super().__init__("\n".join(map(str, self.errors)))


class RecipeErrors:
    """Collects errors and warnings about a recipe, and knows the line of a setting in its file."""

    def __init__(self, file: str, lines: Mapping[Path, int]) -> None:
        self.file = file
        self.lines = lines
        self._errors: list[tuple[int, PorismError]] = []
        self._warnings: list[tuple[int, Problem]] = []

    def __bool__(self) -> bool:
        return bool(self._errors)

    def where(self, path: Path) -> str:
        """``recipe.toml:12``; without a number where the recipe is not a file."""
        line = line_of(self.lines, path)
        return self.file if line is None else f"{self.file}:{line}"

    def error(self, message: str, path: Path, hint: str | None = None) -> None:
        """Notes an error at a setting."""
        error = SettingError(message, path=path, hint=hint)
        error.where = self.where(path)
        error.args = (f"{error.where}: {error}",)
        if all(str(error) != str(other) for _, other in self._errors):
            self._errors.append((line_of(self.lines, path) or 0, error))

    def touch(self, path: Path) -> bool:
        """Whether an error was found at a setting or below it."""
        return any(isinstance(error, SettingError) and error.path[: len(path)] == path for _, error in self._errors)

    def take(self, error: PorismError, path: Path) -> None:
        """Notes an error that something else raised about the setting at ``path``.

        One that knows its own setting is about that, below ``path``, and is reported with the whole path.
        """
        inner = error.path if isinstance(error, SettingError) else ()
        message, hint = error.what, error.hint
        if inner and inner[: len(path)] != path:
            short, full = dotted(inner), dotted((*path, *inner))
            if repr(short) in message:
                message = message.replace(repr(short), repr(full), 1)
                if message.startswith("there is no setting") and hint and hint.startswith("Did you mean "):
                    hint = hint.replace("Did you mean ", f"Did you mean {dotted(path)}.", 1)
            elif message.startswith(f"{short}: "):
                message = f"{dotted(path)}.{message}"
            elif not message.startswith("there is no "):
                message = f"{full}: {message}"
            inner = (*path, *inner)
        elif error.where:
            message = f"{error.where}: {message}"
        elif not inner and path and dotted(path) not in message:
            message = f"{dotted(path)}: {message}"
        self.error(message, inner or path, hint)

    @contextmanager
    def taking(self, path: Path) -> Iterator[None]:
        """Takes what is raised inside as an error about the setting at ``path``; what follows goes on."""
        try:
            yield
        except PorismError as error:
            self.take(error, path)

    def warn(self, message: str, path: Path) -> None:
        """Notes what a reader of the results must know, though it is not an error."""
        problem = Problem(self.where(path), message)
        if all(problem != other for _, other in self._warnings):
            self._warnings.append((line_of(self.lines, path) or 0, problem))

    @property
    def warnings(self) -> tuple[Problem, ...]:
        """The warnings, in the order of the file."""
        return tuple(problem for _, problem in sorted(self._warnings, key=lambda entry: entry[0]))

    def check(self) -> None:
        """Ends here if there are errors."""
        if self._errors:
            raise RecipeError(error for _, error in sorted(self._errors, key=lambda entry: entry[0]))


def without(settings: Mapping[str, Any], path: Path) -> dict[str, Any] | None:
    """The settings without the one at a path; None if there is none there."""
    if not path or not isinstance(settings, Mapping):
        return None
    first, *rest = path
    if first not in settings:
        return None
    kept = dict(settings)
    if not rest:
        del kept[first]  # type: ignore[arg-type]  # it is in there
        return kept
    inner = settings[first]  # type: ignore[index]
    if isinstance(inner, list) and isinstance(rest[0], int) and rest[0] < len(inner):
        kept[first] = [entry for number, entry in enumerate(inner) if number != rest[0]]  # type: ignore[index]
        return kept
    smaller = without(inner, tuple(rest)) if isinstance(inner, Mapping) else None
    if smaller is None:
        del kept[first]  # type: ignore[arg-type]
    else:
        kept[first] = smaller  # type: ignore[index]
    return kept


T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Draft:
    """A recipe as read, what was found wrong with it, and the folder that its paths start from."""

    recipe: Recipe
    errors: RecipeErrors
    folder: FilePath
    stem: str

    def file(self, given: str) -> FilePath:
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
    read: Callable[[Mapping[str, Any]], T], given: Mapping[str, Any], at: Path, errors: RecipeErrors
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


def _named_in(message: str, settings: Mapping[str, Any]) -> str:
    """The setting that a message about a whole table speaks of; empty if it is about none or several."""
    words = set(re.findall(r"[\w-]+", message.rpartition(": ")[2]))
    named = [name for name in settings if name in words]
    return named[0] if len(named) == 1 else ""
