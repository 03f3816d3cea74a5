"""reStructuredText: a document for each section and each theorem-like directive."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.corpus.base import ReaderOptions, clean
from porism.corpus.files import FileReader
from porism.corpus.latex_tables import words
from porism.corpus.mathtext import split_parts
from porism.corpus.references import reference_text
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.textfile import read_text
from porism.errors import OnProblem
from porism.types import Content, Document, Formula

MAX_DEPTH = 12

_UNDERLINE = re.compile(r"^([!-/:-@\[-`{-~])\1*\s*$")
_DIRECTIVE = re.compile(r"^(\s*)\.\. +(?:\|[^|]*\| +)?([\w:+.-]+)::\s*(.*)$")
_TARGET = re.compile(r"^\s*\.\. +_([^:`]+|`[^`]+`):\s*(.*)$")
_COMMENT = re.compile(r"^(\s*)\.\.(?:\s|$)")
_OPTION = re.compile(r"^\s*:([\w-]+):\s*(.*)$")
_ROLE = re.compile(r":([A-Za-z][\w:+.-]{0,40}):`([^`]{1,5000})`")
_LITERAL = re.compile(r"``([^`]{1,2000})``")
_LINK = re.compile(r"`([^`<]{0,1000})\s*<[^<>`]{0,1000}>`_{1,2}|`([^`]{1,1000})`_{0,2}")
_MARKS = re.compile(r"\*{1,2}(?=\S)|(?<=\S)\*{1,2}|\|(?=\S[^|\n]{0,60}\|)")
_TARGET_TEXT = re.compile(r"^(.*?)\s*<([^<>]*)>$")
_REFERENCE = re.compile(r"\[[#*\w.]{1,60}\]_|(?<=\w)_(?=\s|$|[.,;:)])")
_BULLET = re.compile(r"^(\s*)(?:[-*+•]|\(?(?:\d{1,9}|#|[a-z])[.)])\s+")
_HELD = "\ue000"
_DROPPED = words(
    "toctree image figure include raw contents index meta only highlight automodule autoclass autofunction "
    "plot graphviz bibliography tikz digraph currentmodule module sectionauthor codeauthor default-role role "
    "replace unicode date math-macro"
)
_CODE = frozenset(("code", "code-block", "sourcecode", "literalinclude", "parsed-literal", "ipython", "sagelinks"))


class RstReader(FileReader):
    """Reads reStructuredText files."""

    name = "rst"
    extensions = (".rst", ".rest")

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        text = read_text(path, name, on_problem, options.encoding)
        if text is not None:
            yield from rst_documents(text, name, source, on_problem)


def rst_documents(text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
    """The documents of one reStructuredText.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    """
    units = FileUnits(name, source, on_problem)
    lines = clean(text).replace("\r\n", "\n").replace("\r", "\n").expandtabs(8).split("\n")
    _Blocks(units, [], 0).read(lines, 0)
    yield from units.documents()


def rst_text(text: str) -> Content:
    """A paragraph of reStructuredText as content."""
    pieces: list[str | Formula] = []
    held: list[Formula | str] = []

    def role(match: re.Match[str]) -> str:
        name, body = match.group(1).rpartition(":")[2], match.group(2)
        if name == "math":
            source = " ".join(body.split())
            held.append(Formula(source))
            return _HELD
        found = _TARGET_TEXT.match(body)
        if found:
            return found.group(1)
        if name in ("ref", "eq", "numref", "prf:ref"):
            return reference_text("\\eqref" if name == "eq" else "\\cref", body)
        return body.lstrip("~!")

    def literal(match: re.Match[str]) -> str:
        held.append(match.group(1))
        return _HELD

    text = text.replace(_HELD, " ")
    text = _LITERAL.sub(literal, text)  # first pass: order is put right below
    literals = list(held)
    held.clear()
    mark = 0
    rebuilt: list[str] = []
    ordered: list[Formula | str] = []
    position = 0
    for match in re.finditer(rf"{_HELD}|{_ROLE.pattern}", text):
        rebuilt.append(text[position : match.start()])
        position = match.end()
        if match.group() == _HELD:
            ordered.append(literals[mark])
            mark += 1
            rebuilt.append(_HELD)
            continue
        before = len(held)
        replaced = role(match)
        if len(held) > before:
            ordered.append(held[-1])
        rebuilt.append(replaced)
    rebuilt.append(text[position:])
    text = "".join(rebuilt)
    text = _LINK.sub(lambda match: (match.group(1) or match.group(2) or "").strip(), text)
    text = _REFERENCE.sub("", text)
    text = _MARKS.sub("", text)
    for number, piece in enumerate(text.split(_HELD)):
        pieces.extend(split_parts(piece.replace("\\ ", "")))
        if number < len(ordered):
            pieces.append(ordered[number])
    return Content.of(*pieces)


class _Blocks:
    """Reads the blocks of reStructuredText into units; directives with content are read by another one of these."""

    def __init__(self, units: FileUnits, levels: list[str], depth: int) -> None:
        self.units, self._levels, self._depth = units, levels, depth
        self._paragraph: list[str] = []
        self._label: str | None = None
        self._literal = False

    def read(self, lines: list[str], offset: int) -> None:
        position = 0
        while position < len(lines):
            line = lines[position]
            if not line.strip():
                self._flush()
                position += 1
                continue
            if self._literal and not self._paragraph and line[:1] == " ":
                self.units.add("\n", line.strip(), "\n")
                position += 1
                continue
            self._literal = False
            skip = self._title(lines, position, offset)
            if skip:
                position += skip
                continue
            target = _TARGET.match(line)
            if target:
                self._flush()
                self._label = target.group(1).strip("`")
                position += 1
                continue
            directive = _DIRECTIVE.match(line)
            if directive or _COMMENT.match(line):
                self._flush()
                position = self._directive(lines, position, offset, directive)
                continue
            self._paragraph.append(_BULLET.sub(r"\1- ", line))
            position += 1
        self._flush()

    def _flush(self) -> None:
        if self._paragraph:
            lines = self._paragraph
            self._paragraph = []
            self._literal = lines[-1].rstrip().endswith("::")
            if self._literal:
                lines[-1] = lines[-1].rstrip()[:-1]
            self.units.add("\n\n", *rst_text("\n".join(line.strip() for line in lines)).parts)

    def _title(self, lines: list[str], position: int, offset: int) -> int:
        """How many lines the title that begins here takes; 0 where none does."""
        if self._paragraph or self._depth:
            return 0
        over = _UNDERLINE.match(lines[position]) if len(lines[position].rstrip()) > 1 else None
        if over and position + 2 < len(lines) and lines[position + 2].rstrip() == lines[position].rstrip():
            style, text, taken = over.group(1) * 2, lines[position + 1], 3
        elif not over and position + 1 < len(lines) and lines[position][:1] not in " .":
            under = _UNDERLINE.match(lines[position + 1])
            if not under or len(lines[position + 1].rstrip()) < min(len(lines[position].rstrip()), 4):
                return 0
            style, text, taken = under.group(1), lines[position], 2
        else:
            return 1 if over else 0  # a transition
        if not text.strip():
            return 0
        if style not in self._levels:
            self._levels.append(style)
        self.units.heading(self._levels.index(style), rst_text(text.strip()), position + 1 + offset)
        if self._label:
            self.units.label(self._label)
            self._label = None
        return taken

    def _directive(self, lines: list[str], position: int, offset: int, found: re.Match[str] | None) -> int:
        """A directive or comment with its indented content. Returns the number of the line after it."""
        indent = len(lines[position]) - len(lines[position].lstrip())
        end = position + 1
        while end < len(lines) and (
            not lines[end].strip() or len(lines[end]) - len(lines[end].lstrip()) > indent
        ):
            end += 1
        if found is None:
            return end
        name, argument = found.group(2).rpartition(":")[2], found.group(3).strip()
        body = lines[position + 1 : end]
        first = 0
        label = self._label
        while first < len(body) and (option := _OPTION.match(body[first])):
            if option.group(1) in ("label", "name"):
                label = option.group(2).strip() or label
            first += 1
        content = body[first:]
        kind = kind_of(name)
        if name == "math":
            for block in re.split(r"\n\s*\n", "\n".join([argument, *content])):
                source = " ".join(block.split())
                if source:
                    self.units.add(" ", Formula(source.replace("\ufffc", " "), display=True), " ")
            if label and label != self._label:
                self.units.label(label)
        elif name in _CODE:
            self.units.add("\n\n", "\n".join(content), "\n\n")
        elif name not in _DROPPED and self._depth < MAX_DEPTH:
            if kind:
                self.units.begin(kind, rst_text(argument) if argument else None, position + 1 + offset, label)
                self._label = None
            elif argument:
                content = [argument, *content]
            inner = _Blocks(self.units, self._levels, self._depth + 1)
            inner.read(content, offset + position + 1 + first)
            if kind:
                self.units.end()
        return end
