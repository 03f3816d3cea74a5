"""The line of each setting in a TOML text; ``tomllib`` reads values and forgets their places."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from contextlib import suppress

from porism.settings import Path

_BLANK = re.compile(r"(?:[ \t\n]|#[^\n]*)*")
_BARE_KEY = re.compile(r"[A-Za-z0-9_-]+")
_SCALAR = re.compile(r"[^,\]}#\n]*")
_LONG_STRING = {
    '"""': re.compile(r'"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}'),
    "'''": re.compile(r"'''(?:[^']|'{1,2}(?!'))*'{3,5}"),
}
_STRING = {'"': re.compile(r'"(?:[^"\\\n]|\\.)*"'), "'": re.compile(r"'[^'\n]*'")}


def line_numbers(text: str) -> dict[Path, int]:
    """The line, from 1, of every key and every entry of an array in a TOML text that ``tomllib`` accepts.

    Paths hold the names of keys and the numbers of array entries, as they lead through what ``tomllib.loads`` gives. A
    table is where its header is, one without a header where it is first mentioned. Arrays and inline tables may
    be nested as deeply as the interpreter's stack allows ``tomllib`` itself; beyond that, only the places found so far
    are given.
    """
    scanner = _TomlScanner(text.replace("\r\n", "\n"))
    with suppress(_Lost, RecursionError):  # not TOML, or nested too deeply: what was found is still right
        scanner.document()
    return scanner.lines


def line_of(lines: Mapping[Path, int], path: Path) -> int | None:
    """The line of a setting, or of the nearest table around it; None where no part of the path is known."""
    for length in range(len(path), 0, -1):
        if (line := lines.get(path[:length])) is not None:
            return line
    return None


class _Lost(Exception):
    """The text is not what ``tomllib`` accepts."""


class _TomlScanner:
    """Walks through a text once; ``position`` is where it is, ``line`` that place's line."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.line = 1
        self.lines: dict[Path, int] = {}
        self.headed: set[Path] = set()
        self.counts: dict[Path, int] = {}  # entries so far of arrays of tables

    def document(self) -> None:
        table: Path = ()
        self.take(_BLANK)
        while self.position < len(self.text):
            if self.text[self.position] == "[":
                table = self.header()
            else:
                self.pair(table)
            self.take(_BLANK)

    def take(self, pattern: re.Pattern[str]) -> str:
        match = pattern.match(self.text, self.position)
        if match is None:
            raise _Lost
        self.position = match.end()
        self.line += match[0].count("\n")
        return match[0]

    def skip(self, mark: str) -> bool:
        """Whether a mark is here; it is passed."""
        if not self.text.startswith(mark, self.position):
            return False
        self.position += len(mark)
        return True

    def expect(self, mark: str) -> None:
        if not self.skip(mark):
            raise _Lost

    def header(self) -> Path:
        line = self.line
        is_array = self.text.startswith("[[", self.position)
        self.expect("[[" if is_array else "[")
        keys = self.keys()
        self.expect("]]" if is_array else "]")
        path: Path = ()
        for number, key in enumerate(keys):
            path = (*path, key)
            self.lines.setdefault(path, line)
            is_last = number == len(keys) - 1
            if is_last and is_array:
                entry = self.counts.get(path, 0)
                self.counts[path] = entry + 1
                path = (*path, entry)
                self.lines[path] = line
            elif path in self.counts:  # a table in the newest entry of an array of tables
                path = (*path, self.counts[path] - 1)
            if is_last and path not in self.headed:
                self.headed.add(path)
                self.lines[path] = line
        return path

    def pair(self, table: Path) -> None:
        """A key, which may be dotted, and its value."""
        line = self.line
        path = table
        for key in self.keys():
            path = (*path, key)
            self.lines.setdefault(path, line)
        self.expect("=")
        self.take(_BLANK)
        self.value(path)

    def keys(self) -> list[str]:
        keys = []
        while True:
            self.take(_BLANK)
            quote = self.text[self.position : self.position + 1]
            if quote in _STRING:
                keys.append(next(iter(tomllib.loads(f"{self.take(_STRING[quote])} = 0"))))
            else:
                keys.append(self.take(_BARE_KEY))
            self.take(_BLANK)
            if not self.skip("."):
                return keys

    def value(self, path: Path) -> None:
        start = self.text[self.position : self.position + 3]
        if start in _LONG_STRING:
            self.take(_LONG_STRING[start])
        elif start[:1] in _STRING:
            self.take(_STRING[start[:1]])
        elif self.skip("["):
            self.entries(path)
        elif self.skip("{"):
            self.take(_BLANK)
            while not self.skip("}"):
                self.pair(path)
                self.take(_BLANK)
                self.skip(",")
                self.take(_BLANK)
        else:
            self.take(_SCALAR)

    def entries(self, path: Path) -> None:
        """The entries of an array, behind its bracket."""
        number = 0
        self.take(_BLANK)
        while not self.skip("]"):
            entry = (*path, number)
            self.lines[entry] = self.line
            before = self.position
            self.value(entry)
            self.take(_BLANK)
            self.skip(",")
            self.take(_BLANK)
            if self.position == before:
                raise _Lost
            number += 1
