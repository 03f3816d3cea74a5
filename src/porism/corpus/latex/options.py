"""Options of packages and classes: of what a style file declares, only that is carried out which it was loaded with."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from porism.corpus.latex.macros import ProjectExpander
from porism.corpus.latex.tokens import FileFrame
from porism.formula.macros.tokens import join


class PackageOptions:
    """Carries out ``\\DeclareOption``, ``\\ProcessOptions`` and their like; installs itself in an expander.

    What is declared and given belongs to the file (:class:`~porism.corpus.latex.tokens.FileFrame`).
    """

    def __init__(self, expander: ProjectExpander) -> None:
        self.expander = expander
        self.of_document: list[str] = []
        """Options of the document's class, which all packages see."""
        self._passed: dict[str, list[str]] = {}
        commands: dict[Callable[[str], None], str] = {
            self._declare: "DeclareOption", self._process: "ProcessOptions", self._execute: "ExecuteOptions",
            self._pass_on: "PassOptionsToPackage PassOptionsToClass",
        }
        for handler, names in commands.items():
            for name in names.split():
                expander.primitives["\\" + name] = handler

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
