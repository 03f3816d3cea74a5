"""The text of a Lean file without its comments, and the comments that document something."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right

from porism.corpus.formal.source import DocComment, SourceText

MAX_QUOTED = 200
"""A name in French quotes is no longer."""

_STRING = re.compile(r'(?:[^"\\]|\\.)*+"', re.DOTALL)
_RAW = re.compile(r"(?<!\w)r(#{0,8})\Z")
"""What stands before the quotation mark of a raw string."""
_EDGE = re.compile(r"/-|-/")


class LeanSource(SourceText):
    """A text of Lean; ``module_docs`` are the comments about what follows them, not about one declaration."""

    token = re.compile(rf"/-|--[^\n]*|\"|'(?<![\w'!?]')(?:\\.|\")'|«[^»\n]{{0,{MAX_QUOTED}}}»", re.DOTALL)
    comment_marks = ("/-", "--")

    def __init__(self, text: str) -> None:
        self.module_docs: list[DocComment] = []
        self._missing_ends: set[str] = set()
        super().__init__(text)

    def docstrings_within(self, start: int, end: int) -> list[DocComment]:
        """The docstrings in a stretch, without those at the margin, which belong to the next declaration."""
        first = bisect_left(self._docstring_ends, start)
        last = bisect_right(self._docstring_ends, end)
        return [
            docstring for docstring in self.docstrings[first:last]
            if docstring.start >= start and self.text[docstring.start - 1] != "\n"
        ]

    def _without_content(self, string: str, token: str) -> str:
        return super()._without_content(string, token) if token == '"' else string

    def _end(self, start: int, end: int, token: str) -> int:
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
        end = self.nested_end(start + 2, _EDGE, "/-")
        if end < 0:
            self.unclosed.append((start, "comment"))
            self._keep(start, len(self.text), len(self.text))
            return len(self.text)
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
