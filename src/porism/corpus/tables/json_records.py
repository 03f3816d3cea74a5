"""Records from JSON: a line each, or the entries of one array of any size, in memory of one entry either way.

A scanner finds where each entry of an array ends by its quotes and brackets; the parsing is left to a library. So an
entry that is broken costs itself alone.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from porism.corpus.base import ReaderOptions
from porism.corpus.streams import BLOCK, ByteProgress, byte_lines, decode, narrow_encoding
from porism.errors import OnProblem, Problem

MAX_ENTRY_LENGTH = 16 << 20
"""Entries of more bytes are skipped."""
MAX_BRACKETS = 1_000_000
"""So are entries of more arrays and objects: each takes many times its bytes of memory."""
TOO_LONG = f"of more than {MAX_ENTRY_LENGTH >> 20} MB, or of more than {MAX_BRACKETS:,} arrays and objects"

_BETWEEN = re.compile(rb"[\s,]*+")
_MARK = re.compile(rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"|["{}\[\]]', re.DOTALL)
_REST_OF_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL)
_SCALAR = re.compile(rb'[^\s,\[\]{}"]*+')
_QUOTE, _END = b'"]'
_PARTNER = {b"]"[0]: b"["[0], b"}"[0]: b"{"[0]}


class ArrayEntry(NamedTuple):
    """One entry: its number from 1, and its bytes, or None and why it cannot be read."""

    number: int
    data: bytes | None
    problem: str = ""


def is_array(file: IO[bytes]) -> bool:
    """Whether a file is one JSON array rather than lines, some of which may be arrays."""
    start = file.read(1 << 16)
    file.seek(0)
    first, end, rest = start.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    return first.startswith(b"[") and not (end and rest.strip() and first.rstrip().endswith(b"]"))


def array_entries(file: IO[bytes], encoding: str, progress: ByteProgress) -> Iterator[ArrayEntry]:
    """Yields the entries of the array that a file holds, in UTF-8.

    Where the array breaks off, and where something follows it, is one more entry, with a problem, and the last.

    :param encoding: one in which ASCII characters are single bytes.
    """
    scanner = _Scanner(file, encoding, progress)
    scanner.go_to(b"[")
    number = 1
    while (first := scanner.go_to_entry()) is not None and first not in _PARTNER:
        try:
            data = scanner.entry(first)
        except ValueError:
            first = None
            break
        yield ArrayEntry(number, data, "" if data is not None else f"an entry {TOO_LONG} is skipped")
        number += 1
    if first != _END:
        yield ArrayEntry(number, None, "the array breaks off here")
    elif scanner.go_on():
        yield ArrayEntry(number, None, "what follows the array is skipped")


class _Scanner:
    """Reads a file block by block; ``_position`` is in the block that is open."""

    def __init__(self, file: IO[bytes], encoding: str, progress: ByteProgress) -> None:
        self._file, self._progress = file, progress
        utf8 = codecs.lookup(encoding).name == "utf-8"
        self._decoder = None if utf8 else codecs.getincrementaldecoder(encoding)("replace")
        self._block = b""
        self._position = 0
        self._opened = bytearray()  # the brackets that are open
        self._brackets = 0
        self._in_string = self._escaped = False

    def go_to(self, byte: bytes) -> None:
        """Goes on after the first of these bytes, which is there."""
        while (place := self._block.find(byte, self._position)) < 0 and self._fill():
            pass
        self._position = place + 1

    def go_to_entry(self) -> int | None:
        """Goes to what is not a blank and no comma, and returns its first byte; None at the end of the file."""
        while True:
            match = _BETWEEN.match(self._block, self._position)
            self._position = match.end() if match else self._position
            if self._position < len(self._block):
                return self._block[self._position]
            if not self._fill():
                return None

    def go_on(self) -> bool:
        """Whether anything but blanks follows the bracket at the position of the scanner."""
        self._position += 1
        return self.go_to_entry() is not None

    def entry(self, first: int) -> bytes | None:
        """The entry that begins here; None where it is too long or holds too many others.

        :raises ValueError: it has no end, or its brackets do not match.
        """
        scan = self._nested if first in b'"[{' else self._scalar
        pieces: list[bytes] = []
        size = self._brackets = 0
        while True:
            start = self._position
            ended = scan()
            size += self._position - start
            if size > MAX_ENTRY_LENGTH or self._brackets > MAX_BRACKETS:
                pieces.clear()
            else:
                pieces.append(self._block[start : self._position])
            if ended:
                return b"".join(pieces) or None
            if not self._fill():
                raise ValueError("the file ends inside an entry")

    def _fill(self) -> bool:
        """Goes to the next block; False at the end."""
        self._position = 0
        while True:
            block = self._file.read(BLOCK)
            self._progress.add(len(block))
            self._block = block
            if self._decoder is not None:
                self._block = self._decoder.decode(block, not block).encode("utf-8", "replace")
            if self._block or not block:
                return bool(self._block)

    def _scalar(self) -> bool:
        """Goes over a number or a word; False where it may go on in the next block."""
        match = _SCALAR.match(self._block, self._position)
        self._position = match.end() if match else len(self._block)
        return self._position < len(self._block)

    def _nested(self) -> bool:
        """Goes over an object, an array or a string; False where it goes on in the next block."""
        block = self._block
        if self._in_string:
            match = _REST_OF_STRING.match(block, self._position + self._escaped)
            if match is None:
                return self._leave_in_string(self._position + self._escaped)
            self._in_string = self._escaped = False
            self._position = match.end()
            if not self._opened:
                return True
        for match in _MARK.finditer(block, self._position):
            mark = block[match.start()]
            if mark == _QUOTE:
                if match.end() - match.start() == 1:
                    return self._leave_in_string(match.end())
            elif mark in _PARTNER:
                if self._opened.pop() != _PARTNER[mark]:
                    raise ValueError("brackets do not match")
            else:
                self._opened.append(mark)
                self._brackets += 1
            if not self._opened:
                self._position = match.end()
                return True
        self._position = len(block)
        return False

    def _leave_in_string(self, start: int) -> bool:
        """Notes that the block ends within a string that begins at ``start``."""
        rest = self._block[start:]
        self._in_string = True
        self._escaped = (len(rest) - len(rest.rstrip(b"\\"))) % 2 == 1
        self._position = len(self._block)
        return False


MAX_OTHERS = 1_000_000
"""An array is given up after so many entries in a row that are not objects."""


class Record(NamedTuple):
    """One record of a table: the line where it begins, and its keys and values."""

    line: int
    values: Mapping[str, Any]


def json_records(
    file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: ByteProgress
) -> Iterator[Record]:
    """Yields the objects of a file of JSON lines, or of one array; what is not an object is reported and skipped."""
    encoding = narrow_encoding(options.encoding)
    if is_array(file):
        yield from _array_records(file, path, encoding, on_problem, progress)
        return
    for line, _, data in byte_lines(file, path.name, on_problem, MAX_ENTRY_LENGTH):
        progress.add(len(data) + 1)
        data = data.removeprefix(b"\xef\xbb\xbf") if line == 1 else data
        if not data.strip():
            continue
        where = f"{path.name}:{line}"
        value = _loads(data, where, encoding, "a line", on_problem)
        if isinstance(value, dict):
            yield Record(line, value)
        elif value is not None or data.strip() == b"null":
            on_problem(Problem(where, f"a line that is not a JSON object but {type(value).__name__} is skipped"))


def _array_records(
    file: IO[bytes], path: Path, encoding: str, on_problem: OnProblem, progress: ByteProgress
) -> Iterator[Record]:
    """The objects of an array, one after the other; where the array breaks, what came before is kept."""
    others: list[int] = []  # the first and the last of a run of entries that are not objects

    def report_others() -> None:
        if others:
            first, last = others
            more = f" (so are those up to entry {last:,})" if last > first else ""
            on_problem(Problem(f"{path.name}: entry {first}", f"an entry that is not an object is skipped{more}"))
            others.clear()

    for number, data, problem in array_entries(file, encoding, progress):
        where = f"{path.name}: entry {number}"
        if data is None:
            report_others()
            on_problem(Problem(where, problem))
            continue
        if not data.startswith(b"{"):
            others[:] = [others[0] if others else number, number]
            if others[1] - others[0] < MAX_OTHERS:
                continue
            report_others()
            on_problem(Problem(where, f"after {MAX_OTHERS:,} entries that are not objects the array is not read on"))
            return
        report_others()
        value = _loads(data, where, "utf-8", "an entry", on_problem)
        if value is not None:
            yield Record(number, value)
    report_others()


def _loads(data: bytes, where: str, encoding: str, name: str, on_problem: OnProblem) -> Any:
    """A value of JSON; None and a report where it is none, or too large."""
    if len(data) > MAX_ENTRY_LENGTH or (
        len(data) > MAX_BRACKETS and data.count(b"[") + data.count(b"{") > MAX_BRACKETS
    ):
        on_problem(Problem(where, f"{name} {TOO_LONG} is skipped"))
        return None
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError as error:
        text = decode(data, where, on_problem, encoding)  # another encoding, or NaN, which orjson refuses
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            on_problem(Problem(where, f"{name} that is not valid JSON is skipped ({error})"))
            return None
