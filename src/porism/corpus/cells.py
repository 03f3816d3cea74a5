"""Rows of cells from CSV and TSV files, with quotes where they are meant and not where they are text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO

from porism.corpus.streams import Progress, byte_lines, decode
from porism.errors import OnProblem, Problem

MOST_LINES = 10_000
"""A quoted cell that goes on for longer is taken to have lost its closing quote."""
LONGEST_CELL = 64 << 20
_SEPARATORS = (",", "\t", ";", "|")


def read_cells(
    file: IO[bytes],
    name: str,
    on_problem: OnProblem,
    progress: Progress | None = None,
    *,
    encoding: str = "utf-8",
    tabbed: bool = False,
) -> Iterator[tuple[int, list[str]]]:
    """Yields (line number, cells) of each row that is not blank.

    A cell that begins with a double quote ends at the next one that is not doubled, over line ends if need be; where
    there is none within 10,000 lines, the line is reported and read as if quotes meant nothing.

    :param tabbed: cells are separated by tabs; else the separator is the one that is most frequent in the first row.
    """
    separator = "\t" if tabbed else ""
    waiting: list[tuple[int, str]] = []
    size = quotes = 0

    def give_up() -> Iterator[tuple[int, list[str]]]:
        on_problem(Problem(f"{name}:{waiting[0][0]}", "a quote is never closed; its line is read without quotes"))
        for number, text in waiting:
            if text.strip():
                yield number, text.split(separator)

    for line, _, data in byte_lines(file, name, on_problem):
        if progress is not None:
            progress.add(len(data) + 1)
        data = data.removeprefix(b"\xef\xbb\xbf") if line == 1 else data
        text = decode(data, f"{name}:{line}", on_problem, encoding)
        separator = separator or _most_frequent(text)
        if not waiting:
            if not text.strip():
                continue
            if '"' not in text or not (text.startswith('"') or separator + '"' in text):
                yield line, text.split(separator)
                continue
            size = quotes = 0
        waiting.append((line, text))
        size += len(text)
        quotes += text.count('"')
        if quotes % 2 == 0:
            whole = "\n".join(part for _, part in waiting)
            yield waiting[0][0], _cut(whole, separator)
            waiting.clear()
        elif len(waiting) >= MOST_LINES or size > LONGEST_CELL:
            yield from give_up()
            waiting.clear()
    if waiting:
        yield from give_up()


def _most_frequent(first_line: str) -> str:
    unquoted = re.sub(r'"[^"]*"', "", first_line)
    return max(_SEPARATORS, key=unquoted.count)


def _cut(text: str, separator: str) -> list[str]:
    pattern = _PATTERNS[separator]
    cells: list[str] = []
    position = 0
    while True:
        match = pattern.match(text, position)
        if match is None:  # not reached: the last alternative matches anything
            break
        quoted, rest, plain = match.groups()
        cells.append(plain if quoted is None else quoted.replace('""', '"') + rest)
        position = match.end()
        if position >= len(text):
            break
        position += 1
    return cells


_PATTERNS = {
    separator: re.compile(rf'"((?:[^"]++|"")*+)"([^{re.escape(separator)}]*)|([^{re.escape(separator)}]*)')
    for separator in _SEPARATORS
}
