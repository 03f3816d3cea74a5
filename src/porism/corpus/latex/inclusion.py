"""The files that a LaTeX source names: ``\\input`` and its like, packages and classes, documents inside documents."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from porism.corpus.latex.ams_tex import DEFINITIONS, FORMATS
from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.omissions import Omissions
from porism.corpus.latex.plain import PlainText
from porism.corpus.latex.tables import IMPORTS, INCLUDES, PACKAGES
from porism.corpus.latex.tokens import FileFrame, Placed, tokenize
from porism.errors import OnProblem, Problem
from porism.formula.macros.definition import Macro
from porism.formula.macros.tokens import PAR, join


class PackageOptions:
    """Carries out ``\\DeclareOption``, ``\\ProcessOptions`` and their like; installs itself in an expander.

    What is declared and given belongs to the file (:class:`~porism.corpus.latex.tokens.FileFrame`).
    """

    def __init__(self, expander: ProjectExpander) -> None:
        self.expander = expander
        self.of_document: list[str] = []
        """Options of the document's class, which all packages see."""
        self._passed: dict[str, list[str]] = {}
        expander.install({
            self._declare: "DeclareOption", self._process: "ProcessOptions", self._execute: "ExecuteOptions",
            self._pass_on: "PassOptionsToPackage PassOptionsToClass",
        })

    def names(self, tokens: Iterable[str] | None) -> list[str]:
        """The options in a list, their macros expanded."""
        written = join(self.expander.expanded(list(tokens or ())))
        return [name for entry in written.split(",") if (name := " ".join(entry.split()))]

    def give(self, frame: FileFrame, name: str, options: list[str]) -> None:
        """Gives options to a file that is to be read, with those that were passed on to a package of its name."""
        frame.options = [*self._passed.get(name, []), *options]

    def of_file(self) -> list[str]:
        """The options that the file being read was loaded with."""
        file = self.expander.stream.file
        return file.options if file is not None else []

    def _declare(self, command: str) -> None:
        name = "*" if self.expander.star() else self.expander.expanded_name()
        code = self.expander.group() or []
        file = self.expander.stream.file
        if file is not None:
            file.declared[name] = code

    def _process(self, command: str) -> None:
        """Carries out what is declared for the options given, in the order of the declarations, then the others."""
        self.expander.star()
        file = self.expander.stream.file
        if file is None:
            return
        given = {*file.options, *self.of_document}
        chosen = [name for name in file.declared if name in given and name != "*"]
        others = [name for name in file.options if name not in file.declared] if "*" in file.declared else []
        code = [token for name in chosen for token in _carried_out(name, file.declared[name])]
        code += [token for name in others for token in _carried_out(name, file.declared["*"])]
        self.expander.stream.push(code)

    def _execute(self, command: str) -> None:
        names = self.names(self.expander.group())
        file = self.expander.stream.file
        declared = file.declared if file is not None else {}
        self.expander.stream.push([
            token for name in names if name in declared for token in _carried_out(name, declared[name])
        ])

    def _pass_on(self, command: str) -> None:
        options = self.names(self.expander.group())
        self._passed.setdefault(self.expander.expanded_name(), []).extend(options)


def _carried_out(name: str, code: list[str]) -> list[str]:
    return ["\\def", "\\CurrentOption", "{", name, "}", *code]


class Files(Protocol):
    """The files of a project, as a source that names them sees them."""

    def load(self, command: str, name: str, folder: str = "") -> FileFrame | None:
        """The file that a command names, in ``folder`` for ``\\import``; None where there is nothing to read."""

    def has_omitted(self) -> None:
        """Says that something of a file that was read has been left out."""

    def finds(self, command: str, name: str) -> bool:
        """Whether there is such a file in the project."""


class IncludingText(PlainText):
    """Reads the files that the source names in their places.

    :param files: opens them.
    """

    def __init__(self, files: Files, on_problem: OnProblem) -> None:
        self._loader, self._on_problem = files, on_problem
        self._files: list[FileFrame] = []
        self._content_before = False
        self._reported: set[Problem] = set()
        self.omissions = Omissions(self.is_statement)
        super().__init__()
        self.expander.install({
            self._include: " ".join(INCLUDES - PACKAGES.keys()), self._package: " ".join(PACKAGES),
            self._import: " ".join(IMPORTS), self._if_file: "IfFileExists InputIfFileExists",
            self._document_class: "documentclass documentstyle", lambda _: self._files[-1].end(): "endinput dump",
            lambda _: self.begin_document(): "document", lambda _: self.end_document(): "enddocument bye",
        })
        self.expander.expandable.add("\\IfFileExists")
        self._options = PackageOptions(self.expander)
        self.conditionals.on_hidden = self._hidden

    @property
    def files(self) -> list[FileFrame]:
        """The files that are open, outermost first."""
        return self._files

    @property
    def line(self) -> int:
        return self._files[-1].line if self._files else 1

    def line_of(self, command: str) -> int:
        """The line of a command that begins a document."""
        if isinstance(command, Placed) and command.file == self._files[-1].name:
            return command.line
        return self.line

    def report(self, problem: str) -> None:
        if not self.expander.in_class:  # nothing of it is content
            self.report_file(problem)

    def report_file(self, text: str) -> None:
        """Reports a problem with a file that is named here, which may be in a class or style file."""
        problem = Problem(f"{self._files[-1].name if self._files else ''}:{self.line}", text)
        if problem not in self._reported:  # a file may be read twice
            self._reported.add(problem)
            self._on_problem(problem)

    def begin_files(self, frame: FileFrame) -> None:
        """What is to be read is this file."""
        self._files = [frame]
        self.expander.macros["\\jobname"] = Macro((), (frame.stem,))
        self.expander.stream.open_file(frame)

    def load_format(self, frame: FileFrame) -> None:
        """Reads the source of a dumped format, ``%&macros``, as the beginning of the preamble."""
        name = frame.format
        if name and self._loader.finds("input", name):
            self._enter_file(self._loader.load("input", name))
        elif name:
            self.report_file(f"the format {name} has no source {name}.tex here; its macros are unknown")

    def open_files(self, frames: list[FileFrame]) -> None:
        """What is left to read is the rest of these files, outermost first."""
        self._files = frames
        self.expander.stream.go_on(frames)

    def _include(self, command: str) -> None:
        reader = self.expander
        reader.optional()
        name = reader.expanded_name() if reader.follows("{") else self._bare_name()
        self._define_ams_tex(name)
        self._enter_file(self._loader.load(command[1:], name))

    def _define_ams_tex(self, name: str) -> None:
        """What a source that loads AMS-TeX has defined."""
        if name.strip().lower() in FORMATS:
            self.expander.stream.push(tokenize(DEFINITIONS))

    def _package(self, command: str) -> None:
        options = self._options.names(self.expander.optional())
        names = [name.strip() for name in self.expander.expanded_name().split(",")]
        self.expander.optional()
        if command.endswith("WithOptions"):
            options = self._options.of_file()
        self.languages.take_options(names, options if "babel" in names else ())
        frames = [(name, self._loader.load(command[1:], name)) for name in names]
        for name, frame in reversed(frames):
            if frame is not None:
                self._options.give(frame, name, options)
            self._enter_file(frame)

    def _import(self, command: str) -> None:
        self.expander.star()
        folder, name = self.expander.expanded_name(), self.expander.expanded_name()
        self._enter_file(self._loader.load(command[1:], name, folder and folder.rstrip("/") + "/"))

    def _if_file(self, command: str) -> None:
        """``\\IfFileExists{name}{there}{not there}``, and the same that also reads it."""
        reader = self.expander
        name, there, absent = reader.expanded_name(), reader.group() or [], reader.group() or []
        exists = self._loader.finds("input", name)
        reader.stream.push(there if exists else absent)
        if exists and command == "\\InputIfFileExists":
            self._enter_file(self._loader.load("input", name))

    def _bare_name(self) -> str:
        """The name after plain TeX's ``\\input``: up to a space, or in quotes."""
        reader = self.expander
        token = reader.skip_spaces()
        name = ""
        while token is not None and token != PAR and token[0] not in "{}$\0&#":
            if token[0] == "\\":
                if not reader.expand_once(token):
                    reader.stream.push([token])
                    break
                token = reader.stream.next()
                continue
            pieces = token.split('"')
            for place, piece in enumerate(pieces):
                quoted = name.count('"') % 2 == 1
                head, space, rest = piece.partition(" ") if not quoted else (piece, "", "")
                name += head
                if space:
                    reader.stream.push(['"'.join([rest, *pieces[place + 1 :]])])
                    return name.strip()
                name += '"' if place < len(pieces) - 1 else ""
            token = reader.stream.next()
        else:
            reader.stream.push([token] if token else [])
        return name.strip()

    def _enter_file(self, frame: FileFrame | None) -> None:
        if frame is not None:
            self.enter(frame)

    def enter(self, frame: FileFrame) -> None:
        """What comes next is this file."""
        self._files.append(frame)
        self.expander.stream.open_file(frame)
        self._look_at_class()

    def leave_file(self) -> None:
        frame = self._files.pop()
        if not self.preamble and self.omissions.leave(frame, self._files):
            self._loader.has_omitted()
        if frame.is_document:
            self.preamble = False
        self._look_at_class()

    def end_of_file(self) -> None:
        if len(self._files) > 1:
            self.out.append("\n\n")
            self.leave_file()

    def is_statement(self, name: str) -> bool:
        """Whether an environment or heading of this name begins a document."""
        return False

    def repeats(self, name: str) -> bool:
        """Whether a file that was read is to be read again, as something of it was left out."""
        return self.omissions.may_repeat(name)

    def _look_at_class(self) -> None:
        """Nothing is content while a class or style file is read."""
        in_class = any(frame.is_class for frame in self._files)
        if in_class and not self.expander.in_class:
            self._content_before = not self.preamble
            self.preamble = True
        elif self.expander.in_class and not in_class:
            self.preamble = not self._content_before
        self.expander.in_class = in_class

    def _hidden(self, command: str, name: str) -> None:
        for each in name.split(",") if command in PACKAGES else [name]:
            if self._loader.finds(command, each.strip()):
                self.report_file(f"\\{command}{{{each.strip()}}} is not read: it depends on a condition of typesetting")

    def _document_class(self, command: str) -> None:
        """Loads a class of the project; a part of a larger document (``subfiles``) has that one's preamble."""
        reader = self.expander
        options = reader.optional() or []
        name = reader.expanded_name()
        reader.optional()
        self._define_ams_tex(name)
        self.languages.take_options((), self._options.names(options))
        if not self.preamble and len(self._files) > 1:  # a document in its place in a larger one
            self._files[-1].is_document = self.preamble = True
        elif name == "subfiles":
            parent = self._loader.load("subfile", "".join(reader.expanded(options)).strip())
            if parent is not None:
                parent.has_preamble_only = True
            self._enter_file(parent)
        else:
            self.conditionals.flags["\\ifstandalone"] = name == "standalone"
            self._options.of_document = self._options.names(options)
            frame = self._loader.load(command[1:], name)
            if frame is not None:
                self._options.give(frame, name, self._options.of_document)
            self._enter_file(frame)

    def begin_document(self) -> None:
        for place, frame in enumerate(self._files):
            if frame.has_preamble_only:
                self._end_frames(place)
                return
        self.preamble = False

    def end_document(self) -> None:
        for place in range(len(self._files) - 1, 0, -1):
            if self._files[place].is_document:
                self._end_frames(place)
                return
        self.expander.stream.drop_all()

    def _end_frames(self, place: int) -> None:
        self.expander.stream.drop_expansions()
        for frame in self._files[place:]:
            frame.end()
