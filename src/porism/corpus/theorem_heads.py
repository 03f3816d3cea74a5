"""Theorem-like blocks that only their heads show: a paragraph that begins with **Theorem 2.3 (Lagrange).**

Word processors and wikis have no blocks for theorems. A block begins with a paragraph whose marked beginning is a kind,
and ends with the sentence, or with emphasis; a proof ends with its sign, or where something else begins.
"""

from __future__ import annotations

import re
from typing import NamedTuple

from porism.corpus.sections import FileUnits, titled_kind
from porism.types import PLACEHOLDER, Content

_NUMBER = r"(?:\d+|[A-Z](?=[.\d]|\b))(?:[.\-–]\d+)*[a-z*'′]?"
_HEAD = re.compile(
    rf"\s*[^\W\d_]+(?P<number>\s*{_NUMBER})?(?P<name>\s*[(（\[](?P<title>[^()（）\[\]]*(?:\([^()]*\)[^()（）\[\]]*)*)[)）\]])?"
    r"(?P<end>\s*(?:[.:．：](?=\s|\Z)|[—–]))?\s*"
)
_PROOF_OF = re.compile(r"\s*[^\W\d_]+\s+(?:of|von|de|du|di)\b[^.:]{1,100}[.:](?:\s+|\Z)", re.IGNORECASE)
_QED = re.compile(r"(?:[∎□◻◼■▢⬜]|\bQ\.?\s?E\.?\s?D\.?)\s*\Z", re.IGNORECASE)
_SENTENCE_END = re.compile(r"[.!?。．][\"”’»)\]]*\s*\Z")
_MAX_HEAD_LENGTH = 300


class TheoremHead(NamedTuple):
    """The kind that a paragraph begins with, its title, and what follows."""

    kind: str
    title: Content | None
    rest: Content


def first_kind(text: str) -> str | None:
    """The kind of block that the first word of a text names."""
    first = text.split(maxsplit=1)[0].strip(".:．：") if text.strip() else ""
    return titled_kind(Content(first)) if first.isalpha() else None


def theorem_head(content: Content, marked: str) -> TheoremHead | None:
    """The head of a theorem-like block that a paragraph begins with, None where it begins otherwise.

    :param marked: the text of the paragraph's beginning that is bold, in italics or in small capitals.
    """
    kind = first_kind(marked)
    if kind is None:
        return None
    text = content.text[:_MAX_HEAD_LENGTH]
    match = _HEAD.match(text)
    is_head = match is not None and (match["number"] or match["name"] or match["end"])
    if kind == "proof" and not (match and match["end"]) and (of := _PROOF_OF.match(text)):
        return TheoremHead(kind, None, _after(content, of.end()))
    if match is None or not is_head:
        return None
    is_marked_off = match["end"] or match["name"] or len(marked.rstrip()) <= match.end() or match.end() == len(text)
    if not is_marked_off:  # "Theorem 2 of the book says", all of it bold
        return None
    title = None
    if match["title"]:
        place = match.start("title")
        before = content.text.count(PLACEHOLDER, 0, place)
        title = Content(match["title"], content.formulas[before : before + match["title"].count(PLACEHOLDER)])
    return TheoremHead(kind, title, _after(content, match.end()))


def _after(content: Content, end: int) -> Content:
    return Content(content.text[end:], content.formulas[content.text.count(PLACEHOLDER, 0, end) :])


class ParagraphUnits:
    """Puts paragraphs into the units of a file, and finds the theorem-like blocks among them.

    What a format itself marks as a block begins with :meth:`begin`; then a head is only its title.
    """

    def __init__(self, units: FileUnits) -> None:
        self.units = units
        self._kind = ""  # of the block that a head has begun
        self._fresh = ""  # the kind of the block that :meth:`begin` has begun and that has no content yet
        self._is_emphasised = False  # whether the text of the block that a head has begun is
        self._is_unfinished = False  # whether the last sentence is

    @property
    def is_open(self) -> bool:
        """Whether paragraphs are looked at, because a head has begun a block, or a block has no content yet."""
        return bool(self._kind or self._fresh)

    def begin(self, kind: str, title: Content | None, label: str | None = None, line: int = 0) -> None:
        """The beginning of a block that the format marks; line 0 is one that is not known."""
        self.end_block()
        self.units.begin(kind, title, line, label)
        self._fresh = kind

    def end(self) -> None:
        """The end of a block that :meth:`begin` has begun."""
        self.end_block()
        self.units.end()
        self._fresh = ""

    def heading(self, level: int, title: Content, anchor: str | None, line: int = 0) -> None:
        """A heading."""
        self.end_block()
        self.units.heading(level, title, line, anchor)
        self._fresh = ""

    def add(self, content: Content, marked: str = "", *, emphasised: bool = False, line: int = 0) -> None:
        """A paragraph.

        :param marked: the text of its beginning that is bold, in italics or in small capitals.
        :param emphasised: whether most of its text is in italics.
        """
        head = theorem_head(content, marked) if marked else None
        if head is not None and self._fresh:
            if head.title:
                self.units.retitle(head.title)
            content = head.rest
        elif head is not None:
            self.end_block()
            self.units.begin(head.kind, head.title, line)
            self._kind = head.kind
            self._is_emphasised = emphasised
            content = head.rest
        elif self._kind and not self._goes_on(content.text, emphasised):
            self.end_block()
        self._fresh = ""
        self.units.add("\n\n")
        if line:
            self.units.at(line)
        self.units.add(*content.parts)
        self._is_unfinished = _SENTENCE_END.search(content.text[-20:]) is None
        if self._kind == "proof" and _QED.search(content.text[-20:]):
            self.end_block()

    def _goes_on(self, text: str, emphasised: bool) -> bool:
        """Whether a paragraph without a head belongs to the block before it."""
        return (
            self._kind == "proof" or self._is_unfinished or text[:1].islower() or (emphasised and self._is_emphasised)
        )

    def other(self, *, emphasised: bool = False) -> None:
        """Something that is no paragraph comes: a list, a table, code; ``emphasised`` as in :meth:`add`."""
        self._fresh = ""
        if self._kind and not self._goes_on("", emphasised):
            self.end_block()
        self._is_unfinished = False

    def end_block(self) -> None:
        """Ends the block that a head has begun."""
        if self._kind:
            self.units.end()
            self._kind = ""
