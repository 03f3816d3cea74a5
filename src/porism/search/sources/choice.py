"""Which sources of an index a command means: remembered ones, parts of them, new ones, and those that have moved."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import Any

from porism.corpus.base import ReaderOptions
from porism.corpus.opening import unique_name
from porism.errors import ConfigError, SourceError
from porism.index.sources import Source
from porism.search.sources.freshness import file_digest

Options = ReaderOptions | Mapping[str, Any]
"""How sources are read, or the settings of it that are to change."""

_COMPARED = 200
"""So many files of a source are compared to find out whether it has moved."""


@dataclass(slots=True)
class SourceUpdate:
    """A source that is to be brought up to date.

    ``source`` is as the index remembers it, or new with no files; ``path``, ``format`` and ``options`` are those of
    this time. ``only`` are paths inside the source, where not all of it is meant. ``anew`` says that all of it is read
    again, and ``unreachable`` why it cannot be read.
    """

    source: Source
    path: Path
    format: str | None
    options: ReaderOptions
    only: list[str] = field(default_factory=list)
    anew: bool = False
    unreachable: str = ""

    def means(self, name: str) -> bool:
        """Whether a file of the source is meant."""
        return not self.only or any(name == part or name.startswith(f"{part}/") for part in self.only)


@dataclass(slots=True)
class Choice:
    """What a command means: the sources to read, those that become part of others, and what should be said."""

    wanted: list[SourceUpdate] = field(default_factory=list)
    absorbed: list[Source] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


def choose_all(known: Mapping[str, Source]) -> Choice:
    """All sources that the index remembers."""
    return Choice([_remembered(source) for source in known.values()])


def choose(
    given: Sequence[str | os.PathLike[str]], known: Mapping[str, Source], format: str | None = None,
    options: Options | None = None, *, may_be_new: bool = True,
) -> Choice:
    """The sources that ``given`` names, by path or, for those that are remembered, by name.

    :param format: how to read them; None for what is remembered, or found out.
    :param options: the same for the options; a mapping holds the settings that differ.
    :param may_be_new: whether a path that is not remembered is a new source.
    :raises SourceError: there is no such file or folder, or no such source.
    :raises ConfigError: a part of a source was named with other options than those of the source.
    """
    choice = Choice()
    paths: list[Path] = []
    for entry in given:
        path = Path(entry)
        if not path.exists():
            path = _by_name(str(entry), known)
        paths.append(Path(os.path.abspath(path)))
    covered = _outermost(paths)
    for path in covered:
        inner = [other for other in paths if other != path and _inside(other, path)]
        if inner:
            choice.notes.append(f"{inner[0]} is part of {path} and is read once")
        _choose_one(path, known, format, options, choice, may_be_new)
    return choice


def _choose_one(
    path: Path, known: Mapping[str, Source], format: str | None, options: Options | None, choice: Choice,
    may_be_new: bool,
) -> None:
    same = next((source for source in known.values() if _same(source.path, path)), None)
    if same is not None:
        choice.wanted.append(_again(same, path, format, options, choice.notes))
        return
    around = next((source for source in known.values() if source.path.is_dir() and _inside(path, source.path)), None)
    if around is not None:
        if (format or around.format) != around.format or _changed(around.options, options) != around.options:
            raise ConfigError(
                f"is part of the source {around.name}, which is read with other options", where=str(path),
                hint=f"Give the options with the whole source: {around.path}",
            )
        part = Path(os.path.realpath(path)).relative_to(os.path.realpath(around.path)).as_posix()
        before = next((wanted for wanted in choice.wanted if wanted.source is around), None)
        if before is not None:
            before.only.append(part)
            return
        choice.wanted.append(replace(_remembered(around), only=[part]))
        choice.notes.append(f"{path} is part of the source {around.name}: only it is read")
        return
    if not may_be_new:
        raise SourceError(
            "is not a source of the index", where=str(path),
            hint=f"Its sources are {', '.join(known) or 'none'}. Add it with: porism index {path}",
        )
    moved = next((source for source in known.values() if _has_moved(source, path)), None)
    if moved is not None:
        choice.notes.append(f"the source {moved.name} has moved from {moved.path} to {path}")
        choice.wanted.append(_again(moved, path, format, options, choice.notes))
        return
    inside = [source for source in known.values() if path.is_dir() and _inside(source.path, path)]
    for source in inside:
        choice.notes.append(f"the source {source.name} becomes part of {path}; its documents get new ids")
    choice.absorbed += inside
    taken = [*known, *(wanted.source.name for wanted in choice.wanted)]
    settings = _changed(ReaderOptions(), options)
    source = Source(unique_name(path, settings, taken), path, format, "", settings)
    choice.wanted.append(SourceUpdate(source, path, format, settings))


def _remembered(source: Source) -> SourceUpdate:
    wanted = SourceUpdate(source, source.path, source.format, source.options)
    if not source.path.exists():
        wanted.unreachable = "there is no such file or folder"
    return wanted


def _again(source: Source, path: Path, format: str | None, options: Options | None, notes: list[str]) -> SourceUpdate:
    """A source that is remembered, with the options of this time."""
    settings = _changed(source.options, options)
    differing = [key for key, value in asdict(settings).items() if value != asdict(source.options)[key]]
    if format is not None and format not in (source.format, source.detected):
        differing.append("format")
    if differing:
        notes.append(f"the source {source.name} is read again with other settings of {', '.join(differing)}")
    return SourceUpdate(source, path, format or source.format, settings, anew=bool(differing))


def _changed(options: ReaderOptions, given: Options | None) -> ReaderOptions:
    if given is None:
        return options
    return given if isinstance(given, ReaderOptions) else replace(options, **given)


def _by_name(name: str, known: Mapping[str, Source]) -> Path:
    """The path of a source that is named itself, or by a path that is not there any more."""
    for source in known.values():
        if source.name == name or source.path == Path(os.path.abspath(name)):
            return source.path
    raise SourceError("there is no such file or folder", where=name)


def _outermost(paths: Sequence[Path]) -> list[Path]:
    """The paths without those inside others, each once."""
    outermost: list[Path] = []
    for path in paths:
        if not any(_same(path, other) or _inside(path, other) for other in outermost):
            outermost = [other for other in outermost if not _inside(other, path)]
            outermost.append(path)
    return outermost


def _same(path: Path, other: Path) -> bool:
    try:
        return os.path.samefile(path, other)
    except OSError:  # one of them is not there
        return path == other


def _inside(inner: Path, outer: Path) -> bool:
    """Whether a file or folder is below a folder, through whatever links."""
    real = Path(os.path.realpath(outer))
    return real in Path(os.path.realpath(inner)).parents and outer.is_dir()


def _has_moved(source: Source, path: Path) -> bool:
    """Whether a source whose path is gone is now at ``path``: by its name and a file, or by most of its files."""
    if source.path.exists() or not source.files:
        return False
    if path.is_file():
        state = source.files.get(path.name)
        return list(source.files) == [path.name] and state is not None and state.digest == file_digest(path)
    names = [name for name in source.files if not os.path.isabs(name)][:_COMPARED]
    matching = sum(
        (path / name).is_file() and (path / name).stat().st_size == source.files[name].size for name in names
    )
    same_name = path.name.lower() == source.path.name.lower()
    return bool(matching) and (same_name or 2 * matching >= len(names))
