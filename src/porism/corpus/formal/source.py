"""The text of a file of a formal library without its comments, and the comments that document something."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from bisect import bisect_left, bisect_right
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

_VISIBLE = re.compile(r"\S")
_SPACE = re.compile(r"\s*")
_BLANKS = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class DocComment:
    """A comment that documents something: its text, and where that begins."""

    start: int
    end: int
    text_start: int
    text: str


Lines = tuple[tuple[int, int], ...]
"""Where a text is in its file, as :class:`~porism.types.Content` has it."""


class SourceText(ABC):
    """A text in three forms with the same places; all lines begin behind a line end, the first as well.

    ``code`` has blanks for comments, ``bare`` also for what strings have between their quotes. A prover says with
    ``token`` where comments and strings begin, and in :meth:`_end` where they end.
    """

    token: ClassVar[re.Pattern[str]]
    comment_marks: ClassVar[tuple[str, ...]]
    """What the tokens of comments begin with; other tokens are strings."""

    def __init__(self, text: str) -> None:
        self.text = text = f"\n{text}"
        self.docstrings: list[DocComment] = []
        """Comments that may belong to the declaration behind them, in order."""
        self.unclosed: list[tuple[int, str]] = []
        """Where a comment or string begins that never ends, and which of them it is."""
        code: list[str] = []
        bare: list[str] = []
        place = 0
        while (match := self.token.search(text, place)) is not None:
            start, token = match.start(), match.group()
            end = self._end(start, match.end(), token)
            before = text[place:start]
            if token.startswith(self.comment_marks):
                blank = blanks(text[start:end])
                code += (before, blank)
                bare += (before, blank)
            else:
                code.append(text[place:end])
                bare += (before, self._without_content(text[start:end], token))
            place = end
        code.append(text[place:])
        bare.append(text[place:])
        self.code, self.bare = "".join(code), "".join(bare)

    @abstractmethod
    def _end(self, start: int, end: int, token: str) -> int:
        """The place behind a comment or string whose first token is between two places."""

    def _without_content(self, string: str, token: str) -> str:
        """A string with nothing but blanks in it."""
        return f"{token}{blanks(string[len(token) : -1])}{string[-1]}" if len(string) > len(token) else string

    def nested_end(self, place: int, edge: re.Pattern[str], opener: str) -> int:
        """The place behind what a bracket closes that has just been opened; -1 where it is never closed.

        :param edge: what matches the brackets, and what may contain some that mean nothing.
        """
        depth = 1
        while depth:
            match = edge.search(self.text, place)
            if match is None:
                return -1
            if match.lastgroup is None:
                depth += 1 if match.group() == opener else -1
            place = match.end()
        return place

    def add_comment(self, start: int, end: int, mark: int, closer: int = 0) -> None:
        """Keeps a comment; with those in the lines just above it, it is one.

        :param mark: how many characters its beginning has, and ``closer`` its end.
        """
        body = self.text[start + mark : end - closer]
        text_start = start + mark + len(body) - len(body.lstrip())
        before = self.docstrings[-1] if self.docstrings else None
        if before is not None and self._follows(before, start):
            self.docstrings[-1] = DocComment(before.start, end, before.text_start, f"{before.text}\n{body.strip()}")
        else:
            self.docstrings.append(DocComment(start, end, text_start, body.strip()))

    def _follows(self, before: DocComment, start: int) -> bool:
        between = self.text[before.end : start]
        return not between.strip() and between.count("\n") == 1 and self.begins_line(before.start)

    def begins_line(self, place: int) -> bool:
        """Whether only blanks precede a place in its line."""
        return not self.text[self.text.rfind("\n", 0, place) + 1 : place].strip()

    def line(self, place: int) -> int:
        """The number of the line of a place, from 1."""
        return bisect_left(self._line_ends, place) or 1

    def docstring_before(self, place: int, lines: int | None = None) -> DocComment | None:
        """The docstring before a place, with nothing but blanks and plain comments between.

        :param lines: so many line ends may be between; without, any number.
        """
        number = bisect_right(self._docstring_ends, place)
        if not number:
            return None
        docstring = self.docstrings[number - 1]
        blank = _SPACE.match(self.bare, docstring.end)
        if blank is None or blank.end() < place:
            return None
        near = lines is None or self.text.count("\n", docstring.end, place) <= lines
        return docstring if near else None

    def stretch(self, start: int, end: int, first_line: int, code: str | None = None) -> tuple[str, Lines]:
        """A stretch of code without what is blank in it, and where its lines are in a document with this first line.

        :param code: another form of the code with the same places.
        """
        text = (self.code if code is None else code)[start:end]
        if "\n" not in text:
            return tidy(text), ()
        number = self.line(start) - first_line
        kept: list[str] = []
        marks: list[tuple[int, int]] = []
        length, expected = 0, -1
        for line in text.split("\n"):
            if line := tidy(line):
                if number != expected:
                    marks.append((length, number))
                kept.append(line)
                length += len(line) + 1
                expected = number + 1
            number += 1
        return "\n".join(kept), tuple(marks) if marks != [(0, 0)] or len(kept) > 1 else ()

    @cached_property
    def _line_ends(self) -> list[int]:
        return [match.start() for match in re.finditer("\n", self.text)]

    @cached_property
    def _docstring_ends(self) -> list[int]:
        return [docstring.end for docstring in self.docstrings]


def with_text_before(before: str, statement: str, lines: Lines) -> tuple[str, Lines]:
    """A statement behind what is said in another place, such as the variables that it uses, and where its lines are."""
    if not before or not statement:
        return before or statement, lines
    return f"{before} {statement}", tuple((len(before) + 1 + character, line) for character, line in lines)


def blanks(text: str) -> str:
    """Blanks and line ends instead of a text."""
    return _VISIBLE.sub(" ", text) if "\n" in text else " " * len(text)


def tidy(text: str) -> str:
    """A line, without blanks at its ends and doubled ones."""
    text = text.strip()
    return _BLANKS.sub(" ", text) if "  " in text or "\t" in text else text
