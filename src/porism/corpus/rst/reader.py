"""reStructuredText: a document for each section and each theorem-like directive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from porism.corpus.base import clean
from porism.corpus.formula_sources import equations, one_line, strip_delimiters
from porism.corpus.latex.tables import words
from porism.corpus.lines import marked_lines
from porism.corpus.markdown.masking import Masked
from porism.corpus.rst.parser import MAX_LINE_LENGTH, as_written, parse_rst
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.text_reader import TextFileReader
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, Formula

Node = Any
"""A node of docutils, which says nothing of types to a type checker."""

MAX_TEXT_LENGTH = 1_000_000
"""A longer text, in characters, is read without its marks."""
MAX_LITERALS = 1_000_000_000
"""So is one with more lines times literal blocks: docutils copies all lines that are left at each of these."""

_RULE = re.compile(r"(?m)^([!-/:-@\[-`{-~])\1{2,}[ \t]*$\n?")
_INVISIBLE = words("comment substitution_definition pending label image transition")
_REFERENCE_MARKS = words("footnote_reference citation_reference image system_message")
_VERBATIM = words("literal_block doctest_block raw")
_MAX_SUBSTITUTION_DEPTH = 2


class RstReader(TextFileReader):
    """Reads reStructuredText files."""

    name = "rst"
    extensions = (".rst", ".rest")

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        units = FileUnits(name, source, on_problem)
        read_rst(text, units, name, on_problem)
        yield from units.documents()


def read_rst(text: str, units: FileUnits, name: str, on_problem: OnProblem, first_line: int = 1) -> None:
    """Reads a text whose first line has this number in the file into the units of the file.

    A text that docutils cannot read is reported and read as plain text.
    """
    masked = Masked(text, code=False, wide=True, first_line=first_line)
    tree: Node = None
    if _is_too_long(masked.text):
        on_problem(Problem(name, "it, or one of its lines, is too long to be parsed; it is read as plain text"))
    else:
        try:
            tree, unread = parse_rst(masked.text)
            for line, why in unread:
                on_problem(Problem(f"{name}:{masked.line(line - 1)}", why))
        except Exception as error:  # docutils fails in many ways on what is not a reStructuredText
            why = "its blocks are nested too deeply" if isinstance(error, RecursionError) else f"{error!r:.200}"
            on_problem(Problem(name, f"cannot be parsed ({why}); it is read as plain text"))
    if tree is None:
        units.add(*masked.parts(masked.text))
    else:
        _TreeReader(units, masked, tree).read(tree, -1)


def _is_too_long(text: str) -> bool:
    return (
        len(text) > MAX_TEXT_LENGTH
        or text.count("\n") * text.count("::\n") > MAX_LITERALS
        or any(len(line) > MAX_LINE_LENGTH for line in text.split("\n"))
    )


class _TreeReader:
    """Walks a document tree into units."""

    def __init__(self, units: FileUnits, masked: Masked, tree: Node) -> None:
        self.units, self._masked = units, masked
        self._substitutions = {str(name).lower(): node for name, node in tree.substitution_defs.items()}
        self._labels: list[str] = []
        self._bullet = False

    def read(self, node: Node, level: int) -> None:
        """Takes in the contents of a node; ``level`` is that of the section around it."""
        for child in node.children:
            kind = child.tagname
            if kind in _INVISIBLE:
                continue
            if kind == "section":
                self._section(child, level + 1)
            elif kind == "container" and child.get("directive"):
                self._directive(child, level)
            elif kind == "target":
                self._labels += [] if child.get("refuri") else list(child.get("names", ()))
            elif kind == "math_block":
                self._mark(child)
                self._formulas(child.astext())
            elif kind in _VERBATIM:
                text = self._masked.raw(as_written(child.astext()))
                line = self._line_of(child)
                self.units.add("\n\n", *([text] if line is None else marked_lines(text, line)), "\n\n")
            elif kind == "system_message":  # holds what could not be parsed
                for lost in child.children:
                    if lost.tagname == "literal_block":
                        self.units.add("\n\n", *self._masked.parts(_RULE.sub("", as_written(lost.astext()))))
            elif self._is_running(child):
                self._paragraph(child)
            else:
                self._bullet = self._bullet or kind == "list_item"
                self.read(child, level)

    def _is_running(self, node: Node) -> bool:
        """Whether the node holds text."""
        from docutils.nodes import Text, TextElement

        return isinstance(node, TextElement | Text)

    def _section(self, node: Node, level: int) -> None:
        title = node.children[0] if node.children and node.children[0].tagname == "title" else None
        line = self._line(next((text.line for text in title.children), None)) if title is not None else 1
        self.units.heading(level, self._content(title) if title is not None else Content(""), line)
        for label in self._labels:
            self.units.label(label)
        self._labels = []
        if title is not None:
            del node.children[0]
        self.read(node, level)

    def _directive(self, node: Node, level: int) -> None:
        kind = kind_of(node["directive"])
        title = node.children[0] if node.children and node.children[0].tagname == "title" else None
        if kind is None:
            self.read(node, level)
            if node["label"]:
                self.units.label(node["label"])
            return
        label = node["label"] or (self._labels[-1] if self._labels else None)
        self._labels = []
        if title is not None:
            del node.children[0]
        self.units.begin(kind, self._content(title) if title is not None else None, self._line(node.line), label)
        self.read(node, level)
        self.units.end()

    def _paragraph(self, node: Node) -> None:
        before = "  " if node.parent.tagname == "entry" and node.parent.children[0] is node else "\n\n"
        if node.parent.tagname == "entry" and node.parent.parent.children[0] is node.parent:
            before = "\n"
        if node.tagname == "line":
            before = "\n"
        if self._bullet:
            before, self._bullet = "\n- ", False
        self.units.add(before)
        self._mark(node)
        self.units.add(*self._parts(node))

    def _mark(self, node: Node) -> None:
        """Notes the line of what is added next, where it is known."""
        line = self._line_of(node)
        if line is not None:
            self.units.at(line)

    def _line_of(self, node: Node) -> int | None:
        """The line of a node, or of what is in it."""
        while node is not None and node.line is None:
            node = node.children[0] if node.children else None
        return None if node is None else self._line(node.line)

    def _formulas(self, text: str) -> None:
        for equation in equations(self._masked.raw(text)):
            self.units.add(" ", Formula(equation, display=True), " ")

    def _content(self, node: Node) -> Content:
        return Content.of(*self._parts(node))

    def _parts(self, node: Node, depth: int = 0) -> list[str | Formula]:
        """The strings and formulas of running text."""
        if node.tagname == "#text":
            return [part if isinstance(part, Formula) else clean(part) for part in self._masked.parts(node.astext())]
        if node.tagname in _REFERENCE_MARKS:
            return []
        if node.tagname == "math":
            source = one_line(strip_delimiters(self._masked.raw(node.astext()))[0])
            return [Formula(source)] if source else []
        if node.tagname == "literal":
            return [self._masked.raw(as_written(node.astext()))]
        if node.tagname == "substitution_reference" and depth < _MAX_SUBSTITUTION_DEPTH:
            node = self._substitutions.get(str(node.get("refname", "")).lower(), node)
            depth += 1
        return [part for child in node.children for part in self._parts(child, depth)]

    def _line(self, number: int | None) -> int:
        return self._masked.line(max((number or 1) - 1, 0))
