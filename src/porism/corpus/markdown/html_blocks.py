"""Blocks of HTML in Markdown: elements that are theorems or proofs, and what is between their tags.

Markdown goes on inside an element, so that its start and its end are in blocks of their own.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porism.corpus.html.classes import kind_of_classes
from porism.corpus.latex.tables import words
from porism.corpus.sections import kind_of, titled_kind
from porism.types import PLACEHOLDER, Content

_ELEMENTS = words("div section article aside blockquote details")
_LONG_ENOUGH = 4
"""Shorter names of components are those of other things: ``<Ex>``."""
_TAG = re.compile(
    r"<(?:(?:pre|script|style|code)\b.*?(?:</(?:pre|script|style|code)>|\Z)|!--.*?(?:-->|\Z)"
    r"|(?P<end>/?)(?P<tag>[A-Za-z][\w.-]*+)(?P<attributes>(?:[^<>\"']|\"[^\"<>]*\"|'[^'<>]*')*+)>)",
    re.DOTALL | re.IGNORECASE,
)
_SUMMARY = re.compile(r"\s*<summary\b[^<>]*>(.*?)</summary>", re.DOTALL | re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""([\w-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))""")
_ANY_TAG = re.compile(r"<[^<>]*>")


class HtmlPart(NamedTuple):
    """A part of a block of HTML, ``line`` lines after its first: the beginning of a unit, which has a ``kind``, the end
    of one, or else ``text``, which is HTML."""

    line: int
    text: str = ""
    kind: str | None = None
    ends: bool = False
    title: str = ""
    label: str | None = None


class HtmlElements:
    """The elements that are open in a text of Markdown."""

    def __init__(self) -> None:
        self._open: list[tuple[str, bool]] = []  # tag, and whether it is a unit

    def parts(self, source: str) -> Iterator[HtmlPart]:
        """The units that begin and end in a block, and what is between them."""
        done = line = position = 0
        while (match := _TAG.search(source, position)) is not None:
            position = match.end()
            tag = (match["tag"] or "").lower()
            if match["end"]:
                parts = [HtmlPart(0, ends=True)] * self._ended(tag)
            else:
                parts, position = self._begun(tag, match["attributes"] or "", source, position)
            if not parts:
                continue
            if match.start() > done:
                yield HtmlPart(line, source[done : match.start()])
            line += source.count("\n", done, match.start())
            for part in parts:
                yield part._replace(line=line)
            line += source.count("\n", match.start(), position)
            done = position
        if source[done:]:
            yield HtmlPart(line, source[done:])

    def _ended(self, tag: str) -> int:
        """How many units end at the end tag of an element."""
        if all(tag != name for name, _ in self._open):
            return 0
        units, name = 0, ""
        while name != tag:
            name, is_unit = self._open.pop()
            units += is_unit
        return units

    def _begun(self, tag: str, attributes: str, source: str, position: int) -> tuple[list[HtmlPart], int]:
        """The unit that begins with an element, if it is one, and where its content begins."""
        component = kind_of(tag) if len(tag) >= _LONG_ENOUGH else None
        if (tag not in _ELEMENTS and component is None) or attributes.endswith("/"):
            return [], position
        values = {
            name.lower(): first or second or third for name, first, second, third in _ATTRIBUTE.findall(attributes)
        }
        kind = component or kind_of_classes(f"{values.get('class', '')} {values.get('classname', '')}".split())
        title = values.get("title") or values.get("name") or "" if component else ""
        if tag == "details" and (summary := _SUMMARY.match(source, position)) is not None:
            title = summary.group(1).strip()
            kind = kind or titled_kind(Content(_ANY_TAG.sub("", title).replace(PLACEHOLDER, " ")))
            position = summary.end() if kind else position
        self._open.append((tag, kind is not None))
        return ([HtmlPart(0, kind=kind, title=title, label=values.get("id"))] if kind else []), position
