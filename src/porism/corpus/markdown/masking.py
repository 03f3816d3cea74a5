"""Formulas taken out of a text before a parser of marks reads it, and put back into what the parser gives.

To a parser of Markdown or reStructuredText, the ``_``, ``*``, ``\\`` and ``|`` of a formula are marks. So each formula
is replaced by a token that no parser changes, and each token names its formula, so that a parser may move or drop it.
"""

from __future__ import annotations

import re
from bisect import bisect_left

from porism.corpus.base import clean
from porism.corpus.formula_sources import aligned, one_line
from porism.corpus.mathtext import describe_unbalanced, markdown_spans
from porism.errors import OnProblem, Problem
from porism.types import PLACEHOLDER, Formula

TOKEN = rf"(?:{PLACEHOLDER}([0-9]{{1,9}}){PLACEHOLDER}|([\U000f0000-\U0010fffc])\U0010fffd*)"
"""A regular expression for what stands for a formula."""

_TOKEN = re.compile(TOKEN)
_RESERVED = re.compile("[\U000f0000-\U0010fffd]")
_FIRST = 0xF0000
_MOST_WIDE = 0x10FFFC - _FIRST
_FILLER = chr(0x10FFFD)
_QUOTED = re.compile(r"[ \t]*(?:>[ \t]?)+\Z")
_QUOTE = re.compile(r"\n[ \t]*(?:>[ \t]?)+")
_GITLAB = re.compile(r"`([^`]+)`\Z")


class Masked:
    """A text with tokens for its formulas.

    ``text`` is what to parse. Control characters and private characters of the planes 15 and 16 in it are spaces, line
    ends are ``\\n``.

    :param code: leave Markdown's code alone, and read ``\\\\(…\\\\)`` as a formula.
    :param wide: each token is as wide as its formula, for parsers that count columns; formulas beyond the 131,000th
        then stay in the text.
    :param where: what a problem names as its place, before the number of the line.
    :param first_line: the number of the first line.
    :param on_problem: receives delimiters without a partner, at most once.
    """

    def __init__(
        self, text: str, *, code: bool = True, wide: bool = False, where: str = "text", first_line: int = 1,
        on_problem: OnProblem | None = None,
    ) -> None:
        text = _RESERVED.sub(" ", clean(text).replace("\r\n", "\n").replace("\r", "\n"))
        self._formulas: list[Formula] = []
        self._sources: list[str] = []
        self._shifted: list[int] = []  # lines of the new text after which lines were left out, and how many till there
        self._shifts: list[int] = []
        self._first_line = first_line
        unbalanced: list[int] = []
        pieces: list[str] = []
        done = line = left_out = 0
        for start, end, formula in markdown_spans(text, code=code, on_unbalanced=unbalanced.append):
            number = len(self._formulas)
            if wide and number > _MOST_WIDE:
                break
            source = text[start:end]
            between = text[done:start]
            line += between.count("\n")
            pieces.append(between)
            done = end
            if "\n" in source:
                left_out += source.count("\n")
                self._shifted.append(line)
                self._shifts.append(left_out)
            if formula is not None:
                if wide:
                    pieces.append(chr(_FIRST + number) + _FILLER * (0 if "\n" in source else len(source) - 1))
                else:
                    pieces.append(f"{PLACEHOLDER}{number}{PLACEHOLDER}")
                self._sources.append(source)
                latex = formula.source
                if "\n" in latex and _QUOTED.match(text, text.rfind("\n", 0, start) + 1, start):
                    latex = _QUOTE.sub("\n", "\n" + latex)
                latex = _bare(latex)
                self._formulas.append(Formula(aligned(latex) if formula.display else latex, display=formula.display))
        pieces.append(text[done:])
        self.text = "".join(pieces)
        if unbalanced and on_problem is not None:
            place = first_line + text.count("\n", 0, unbalanced[0])
            on_problem(Problem(f"{where}:{place}", describe_unbalanced(text, unbalanced)))

    def line(self, index: int) -> int:
        """The number that a line of ``text``, counted from 0, has in the file."""
        position = bisect_left(self._shifted, index)
        return self._first_line + index + (self._shifts[position - 1] if position else 0)

    def parts(self, text: str) -> list[str | Formula]:
        """A piece of what the parser gave, with formulas in place of tokens."""
        found: list[str | Formula] = []
        done = 0
        for match in _TOKEN.finditer(text):
            formula = self._formula(match)
            if formula is not None:
                found += [text[done : match.start()], formula]
                done = match.end()
        found.append(text[done:])
        return found

    def raw(self, text: str) -> str:
        """A piece of what the parser gave, as it was written."""
        return _TOKEN.sub(lambda match: self._sources[number] if (number := self._number(match)) >= 0 else " ", text)

    def _number(self, match: re.Match[str]) -> int:
        number = int(match.group(1)) if match.group(1) else ord(match.group(2)) - _FIRST
        return number if number < len(self._formulas) else -1

    def _formula(self, match: re.Match[str]) -> Formula | None:
        number = self._number(match)
        return self._formulas[number] if number >= 0 else None


def _bare(latex: str) -> str:
    """LaTeX on one line, without the backticks that GitLab wants inside dollars."""
    inside = _GITLAB.match(latex)
    return one_line(inside.group(1) if inside else latex)
