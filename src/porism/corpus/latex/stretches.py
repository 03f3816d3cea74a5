"""Reading a LaTeX document again without the chapters that are as they were.

A *stretch* goes from one section to a later one between which files were opened or ended: of a book that inputs its
chapters, from the heading of one chapter to that of the next. What the reader does in it depends on its state at the
beginning and on the text of the stretch. It also depends on the files that are found, and on what the labels name that
are referred to. Where all of this is as it was, the stretch is not read: its documents stay, and the reader takes the
state that it had at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import xxhash

from porism.corpus.base import OnProgress, UnitId
from porism.corpus.groups import Known, LazyRecord
from porism.corpus.latex.loading import FileLoader, Loaded
from porism.corpus.latex.machine_state import (
    StateDigests,
    Tables,
    content_to_json,
    definitions_changed,
    go_on,
    is_simple,
    path_from_json,
    path_to_json,
    redefine,
    tables_of,
)
from porism.corpus.latex.structure import LatexStructure
from porism.corpus.latex.tokens import FileFrame
from porism.errors import OnProblem, Problem
from porism.system.files.names import dump_names, load_names
from porism.types import Document

MAX_PROBLEMS = 50
"""A stretch with more problems is always read."""

_Span = tuple[int, int | None, str]
"""Of a file: how many characters were read, how many were looked at (None for all that are left), their digest."""


def _span(text: str, start: int, stop: int | None) -> _Span:
    """What was read of a file from ``start`` to ``stop``, None for its end.

    The reader looks no further than the end of a line, unless it looks in vain (``FileFrame.has_missed``).
    """
    line_end = -1 if stop is None else text.find("\n", stop)
    seen = None if line_end < 0 else line_end + 1 - start
    return (len(text) if stop is None else stop) - start, seen, _digest(text, start, seen)


def _digest(text: str, start: int, seen: int | None) -> str:
    part = text[start:] if seen is None else text[start : start + seen]
    return xxhash.xxh3_128_hexdigest(part.encode("utf-8", "surrogatepass"))


@dataclass(slots=True)
class _Beginning:
    """Where a stretch began."""

    key: str
    frames: list[FileFrame]
    positions: list[int]
    lines: list[int]
    tables: Tables
    flags: dict[str, bool]
    exhausted: set[str]
    title: Any


class StretchReader:
    """Notes the stretches of a document while it is read, and passes over those that are as they were.

    :param machine: reads the document; its ``at_section`` is to be :meth:`at_section`.
    :param loader: opens its files.
    :param beside: what else the documents depend on, beside the sources.
    :param remembered: the stretches of the last reading, from :attr:`stretches`.
    :param known: which documents the index has of that reading.
    :param on_problem: receives the problems of stretches that are passed over.
    """

    def __init__(
        self, machine: LatexStructure, loader: FileLoader, beside: str, remembered: Mapping[str, str], known: Known,
        on_problem: OnProblem, on_progress: OnProgress,
    ) -> None:
        self._machine, self._loader, self._remembered, self._known = machine, loader, remembered, known
        self._on_problem, self._on_progress = on_problem, on_progress
        self._digests = StateDigests(machine, beside)
        self.stretches: dict[str, str] = {}
        """What is to be remembered: the digest of the state at the beginning → the stretch, as JSON."""
        self._beginning: _Beginning | None = None
        self._files: list[FileFrame] = []
        self._documents: list[UnitId] = []
        self._problems: list[Problem] = []

    def document(self, document: Document) -> None:
        """Notes a document that was handed out."""
        if isinstance(document.id, UnitId):
            self._documents.append(document.id)

    def problem(self, problem: Problem) -> None:
        """Notes a problem that was reported."""
        self._problems.append(problem)

    def at_section(self) -> Iterator[LazyRecord]:
        """Called where a section has begun: ends a stretch and begins another, or passes over it.

        Yields the documents of what is passed over.
        """
        machine = self._machine
        since = self._loader.since
        moved = since.opened or machine.files != self._files
        if not (moved or self._beginning is None) or not is_simple(machine):
            return
        key = self._digests.digest()
        self._end()
        while (value := self._remembered.get(key)) is not None and self._fits(stretch := load_names(value)):
            ids = [UnitId(file, unit) for file, unit in stretch["documents"]]
            known = self._known(ids)
            if known is None:
                break
            self.stretches[key] = value
            self._pass_over(stretch)
            for where, problem in stretch["problems"]:
                self._on_problem(Problem(where, problem))
            for doc_id, (digest, line) in zip(ids, known, strict=True):
                yield LazyRecord(doc_id, line, digest, _never_read)
            key = self._digests.digest()
        self._loader.forget_peeks()
        self._begin(key)

    def _begin(self, key: str) -> None:
        machine = self._machine
        frames = list(machine.files)
        self._beginning = _Beginning(
            key, frames, [frame.pos for frame in frames], [frame.line for frame in frames], tables_of(machine),
            dict(machine.conditionals.flags), set(machine.expander.exhausted), content_to_json(machine.document_title),
        )
        self._files = frames
        self._loader.since = Loaded()
        self._documents, self._problems = [], []
        machine.labels.watch()

    def _end(self) -> None:
        """Keeps the stretch that ends here, unless it cannot be passed over."""
        begun, since, machine = self._beginning, self._loader.since, self._machine
        if (
            begun is None or since.unsure or len(self._problems) > MAX_PROBLEMS or begun.key in self.stretches
            or any(map(machine.omissions.of, machine.files))
            or list(begun.flags.items()) != list(machine.conditionals.flags.items())
            or begun.exhausted != machine.expander.exhausted
            or begun.title != content_to_json(machine.document_title)
        ):
            return
        still = machine.files
        spans = [
            _span(frame.text, start, frame.pos if frame in still else None)
            for frame, start in zip(begun.frames, begun.positions, strict=True)
        ]
        opened = [(frame.name, *_span(frame.text, 0, frame.pos if frame in still else None)) for frame in since.opened]
        placed = {doc_id.file for doc_id in self._documents}
        lines = [
            line if self._problems or frame.name in placed or frame is begun.frames[-1] else None
            for frame, line in zip(begun.frames, begun.lines, strict=True)
        ]
        value = {
            "spans": spans, "lines": lines, "opened": opened,
            "lookups": [[*lookup, name] for lookup, name in since.lookups.items()],
            "visited": since.visited, "missing": since.missing, "labels": machine.labels.watched(),
            "documents": [[doc_id.file, doc_id.unit] for doc_id in self._documents],
            "problems": [[problem.where, problem.what] for problem in self._problems],
            "definitions": definitions_changed(begun.tables, tables_of(machine)),
            "path": path_to_json(machine.path), "heading_lines": machine.heading_lines,
            "files": [[frame.name, frame.state, *machine.store.counted(frame.name)] for frame in still],
        }
        self.stretches[begun.key] = dump_names(value).decode()

    def _fits(self, stretch: dict[str, Any]) -> bool:
        """Whether all that a stretch depends on is as it was; the state is."""
        machine = self._machine
        return (
            all(line in (None, frame.line) for frame, line in zip(machine.files, stretch["lines"], strict=True))
            and all(
                _digest(frame.text, frame.pos, seen) == digest
                for frame, (_, seen, digest) in zip(machine.files, stretch["spans"], strict=True)
            )
            and machine.labels.fit(stretch["labels"])
            and self._loader.fits(_loaded(stretch))
            and all(
                (frame := self._loader.peek(name)) is not None and _digest(frame.text, 0, seen) == digest
                for name, _, seen, digest in stretch["opened"]
            )
        )

    def _pass_over(self, stretch: dict[str, Any]) -> None:
        """Takes the state at the end of a stretch."""
        machine = self._machine
        then = {frame.name: frame for frame in machine.files}
        for frame, (read, _, _) in zip(machine.files, stretch["spans"], strict=True):
            frame.pos += read
        names = [name for name, *_ in stretch["opened"]]
        frames = self._loader.replay(_loaded(stretch), names, self._on_progress)
        for frame, (_, read, _, _) in zip(frames, stretch["opened"], strict=True):
            frame.pos = read
            then[frame.name] = frame
        for name, state, numbers, units in stretch["files"]:
            then[name].take_state(state)
            machine.store.count_on(name, numbers, units)
        machine.open_files([then[name] for name, *_ in stretch["files"]])
        machine.labels.replay(stretch["labels"])
        redefine(machine, stretch["definitions"])
        go_on(machine, path_from_json(stretch["path"]), stretch["heading_lines"])


def _loaded(stretch: dict[str, Any]) -> Loaded:
    lookups = {(argument, package, tuple(folders)): name for argument, package, folders, name in stretch["lookups"]}
    return Loaded(lookups, stretch["visited"], stretch["missing"])


def _never_read(on_problem: OnProblem) -> Document | None:
    raise AssertionError("a document that the index has as it is needs not be read")
