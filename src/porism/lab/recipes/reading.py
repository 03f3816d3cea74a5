"""A recipe from a TOML file or from plain values."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Mapping
from datetime import date
from datetime import time as clock
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.draft import Draft, RecipeError, RecipeErrors, tolerant
from porism.lab.recipes.kinds import registry
from porism.lab.recipes.kinds.base import TableKind
from porism.lab.recipes.lines import line_numbers
from porism.lab.recipes.recipe import Recipe, SystemSettings, TopSettings, own_settings
from porism.settings import Path as SettingPath
from porism.settings import Settings, dotted, nearest, read_settings

_UNPRINTABLE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"\w[\w+@-]*(?:[.][\w+@-]+)*")
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")


def read_recipe(source: str | os.PathLike[str] | Mapping[str, Any], folder: str | os.PathLike[str] = ".") -> Draft:
    """Reads a recipe; what is wrong with its settings is collected in the draft.

    :param folder: where paths of a recipe from plain values start; those of a file start from its own folder.
    :raises RecipeError: there is no such file, or it is not valid TOML.
    """
    if isinstance(source, Mapping):
        given, stem, errors = source, "experiment", RecipeErrors("recipe", {})
    else:
        path = Path(source)
        text = _text(path)
        given, stem, folder = _toml(text, str(path)), path.stem, path.parent
        errors = RecipeErrors(str(path), line_numbers(text))
    try:
        plain = _plain(given, (), errors)
    except RecursionError:
        raise RecipeError([ConfigError("is nested too deeply", where=errors.file)]) from None
    return Draft(_recipe(plain, errors, stem), errors, Path(folder), stem)


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except OSError as error:
        reason = "cannot be read" if error.strerror is None else f"cannot be read ({error.strerror})"
        raise RecipeError([ConfigError(reason, where=str(path), hint="Name a recipe, a TOML file.")]) from error
    except UnicodeDecodeError as error:
        raise RecipeError([ConfigError(f"byte {error.start + 1} is not UTF-8", where=str(path))]) from None


def _toml(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = _TOML_PLACE.search(message)
        line = (place[1] if place else None) or str(max(1, len(text.splitlines())))
        column = f", column {place[2]}" if place and place[2] else ""
        problem = f"this is not valid TOML{column}: {_TOML_PLACE.sub('', message)}"
        raise RecipeError([ConfigError(problem, where=f"{file}:{line}")]) from None
    except RecursionError:
        raise RecipeError([ConfigError("is nested too deeply", where=file)]) from None
    except ValueError:  # more digits than Python reads
        raise RecipeError([ConfigError("a number has too many digits", where=file)]) from None


def _plain(value: Any, path: SettingPath, errors: RecipeErrors) -> Any:
    """Values as JSON has them: tuples as lists, paths and dates as strings; None is left out of tables.

    What JSON cannot hold is noted and left out.
    """
    if isinstance(value, Mapping):
        named = {str(key): (entry, (*path, str(key))) for key, entry in value.items() if entry is not None}
        for key, (_, at) in list(named.items()):
            if _UNPRINTABLE.search(key):
                errors.error(f"the name {key!r} cannot be written", at)
                del named[key]
        plain = {key: _plain(entry, at, errors) for key, (entry, at) in named.items()}
        return {key: entry for key, entry in plain.items() if entry is not None}
    if isinstance(value, (list, tuple)):
        entries = [_plain(entry, (*path, number), errors) for number, entry in enumerate(value)]
        return [entry for entry in entries if entry is not None]
    if isinstance(value, os.PathLike):
        value = os.fspath(value)
    elif isinstance(value, (date, clock)):
        value = value.isoformat()
    if isinstance(value, str):
        if not _UNPRINTABLE.search(value):
            return value
    elif isinstance(value, (bool, float)) or (isinstance(value, int) and -(2**63) <= value < 2**63):
        return value
    shown = "a number with so many digits" if isinstance(value, int) else repr(value)
    errors.error(f"{dotted(path)} cannot be {shown}", path, "Use a string, a number, a list or a table.")
    return None


def _recipe(plain: dict[str, Any], errors: RecipeErrors, stem: str) -> Recipe:
    kinds = {kind.table: kind for kind in registry.KINDS}
    top = own_settings(TopSettings)
    for name in plain:
        if name not in top and name not in kinds:
            errors.error(f"there is no setting {name!r}", (name,), nearest(name, [*top, *kinds]))
    tables = {table: _tables(kind, plain[table], errors) for table, kind in kinds.items() if table in plain}
    simple = {name: value for name, value in plain.items() if name in top}
    read = tolerant(lambda given: read_settings(TopSettings, given), {"name": stem, **simple}, (), errors)
    base = read or TopSettings(stem)
    recipe = Recipe(**{name: getattr(base, name) for name in top}, tables=tables, kinds=kinds, plain=plain)
    _check_distinct(recipe, errors)
    return recipe


def _tables(kind: TableKind[Any], given: Any, errors: RecipeErrors) -> dict[str, Settings]:
    """The tables of a kind by name; those with too little to be used are left out."""
    table = kind.table
    if kind.is_single(given):
        settings = _table(kind, given, (table,), errors)
        return {} if settings is None else {table: settings}
    if not isinstance(given, Mapping):
        errors.error(f"{table!r} cannot be {given!r}", (table,), f"Write [{table}.NAME] and its settings.")
        return {}
    tables = {}
    for name, values in given.items():
        path = (table, name)
        if not _NAME.fullmatch(name):  # names become names of files and columns
            errors.error(f"the name {name!r} cannot be used", path, "Use letters, digits and _ + - @.")
        else:
            kind.check_name(name, path, errors)
        if (settings := _table(kind, values, path, errors)) is not None:
            tables[name] = settings
    return tables


def _table(kind: TableKind[Any], given: Any, at: SettingPath, errors: RecipeErrors) -> Settings | None:
    """A table of the recipe as settings; None where there is too little of it to be used."""
    if not isinstance(given, Mapping):
        errors.error(f"{dotted(at)!r} cannot be {given!r}", at, f"Write [{dotted(at)}] and its settings.")
        return None
    for old, new in kind.former.items():
        if old in given and new not in given:
            errors.warn(f"the setting {dotted((*at, old))!r} is now called {new!r}", (*at, old))
            given = {new if name == old else name: value for name, value in given.items()}
    table = dict(given)
    if kind.rest:
        own = own_settings(kind.settings, but=kind.rest)
        rest = {name: value for name, value in given.items() if name not in own}
        table = {**{name: value for name, value in given.items() if name in own}, kind.rest: rest}
    made: Settings | None = tolerant(
        lambda settings: read_settings(kind.settings, settings, at=at), kind.read(table, at, errors), at, errors
    )
    return made


def _check_distinct(recipe: Recipe, errors: RecipeErrors) -> None:
    """Systems share one set of names."""
    seen: dict[str, str] = {}
    for table, name, _ in recipe.of_type(SystemSettings):
        if name in seen:
            errors.error(
                f"the name {name!r} is taken by {seen[name]}.{name}", (table, name), "Give each system its own name."
            )
        seen.setdefault(name, table)
