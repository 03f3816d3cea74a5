"""The ``<row …/>`` elements of Stack Exchange dumps, read so that no broken place loses what stands around it.

In such a dump ``<`` stands nowhere but at the beginning of a tag (attribute values escape it), so rows are found
without an XML parser, which would stop for good at the first error.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from porism.corpus.streams import BLOCK, Progress, decode, narrow_encoding
from porism.errors import OnProblem, Problem

LONGEST_ROW = 64 << 20
MAX_STRAY_REPORTS = 20
_SEGMENT = re.compile(rb"<[^<]*")
_ROW = re.compile(rb"""<row\b(?:\s+[\w:.-]+\s*=\s*(?:"[^"]*"|'[^']*'))*+\s*/?>""")
_ATTRIBUTE = re.compile(rb"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)')""")
_DECLARED = re.compile(rb"""<\?xml[^<>]*\bencoding\s*=\s*["']([\w.:-]+)["']""")
_REFERENCE = re.compile(r"&(?:(lt|gt|amp|quot|apos)|#(\d{1,8})|#[xX]([0-9A-Fa-f]{1,7}));")
_NAMED = {"lt": "<", "gt": ">", "amp": "&", "quot": '"', "apos": "'"}
_BREAKS = re.compile(r"[\t\r\n]")


class Row(NamedTuple):
    """One row: where it stands (offset, length, line) and its attributes, still as they stand in the file."""

    offset: int
    length: int
    line: int
    attributes: dict[bytes, bytes]


class RowFile:
    """A file of rows: scanned once from its beginning, then read row by row at offsets."""

    def __init__(self, file: IO[bytes], path: Path, on_problem: OnProblem, encoding: str | None = None) -> None:
        self.file = file
        self.name = path.name
        self.on_problem = on_problem
        self.encoding = narrow_encoding(encoding) if encoding else self._declared_encoding()
        self.rows = 0

    def close(self) -> None:
        """Closes the file."""
        self.file.close()

    def _declared_encoding(self) -> str:
        start = self.file.read(1000)
        self.file.seek(0)
        declared = _DECLARED.search(start)
        if declared is None:
            return "utf-8"
        name = declared.group(1).decode("ascii", "replace")
        try:
            return narrow_encoding(name)
        except LookupError:
            self.on_problem(Problem(self.name, f"the encoding {name!r} is not known; UTF-8 is assumed"))
            return "utf-8"

    def scan(self, progress: Progress) -> Iterator[Row]:
        """Yields all rows that can be read; whatever else stands in the file is reported with line and byte."""
        base, line, carry = 0, 1, b""
        root_closed, stray, after_broken = False, 0, False
        self.file.seek(0)
        while True:
            block = self.file.read(max(BLOCK, len(carry)))  # growing blocks keep long rows linear
            progress.add(len(block))
            data = carry + block
            if block:
                end = data.rfind(b"<")
                if end <= 0:
                    if len(data) > LONGEST_ROW:
                        self._problem(line, base, f"a row longer than {LONGEST_ROW >> 20} MB is skipped")
                        line += data.count(b"\n")
                        base += len(data)
                        data = b""
                    carry = data
                    continue
            else:
                end = len(data)
            counted = 0
            for match in _SEGMENT.finditer(data, 0, end):
                start = match.start()
                segment = match.group()
                line += data.count(b"\n", counted, start)
                counted = start
                row = _ROW.match(segment)
                if row is not None:
                    after_broken = False
                    self.rows += 1
                    yield Row(base + start, row.end(), line, _attributes(row.group()))
                    if row.end() < len(segment) and segment[row.end():].strip():
                        self._problem(line, base + start + row.end(), "text after a row is skipped")
                elif segment.startswith(b"<row") and not segment[4:5].isalnum():
                    after_broken = True
                    what = "the file breaks off inside this row" if not block and match.end() == end and not (
                        segment.rstrip().endswith(b">")) else "a row with broken attributes is skipped"
                    self._problem(line, base + start, what)
                elif segment.startswith(b"</"):
                    root_closed = root_closed or not segment.startswith(b"</row")
                elif self.rows and not segment.startswith((b"<!", b"<?")) and not after_broken:
                    stray += 1
                    if stray <= MAX_STRAY_REPORTS:
                        shown = segment[:40].decode("utf-8", "replace").strip()
                        self._problem(line, base + start, f"{shown!r} is no row and is skipped")
            line += data.count(b"\n", counted, end)
            base += end
            carry = data[end:]
            if not block:
                break
        if self.rows and not root_closed:
            self._problem(line, base, f"the file ends before its closing tag; {self.rows} rows were read")

    def read(self, offset: int, length: int) -> dict[bytes, bytes]:
        """The attributes of the row at an offset that :meth:`scan` gave."""
        self.file.seek(offset)
        return _attributes(self.file.read(length))

    def text(self, attributes: dict[bytes, bytes], name: bytes) -> str:
        """An attribute decoded and unescaped; empty where the row does not have it."""
        value = attributes.get(name)
        if not value:
            return ""
        row = attributes.get(b"Id", b"?").decode("ascii", "replace")
        text = decode(
            value, f"{self.name}: row {row}: {name.decode('ascii', 'replace')}", self.on_problem, self.encoding
        )
        if "\n" in text or "\t" in text or "\r" in text:
            text = _BREAKS.sub(" ", text)  # XML's rule for attributes; real line ends are written &#xA;
        return unescape_xml(text) if "&" in text else text

    def _problem(self, line: int, offset: int, what: str) -> None:
        self.on_problem(Problem(f"{self.name}:{line} (byte {offset})", what))


def unescape_xml(text: str) -> str:
    """Replaces the entities that XML has by itself and character references; others stay for HTML to know."""
    if "&#" in text:
        return _REFERENCE.sub(_referred, text)
    return (
        text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", '"').replace("&apos;", "'")
        .replace("&amp;", "&")
    )


def _referred(match: re.Match[str]) -> str:
    name, decimal, hexadecimal = match.groups()
    if name:
        return _NAMED[name]
    code = int(decimal) if decimal else int(hexadecimal, 16)
    return chr(code) if 0 < code < 0x110000 and not 0xD800 <= code < 0xE000 else "\ufffd"


def _attributes(row: bytes) -> dict[bytes, bytes]:
    return {name: double or single for name, double, single in _ATTRIBUTE.findall(row)}
