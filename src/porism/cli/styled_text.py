"""Titles and passages with the styles of a terminal."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

from porism.cli.terminal import style

if TYPE_CHECKING:
    from porism.search.marked_text import Snippet

MAX_UNBROKEN_WIDTH = 40
"""Columns of a formula that stays on one line."""


def styled(snippet: Snippet, **plain: bool) -> str:
    """A title or passage on one line; matching words are bold and yellow, formulas bold and green, without colours
    neither."""
    return "".join(
        style(piece.text, fg="green" if piece.formula else "yellow", bold=True) if piece.match
        else style(piece.text, **plain)
        for piece in snippet.pieces
    )


def styled_lines(snippet: Snippet, width: int) -> list[str]:
    """A passage on lines of at most ``width`` columns, broken at blanks, with the styles of :func:`styled`."""
    lines: list[list[str]] = [[]]
    used = 0
    for word in _words(snippet):
        columns = sum(_columns(text) for text, _ in word)
        if used and used + 1 + columns > width:
            lines.append([])
            used = 0
        if used:
            lines[-1].append(" ")
            used += 1
        lines[-1] += [style(text, **how) for text, how in word]
        used += columns
    return ["".join(line) for line in lines if line]


def _words(snippet: Snippet) -> Iterator[list[tuple[str, dict[str, str | bool]]]]:
    """The words of a passage, each in parts with one style."""
    word: list[tuple[str, dict[str, str | bool]]] = []
    for piece in snippet.pieces:
        how: dict[str, str | bool] = {"fg": "green" if piece.formula else "yellow", "bold": True} if piece.match else {}
        whole = piece.formula and _columns(piece.text) <= MAX_UNBROKEN_WIDTH
        for number, part in enumerate([piece.text] if whole else piece.text.split(" ")):
            if number and word:
                yield word
                word = []
            if part:
                word.append((part, how))
    if word:
        yield word


def _columns(text: str) -> int:
    """How many columns a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(character) else 2 if unicodedata.east_asian_width(character) in "WF" else 1
        for character in text
    )
