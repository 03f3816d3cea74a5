"""Which runs of a text are formulas, and the text with these in place."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from porism.formula.notation import detect_notation, parse
from porism.formula.plain.dialects import DIALECTS
from porism.formula.recognition.lexemes import (
    APPLIED,
    CALLED,
    GREEK,
    NAMED,
    OPERAND_ENDS,
    OPERAND_STARTS,
    Lexeme,
    is_mathematical,
    lexemes,
)
from porism.formula.recognition.runs import runs
from porism.formula.recognition.spelled import with_signs
from porism.formula.recognition.spoken_runs import spoken_runs
from porism.formula.tables.notations import SYMBOL_NAMES
from porism.formula.writers.latex import to_latex
from porism.types import Content, Formula

_ABBREVIATIONS = frozenset("n/a w/o c/o i/o a/c b/c y/n w/e s/o".split())
_PLURALS = frozenset({"s", "es"})
"""What is in parentheses after a word that may be several: ``floor(s)``."""
_INDEX = re.compile(r"[ijklmnpqrst]\Z")
_LATEX = re.compile(r"\\[A-Za-z{}|]")
_MAY_BE = re.compile(
    rf"[\\^_<>=+*×·−~]|[^\x00-\u02ff]|(?<![^\W\d_])[^\W\d_]['′]*[(\[]|(?:{'|'.join(sorted(CALLED))})\(|\|\S"
    rf"|\b(?:{'|'.join(sorted(APPLIED))})\s"
)
"""What a formula has at least one of."""
_LATEX_OF_TEXT = re.compile(
    r"\\(?:item|chapter|(?:sub)*section|paragraph|emph|textbf|textit|label|ref|cite)(?![A-Za-z])|\{\\(?:em|it|bf)\s"
    r"|\\begin\{(?!\w*matrix|cases|aligned|array)|\$[^$\n]{0,200}[\\^_][^$\n]{0,200}\$"
)
"""What documents in LaTeX have, which mark their formulas: commands of text, and dollars."""
_MIN_WORD = 3
_MIN_LONG_WORD = 4
_MARKS_OF_FORMULAS = frozenset({"sign", "script", "command"})
_NAME = re.compile(r"[A-Za-z]{2,}")
_ASCIIMATH_NAMES = frozenset(
    name for names in SYMBOL_NAMES["asciimath"].values() for name in names if name.isalpha()
) - DIALECTS["unicode"].symbols.keys()
_SYMBOLS = (DIALECTS["asciimath"].symbols.keys() | DIALECTS["asciimath"].structures.keys()) - NAMED
"""Names that are not words too; those of other functions are: ``rank``."""
_STAR = re.compile(r"(?<![\^_*])\*(?!\*)")
"""An asterisk that multiplies."""


@dataclass(frozen=True, slots=True)
class Guess:
    """A text in which formulas were recognised: the ``content``, the LaTeX of those that are new, what stayed words
    though it could be a formula (``doubtful``), and the words of formulas that are said (``spoken``)."""

    content: Content
    formulas: tuple[str, ...] = ()
    doubtful: tuple[str, ...] = ()
    spoken: tuple[str, ...] = ()


def recognise(content: Content) -> Content:
    """The content with the formulas of its text recognised; where nothing is, it is the same object.

    One in a plain notation keeps its text, so that its words are found and the content is shown as it was written. A
    text with dollars around formulas, or with LaTeX's commands for text, marks its formulas, so that it has no others.
    """
    if _LATEX_OF_TEXT.search(content.text) is not None:
        return content
    guess = _recognised(content, _MAY_BE.search, _as_written)
    return guess.content if guess.formulas else content


def find_formulas(text: str) -> list[tuple[int, int]]:
    """The places of the formulas of a text that has none yet, in order."""
    return [(run[0].start, run[-1].end) for run in runs(text, _MAY_BE.search) if _is_formula(run)]


def recognise_formulas(text: Content | str) -> Guess:
    """Recognises formulas in a text; those that it has already stay as they are.

    Each is read in the notation that it is probably written in, or as it is said. The words of one stay in the text,
    after it; those of a formula that is said are apart, since they say little beside it.
    """
    said = _with_spoken(Content(text) if isinstance(text, str) else text)
    guess = _recognised(_with_signs(said.content), bool, _as_latex)
    return replace(guess, formulas=(*said.formulas, *guess.formulas), spoken=said.spoken)


def _with_signs(content: Content) -> Content:
    """The content with characters in place of the names of symbols, which stay as words after it."""
    parts: list[str | Formula] = []
    words: list[str] = []
    for part in content.parts:
        text, names = with_signs(part) if isinstance(part, str) else (part, [])
        parts.append(text)
        words += names
    return Content.of(*parts, *(f" {word}" for word in words)) if words or parts != list(content.parts) else content


def _with_spoken(content: Content) -> Guess:
    """The content with the spoken formulas of its text as LaTeX."""
    parts: list[str | Formula] = []
    formulas: list[str] = []
    words: list[str] = []
    for part in content.parts:
        if isinstance(part, Formula):
            parts.append(part)
            continue
        done = 0
        for start, end in spoken_runs(part):
            source = part[start:end]
            formulas.append(to_latex(parse(source, "spoken")))
            words += [word for word in _NAME.findall(source) if len(word) >= _MIN_WORD]
            parts += [part[done:start], Formula(formulas[-1])]
            done = end
        parts.append(part[done:])
    return Guess(Content.of(*parts) if formulas else content, tuple(formulas), spoken=tuple(words))


def _recognised(
    given: Content, is_worth: Callable[[str], object], read: Callable[[str], tuple[Formula, str]]
) -> Guess:
    parts: list[str | Formula] = []
    formulas: list[str] = []
    doubtful: list[str] = []
    lines = _Lines(given)
    for part in given.parts:
        if isinstance(part, Formula):
            parts.append(part)
            lines.keep(1)
            continue
        done = 0
        for run in runs(part, is_worth):
            start, end = run[0].start, run[-1].end
            if _is_formula(run):
                formula, words = read(part[start:end])
                parts += [part[done:start], formula, words]
                formulas.append(formula.source)
                lines.keep(start - done)
                lines.change(end - start, 1 + len(words))
                done = end
            elif _is_doubtful(run, part[start:end]):
                doubtful.append(part[start:end])
        parts.append(part[done:])
        lines.keep(len(part) - done)
    content = replace(Content.of(*parts), lines=lines.entries())
    return Guess(content, tuple(formulas), tuple(dict.fromkeys(doubtful)))


class _Lines:
    """Where the lines of a content are (:attr:`~porism.types.Content.lines`) while parts of its text change."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self._before = self._after = 0
        self._waiting = list(reversed(content.lines))
        self._entries: list[tuple[int, int]] = []

    def keep(self, length: int) -> None:
        """So many characters stay as they are."""
        self._before += length
        while self._waiting and self._waiting[-1][0] < self._before:
            character, line = self._waiting.pop()
            self._entries.append((self._after + length - (self._before - character), line))
        self._after += length

    def change(self, before: int, after: int) -> None:
        """So many characters become so many others, on one line."""
        start = self._before
        self._before += before
        self._after += after
        is_given = bool(self._waiting) and self._waiting[-1][0] < self._before
        while self._waiting and self._waiting[-1][0] < self._before:
            self._waiting.pop()
        if self._content.lines and (is_given or "\n" in self._content.text[start:self._before]):
            self._entries.append((self._after, self._content.line_of(self._before)))

    def entries(self) -> tuple[tuple[int, int], ...]:
        """The entries of the changed text."""
        return (*self._entries, *((self._after, line) for _, line in reversed(self._waiting)))


def _as_written(source: str) -> tuple[Formula, str]:
    """A formula in the notation that it is probably written in, with no words beside it."""
    notation = detect_notation(source)
    if notation == "mathml" or _LATEX.search(source) is not None:
        return Formula(source), ""
    if notation in ("latex", "asciimath") and not _ASCIIMATH_NAMES.intersection(_NAME.findall(source)):
        notation = "unicode"  # P(A)/P(B) is one fraction there
    return Formula(source, notation), ""


def _as_latex(source: str) -> tuple[Formula, str]:
    """A formula as LaTeX, and its words."""
    formula, _ = _as_written(source)
    if not formula.is_plain:
        return formula, ""
    words = [
        piece.text for piece in lexemes(source, 0, len(source))
        if piece.kind == "letters" and len(piece.text) >= _MIN_WORD and piece.text not in _SYMBOLS
    ]
    written = _STAR.sub("⋅", source) if formula.notation == "unicode" else source
    return Formula(to_latex(parse(written, formula.notation))), "".join(f" {word}" for word in words)


def _is_formula(run: Sequence[Lexeme]) -> bool:
    """Whether a run has something that prose has not."""
    return any(_tells(run, number) for number in range(len(run))) and not _is_prose(run)


def _is_prose(run: Sequence[Lexeme]) -> bool:
    """Whether most of what signs of the keyboard join are long words: ``name=value``."""
    if any(lexeme.kind in _MARKS_OF_FORMULAS for lexeme in run):
        return False
    operands = [lexeme.text for lexeme in run if lexeme.kind in ("letters", "number", "wildcard")]
    words = sum(len(text) >= _MIN_LONG_WORD and text not in CALLED and text not in GREEK for text in operands)
    return 2 * words > len(operands)


def _tells(run: Sequence[Lexeme], number: int) -> bool:
    lexeme = run[number]
    before = run[number - 1] if number else None
    after = run[number + 1] if number + 1 < len(run) else None
    between = before is not None and after is not None and (
        before.kind in OPERAND_ENDS and (after.kind in OPERAND_STARTS or (
            after.text in ("+", "-", "−") and number + 2 < len(run) and run[number + 2].kind in OPERAND_STARTS
        ))
    )
    if lexeme.kind == "command":
        return is_mathematical(lexeme.text)
    if lexeme.kind == "sign":
        return len(run) > 1
    if lexeme.kind == "relation":
        return between and _has_symbol(run)
    if lexeme.kind == "script":
        return between and (lexeme.text == "^" or _is_index(run, number))
    if lexeme.kind == "operator":
        return between and lexeme.text in "+*×·−" and _has_symbol(run)
    if lexeme.kind == "prime" and after is not None:
        return after.text == "(" and after.start == lexeme.end
    if lexeme.kind == "letters" and after is not None:
        called = after.kind == "open" and after.text == "(" and after.start == lexeme.end
        if called and (len(lexeme.text) == 1 or (lexeme.text in CALLED and not _is_plural(run, number))):
            return True
        if after.text == "[" and after.start == lexeme.end and len(lexeme.text) == 1:
            return number + 2 < len(run) and run[number + 2].kind == "letters"  # a ring of polynomials: A[x]
        return lexeme.text in APPLIED and after.kind in ("letters", "number", "sign")
    return lexeme.kind == "bar" and number == 0 and len(run) > 2 and run[-1].kind == "bar" and after is not None and (
        after.start == lexeme.end
    )


def _is_plural(run: Sequence[Lexeme], number: int) -> bool:
    return number + 2 < len(run) and run[number + 2].text in _PLURALS


def _is_index(run: Sequence[Lexeme], number: int) -> bool:
    """Whether ``_`` begins an index (``a_n``, ``x_{12}``), not a part of a name (``my_file``, ``a_b``)."""
    before, after = run[number - 1], run[number + 1]
    if before.kind == "letters" and len(before.text) > 1 and before.text not in GREEK:
        return False
    return after.kind != "letters" or _INDEX.match(after.text) is not None


def _has_symbol(run: Sequence[Lexeme]) -> bool:
    return any(lexeme.kind in ("letters", "wildcard", "command", "sign") for lexeme in run)


def _is_doubtful(run: Sequence[Lexeme], text: str) -> bool:
    """Whether a run could be a formula, or a name or an abbreviation."""
    if text.lower() in _ABBREVIATIONS or not any(lexeme.kind == "letters" for lexeme in run):
        return False
    return any(
        before.kind in OPERAND_ENDS and after.kind in OPERAND_STARTS and (
            sign.text in ("/", "_") or (sign.text == "-" and "number" in (before.kind, after.kind))
        )
        for before, sign, after in zip(run, run[1:], run[2:], strict=False)
    )
