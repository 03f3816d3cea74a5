"""A recipe from a TOML file or from plain values."""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from datetime import time as clock
from pathlib import Path
from typing import Any, TypeVar

from porism.errors import ConfigError
from porism.recipes.errors import RecipeError, RecipeErrors, without
from porism.recipes.lines import line_numbers
from porism.recipes.settings import (
    SAMPLE,
    SYSTEM_TABLES,
    CollectionSettings,
    EmbeddingSettings,
    FusionSettings,
    PipelineSettings,
    Recipe,
    ReportSettings,
    RerankerSettings,
    RunSettings,
    SimilarityTable,
    TokenizerSettings,
    TopicSettings,
    TuningSettings,
    own_settings,
)
from porism.settings import Path as SettingPath
from porism.settings import SettingError, dotted, nearest, read_settings

T = TypeVar("T")

SINGLE_REPORT = "report"
"""The name of a report that stands in ``[report]`` itself."""

_UNPRINTABLE = re.compile("[\ud800-\udfff]")
_NAME = re.compile(r"\w[\w+@-]*(?:[.][\w+@-]+)*")
_TOML_PLACE = re.compile(r" \(at (?:line (\d+), column (\d+)|end of document)\)$")
_OPEN_TABLES: dict[type[Any], str] = {
    RunSettings: "files", PipelineSettings: "settings", RerankerSettings: "settings",
    FusionSettings: "parameters", TokenizerSettings: "settings", EmbeddingSettings: "settings",
    SimilarityTable: "settings",
}
"""Tables that can have more than their own settings, and the setting that holds the rest."""


@dataclass(frozen=True, slots=True)
class Draft:
    """A recipe as read, what was found wrong with it, and the folder that its paths start from."""

    recipe: Recipe
    findings: RecipeErrors
    folder: Path
    stem: str

    def file(self, given: str) -> Path:
        """A path of the recipe as a path from here.

        :raises ConfigError: it names a file of the bundled sample that is not there.
        """
        if given.startswith(SAMPLE):
            from porism.sample import sample_path

            try:
                return sample_path(given.removeprefix(SAMPLE))
            except (FileNotFoundError, ValueError):
                raise ConfigError(
                    f"the bundled sample has no file {given!r}",
                    hint="Choose from sample:entries.jsonl, sample:queries.jsonl, sample:qrels.txt.",
                ) from None
        return self.folder / given

    def report_path(self, name: str) -> SettingPath:
        """Where a report stands in the recipe."""
        return ("report",) if is_single_report(self.recipe.plain.get("report")) else ("report", name)


def read_recipe(source: str | os.PathLike[str] | Mapping[str, Any], folder: str | os.PathLike[str] = ".") -> Draft:
    """Reads a recipe; what is wrong with its settings is collected in the draft.

    :param folder: where paths of a recipe from plain values start; those of a file start from its own folder.
    :raises RecipeError: there is no such file, or it is no TOML.
    """
    if isinstance(source, Mapping):
        findings = RecipeErrors("recipe", {})
        try:
            plain = _plain(source, (), findings)
        except RecursionError:
            raise RecipeError([ConfigError("is nested too deeply", where="recipe")]) from None
        return Draft(_recipe(plain, findings, "experiment"), findings, Path(folder), "experiment")
    path = Path(source)
    text = _text(path)
    given = _toml(text, str(path))
    findings = RecipeErrors(str(path), line_numbers(text))
    try:
        plain = _plain(given, (), findings)
    except RecursionError:
        raise RecipeError([ConfigError("is nested too deeply", where=str(path))]) from None
    return Draft(_recipe(plain, findings, path.stem), findings, path.parent, path.stem)


def is_single_report(given: Any) -> bool:
    """Whether the table ``report`` is one report, not several by name."""
    return not isinstance(given, Mapping) or any(not isinstance(value, Mapping) for value in given.values())


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
        what = f"this is no TOML{column}: {_TOML_PLACE.sub('', message)}"
        raise RecipeError([ConfigError(what, where=f"{file}:{line}")]) from None
    except RecursionError:
        raise RecipeError([ConfigError("is nested too deeply", where=file)]) from None
    except ValueError:  # more digits than Python reads
        raise RecipeError([ConfigError("a number has too many digits", where=file)]) from None


def _plain(value: Any, path: SettingPath, findings: RecipeErrors) -> Any:
    """Values as JSON has them: tuples as lists, paths and dates as strings; None is left out of tables.

    What JSON cannot hold is noted and left out.
    """
    if isinstance(value, Mapping):
        named = {str(key): (entry, (*path, str(key))) for key, entry in value.items() if entry is not None}
        for key, (_, at) in list(named.items()):
            if _UNPRINTABLE.search(key):
                findings.error(f"the name {key!r} cannot be written", at)
                del named[key]
        plain = {key: _plain(entry, at, findings) for key, (entry, at) in named.items()}
        return {key: entry for key, entry in plain.items() if entry is not None}
    if isinstance(value, (list, tuple)):
        entries = [_plain(entry, (*path, number), findings) for number, entry in enumerate(value)]
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
    findings.error(f"{dotted(path)} cannot be {shown}", path, "Use a string, a number, a list or a table.")
    return None


def _recipe(plain: dict[str, Any], findings: RecipeErrors, stem: str) -> Recipe:
    known = own_settings(Recipe, but="plain")
    for name in plain:
        if name not in known:
            findings.error(f"there is no setting {name!r}", (name,), nearest(name, known))

    def tables(name: str, cls: type[T]) -> dict[str, T]:
        given = plain.get(name, {})
        if not isinstance(given, Mapping):
            findings.error(f"{name!r} cannot be {given!r}", (name,), f"Write [{name}.NAME] and its settings.")
            return {}
        found = {}
        for key, table in given.items():
            check_name(key, (name, key), findings)
            if (settings := _table(cls, table, (name, key), findings)) is not None:
                found[key] = settings
        return found

    reports: dict[str, ReportSettings] = {}
    if "report" in plain and is_single_report(plain["report"]):
        single = _table(ReportSettings, plain["report"], ("report",), findings)
        reports = {SINGLE_REPORT: single} if single is not None else {}
    elif "report" in plain:
        reports = tables("report", ReportSettings)
    collection = None
    if "collection" in plain:
        collection = _table(CollectionSettings, plain["collection"], ("collection",), findings)
    values: dict[str, Any] = {
        "collection": collection, "tokenizers": tables("tokenizers", TokenizerSettings),
        "embeddings": tables("embeddings", EmbeddingSettings), "similarities": tables("similarities", SimilarityTable),
        "topics": tables("topics", TopicSettings), "runs": tables("runs", RunSettings),
        "pipelines": tables("pipelines", PipelineSettings), "rerankers": tables("rerankers", RerankerSettings),
        "fusions": tables("fusions", FusionSettings), "tuning": tables("tuning", TuningSettings), "report": reports,
    }
    simple = {name: value for name, value in plain.items() if name in known and name not in values}
    read = tolerant(lambda given: read_settings(Recipe, given), {"name": stem, **simple}, (), findings)
    base = read or Recipe(stem)
    simple_names = ("name", "seed", "measures", "depth", "output", "cache")
    fields: dict[str, Any] = {name: getattr(base, name) for name in simple_names}
    recipe = Recipe(**fields, **values, plain=plain)
    _one_table_each(recipe, findings)
    return recipe


def check_name(name: str, path: SettingPath, findings: RecipeErrors) -> None:
    """Names become names of files and columns: letters, digits and some signs."""
    if not _NAME.fullmatch(name):
        findings.error(f"the name {name!r} cannot be used", path, "Use letters, digits and _ + - @.")
    elif path[0] == "topics" and "." in name:
        findings.error(
            f"the topic set {name!r} has a dot in its name", path, "A dot leads to the parts of a set that is split."
        )


def _table(cls: type[T], given: Any, at: SettingPath, findings: RecipeErrors) -> T | None:
    """A table of the recipe as settings; None where there is too little of it to be used."""
    if not isinstance(given, Mapping):
        findings.error(f"{dotted(at)!r} cannot be {given!r}", at, f"Write [{dotted(at)}] and its settings.")
        return None
    rest = _OPEN_TABLES.get(cls)
    if rest is not None:
        own = own_settings(cls, but=rest)
        given = {
            **{name: value for name, value in given.items() if name in own},
            rest: {name: value for name, value in given.items() if name not in own},
        }
    if cls is RunSettings:
        for name, file in list(given["files"].items()):
            if not isinstance(file, str):
                findings.error(
                    f"the setting {dotted((*at, name))!r} cannot be {file!r}", (*at, name),
                    "A run has a file for each topic set: dev = \"FILE\".",
                )
                del given["files"][name]
    return tolerant(lambda settings: read_settings(cls, settings, at=at), given, at, findings)


def tolerant(
    read: Callable[[Mapping[str, Any]], T], given: Mapping[str, Any], at: SettingPath, findings: RecipeErrors
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
                findings.take(SettingError(error.what, path=path, hint=error.hint), at)
            else:
                findings.take(error, at)
        except ConfigError as error:
            findings.take(error, at)
            return None
        settings = without(settings, path[len(at):] if path[: len(at)] == at else path)
    return None


def _named_in(what: str, settings: Mapping[str, Any]) -> str:
    """The setting that a message about a whole table speaks of; empty if it is about none or several."""
    words = set(re.findall(r"[\w-]+", what.rpartition(": ")[2]))
    named = [name for name in settings if name in words]
    return named[0] if len(named) == 1 else ""


def _one_table_each(recipe: Recipe, findings: RecipeErrors) -> None:
    """Systems share one set of names."""
    seen: dict[str, str] = {}
    for kind in SYSTEM_TABLES:
        for name in getattr(recipe, kind):
            if name in seen:
                findings.error(
                    f"the name {name!r} is taken by {seen[name]}.{name}", (kind, name), "Give each system its own name."
                )
            seen.setdefault(name, kind)
