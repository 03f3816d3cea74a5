"""The environments of LaTeX in running text: what is a formula, a list, a table, raw text, or passed over."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from porism.corpus.latex.arrows import DIAGRAMS
from porism.corpus.latex.drawings import is_drawing, skip_environment
from porism.corpus.latex.omissions import pass_over
from porism.corpus.latex.skipping import skip_arguments
from porism.corpus.latex.tables import (
    DRAWINGS,
    ENVIRONMENT_ARGUMENTS,
    LISTS,
    MATH_ENVIRONMENTS,
    SKIPPED_ENVIRONMENTS,
    TABLES,
    VERBATIM_ENVIRONMENTS,
)
from porism.corpus.latex.text_commands import TextCommands
from porism.corpus.latex.tokens import Placed


class TextEnvironments(TextCommands):
    """Reads the environments of running text: those of formulas, lists and tables, and those that a project defines."""

    def __init__(self) -> None:
        self._begun = "", ""
        """The environment of the project that has begun last, and the command that began it."""
        self._values: dict[str, list[list[Sequence[str]]]] = {}
        super().__init__()

    def _command_table(self) -> dict[str, Callable[[str], None]]:
        return {**super()._command_table(), "\\begin": self._begin, "\\end": self._end, "\\comment": self._comment}

    def _begin(self, command: str) -> None:
        pass_over([command])
        name = self.expander.expanded_name()
        if not name:
            return
        if name == "document":
            self.begin_document()
            return
        if self.conditionals.excludes(name):
            self._exclude(command, name)
            return
        if name in SKIPPED_ENVIRONMENTS or name in VERBATIM_ENVIRONMENTS:
            self._raw_environment(name)
            return
        if self.preamble:
            return
        if self.begin_environment(name) or (not self.inline and self.begin_unit(name, command)):
            return
        environment = self.expander.environments.get(name)
        if environment is not None and is_drawing(environment):
            self.expander.arguments(environment.begin)
            self._drawn(skip_environment(self.expander, name) or "")
            return
        if environment is not None and (name not in MATH_ENVIRONMENTS or name in DIAGRAMS):
            self._begun = name, command
            self._project_environment(name)
            return
        if name in MATH_ENVIRONMENTS:
            self._formula("", name, display=name != "math")
            return
        language = self.expander.name() if name.rstrip("*") == "otherlanguage" else ""
        if name in TABLES:
            skip_arguments(self.expander, TABLES[name])
        elif name in ENVIRONMENT_ARGUMENTS:
            skip_arguments(self.expander, ENVIRONMENT_ARGUMENTS[name])
        else:
            self._option()
        self.out.append("\n" if name in LISTS else "\n\n")
        self.open(name, lambda: self.out.append("\n\n"))
        if language:
            self.expander.stream.push(["\\selectlanguage", "{", language, "}"])

    def begin_environment(self, name: str) -> bool:
        """Begins an environment that another part of the reader knows; False where none does."""
        return False

    def _project_environment(self, name: str) -> None:
        """Puts the beginning of a ``\\newenvironment`` in front of what is to be read; its end follows at ``\\end``."""
        environment = self.expander.environments[name]
        if self.expander.stream.fuel <= 0:
            self.expander.stream.drop_expansions()
            self.report(f"the environment {name} expands without end, or to too much")
            return
        values = self.expander.arguments(environment.begin)
        self._values.setdefault(name, []).append(values or [])
        if values is not None:
            self.expander.push_body(environment.begin, values)

    def _end(self, command: str) -> None:
        name = self.expander.expanded_name() if self.expander.follows("{") else "document"  # plain TeX's \end
        if name == "document":
            if not self.inline:
                self.end_document()
            return
        if self.preamble or not name:
            return
        if self._values.get(name):
            self.expander.push_body(self.expander.environments[name].end, self._values[name].pop())
            return
        if self._names[name] <= 0:
            self.report(f"\\end{{{name}}} without its \\begin")
            return
        index = len(self.opened) - 1
        while self.opened[index].name != name:
            if self.opened[index].name != "{":
                self.report(f"\\begin{{{self.opened[index].name}}} of line {self.opened[index].line} is never ended")
            index -= 1
        self.close(index)

    def _exclude(self, command: str, name: str) -> None:
        """Passes over an environment that the project's settings leave out."""
        skip_environment(self.expander, name)
        if isinstance(command, Placed) and not self.preamble:
            command.state = "omitted"

    def _comment(self, command: str) -> None:
        """``\\newenvironment{solution}{\\comment}{\\endcomment}``."""
        name, begin = self._begun
        if self._values.get(name):
            self._exclude(begin, name)
            self.expander.stream.push(["\\end", "{", name, "}"])
        else:
            self.other_command(command)

    def _raw_environment(self, name: str) -> None:
        """An environment whose content is not LaTeX: a drawing, text that is kept as it is, or passed over."""
        raw = skip_environment(self.expander, name)
        if name in DRAWINGS:
            self._drawn(raw or "")
        elif raw is not None and name in VERBATIM_ENVIRONMENTS and not self.preamble:
            self.out.extend(["\n\n", raw, "\n\n"])
