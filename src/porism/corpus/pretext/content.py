"""Running text and formulas of PreTeXt: what is inside paragraphs, titles and cells."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from porism.corpus.base import clean
from porism.corpus.formula_sources import aligned, one_line
from porism.corpus.lines import LineMark
from porism.corpus.pretext.tables import (
    CHARACTERS,
    FORMULAS,
    INLINE,
    LINES,
    PARAGRAPHS,
    QUOTES,
    SKIPPED,
)
from porism.corpus.pretext.tree import child_of, tag_of, visit
from porism.corpus.references import reference_text
from porism.corpus.units import Parts, tidy
from porism.types import Content, Formula

Targets = Mapping[str, tuple[str, Any]]
"""Identifier → what a reference calls the element, and the element."""

_AMPERSAND = re.compile(r"\\amp(?![A-Za-z])")
_BLANK = "\\underline{\\quad}"
_PUNCTUATION = tuple(".,;:?!)")
_INDEX_PARTS = ("h", "main", "sub")


class InlineText:
    """Gathers the parts of running text.

    :param targets: what references lead to.
    """

    def __init__(self, targets: Targets) -> None:
        self.targets = targets
        self.parts: Parts = []
        self.is_fresh = False
        """Whether an item of a list or a document has begun, and no text of it yet."""

    def take(self) -> Parts:
        """What was gathered since the last call."""
        parts, self.parts = self.parts, []
        return parts

    def enter(self, node: Any, tag: str) -> Any:
        """Takes in an element; gives it where its content is to be visited."""
        if tag in FORMULAS:
            self.formula(node, tag)
            return None
        if tag in SKIPPED:
            return None
        if tag in CHARACTERS and not len(node) and not (node.text or "").strip():
            self._add(CHARACTERS[tag])
            return None
        if tag == "xref":
            return self._reference(node)
        if tag == "url" and not (node.text or len(node)):
            self._add(node.get("visual") or node.get("href") or "")
        elif tag == "image":
            self._add("[figure]")
        elif tag == "li":
            self._add("\n- ", LineMark(node.sourceline))
            self.is_fresh = True
        elif tag == "cell":
            self._add("  ")
        elif tag in LINES:
            self._add("\n", LineMark(node.sourceline))
        elif tag in PARAGRAPHS and not self.is_fresh:
            self._add("\n\n", LineMark(node.sourceline))
        self._add(QUOTES.get(tag, "")[:1])
        return node

    def leave(self, node: Any, tag: str) -> None:
        """The end of an element that was entered."""
        self._add(QUOTES.get(tag, "")[1:])
        if tag in PARAGRAPHS and not self.is_fresh:
            self._add("\n\n")

    def text(self, text: str, node: Any) -> None:
        """Takes in a text that is in an element."""
        if self.is_fresh and text.strip():
            bare = text.lstrip()
            self.parts.append(LineMark(node.sourceline + text[: len(text) - len(bare)].count("\n")))
            text = bare
        if text.strip() or (text and not self.is_fresh and tag_of(node) in INLINE):
            self._add(clean(text))

    def formula(self, node: Any, tag: str) -> None:
        """Takes in a formula; what is said between its rows divides it."""
        display = tag != "m"
        rows: list[str] = []
        parts: Parts = []
        for child in node if display else ():
            if tag_of(child) == "mrow":
                rows.append(self._latex(child))
            elif tag_of(child) == "intertext":
                parts += [*_formula(rows, display), " ", *self.content(child).parts, " "]
                rows = []
        parts += _formula(rows if rows or parts else [self._latex(node)], display)
        lines = sum(part.count("\n") for part in node.itertext())
        self._add(*parts, LineMark(skipped=lines) if lines else "")
        if display and (node.tail or "")[:1] not in _PUNCTUATION:
            self._add(" ")

    def content(self, node: Any) -> Content:
        """What an element says, without its notes."""
        inside = InlineText(self.targets)

        def enter(child: Any, name: str) -> Any:
            return None if name in ("fn", "idx") else inside.enter(child, name)

        visit(node, enter, inside.leave, inside.text)
        return tidy([part for part in inside.parts if not isinstance(part, LineMark)])

    def index_entry(self, node: Any) -> Content:
        """What an entry of the index names, its headings one after the other."""
        headings = [child for child in node if tag_of(child) in _INDEX_PARTS]
        contents = [self.content(heading) for heading in headings] or [self.content(node)]
        return Content.of(*[part for content in contents for part in (" ", *content.parts)][1:])

    def _add(self, *parts: str | Formula) -> None:
        self.parts.extend(part for part in parts if part != "" or isinstance(part, LineMark))
        if any(isinstance(part, Formula) or part.strip() for part in parts):
            self.is_fresh = False

    def _latex(self, node: Any) -> str:
        """The LaTeX of an element."""
        pieces = [node.text or ""]
        for child in node:
            tag = tag_of(child)
            if tag == "fillin":
                pieces.append(_BLANK)
            elif tag == "xref":
                pieces.append(f"\\text{{{self._reference_text(child)}}}")
            elif tag != "intertext":
                pieces.append("".join(child.itertext()))
            pieces.append(child.tail or "")
        return one_line(_AMPERSAND.sub("&", clean("".join(pieces)))).strip()

    def _reference(self, node: Any) -> Any:
        """Takes in a reference; its own text is visited where it has one."""
        if (node.text or "").strip() or len(node):
            return node
        if node.get("text") == "title" and (target := self.targets.get(node.get("ref", ""))) is not None:
            title = child_of(target[1], "title")
            if title is not None and title is not node.getparent():
                self._add(" ".join("".join(title.itertext()).split()))
                return None
        self._add(self._reference_text(node))
        return None

    def _reference_text(self, node: Any) -> str:
        labels = ",".join(filter(None, (node.get(name) for name in ("ref", "first", "last"))))
        before = next((part for part in reversed(self.parts) if not isinstance(part, LineMark)), "")
        return reference_text(
            "\\cref", labels, lambda label: self.targets[label][0] if label in self.targets else None,
            before if isinstance(before, str) else "",
        )


def _formula(rows: list[str], display: bool) -> Parts:
    latex = aligned(" \\\\ ".join(row for row in rows if row)) if display else " ".join(rows)
    if not latex:
        return []
    return [" ", Formula(latex, display=True)] if display else [Formula(latex)]
