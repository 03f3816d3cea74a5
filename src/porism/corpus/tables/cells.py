"""Rows of cells from CSV and TSV files: the csv module reads them, and what breaks its rules costs one line."""

from __future__ import annotations

import csv
from collections import deque
from collections.abc import Iterator
from typing import IO, NamedTuple

from porism.corpus.streams import MAX_LINE_LENGTH, ByteProgress, byte_lines, decode
from porism.errors import OnProblem, Problem

MAX_LINES = 10_000
"""A quoted cell that goes on for longer is taken to have lost its closing quote."""
MAX_CELL_LENGTH = 64 << 20
"""So is one of more characters than this that goes on over lines."""
SEPARATORS = ",\t;|"
_USUAL = ","
_SNIFFED = 4096


class TableRow(NamedTuple):
    """One row: the number and byte offset of its first line, its length in bytes without the line end, its cells."""

    line: int
    offset: int
    length: int
    cells: list[str]


class _Line(NamedTuple):
    number: int
    offset: int
    length: int
    text: str


def read_rows(
    file: IO[bytes], name: str, on_problem: OnProblem, progress: ByteProgress | None = None, *, encoding: str = "utf-8",
    tabbed: bool = False, most_lines: int = MAX_LINES,
) -> Iterator[TableRow]:
    """Yields each row that is not blank. Lines end with LF, CR LF or CR.

    A cell that begins with a double quote ends at the next one that is not doubled, over line ends if need be. A row of
    several lines may break that rule, or there may be no such quote within ``most_lines``. Then the first line is
    reported and read as if quotes meant nothing. The next row begins with the line after it. A row of one line that
    breaks the rule loses its quotes in CSV; in TSV, which is often written without quoting, it keeps them as text.

    :param name: of the file, in problems.
    :param encoding: one in which ASCII characters are single bytes.
    :param tabbed: cells are separated by tabs; else the separator is guessed from the first row, a comma in doubt.
    """
    csv.field_size_limit(max(csv.field_size_limit(), MAX_LINE_LENGTH))  # one limit for the process: never lower it
    lines = _CellLines(_decoded(file, name, on_problem, progress, encoding), most_lines)
    separator, blanks = ("\t", False) if tabbed else _sniff(lines.first())
    reader = csv.reader(lines, delimiter=separator, skipinitialspace=blanks, strict=True)
    while True:
        taken = lines.begin()
        try:
            cells = next(reader)
        except StopIteration:
            return
        except csv.Error:
            lines.go_back()
            cells, closed = _broken(taken[0].text, separator, blanks)
            if not closed:
                problem = "a quote is never closed; its line is read without quotes"
                on_problem(Problem(f"{name}:{taken[0].number}", problem))
        number, offset, length, text = taken[0]
        if len(taken) > 1:
            length = taken[-1].offset + taken[-1].length - offset
        elif not text or text.isspace():
            continue
        yield TableRow(number, offset, length, cells)


class _CellLines:
    """The lines of a file, as the csv module asks for them, which can be given once more."""

    def __init__(self, source: Iterator[_Line], most_lines: int) -> None:
        self._source, self._most = source, most_lines
        self._taken: list[_Line] = []
        self._size = 0
        self._again: deque[_Line] = deque()

    def __iter__(self) -> _CellLines:
        return self

    def __next__(self) -> str:
        taken = self._taken
        if taken and (len(taken) >= self._most or self._size > MAX_CELL_LENGTH):
            raise csv.Error("a cell is too long")
        line = self._again.popleft() if self._again else next(self._source, None)
        if line is None:
            if taken:  # in quotes: else the reader would have given the row
                raise csv.Error("the file ends in quotes")
            raise StopIteration
        taken.append(line)
        self._size += len(line.text)
        return line.text + "\n"

    def begin(self) -> list[_Line]:
        """Begins a row; the list fills with the lines that are taken for it."""
        self._taken.clear()
        self._size = 0
        return self._taken

    def first(self) -> str:
        """The first line that is not blank, which stays to be read; blank ones before it are passed over."""
        for line in self._source:
            if line.text.strip():
                self._again.append(line)
                return line.text
        return ""

    def go_back(self) -> None:
        """Leaves the first line that was taken; those after it come again."""
        self._again.extendleft(reversed(self._taken[1:]))
        del self._taken[1:]


def _decoded(
    file: IO[bytes], name: str, on_problem: OnProblem, progress: ByteProgress | None, encoding: str
) -> Iterator[_Line]:
    extra = 0  # lines that end with CR, which the numbers of ``byte_lines`` leave out
    for number, offset, data in byte_lines(file, name, on_problem):
        if progress is not None:
            progress.add(len(data) + 1)
        if number == 1 and data.startswith(b"\xef\xbb\xbf"):
            data, offset = data[3:], 3
        parts = data.split(b"\r")
        for line, part in enumerate(parts, number + extra):
            yield _Line(line, offset, len(part), decode(part, f"{name}:{line}", on_problem, encoding))
            offset += len(part) + 1
        extra += len(parts) - 1


def _sniff(header: str) -> tuple[str, bool]:
    """The separator of a table, and whether blanks follow it; of the header alone, as text misleads the guess."""
    try:
        dialect = csv.Sniffer().sniff(header[:_SNIFFED], SEPARATORS)
    except csv.Error:
        return _USUAL, False
    return dialect.delimiter, dialect.skipinitialspace


def _broken(line: str, separator: str, blanks: bool) -> tuple[list[str], bool]:
    """The cells of a line that breaks the rules of quoting, and whether its last quote is closed."""
    cells = next(csv.reader([line + "\n"], delimiter=separator, skipinitialspace=blanks))
    closed = not cells[-1].endswith("\n")  # a line end in a cell is in quotes
    if closed and separator != "\t":
        return cells, True
    return next(csv.reader([line], delimiter=separator, skipinitialspace=blanks, quoting=csv.QUOTE_NONE)), closed
