"""What Instiki, the wiki of the nLab, adds to Markdown: blocks between ``+-- {: .num_theorem}`` and ``=--``, redirects.

Its marks become those of Markdown, line by line, so that lines keep their numbers.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from types import MappingProxyType
from typing import NamedTuple

from porism.corpus.latex.tables import words
from porism.corpus.markdown.vault import CODE
from porism.corpus.sections import kind_of, own_title
from porism.types import Content, Metadata

MAX_NAME_BYTES = 1_000
"""A larger file holds no name of a page."""

_HINT = re.compile(r"^\+--[ \t]*\{|^\[\[!(?:redirects|include|name)\b|^\\begin\{imagefromfile\}", re.MULTILINE)
_BEGIN = re.compile(r"[ \t]*\+--[ \t]*(?:\{:?(?P<attributes>[^{}]*)\})?[ \t]*\Z")
_END = re.compile(r"[ \t]*=--[ \t]*\Z")
_CLASS = re.compile(r"\.(?:num_|un_)?([\w-]+)")
_LABEL = re.compile(r"#([\w:.()-]+)")
_HEAD = re.compile(r"[ \t]*#{1,6}[ \t]*(.*?)[ \t#]*\Z")
_NAME = re.compile(r"[ \t]*(?:\*\*|__)\((.+)\)[.:]?(?:\*\*|__)[ \t]*\Z")
_LINK = re.compile(r"\[\[([^\[\]|\n]*\|)?([^\[\]\n]*)\]\]")
_COMMAND = re.compile(r"\[\[!(redirects|include|name)\s+([^\[\]\n]+)\]\]")
_CATEGORY = re.compile(r"category:[ \t]*(.+)\Z", re.IGNORECASE)
_CONTENTS = re.compile(r"[ \t]*(?:#+[ \t]*Contents[ \t]*#*|\*[ \t]+table of contents|\{:toc\})[ \t]*\Z", re.IGNORECASE)
_ANCHOR = re.compile(r"[ \t]*\{:?[ \t]*#([^\s{}]+)[ \t]*\}[ \t]*\Z")
_ITEM_ANCHOR = re.compile(r"^([ \t]*(?:[*+-]|\d+\.)[ \t]+)\{:?[ \t]*#[^{}\n]*\}[ \t]*")
_IMAGE = re.compile(r"^\\begin\{imagefromfile\}.*?\\end\{imagefromfile\}", re.MULTILINE | re.DOTALL)
_CODE = re.compile(CODE, re.MULTILINE)
_MACHINERY = words("rightHandSide toc hide maintenance")
"""Classes of blocks that show other pages."""


class WikiMarks(NamedTuple):
    """A page as Markdown, and what its marks say: its name, other names and categories, and which pages it includes."""

    text: str
    name: str = ""
    metadata: Metadata = MappingProxyType({})
    included: Sequence[str] = ()


def page_name_file(path: Path) -> Path | None:
    """The file with the name of a page, in a wiki that is kept as ``NUMBER/content.md`` and ``NUMBER/name``."""
    named = path.with_name("name")
    return named if path.name == "content.md" and named.is_file() and named.stat().st_size <= MAX_NAME_BYTES else None


def without_instiki(text: str) -> WikiMarks:
    """A page of Instiki as Markdown; any other text as it is."""
    if _HINT.search(text) is None:
        return WikiMarks(text)
    text = _IMAGE.sub(lambda match: "\n" * match[0].count("\n"), text)
    code = {
        line for match in _CODE.finditer(text) if "\n" in match[0]
        for line in range(text.count("\n", 0, match.start()), text.count("\n", 0, match.end()) + 1)
    }
    page = _Page(text.split("\n"), code)
    read = "\n".join(page.read())
    named = {"aliases": tuple(page.values["redirects"]), "tags": tuple(page.categories)}
    metadata = {key: values for key, values in named.items() if values}
    return WikiMarks(read, "".join(page.values["name"]), metadata, page.values["include"])


class _Page:
    """Goes through the lines of a page.

    :param code: the numbers of those that are code.
    """

    def __init__(self, lines: list[str], code: set[int]) -> None:
        self._lines, self._code = lines, code
        self._open: list[str] = []  # what stands at the end of each open block; of one that is left out, None
        self._hidden = 0
        self.values: dict[str, list[str]] = {"redirects": [], "include": [], "name": []}
        self.categories: list[str] = []

    def read(self) -> list[str]:
        """The lines as Markdown."""
        read: list[str] = []
        for number, line in enumerate(self._lines):
            if number in self._code:
                read.append("" if self._hidden else line)
            elif (begin := _BEGIN.match(line)) is not None:
                read.append(self._begin(begin["attributes"] or "", number))
            elif self._open and _END.match(line):
                read.append(self._end())
            elif (anchor := _ANCHOR.match(line)) is not None and read and read[-1].startswith("#"):
                read[-1] += f" {{#{anchor[1]}}}"
                read.append("")
            else:
                read.append(self._line(line))
        return [*read[:-1], "\n".join([*read[-1:], *(end for end in reversed(self._open) if end)])]

    def _begin(self, attributes: str, number: int) -> str:
        names = _CLASS.findall(attributes)
        if self._hidden or not _MACHINERY.isdisjoint(names):
            self._hidden += 1
            self._open.append("")
            return ""
        kind = next((kind for name in names if (kind := kind_of(name))), None)
        self._open.append(":::" if kind else "")
        if kind is None:
            return ""
        title = self._title(number + 1).replace('"', "'")
        label = _LABEL.search(attributes)
        parts = (f".{kind}", f"#{label[1]}" if label else "", f'name="{title}"' if title else "")
        return f"::: {{{' '.join(filter(None, parts))}}}"

    def _title(self, number: int) -> str:
        """The title in the lines that a block begins with; these become empty."""
        title = ""
        for at in range(number, min(number + 4, len(self._lines))):
            line = self._lines[at]
            head = _HEAD.match(line) or _NAME.match(line)
            if head is not None:
                own = own_title(Content(_ANCHOR.sub("", head[1])))
                title = own.text if own else title
                self._lines[at] = ""
            elif line.strip():
                break
        title = _LINK.sub(lambda match: match[2], title)
        return "" if "{" in title else title

    def _end(self) -> str:
        if self._hidden:
            self._hidden -= 1
        return self._open.pop()

    def _line(self, line: str) -> str:
        """A line outside of marks of blocks."""
        for command, value in _COMMAND.findall(line):
            if not (self._hidden and command == "include"):
                self.values[command].append(value.strip())
        if self._hidden or _CONTENTS.match(line):
            return ""
        if (category := _CATEGORY.match(line)) is not None:
            self.categories += [name for part in category[1].split(",") if (name := part.strip())]
            return ""
        return _ITEM_ANCHOR.sub(r"\1", _COMMAND.sub("", line).replace("\\linebreak", " "))
