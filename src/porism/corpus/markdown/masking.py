"""Formulas taken out of a text before a parser of marks reads it, and put back into what the parser gives.

To a parser of Markdown or reStructuredText, the ``_``, ``*``, ``\\`` and ``|`` of a formula are marks. So each formula
is replaced by a token that no parser changes, and each token names its formula, so that a parser may move or drop it.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence

from porism.corpus.base import clean
from porism.corpus.formula_sources import aligned, is_escaped, one_line, unescaped, without_entities, without_labels
from porism.corpus.lines import LineMark
from porism.corpus.mathtext import describe_unbalanced, markdown_spans
from porism.errors import OnProblem, Problem
from porism.types import PLACEHOLDER, Formula

TOKEN = rf"(?:{PLACEHOLDER}(?P<number>[0-9]{{1,9}}){PLACEHOLDER}|(?P<wide>[\U000f0000-\U0010fffc])\U0010fffd*)"
"""A regular expression for what stands for a formula."""

_TOKEN = re.compile(TOKEN)
_RESERVED = re.compile("[\U000f0000-\U0010fffd]")
_FIRST = 0xF0000
_MAX_WIDE = 0x10FFFC - _FIRST
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
    :param first_line: the number of the first line.
    """

    def __init__(self, text: str, *, code: bool = True, wide: bool = False, first_line: int = 1) -> None:
        text = _RESERVED.sub(" ", clean(text).replace("\r\n", "\n").replace("\r", "\n"))
        self._formulas: list[Formula] = []
        self._sources: list[str] = []
        self._labels: dict[int, list[str]] = {}
        self.labels: list[str] = []
        """The labels in formulas that :meth:`parts` has given; who reads them clears them."""
        self._shifted: list[int] = []  # lines of the new text after which lines were left out, and how many till there
        self._shifts: list[int] = []
        self._first_line = first_line
        self._source_text = text
        self._unbalanced: list[int] = []
        pieces: list[str] = []
        done = line = left_out = 0
        for start, end, formula in markdown_spans(text, code=code, on_unbalanced=self._unbalanced.append):
            number = len(self._formulas)
            if wide and number > _MAX_WIDE:
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
                if code and (source.startswith("\\\\") or is_escaped(latex)):
                    latex = unescaped(latex)
                if code:
                    latex = without_entities(latex)
                latex, labels = without_labels(_bare(latex))
                if labels:
                    self._labels[number] = labels
                self._formulas.append(Formula(aligned(latex) if formula.display else latex, display=formula.display))
        pieces.append(text[done:])
        self.text = "".join(pieces)

    def report_unbalanced(self, where: str, on_problem: OnProblem | None, code: Sequence[tuple[int, int]] = ()) -> None:
        """Reports the delimiters without a partner, at most once.

        :param where: what the problem names as its place, before the number of the line.
        :param code: stretches of lines of ``text``, from 0, in which dollars are dollars.
        """
        if not self._unbalanced or on_problem is None:
            return
        ends = [(self.line(first), self.line(end)) for first, end in code]
        told: list[int] = []
        first_told = line = self._first_line
        done = stretch = 0
        for place in self._unbalanced:
            line += self._source_text.count("\n", done, place)
            done = place
            while stretch < len(ends) and ends[stretch][1] <= line:
                stretch += 1
            if stretch < len(ends) and ends[stretch][0] <= line:
                continue
            first_told = first_told if told else line
            told.append(place)
        if told:
            on_problem(Problem(f"{where}:{first_told}", describe_unbalanced(self._source_text, told)))

    def line(self, index: int) -> int:
        """The number that a line of ``text``, counted from 0, has in the file."""
        position = bisect_left(self._shifted, index)
        return self._first_line + index + (self._shifts[position - 1] if position else 0)

    def parts(self, text: str) -> list[str | Formula]:
        """A piece of what the parser gave, with formulas in place of tokens."""
        parts: list[str | Formula] = []
        done = 0
        for match in _TOKEN.finditer(text):
            number = self._number(match)
            if number >= 0:
                parts += [text[done : match.start()], self._formulas[number]]
                done = match.end()
                if skipped := self._sources[number].count("\n"):
                    parts.append(LineMark(skipped=skipped))
                self.labels += self._labels.get(number, ())
        parts.append(text[done:])
        return parts

    def raw(self, text: str) -> str:
        """A piece of what the parser gave, as it was written."""
        return _TOKEN.sub(lambda match: self._sources[number] if (number := self._number(match)) >= 0 else " ", text)

    def displays(self, text: str) -> list[str | Formula] | None:
        """The parts of a piece of ``text`` that is nothing but displayed formulas; None for any other."""
        if not text.strip() or _TOKEN.sub("", text).strip():
            return None
        return self.parts(text) if all(map(self.is_display, _TOKEN.finditer(text))) else None

    def is_display(self, match: re.Match[str]) -> bool:
        """Whether a match of ``TOKEN`` stands for a displayed formula."""
        number = self._number(match)
        return number >= 0 and self._formulas[number].display

    def _number(self, match: re.Match[str]) -> int:
        number = int(match["number"]) if match["number"] else ord(match["wide"]) - _FIRST
        return number if number < len(self._formulas) else -1


def _bare(latex: str) -> str:
    """LaTeX on one line, without the backticks that GitLab wants inside dollars."""
    inside = _GITLAB.match(latex)
    return one_line(inside.group(1) if inside else latex)
