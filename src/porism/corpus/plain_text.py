"""Plain text: a document a file, and a long file in pieces that end with a paragraph."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import BinaryIO

from porism.corpus.base import ReaderOptions, UnitId, clean
from porism.corpus.lines import MARK, LineMark, located
from porism.corpus.mathtext import describe_unbalanced, split_parts
from porism.corpus.text_files import guess_encoding, open_file
from porism.corpus.walking import FileReader
from porism.errors import OnProblem, Problem
from porism.types import PLACEHOLDER, Content, Document, Formula

WHOLE_FILE = 4_000
"""Files of at most so many characters are one document."""
PIECE = 2_000
"""Pieces of longer files end with the paragraph in which they reach so many characters."""
MAX_LINE_LENGTH = 1 << 20
"""A longer line is cut."""

_ESCAPED = re.compile("[\udc80-\udcff]")


class PlainReader(FileReader):
    """Reads plain text files, in a stream."""

    name = "text"
    document = "a file; of a long one about 2,000 characters"
    extensions = (".txt", ".text")

    def read_file(
        self, path: Path, name: str, source: str, options: ReaderOptions, on_problem: OnProblem
    ) -> Iterator[Document]:
        try:
            with open_file(path) as file:
                head = file.read(4096)
                encoding = options.encoding or guess_encoding(head)
                if encoding is None and b"\0" in head:
                    on_problem(Problem(name, "is not text; it is left out"))
                    return
                file.seek(0)
                yield from _documents(_lines(file, name, encoding or "utf-8", on_problem), name, source, on_problem)
        except OSError as error:
            on_problem(Problem(name, f"cannot be read ({error.strerror or error})"))


def _lines(file: BinaryIO, name: str, encoding: str, on_problem: OnProblem) -> Iterator[str]:
    """The lines of a file, decoded in blocks; bytes that are not of the encoding are read as Latin-1, reported once."""
    reported = False
    wide = encoding.startswith(("utf-16", "utf-32"))
    errors = "replace" if wide else "surrogateescape"
    with io.TextIOWrapper(file, encoding=encoding, errors=errors, newline=None) as reader:
        while line := reader.readline(MAX_LINE_LENGTH):
            broken = "\ufffd" in line if wide else not line.isascii() and _ESCAPED.search(line) is not None
            if broken and not reported:
                reported = True
                rest = "what is broken is left out" if wide else "other bytes are read as Latin-1"
                on_problem(Problem(name, f"is not all {encoding.upper()}; {rest}"))
            if broken:
                line = line.replace("\ufffd", "") if wide else _ESCAPED.sub(_as_latin, line)
            yield line


def _as_latin(match: re.Match[str]) -> str:
    byte = bytes([ord(match.group()) - 0xDC00])
    try:
        return byte.decode("cp1252")
    except UnicodeDecodeError:
        return byte.decode("latin-1")


def _documents(lines: Iterator[str], name: str, source: str, on_problem: OnProblem) -> Iterator[Document]:
    waiting: list[tuple[int, str]] = []  # paragraphs of the open piece, with their lines
    paragraph: list[str] = []
    size = number = line_number = 0
    start = 1
    whole = True  # nothing has been handed out yet

    def document(last: bool) -> Document | None:
        body = _body(waiting, start, f"{name}:{start}", on_problem)
        if not body:
            return None
        alone, text = whole and last, body.text
        title = text.split("\n", 1)[0]
        fields = {"body": body}
        if alone and "\n" in text and 0 < len(title) <= 120 and not {"$", PLACEHOLDER} & set(title):
            fields = {"title": Content(title), "body": body}
        return Document(
            UnitId(name) if alone else UnitId(name, str(number)), fields,
            {"source": source, "type": "text", "file": name, "line": str(start)},
        )

    for line in lines:
        line_number += 1
        if line.strip():
            paragraph.append(line.rstrip())
            size += len(line)
            if size <= WHOLE_FILE * 4:  # a paragraph without end is cut all the same
                continue
        if paragraph:
            end = line_number if line.strip() else line_number - 1
            waiting.append((end - len(paragraph) + 1, "\n".join(paragraph)))
            paragraph = []
        if size > (WHOLE_FILE if whole else PIECE):
            number += 1
            piece = document(last=False)
            if piece is not None:
                yield piece
            whole, waiting, size, start = False, [], 0, line_number + 1
    if paragraph:
        waiting.append((line_number - len(paragraph) + 1, "\n".join(paragraph)))
    number += 1
    piece = document(last=True)
    if piece is not None:
        yield piece


def _body(paragraphs: list[tuple[int, str]], first_line: int, where: str, on_problem: OnProblem) -> Content:
    """The content of paragraphs, each with its line."""
    text = "\n\n".join(f"{MARK}{clean(paragraph)}" for _, paragraph in paragraphs).replace("\ufeff", "", 1)
    marks = iter([LineMark(line) for line, _ in paragraphs])
    unbalanced: list[int] = []
    parts: list[str | Formula] = []
    for part in split_parts(text, on_unbalanced=unbalanced.append):
        if isinstance(part, Formula):
            for _ in range(part.source.count(MARK)):
                next(marks)
            parts.append(replace(part, source=part.source.replace(MARK, "")))
            continue
        before, *after = part.split(MARK)
        parts.append(before)
        for piece in after:
            parts += [next(marks), piece]
    if unbalanced:
        first = unbalanced[0] - text.count(MARK, 0, unbalanced[0])
        on_problem(Problem(where, describe_unbalanced(text.replace(MARK, ""), [first, *unbalanced[1:]])))
    return located(parts, str.strip, first_line)
