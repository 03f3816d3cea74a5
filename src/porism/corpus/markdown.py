"""Markdown, Quarto, R Markdown and MyST: a document for each section and each theorem-like block."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from porism.corpus.base import ReaderOptions
from porism.corpus.files import FileReader
from porism.corpus.inline import markdown_text
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.textfile import read_text
from porism.errors import OnProblem, Problem
from porism.types import Content, Document, Formula, Metadata

MAX_DEPTH = 12
"""Directives in directives are read to this depth; deeper ones are text."""

_FENCE = re.compile(r"^ {0,12}(`{3,}|~{3,})\s*(.*)$")
_HEADING = re.compile(r"^ {0,3}(#{1,6})(?:[ \t]+(.*?))?[ \t]*#*[ \t]*$")
_ATTRIBUTES = re.compile(r"\s*\{([^{}]*)\}\s*$")
_SETEXT = re.compile(r"^ {0,3}(=+|-+)[ \t]*$")
_DIV = re.compile(r"^ {0,12}(:{3,})\s*(.*)$")
_ID = re.compile(r"#([^\s{}#]+)")
_NAME = re.compile(r"""\b(?:name|title)\s*=\s*(?:"([^"]*)"|'([^']*)'|(\S+))""")
_DIRECTIVE = re.compile(r"^\{([\w:.+-]+)[^{}]*\}\s*(.*)$")
_OPTION = re.compile(r"^\s*:([\w-]+):\s*(.*)$")
_QUOTE = re.compile(r"^ {0,3}(?:>[ \t]?)+")
_TABLE_RULE = re.compile(r"^\s*\|?\s*:?-{2,}:?\s*(?:\|\s*:?-*:?\s*)*$")
_BULLET = re.compile(r"^(\s*)(?:[-*+]|\d{1,9}[.)])\s+(?:\[[ xX]\]\s+)?")
_KEY = re.compile(r"^([A-Za-z][\w-]*)\s*:\s*(.*)$")


class MarkdownReader(FileReader):
    """Reads Markdown files."""

    name = "markdown"
    extensions = (".md", ".markdown", ".qmd", ".rmd", ".mdown", ".mkd")

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        text = read_text(path, name, on_problem, options.encoding)
        if text is not None:
            yield from markdown_documents(text, name, source, on_problem)


def markdown_documents(text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
    """The documents of one Markdown text.

    :param name: of the file, in ids and metadata.
    :param source: the name of the collection.
    """
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    title, extra, start = front_matter(lines)
    units = FileUnits(name, source, on_problem, title, extra)
    MarkdownBlocks(units, name, on_problem).read(lines, start)
    yield from units.documents()


def front_matter(lines: list[str]) -> tuple[Content | None, Metadata, int]:
    """Title and tags of the YAML at the top of a file, and the number of the line after it."""
    if not lines or lines[0].strip() != "---":
        return None, {}, 0
    end = next((n for n in range(1, min(len(lines), 2000)) if lines[n].rstrip() in ("---", "...")), None)
    if end is None:
        return None, {}, 0
    title: Content | None = None
    tags: list[str] = []
    key = ""
    for line in lines[1:end]:
        found = _KEY.match(line)
        if found:
            key, value = found.group(1).lower(), found.group(2).strip()
            if key == "title" and value:
                title = markdown_text(_yaml_string(value), "front matter")
            elif key in ("tags", "categories", "keywords", "tag"):
                tags.extend(value.strip("[]").split(",") if value else [])
        elif key in ("tags", "categories", "keywords") and line.strip().startswith("- "):
            tags.append(line.strip()[2:])
    clean = tuple(dict.fromkeys(tag.strip().strip("\"'") for tag in tags if tag.strip().strip("\"'")))
    return title, {"tags": clean} if clean else {}, end + 1


def _yaml_string(value: str) -> str:
    if len(value) > 1 and value[0] == value[-1] == '"':
        return value[1:-1].replace('\\"', '"').replace("\\\\", "\\")
    return value.strip("'")


class MarkdownBlocks:
    """Reads the blocks of Markdown into units, line by line."""

    def __init__(self, units: FileUnits, name: str, on_problem: OnProblem, depth: int = 0) -> None:
        self.units, self._name, self._on_problem, self._depth = units, name, on_problem, depth
        self._paragraph: list[str] = []
        self._divs: list[bool] = []  # of each open div: whether it is a unit
        self._line = 0
        self._offset = 0

    def read(self, lines: list[str], start: int = 0, offset: int = 0) -> None:
        """Reads lines; ``offset`` is added to the numbers of lines in what is reported."""
        self._offset = offset
        position = start
        count = len(lines)
        while position < count:
            line = lines[position].expandtabs(4)
            self._line = position + 1 + offset
            stripped = line.strip()
            fence = _FENCE.match(line) if stripped[:1] in "`~" and stripped else None
            if fence and (fence.group(1)[0] == "~" or "`" not in fence.group(2)):
                position = self._fence(lines, position, fence)
                continue
            if not stripped:
                self._flush()
            elif stripped[0] == "#" and (heading := _HEADING.match(line)):
                self._flush()
                self._heading(len(heading.group(1)), heading.group(2) or "")
            elif self._paragraph and len(self._paragraph) == 1 and (rule := _SETEXT.match(line)):
                text = self._paragraph.pop()
                self._heading(1 if rule.group(1)[0] == "=" else 2, text)
            elif stripped.startswith(":::") and (div := _DIV.match(line)):
                self._flush()
                self._div(div.group(2).strip())
            elif stripped.startswith("$$") and "$$" not in stripped[2:]:
                position = self._display(lines, position)
                continue
            elif stripped[0] == ":" and self._divs and not self._paragraph and (option := _OPTION.match(line)):
                if option.group(1) in ("label", "name"):
                    self.units.label(option.group(2))
            elif not _TABLE_RULE.match(line):
                if stripped[0] == ">":
                    line = _QUOTE.sub("", line)
                if stripped[0] == "|":
                    line = line.strip().strip("|").replace(" | ", "  ")
                self._paragraph.append(_BULLET.sub(r"\1- ", line))
            position += 1
        self._flush()
        while self._divs:
            if self._divs.pop():
                self.units.end()

    @property
    def _where(self) -> str:
        return f"{self._name}:{self._line}"

    def _flush(self) -> None:
        if self._paragraph:
            text = "\n".join(self._paragraph)
            self._paragraph = []
            self.units.add("\n\n", *markdown_text(text, self._where, self._on_problem).parts)

    def _heading(self, level: int, text: str) -> None:
        anchor = None
        found = _ATTRIBUTES.search(text)
        if found and (found.group(1)[:1] in "#.-" or "=" in found.group(1)):
            identifier = _ID.search(found.group(1))
            anchor = identifier.group(1) if identifier else None
            text = text[: found.start()]
        title = markdown_text(text.strip(), self._where, self._on_problem)
        if self._divs and self._divs[-1] and self.units.retitle(title):
            return
        if self._divs and self._divs[-1]:  # a heading inside a theorem is part of it
            self.units.add("\n\n", *title.parts, "\n\n")
            return
        self._divs = [False] * len(self._divs)
        self.units.heading(level, title, self._line, anchor)

    def _div(self, rest: str) -> None:
        """``::: {#thm-x name="…"}``, ``::: {.theorem}``, ``:::{prf:theorem} Title``, ``::: theorem``, or the end."""
        if not rest or not rest.strip(":"):
            if self._divs and self._divs.pop():
                self.units.end()
            return
        kind, title, label = self._block_head(rest.rstrip(":").rstrip())
        self._divs.append(kind is not None)
        if kind is not None:
            self.units.begin(kind, title, self._line, label)

    def _block_head(self, rest: str) -> tuple[str | None, Content | None, str | None]:
        """The type, title and label that the head of a block gives; the type is None where it is no unit."""
        inside = rest[1:].partition("}")[0] if rest.startswith("{") else ""
        after = rest.partition("}")[2].strip() if inside else ""
        identifier = _ID.search(inside)
        label = identifier.group(1) if identifier else None
        names = re.findall(r"(?:^|\s)\.([\w-]+)", inside)
        if label:
            names.append(_QUARTO.get(label.partition("-")[0], "") if "-" in label else "")
        words = inside.split()
        if words and words[0][0] not in "#.":
            names.append(words[0].rpartition(":")[2])
        if not inside:
            names.append(rest.split()[0])
            after = rest.partition(" ")[2]
        kind = next((found for entry in names if (found := kind_of(entry))), None)
        named = _NAME.search(inside)
        text = next((group for group in named.groups() if group), "") if named else after
        title = markdown_text(text, self._where, self._on_problem) if text and kind else None
        return kind, title, label

    def _fence(self, lines: list[str], position: int, fence: re.Match[str]) -> int:
        """A fenced block: a formula, a MyST directive, or code, which stays text. Returns the next line's number."""
        self._flush()
        mark, info = fence.group(1), fence.group(2).strip()
        end = position + 1
        while end < len(lines):
            closing = lines[end].strip()
            if closing.startswith(mark) and not closing.strip(mark[0]):
                break
            end += 1
        else:
            self._on_problem(Problem(self._where, "a fenced block that is never closed"))
        body = lines[position + 1 : end]
        directive = _DIRECTIVE.match(info)
        word = info.split()[0].lower() if info else ""
        kind = kind_of(directive.group(1).rpartition(":")[2]) if directive else None
        if word == "math" or (directive and directive.group(1) == "math"):
            self._formula(body)
        elif directive and (kind or directive.group(1) in _CONTAINERS) and self._depth < MAX_DEPTH:
            title = markdown_text(directive.group(2), self._where, self._on_problem) if directive.group(2) else None
            self._nested(kind, title, body)
        elif not info.startswith("{=") and word not in ("mermaid", "dot", "tikz"):
            self.units.add("\n\n", "\n".join(body), "\n\n")
        return end + 1

    def _formula(self, body: list[str]) -> None:
        kept: list[str] = []
        for line in body:
            option = _OPTION.match(line) if not kept else None
            if option is None:
                kept.append(line)
            elif option.group(1) in ("label", "name"):
                self.units.label(option.group(2))
        source = " ".join(" ".join(kept).split())
        if source:
            self.units.add(" ", Formula(source.replace("\ufffc", " "), display=True), " ")

    def _nested(self, kind: str | None, title: Content | None, body: list[str]) -> None:
        """The content of a directive."""
        start = self._line
        first = 0
        label = None
        while first < len(body) and (option := _OPTION.match(body[first])):
            if option.group(1) in ("label", "name"):
                label = option.group(2) or None
            first += 1
        if kind:
            self.units.begin(kind, title, start, label)
        inner = MarkdownBlocks(self.units, self._name, self._on_problem, self._depth + 1)
        inner.read(body[first:], 0, start + first)
        if kind:
            self.units.end()

    def _display(self, lines: list[str], position: int) -> int:
        """A formula that begins with ``$$`` on this line and ends on another. Returns the next line's number."""
        first = lines[position].strip()[2:]
        for end in range(position + 1, len(lines)):
            body, found, after = lines[end].partition("$$")
            if found:
                self._flush()
                self._formula([first, *lines[position + 1 : end], body])
                label = _ID.search(after) if after.lstrip().startswith("{") else None
                if label:
                    self.units.label(label.group(1))
                elif after.strip():
                    self._paragraph.append(after)
                return end + 1
            if end - position > 2000 or lines[end].lstrip().startswith("#"):
                break
        self._on_problem(Problem(self._where, "a $$ without its partner"))
        self._paragraph.append(lines[position].strip())
        return position + 1


_QUARTO = {
    "thm": "theorem", "lem": "lemma", "cor": "corollary", "prp": "proposition", "cnj": "conjecture",
    "def": "definition", "exm": "example", "exr": "exercise", "rem": "remark", "sol": "solution", "alg": "algorithm",
}  # fmt: skip
_CONTAINERS = frozenset(
    ("note", "tip", "admonition", "important", "warning", "hint", "seealso", "dropdown", "card", "margin", "attention")
)
