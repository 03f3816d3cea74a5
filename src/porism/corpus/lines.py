"""From places in the text of a document to lines of its file.

Readers put a :class:`LineMark` among the parts of a document where they know the line. A mark is an empty string, so
that whoever joins parts need not know of it; :func:`located` turns the marks into the ``lines`` of the content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Self

from porism.types import Content, Formula

MARK = "\x01"
"""Stands for a mark inside a string; readers let no control character through."""


class LineMark(str):
    """Says in which line of the file the next part begins.

    Or it says how many more lines the formula before it has in the file than its place in the text has.
    """

    line: int | None
    skipped: int

    def __new__(cls, line: int | None = None, *, skipped: int = 0) -> Self:
        self = super().__new__(cls)
        self.line, self.skipped = line, skipped
        return self


def marked_lines(text: str, line: int) -> list[str]:
    """The parts of a text that begins in this line and is kept as it is, each with its line: blank lines are many lines
    of the file, but not of the document.
    """
    parts: list[str] = [LineMark(line)]
    paragraphs = text.split("\n\n")
    for number, paragraph in enumerate(paragraphs):
        if number:
            line += 2
            parts += ["\n\n", LineMark(line)]
        parts.append(paragraph)
        line += paragraph.count("\n")
    return parts


def located(parts: Iterable[str | Formula], tidied: Callable[[str], str], first_line: int) -> Content:
    """The content of parts in a document that begins in this line.

    :param tidied: takes away white space, and nothing else.
    """
    marks: list[LineMark] = []
    waiting: list[tuple[LineMark, int]] = []  # with the line ends before
    line_ends = 0
    pieces: list[str | Formula] = []
    for part in parts:
        if isinstance(part, LineMark):
            waiting.append((part, line_ends))
            continue
        if waiting:
            blank = "" if isinstance(part, Formula) else part[: len(part) - len(part.lstrip())]
            line_ends += blank.count("\n")
            if part != blank:
                marks += [
                    mark if mark.line is None else LineMark(mark.line + line_ends - before) for mark, before in waiting
                ]
                pieces += [blank, MARK * len(waiting)]
                waiting = []
                part = part[len(blank) :] if isinstance(part, str) else part
        pieces.append(part)
    content = Content.of(*pieces)
    text = tidied(content.text)
    if not marks:
        return Content(text, content.formulas)
    stretches = text.split(MARK)
    lines = _lines(stretches, marks, first_line)
    if "\n" not in text and not any(line for _, line in lines):  # all on the first line
        lines = ()
    return Content("".join(stretches), content.formulas, lines)


def _lines(stretches: Sequence[str], marks: Sequence[LineMark], first_line: int) -> tuple[tuple[int, int], ...]:
    """The places where a line is another than the line ends of the text say; of each place the last mark counts."""
    lines: list[tuple[int, int]] = []
    place, line = len(stretches[0]), stretches[0].count("\n")
    expected = line
    for mark, stretch in zip(marks, stretches[1:], strict=True):
        line = line + mark.skipped if mark.line is None else mark.line - first_line
        if not stretch:  # another mark of the same place follows
            continue
        if line != expected or not lines:
            lines.append((place, line))
        place += len(stretch)
        line += stretch.count("\n")
        expected = line
    return tuple(lines)
