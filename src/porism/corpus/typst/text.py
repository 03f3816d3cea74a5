"""Typst's nodes as running text and documents: functions are carried out as far as text and formulas need it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from porism.corpus.lines import LineMark
from porism.corpus.references import reference_text
from porism.corpus.sections import FileUnits
from porism.corpus.typst.math import MathReader
from porism.corpus.typst.nodes import (
    Brackets,
    Code,
    FileName,
    Group,
    Label,
    Let,
    Math,
    Name,
    Node,
    ParagraphEnd,
    Raw,
    Reference,
    Setting,
    String,
    Text,
    TypstArgument,
    TypstCall,
    TypstHeading,
)
from porism.corpus.typst.scope import Definition, Scope
from porism.corpus.typst.tables import (
    BLOCKS,
    CELLS,
    FIGURES,
    HEADERS,
    LISTS,
    SKIPPED,
    TABLES,
    TEXT_FUNCTIONS,
    TITLES,
)
from porism.corpus.units import Parts, tidy
from porism.errors import OnProblem, Problem
from porism.types import Content, Formula

MAX_CALLS = 20_000
"""So many functions of a file are carried out."""
MAX_CALL_DEPTH = 12

_PUNCTUATION = tuple(".,;:?!)")


class Values(NamedTuple):
    """The parameters of a function with what they stand for, each with what holds where it was written."""

    nodes: Mapping[str, tuple[Sequence[Node], Values | None]]


class TypstText:
    """Goes through the nodes of one file.

    :param include: reads a file that is included here.
    """

    def __init__(
        self, units: FileUnits, scope: Scope, on_problem: OnProblem, include: Callable[[FileName], None]
    ) -> None:
        self.units, self.scope, self._on_problem, self._include = units, scope, on_problem, include
        self._math = MathReader(scope)
        self._calls = MAX_CALLS
        self._depth = 0
        self._titles = 0  # how many titles are being read, in which nothing is a document
        self._out: Parts = []
        self._kinds: dict[str, str] = {}
        self._last = ""  # what a label that follows names
        self._given = ""  # the label that the last document has already
        self._line = -1  # of the file, as far as what was gathered says

    def read(self, nodes: Sequence[Node], values: Values | None = None) -> None:
        """Gives the open document what these nodes print."""
        for place, node in enumerate(nodes):
            if isinstance(node, Text):
                if node.line not in (self._line, 0):
                    self._out.append(LineMark(node.line))
                    self._line = node.line
                self._out.append(node.text)
                self._line += node.text.count("\n")
            elif isinstance(node, ParagraphEnd):
                self._out.append("\n\n" + node.mark)
                self._mark(node.line)
            elif isinstance(node, Math):
                self._formula(node, nodes[place + 1] if place + 1 < len(nodes) else None)
            elif isinstance(node, TypstCall):
                self._call(node, values, _label_after(nodes, place))
            else:
                self._other(node, values)

    def _mark(self, line: int) -> None:
        self._out.append(LineMark(line))
        self._line = line

    def keep(self) -> None:
        """Gives what was gathered to the open document."""
        self.units.add(*self._out)
        self._out = []

    def content(self, nodes: Sequence[Node], values: Values | None = None) -> Content:
        """What nodes print in a title."""
        outside, self._out = self._out, []
        self._titles += 1
        self.read(nodes, values)
        self._titles -= 1
        parts, self._out = self._out, outside
        return tidy([part for part in parts if not isinstance(part, LineMark)])

    def _other(self, node: Node, values: Values | None) -> None:
        if isinstance(node, TypstHeading):
            self._heading(node, values)
        elif isinstance(node, Raw):
            self._mark(node.line)
            self._out.append(node.text)
            self._line += node.text.count("\n")
        elif isinstance(node, Label):
            self._kinds.setdefault(node.name, self._last)
            if not self._titles and node.name != self._given:
                self.units.label(node.name)
            self._given = ""
        elif isinstance(node, Reference):
            self._reference(node)
        elif isinstance(node, Name):
            self._name(node.name, values)
        elif isinstance(node, Brackets | Group):
            self.read(node.nodes, values)
        elif isinstance(node, Let):
            self.scope.define(node)
        elif isinstance(node, Setting):
            self._setting(node)
        elif isinstance(node, FileName) and node.is_included and not self._titles:
            self.keep()
            self._include(node)
            self._line = -1

    def _formula(self, node: Math, following: Node | None) -> None:
        latex, problems = self._math.latex(node)
        for problem in problems[:1]:
            more = f", and {len(problems) - 1} more" if len(problems) > 1 else ""
            self._on_problem(Problem(f"{self.units.file}:{node.line}", f"in a formula: {problem.what}{more}"))
        if not latex:
            return
        if node.line not in (self._line, 0):
            self._mark(node.line)
        self._out += [" ", Formula(latex, display=True)] if node.display else [Formula(latex)]
        if node.display:
            self._last = "equation"
            self._out.append("" if isinstance(following, Text) and following.text[:1] in _PUNCTUATION else " ")

    def _heading(self, node: TypstHeading, values: Values | None) -> None:
        label = next((part.name for part in node.content if isinstance(part, Label)), None)
        title = self.content([part for part in node.content if not isinstance(part, Label)], values)
        self._begin_heading(node.level, title, node.line, label)

    def _begin_heading(self, level: int, title: Content, line: int, label: str | None) -> None:
        if label is not None:
            self._kinds.setdefault(label, "section")
        if not title:
            return
        if self._titles or self.units.nested:
            self._out += ["\n\n", *title.parts, "\n\n"]
            return
        self.keep()
        self.units.heading(level, title, line, label)
        if label is not None:
            self.units.label(label)
        self._last, self._line = "section", -1

    def _reference(self, node: Reference) -> None:
        if node.supplement:
            self._out += [*self.content(node.supplement).parts, f" [{node.name}]"]
            return
        before = next((part for part in reversed(self._out) if not isinstance(part, LineMark) and part != " "), "")
        said = before if isinstance(before, str) else ""
        self._out.append(reference_text("\\cref", node.name, lambda label: self._kinds.get(label) or None, said))

    def _name(self, name: str, values: Values | None) -> None:
        """What a name stands for."""
        if values is not None and name in values.nodes:
            nodes, outer = values.nodes[name]
            self.read(nodes if not isinstance(nodes[0] if nodes else None, String) else _text(nodes), outer)
            return
        definition = self.scope.find(name)
        if definition is not None and definition.parameters is None:
            self._carry_out(definition, [], None)
        elif name.startswith(("sym.", "emoji.")):
            self._formula(Math(name.partition(".")[2], 0, False), None)

    def _setting(self, node: Setting) -> None:
        """A rule may say the title of the document."""
        for value in node.values:
            if isinstance(value, TypstCall):
                for argument in value.arguments:
                    if argument.name == "title" and not self.units.title:
                        self.units.title = self.content(_text(argument.values)) or None

    # -- calls ---------------------------------------------------------------------------------------------------------

    def _call(self, call: TypstCall, values: Values | None, label: str | None) -> None:
        name = call.name.removeprefix("std.").removeprefix("math.")
        kind = self.scope.kind(name) if call.arguments else None
        is_statement = kind is not None and any(isinstance(node, Brackets) for node in _values(call.arguments))
        definition = self.scope.find(name)
        if is_statement and kind is not None and not self._titles:
            self._statement(call, kind, values, label)
        elif name in SKIPPED:
            return
        elif name in FIGURES:
            self._out.append("[figure]")
        elif definition is not None and not is_statement:
            self._carry_out(definition, call.arguments, values)
        elif name in TABLES:
            self._table(call, values)
        elif name == "heading":
            level = next((node.text for node in _named(call, ("level", "depth")) if isinstance(node, Code)), "1")
            title = self.content(_text(_positional(call)), values)
            self._begin_heading(min(int(level), 20) if level.isdecimal() else 1, title, call.line, label)
        elif name in LISTS:
            for node in _positional(call):
                self._out.append("\n\n- ")
                self.read(_text([node]), values)
        else:
            self._function(call, name, values)
        if name == "figure" and label is not None:
            self._kinds[label] = "figure"

    def _function(self, call: TypstCall, name: str, values: Values | None) -> None:
        """A function of Typst, or one that nothing is known of: the contents that it is given."""
        around = ("(", ")") if name in ("footnote", "margin-note", "sidenote") else ("", "")
        if name in BLOCKS:
            self._out.append("\n\n")
            self._mark(call.line)
        self._out.append(f" {around[0]}" if around[0] else "")
        nodes = _positional(call)
        if name in ("link", "raw") and any(isinstance(node, Brackets | TypstCall) for node in nodes):
            nodes = [node for node in nodes if not isinstance(node, String)]
        for node in nodes:
            if isinstance(node, String) and (name in TEXT_FUNCTIONS or name in CELLS):
                self._out.append(node.text)
            elif not isinstance(node, String | Code):
                self.read([node], values)
            elif isinstance(node, Code) and name in CELLS:
                self._out.append(node.text)
        self._out.append(around[1])
        for node in _named(call, ("body", "caption", *TITLES)):
            self._out.append("\n\n")
            self.read(_text([node]), values)
        if call.callee is not None:
            self._call(call.callee, values, None)
        if name in BLOCKS or name == "figure":
            self._out.append("\n\n")

    def _statement(self, call: TypstCall, kind: str, values: Values | None, label: str | None) -> None:
        """A theorem-like document: its title is a named argument, or what is given before its content."""
        named = _named(call, TITLES)
        positional = [node for node in _positional(call) if not isinstance(node, Code)]
        contents = [node for node in positional if isinstance(node, Brackets)]
        body = contents[-1]
        before = [node for node in positional[: positional.index(body)] if not isinstance(node, Label)]
        title = self.content(_text(named or before), values) or None
        self.keep()
        self.units.begin(kind, title, call.line, label)
        self._last, self._given = kind, label or ""
        if label is not None:
            self._kinds[label] = kind
        self._mark(body.line)
        self.read(body.nodes, values)
        self.keep()
        self.units.end()
        self._line = -1

    def _carry_out(self, definition: Definition, arguments: Sequence[TypstArgument], outer: Values | None) -> None:
        """A value, or a function of the file."""
        if self._calls <= 0 or self._depth >= MAX_CALL_DEPTH:
            if self._calls == 0:
                self._on_problem(Problem(self.units.file, f"only {MAX_CALLS:,} functions of the file are carried out"))
            self._calls -= self._calls == 0
            return
        self._calls -= 1
        self._depth += 1
        given: dict[str, tuple[Sequence[Node], Values | None]] = {
            name: (nodes, None) for name, nodes in (definition.parameters or {}).items()
        }
        positional = [argument.values for argument in arguments if not argument.name]
        given |= {name: (nodes, outer) for name, nodes in zip(definition.positional, positional, strict=False)}
        given |= {argument.name: (argument.values, outer) for argument in arguments if argument.name in given}
        self.read(_text(definition.value), Values(given))
        self._depth -= 1

    def _table(self, call: TypstCall, values: Values | None) -> None:
        """A table: cells in as many columns as it says."""
        columns = 1
        for node in _named(call, ("columns",)):
            if isinstance(node, Code) and node.text.isdecimal():
                columns = max(1, int(node.text[:4]))
            elif isinstance(node, Group):
                columns = max(1, len(node.nodes))
        cells: list[Node] = []
        for node in _positional(call):
            cells += _positional(node) if isinstance(node, TypstCall) and node.name in HEADERS else [node]
        self._out.append("\n\n")
        self._mark(call.line)
        for number, cell in enumerate(cell for cell in cells if not isinstance(cell, Code)):
            self._out.append("\n" if number and number % columns == 0 else "  ")
            self.read(_text([cell]), values)
        self._out.append("\n\n")


def _label_after(nodes: Sequence[Node], place: int) -> str | None:
    """The label that directly follows a node."""
    for node in nodes[place + 1 : place + 3]:
        if isinstance(node, Label):
            return node.name
        if not (isinstance(node, Text) and node.text.isspace()):
            return None
    return None


def _values(arguments: Sequence[TypstArgument]) -> list[Node]:
    return [node for argument in arguments if not argument.name for node in argument.values]


def _positional(call: TypstCall) -> list[Node]:
    return _values(call.arguments)


def _named(call: TypstCall, names: Sequence[str] | frozenset[str]) -> list[Node]:
    return [node for argument in call.arguments if argument.name in names for node in argument.values]


def _text(nodes: Sequence[Node]) -> list[Node]:
    """Nodes whose strings are text."""
    return [Text(node.text, 0) if isinstance(node, String) else node for node in nodes]
