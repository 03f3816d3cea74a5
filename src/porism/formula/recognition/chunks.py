"""The texts between blanks: which are words, and which may be parts of a formula."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from porism.formula.recognition.lexemes import APPLIED, FUNCTIONS, GREEK, STRUCTURE_NAMES, Lexeme, lexemes

_CHUNK = re.compile(r"\S+")
_OPENED = re.compile(r"[\\^_][^\s{}]*\{|\{[^\s{}]*[\\^_]|\\begin")
_OF_GROUP = re.compile(r"\\begin\{|\\end\{|\s|[{}]|\\.", re.DOTALL)
_MAX_GROUP = 2_000
"""Braces of LaTeX hold at most so many characters together."""
_SHORT_WORDS = frozenset(
    "is of or if the to in on by as at an and are be for has its it no not so we us up do how why can let all any one "
    "two non vs via me my he".split()
)
_ARTICLES = frozenset("aAI")
_MARKS_AFTER = ".,;:?!\"”"
_MARKS_BEFORE = ":\"“"
MAX_NAME = 3
"""Longer words that no table has are words."""


class Chunk(NamedTuple):
    """A text between blanks.

    Its ``kind`` is ``word`` or ``part`` of a formula. It is ``weak`` where it is few letters or an article, which
    belong to a formula beside an operator only. It is ``alone`` if it is an operand that does not begin or end one.
    """

    kind: str
    lexemes: tuple[Lexeme, ...]
    mark: str
    """The mark of a sentence after it."""
    is_line_start: bool


def chunks(text: str, start: int, end: int) -> Iterator[Chunk]:
    """The texts between blanks; a blank between the braces of LaTeX parts nothing."""
    position, before = start, start
    while (match := _CHUNK.search(text, position, end)) is not None:
        first, position = match.span()
        if _OPENED.search(text, first, position) is not None:
            position = _after_groups(text, first, position, end)
        yield _chunk(text, first, position, "\n" in text[before:first])
        before = position


def _after_groups(text: str, start: int, stop: int, end: int) -> int:
    """Where the text ends that begins at ``start`` and has no blank outside of braces; ``stop`` if they never close."""
    depth = 0
    limit = min(end, start + _MAX_GROUP)
    for match in _OF_GROUP.finditer(text, start, limit):
        part = match[0]
        if part.isspace() and depth == 0:
            return match.start()
        if part == "}":
            depth = max(0, depth - 1)
        elif part == "{":
            depth += 1
        elif part == "\\begin{":
            depth += 2  # the brace, and the environment; that of \end closes it
    return max(stop, limit) if depth == 0 else stop


def _chunk(text: str, start: int, end: int, is_line_start: bool) -> Chunk:
    stop = end
    while stop > start and text[stop - 1] in _MARKS_AFTER and text[start:stop] not in ("...", "…"):
        if stop - 1 > start and text[stop - 2] == "\\":
            break
        stop -= 1
    while start < stop and text[start] in _MARKS_BEFORE:
        start += 1
    mark = text[stop:end]
    pieces = lexemes(text, start, stop)
    return Chunk(_kind(pieces), pieces, mark, is_line_start)


def _is_name(text: str) -> bool:
    """Whether some letters are the name of a function, or one of Lean: ``Real.sin``, ``Set.Icc``."""
    return text in FUNCTIONS or "." in text


def _kind(pieces: tuple[Lexeme, ...]) -> str:
    has_latex = any(piece.kind == "command" or piece.text == "{" for piece in pieces)
    if not pieces or any(
        piece.kind == "other" and not (piece.text.isspace() or (has_latex and piece.text in ",;:&")) for piece in pieces
    ):
        return "word"
    weak = False
    for number, piece in enumerate(pieces):
        if piece.kind != "letters" or len(piece.text) == 1 or has_latex or _is_name(piece.text):
            continue
        if piece.text in STRUCTURE_NAMES and number + 1 < len(pieces) and pieces[number + 1].text == "(":
            continue
        neighbours = (*pieces[max(0, number - 1):number], *pieces[number + 1:number + 2])
        beside = {neighbour.kind for neighbour in neighbours if neighbour.text != "-"}
        if piece.text in GREEK or (len(piece.text) == 2 and piece.text[0] == "d"):
            weak = weak or len(pieces) == 1
        elif len(piece.text) > MAX_NAME or piece.text.lower() in _SHORT_WORDS:
            return "word"
        elif len(pieces) > 1 and len(piece.text) == MAX_NAME and piece.text.istitle() and "script" not in beside:
            return "word"  # Cmd+V
        elif not beside & {"operator", "relation", "script"}:
            if len(pieces) > 1:
                return "word"
            weak = True
    if weak:
        return "weak"
    if len(pieces) == 1 and pieces[0].text in _ARTICLES:
        return "weak"
    alone = len(pieces) == 1 and pieces[0].kind in ("letters", "number")
    return "alone" if alone and pieces[0].text not in APPLIED else "part"
