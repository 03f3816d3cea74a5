"""The text of a Lean file without its comments, and the comments that document something."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property

MAX_QUOTED = 200
"""A name in French quotes is no longer."""

_TOKEN = re.compile(rf"/-|--[^\n]*|\"|'(?<![\w'!?]')(?:\\.|\")'|«[^»\n]{{0,{MAX_QUOTED}}}»", re.DOTALL)
"""What may hold characters that mean nothing: comments, strings, characters and names in French quotes. All begin with
a character of their own, which makes the search fast."""
_STRING = re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL)
_RAW = re.compile(r"(?<!\w)r(#{0,8})\Z")
"""What stands before the quotation mark of a raw string."""
_EDGE = re.compile(r"/-|-/")
_VISIBLE = re.compile(r"\S")
_SPACE = re.compile(r"\s*")


@dataclass(frozen=True, slots=True)
class DocComment:
    """A comment that documents a declaration, or with ``!`` what follows it: its text, and where that begins."""

    start: int
    end: int
    text_start: int
    text: str


class LeanSource:
    """A text of Lean in three forms with the same places; all lines begin behind a line end, the first as well.

    ``code`` has blanks for comments, ``bare`` also for what strings have between their quotes.
    """

    def __init__(self, text: str) -> None:
        self.text = text = f"\n{text}"
        self.docstrings: list[DocComment] = []
        self.module_docs: list[DocComment] = []
        self.unclosed: list[tuple[int, str]] = []
        """Where a comment or string begins that never ends, and which of them it is."""
        self._missing_ends: set[str] = set()
        code: list[str] = []
        bare: list[str] = []
        place = 0
        while (match := _TOKEN.search(text, place)) is not None:
            start, token = match.start(), match.group()
            end = self._end(start, match.end(), token)
            before = text[place:start]
            if token[0] in "/-":
                blank = _blank(text[start:end])
                code += (before, blank)
                bare += (before, blank)
            else:
                code.append(text[place:end])
                bare += (before, _without_content(text[start:end]) if token == '"' else text[start:end])
            place = end
        code.append(text[place:])
        bare.append(text[place:])
        self.code, self.bare = "".join(code), "".join(bare)

    def line(self, place: int) -> int:
        """The number of the line of a place, from 1."""
        return bisect_left(self._line_ends, place) or 1

    def docstring_before(self, place: int) -> DocComment | None:
        """The docstring before a place, with nothing but blanks and plain comments between."""
        number = bisect_right(self._docstring_ends, place)
        if not number:
            return None
        docstring = self.docstrings[number - 1]
        blank = _SPACE.match(self.bare, docstring.end)
        return docstring if blank is not None and blank.end() >= place else None

    def docstrings_within(self, start: int, end: int) -> list[DocComment]:
        """The docstrings in a stretch, without those at the margin, which belong to the next declaration."""
        first = bisect_left(self._docstring_ends, start)
        last = bisect_right(self._docstring_ends, end)
        return [
            docstring for docstring in self.docstrings[first:last]
            if docstring.start >= start and self.text[docstring.start - 1] != "\n"
        ]

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    @cached_property
    def _docstring_ends(self) -> list[int]:
        return [docstring.end for docstring in self.docstrings]

    def _end(self, start: int, end: int, token: str) -> int:
        """The place behind a comment or string that begins with this token."""
        if token == "/-":
            return self._comment_end(start)
        return self._string_end(start, end) if token == '"' else end

    def _string_end(self, start: int, end: int) -> int:
        before = self.text[max(0, start - 10) : start]
        raw = _RAW.search(before) if before[-1:] in ("r", "#") else None
        mark = f'"{raw.group(1)}' if raw is not None else ""
        if mark in self._missing_ends:
            return end
        if raw is not None:
            place = self.text.find(mark, end)
            close = place + len(mark) if place >= 0 else 0
        else:
            match = _STRING.match(self.text, end)
            close = match.end() if match is not None else 0
        if not close:  # from here on no other of its kind can end
            self._missing_ends.add(mark)
            self.unclosed.append((start, "string"))
        return close or end

    def _comment_end(self, start: int) -> int:
        depth, end = 1, start + 2
        while depth:
            edge = _EDGE.search(self.text, end)
            if edge is None:
                self.unclosed.append((start, "comment"))
                self._keep(start, len(self.text), len(self.text))
                return len(self.text)
            depth += 1 if edge.group() == "/-" else -1
            end = edge.end()
        self._keep(start, end, end - 2)
        return end

    def _keep(self, start: int, end: int, text_end: int) -> None:
        """Keeps a comment that documents something; ``/--/`` says nothing."""
        mark = self.text[start + 2 : start + 3]
        if mark not in ("-", "!") or text_end < start + 3:
            return
        body = self.text[start + 3 : text_end]
        text_start = start + 3 + len(body) - len(body.lstrip())
        comment = DocComment(start, end, text_start, body.strip())
        (self.docstrings if mark == "-" else self.module_docs).append(comment)


def _blank(text: str) -> str:
    """Blanks and line ends instead of a text."""
    return _VISIBLE.sub(" ", text) if "\n" in text else " " * len(text)


def _without_content(string: str) -> str:
    """A string with nothing but blanks between its quotes."""
    return f'"{_blank(string[1:-1])}"' if len(string) > 1 else string
