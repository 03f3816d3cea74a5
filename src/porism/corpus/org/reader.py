"""Org-mode: a document for each section and each theorem-like block.

The marks of Org-mode become those of Markdown: each line becomes one line, and formulas stay as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from pathlib import PurePosixPath

from porism.analysis.languages import language_named
from porism.corpus.base import clean
from porism.corpus.latex.tables import words
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.text_reader import TextFileReader
from porism.corpus.theorem_heads import first_kind
from porism.errors import OnProblem
from porism.types import Content, Document

_KEYWORD = re.compile(r"^[ \t]*#\+([A-Za-z_]+):[ \t]*(.*)$", re.MULTILINE)
"""A line that sets something for the file: ``#+TITLE: Rings``."""

_HEADING = re.compile(r"(\*+)[ \t]+(?:(?:TODO|DONE|NEXT|WAITING|CANCELLED)[ \t]+)?(?:\[#[A-Z0-9]\][ \t]*)?(.*)")
_HEADING_TAGS = re.compile(r"(?<=[ \t]):[\w@#%:]+:\Z")
_BLOCK = re.compile(r"[ \t]*#\+(begin|end)_([\w*-]+)[ \t]*(.*)", re.IGNORECASE)
_KEYWORD_LINE = re.compile(r"[ \t]*#\+([A-Za-z_]+)(?:\[[^\]]*\])?:[ \t]*(.*)")
_OPTIONS = re.compile(r":(?:options|title|name|caption)[ \t]+\[?((?:[^\[\]]|\[[^\[\]]*\])*?)\]?[ \t]*(?=:\w|\Z)")
_DRAWER = re.compile(r"[ \t]*:[\w-]+:[ \t]*\Z")
_DRAWER_END = re.compile(r"[ \t]*:END:[ \t]*\Z", re.IGNORECASE)
MAX_DRAWER_LENGTH = 100
"""A drawer has so many lines at most."""
_MAX_OPTIONS_LENGTH = 500
_FENCE = "`````"
_PROPERTY = re.compile(r"[ \t]*:CUSTOM_ID:[ \t]*(\S+)", re.IGNORECASE)
_PLANNING = re.compile(r"[ \t]*(?:SCHEDULED|DEADLINE|CLOSED|CLOCK):")
_COMMENT = re.compile(r"[ \t]*#(?:[ \t]|\Z)")
_ITEM = re.compile(r"([ \t]*)(?:[-+]|\d+[.)]|[ \t]\*)(?:[ \t]|\Z)")
_RULE = re.compile(r"[ \t]*\|[-+|: ]+\Z")
_DISPLAY = re.compile(r"\\begin\{([A-Za-z]+\*?)\}|\\\[")
_NOTE = re.compile(r"\[fn:([\w-]+)\][ \t]+")
_MACRO = re.compile(r"\{\{\{([A-Za-z][\w-]*)(?:\(((?:[^()]|\([^()]*\))*)\))?\}\}\}")
_INLINE = re.compile(
    r"(?P<formula>\$\$[^$]{0,500}\$\$|\$[^$]{1,500}\$|\\\(.{0,500}?\\\)|\\\[.{0,500}?\\\])"
    r"|\[\[(?P<link>[^\[\]]+)\](?:\[(?P<shown>(?:[^\[\]]|\[[^\[\]]*\])*)\])?\]"
    r"|\[fn:(?P<note>[\w-]+)\]|\[fn:[\w-]*:(?P<said>(?:[^\[\]]|\[[^\[\]]*\])*)\]"
    r"|<<<?(?P<target>[^<>\n]+)>>>?"
    r"|(?:(?<=[\s({'\"-])|^)(?P<mark>[*/_+=~])(?P<body>[^\s*/_+=~](?:[^\n]{0,300}?\S)??)(?P=mark)(?=[\s.,;:!?'\")}\[-]|$)"
)
_TARGET = re.compile(r"<<([\w:.-]{1,200})>>")
_SLASH = re.compile(r"(?P<start>(?:(?<=[\s({'\"-])|\A)/(?=\S))|(?<=\S)/(?=[\s.,;:!?'\")}\[-]|\Z)")
_STATEMENT_HEAD = re.compile(r"[ \t]*([*/])([^\W\d_][^*/\n]{1,100}?)\1(?=[\s.,:;(]|\Z)")
_VERBATIM = words("src example export")


def as_markdown(text: str) -> str:
    """A text of Org-mode as Markdown with as many lines."""
    return "\n".join(_OrgLines(text).read())


class _OrgLines:
    """Goes through the lines of a text."""

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._macros: dict[str, str] = {}
        for key, entry in _KEYWORD.findall(text):
            if key.lower() == "macro":
                name, _, value = entry.partition(" ")
                self._macros[name.lower()] = value.strip()
        self._drawer_ends = [place for place, line in enumerate(self._lines) if _DRAWER_END.match(line)]
        self._name = self._title = ""  # of the block that comes next
        self._in_list = False
        self._after_blank = True
        self._kept_until = ""  # what ends a formula or a block whose lines stay as they are

    def read(self) -> list[str]:
        """All lines."""
        read: list[str] = []
        hidden_to = -1  # the end of a drawer
        first = 0  # the line with which the paragraph began
        for place, line in enumerate(self._lines):
            if self._kept_until or not line.strip():
                _end_paragraph(read, first)
                first = place + 1
            if place <= hidden_to:
                read.append("")
                if (property_line := _PROPERTY.match(line)) is not None:
                    _give_id(read, property_line.group(1))
            elif self._kept_until:
                read.append(self._kept(line))
            elif _DRAWER.match(line) and (end := self._drawer_end(place)) is not None:
                hidden_to = end
                read.append("")
            else:
                read.append(self._line(line))
            self._after_blank = not line.strip() or (self._after_blank and read[-1].startswith("("))
        _end_paragraph(read, first)
        return read

    def _drawer_end(self, place: int) -> int | None:
        number = bisect_right(self._drawer_ends, place)
        end = self._drawer_ends[number] if number < len(self._drawer_ends) else None
        return end if end is not None and end - place <= MAX_DRAWER_LENGTH else None

    def _kept(self, line: str) -> str:
        """A line of a formula or of a block of code."""
        if self._kept_until.startswith("#+"):
            if line.strip().lower().startswith(self._kept_until):
                self._kept_until = ""
                return _FENCE
            return line
        if self._kept_until in line:
            self._kept_until = ""
        return line

    def _line(self, line: str) -> str:
        if (heading := _HEADING.fullmatch(line)) is not None:
            self._in_list = False
            title = _HEADING_TAGS.sub("", heading.group(2).rstrip()).rstrip()
            return f"{'#' * min(6, len(heading.group(1)))} {self._text(title)}"
        if (block := _BLOCK.fullmatch(line)) is not None:
            return self._block(block.group(1).lower() == "begin", block.group(2), block.group(3))
        if (keyword := _KEYWORD_LINE.fullmatch(line)) is not None:
            return self._keyword(keyword.group(1).lower(), keyword.group(2))
        if _COMMENT.match(line) or _PLANNING.match(line):
            return ""
        if (display := _DISPLAY.match(line.lstrip())) is not None:
            end = f"\\end{{{display.group(1)}}}" if display.group(1) else "\\]"
            self._kept_until = "" if end in line[line.index(display.group()) + len(display.group()) :] else end
            return line.lstrip()
        if _RULE.match(line):
            return line.replace("+", "|")
        if (note := _NOTE.match(line)) is not None:
            return f"[^{note.group(1)}]: {self._text(line[note.end() :])}"
        if (target := _TARGET.fullmatch(line.strip())) is not None:
            return f"({target[1]})="
        if self._after_blank and (head := _STATEMENT_HEAD.match(line)) is not None and first_kind(head[2]) is not None:
            return f"**{head[2]}**{self._text(line[head.end() :])}"
        if _ITEM.match(line):
            self._in_list = True
        elif line.strip() and not line[0].isspace():
            self._in_list = False
        return self._text(line if self._in_list else line.lstrip())

    def _block(self, begins: bool, name: str, rest: str) -> str:
        kind, name = kind_of(name), name.lower()
        if name in _VERBATIM and begins:
            self._kept_until = f"#+end_{name}"
            language = rest.split()[0] if rest.strip() else ""
            return f"{_FENCE}{{={language}}}" if name == "export" else f"{_FENCE}{language}"
        if name == "comment" and begins:
            self._kept_until = "#+end_comment"
            return f"{_FENCE}{{=comment}}"
        if kind is None:
            return ""
        if not begins:
            return ":::"
        option = _OPTIONS.search(rest[:_MAX_OPTIONS_LENGTH])
        title = (option.group(1) if option else rest.strip(" []")) or self._title
        label = f" #{self._name}" if self._name else ""
        self._name = self._title = ""
        named = f' name="{title.replace(chr(34), chr(39))}"' if title else ""
        return f"::: {{.{kind}{label}{named}}}"

    def _keyword(self, key: str, value: str) -> str:
        """What a line that sets something prints: the text of a caption."""
        if key == "caption":
            return self._text(value)
        if key in ("name", "label"):
            self._name = value.strip()
        elif key == "attr_latex" and (option := _OPTIONS.search(value[:_MAX_OPTIONS_LENGTH])) is not None:
            self._title = option.group(1)
        return ""

    def _text(self, line: str) -> str:
        if "{{{" in line and self._macros:
            line = _MACRO.sub(self._expanded, line)
        return _INLINE.sub(_inline, line)

    def _expanded(self, match: re.Match[str]) -> str:
        arguments = [argument.strip() for argument in re.split(r"(?<!\\),", match.group(2) or "")]
        replacement = self._macros.get(match.group(1).lower(), match.group())
        return re.sub(r"\$([1-9])", lambda place: (arguments + [""] * 9)[int(place.group(1)) - 1], replacement)


def _give_id(lines: list[str], identifier: str) -> None:
    """Gives the heading above a drawer its identifier."""
    nearest = range(len(lines) - 1, max(-1, len(lines) - MAX_DRAWER_LENGTH), -1)
    place = next((place for place in nearest if lines[place]), None)
    if place is not None and lines[place].startswith("#") and not lines[place].endswith("}"):
        lines[place] += f" {{#{identifier}}}"


def _end_paragraph(lines: list[str], first: int) -> None:
    """Takes the marks of italics that span lines out of the paragraph that begins with this line."""
    text = "\n".join(lines[first:])
    if "/" not in text or "\n" not in text:
        return
    pieces: list[str] = []
    done, start = 0, -1
    for match in _SLASH.finditer(text):
        if start < 0:
            start = match.start() if match["start"] is not None else -1
        elif match["start"] is None:
            if "\n" in text[start : match.start()]:
                pieces += [text[done:start], text[start + 1 : match.start()]]
                done = match.end()
            start = -1
    lines[first:] = "".join([*pieces, text[done:]]).split("\n")


def _inline(match: re.Match[str]) -> str:
    """A mark of running text as Markdown has it."""
    if match["formula"] is not None:
        return match.group()
    if match["link"] is not None:
        return match["shown"] or re.sub(r"\A(?:file:|\*|#)", "", match["link"])
    if match["target"] is not None:
        return match["target"]
    if match["note"] is not None:
        return f"[^{match['note']}]"
    if match["said"] is not None:
        return f"^[{_INLINE.sub(_inline, match['said'].strip())}]"
    mark, body = match["mark"], match["body"]
    return f"`{body}`" if mark in "=~" and "`" not in body else body


class OrgReader(TextFileReader):
    """Reads Org-mode files: their marks become those of Markdown, line by line."""

    name = "org"
    extensions = (".org",)

    def definitions(self, text: str) -> str:
        return "\n".join(
            value for key, value in _KEYWORD.findall(text) if key.lower() in ("latex_header", "latex_header_extra")
        )

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
        keywords = {key.lower(): value.strip() for key, value in reversed(_KEYWORD.findall(text))}
        title = markdown_text(keywords["title"], name, on_problem) if keywords.get("title") else None
        tags = tuple(keywords.get("filetags", "").replace(":", " ").split())
        units = FileUnits(
            name, source, on_problem, title, {"tags": tags} if tags else None,
            Content(clean(PurePosixPath(name).stem)), language_named(keywords.get("language", "")) or "",
        )
        MarkdownBlocks(units, name, on_problem, heads=True).read(as_markdown(text))
        yield from units.documents()
