"""Graphs of Logseq: outlines in Markdown or Org-mode. Their marks become those of Markdown, line by line.

Blocks lose the indentation of the outline, so that none is taken for code; their order stays.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise, takewhile
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from porism.corpus.base import clean
from porism.corpus.latex.tables import words
from porism.corpus.markdown.blocks import MarkdownBlocks
from porism.corpus.markdown.inline import markdown_text
from porism.corpus.org.reader import MAX_DRAWER_LENGTH, as_markdown
from porism.corpus.sections import FileUnits, kind_of
from porism.corpus.text_reader import TextFileReader
from porism.errors import OnProblem, Problem, pluralise
from porism.types import Document

_CONFIG = Path("logseq", "config.edn")
_BLOCK = re.compile(r"([ \t]*)-(?:[ \t]+|$)")
_INDENT = re.compile(r"[ \t]*")
_TASK = re.compile(
    r"\A(?:(?:TODO|DOING|DONE|NOW|LATER|WAITING|WAIT|CANCELED|CANCELLED|IN-PROGRESS)[ \t]+)?(?:\[#[ABC]\][ \t]*)?"
)
_PROPERTY = re.compile(r"([A-Za-z][\w./-]*)::(?:[ \t]+(.*)|)\Z")
_OF_LOGSEQ = words(
    "id collapsed heading background-color template template-including-parent icon public filters created-at "
    "exclude-from-graph-view updated-at ls-type hl-page hl-color hl-type hl-stamp file file-path now later done "
    "query-table query-properties query-sort-by query-sort-desc card-last-interval card-repeats card-ease-factor "
    "card-next-schedule card-last-reviewed card-last-score"
)
"""Properties that say nothing to a reader."""
_HEADLINE = re.compile(r"\*+[ \t]")
_DRAWER_LINE = re.compile(r"[ \t]*:[\w./-]+:")
_IS_HEADING = re.compile(r"[ \t]*:heading:[ \t]+(?!false|nil)\S", re.IGNORECASE)
_KEYWORD = re.compile(r"#\+(title|tags|alias):[ \t]*(.+)", re.IGNORECASE)
_COMMAND = re.compile(r"#\+(BEGIN|END)_(\w+)[ \t]*(.*)", re.IGNORECASE)
_CODE = words("src example export")
_HIDDEN = words("query comment")
_DRAWER = re.compile(r":(?:LOGBOOK|PROPERTIES):\Z", re.IGNORECASE)
_PLANNING = re.compile(r"(?:SCHEDULED|DEADLINE|CLOCK):")
_FENCE = re.compile(r"(`{3,}|~{3,})")
_LINKS = (
    (re.compile(r"\{\{cloze[ \t]+((?:[^{}]|\{[^{}]*\})*)\}\}", re.IGNORECASE), r"\1"),
    (re.compile(r"\{\{(?:embed|query|renderer|video|youtube|tweet|pdf|zotero[\w-]*)\b[^\n]{0,500}?\}\}"), ""),
    (re.compile(r"\[([^\[\]\n]*)\]\(\(\([0-9a-f-]{36}\)\)\)"), r"\1"),
    (re.compile(r"\(\([0-9a-f-]{36}\)\)"), ""),
    (re.compile(r"(?<=\))\{:[a-z][^{}\n]*\}"), ""),
)
_REFERENCE = re.compile(r"\{\{embed\b[^\n]{0,500}?\}\}|(?<!\]\()\(\([0-9a-f-]{36}\)\)", re.IGNORECASE)
_PAGE_TAG = re.compile(r"#\[\[([^\[\]\n]+)\]\]")
_NAMES = re.compile(r"\s*,\s*")


class LogseqReader(TextFileReader):
    """Reads pages and journals of a graph, which is a folder with ``logseq/config.edn``."""

    name = "logseq"
    extensions = (".md", ".org")

    def accepts(self, path: Path) -> bool:
        return any((folder / _CONFIG).is_file() for folder in path.parents[:2]) or _is_backup(path.parts)

    def documents(self, text: str, name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
        if _is_backup(PurePosixPath(name).parts):
            return
        if count := len(_REFERENCE.findall(text)):
            on_problem(Problem(name, f"{pluralise(count, 'reference')} to other blocks or files left out"))
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        outline = _Outline(_from_org(lines) if name.lower().endswith(".org") else lines)
        read = "\n".join(outline.read())
        properties = outline.properties
        title = properties.get("title") or unquote(PurePosixPath(name).stem.replace("___", "/"))
        extra = {
            key: tuple(values) for key, values in (
                ("tags", [*_names(properties.get("tags", "")), *dict.fromkeys(outline.tags)]),
                ("aliases", _names(properties.get("alias", ""))),
            ) if values
        }  # fmt: skip
        units = FileUnits(name, source, on_problem, markdown_text(clean(title), name, on_problem), extra)
        MarkdownBlocks(units, name, on_problem).read(read)
        yield from units.documents()


def _from_org(lines: list[str]) -> list[str]:
    """The lines of a page in Org-mode, whose blocks are headlines, as those of a page in Markdown."""
    read = as_markdown("\n".join(lines)).split("\n")
    for place, line in enumerate(lines):
        if _HEADLINE.match(line):
            text = read[place].lstrip("#")[1:]
            drawer = takewhile(_DRAWER_LINE.match, lines[place + 1 : place + 1 + MAX_DRAWER_LENGTH])
            is_heading = any(map(_IS_HEADING.match, drawer))
            read[place] = f"- # {text}" if is_heading else f"- {text}"
        elif (stated := _KEYWORD.match(line)) is not None:
            read[place] = f"{stated[1].lower()}:: {stated[2]}"
    return read


def _is_backup(parts: tuple[str, ...]) -> bool:
    """Whether a file is an older version of a page, which Logseq keeps."""
    return any(pair in (("logseq", "bak"), ("logseq", ".recycle")) for pair in pairwise(parts))


def _names(value: str) -> list[str]:
    """The pages that a property names: ``a, [[b]], #c``."""
    return [name for part in _NAMES.split(value) if (name := part.strip().lstrip("#").strip("[] "))]


class _Outline:
    """Goes through the lines of a page; each becomes one line."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self.properties: dict[str, str] = {}
        """Those of the page, with their names in small letters."""
        self.tags: list[str] = []
        self._until = ""  # what ends lines that stay as they are
        self._hidden_until = ""

    def read(self) -> Iterator[str]:
        """All lines, as Markdown."""
        indent, is_first = 0, True
        for line in self._lines:
            block = None if self._until or self._hidden_until else _BLOCK.match(line)
            if block is not None:
                indent = len(block.group(1).expandtabs(4)) + 2
                text = _TASK.sub("", line[block.end() :], count=1)
                read = self._line(text, is_first)
                yield read if read.startswith((":::", "#")) else f"- {read}" if read else ""
            else:
                text = _without(line, indent)
                read = self._line(text, is_first)
                yield f"  {read}" if read and indent else read
            is_first = is_first and (not text.strip() or _PROPERTY.match(text) is not None)

    def _line(self, text: str, is_first: bool) -> str:
        """A line without the marks of the outline."""
        bare = text.strip()
        if self._hidden_until:
            if bare.upper() == self._hidden_until:
                self._hidden_until = ""
            return ""
        if self._until:
            if bare.upper().startswith(self._until) or (self._until[0] in "`~" and bare == self._until):
                end, self._until = self._until, ""
                return text if end[0] in "`~" else "`````"
            return text
        if (fence := _FENCE.match(bare)) is not None:
            self._until = fence.group(1)
            return text
        if (command := _COMMAND.fullmatch(bare)) is not None:
            return self._command(command.group(1).upper() == "BEGIN", command.group(2), command.group(3))
        if _DRAWER.match(bare):
            self._hidden_until = ":END:"
            return ""
        if _PLANNING.match(bare):
            return ""
        if (stated := _PROPERTY.match(bare)) is not None:
            name, value = stated.group(1).lower(), stated.group(2) or ""
            if is_first and name in ("title", "tags", "alias"):
                self.properties[name] = value
                return ""
            return "" if name in _OF_LOGSEQ or name.startswith("logseq.") else f"{name}: {self._links(value)}"
        return self._links(text)

    def _command(self, begins: bool, name: str, rest: str) -> str:
        """The beginning or the end of a block such as ``#+BEGIN_QUOTE``."""
        kind, end = kind_of(name), f"#+END_{name.upper()}"
        if begins and name.lower() in _HIDDEN:
            self._hidden_until = end
        elif begins and name.lower() in _CODE:
            self._until = end
            return f"`````{rest.split()[0] if rest.split() else ''}"
        elif kind is not None:
            title = rest.strip().replace('"', "'")
            return f"::: {{.{kind}{f' name={chr(34)}{title}{chr(34)}' if title else ''}}}" if begins else ":::"
        return ""

    def _links(self, text: str) -> str:
        if "#[[" in text:
            self.tags += _PAGE_TAG.findall(text)
            text = _PAGE_TAG.sub(r"\1", text)
        if "{" in text or "((" in text:
            for link, replacement in _LINKS:
                text = link.sub(replacement, text)
        return text


def _without(line: str, columns: int) -> str:
    """A line without so many columns of its indentation, where a tab has four."""
    indent = _INDENT.match(line)
    width = len(indent.group().expandtabs(4)) if indent else 0
    return " " * max(0, width - columns) + line.lstrip(" \t")
