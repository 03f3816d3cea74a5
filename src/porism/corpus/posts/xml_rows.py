"""The ``<row …/>`` elements of Stack Exchange dumps, read so that a broken place does not lose the rows around it.

In such a dump ``<`` occurs only at the beginning of a tag, since attribute values must escape it. So the text is cut at
each ``<``, and the XML parser gets each row alone. Run over the whole file, the parser would stop for good at the first
error, and report no offsets.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import IO, NamedTuple

from lxml import etree

from porism.corpus.streams import BLOCK, ByteProgress, narrow_encoding
from porism.errors import OnProblem, Problem, SourceError

MAX_ROW_LENGTH = 64 << 20
MAX_STRAY_REPORTS = 20
_SEGMENT = re.compile(rb"<[^<]*")
_ROW = re.compile(rb"<row(?=[\s/>]|$)")
_DECLARED = re.compile(rb"""<\?xml[^<>]*\bencoding\s*=\s*["']([\w.:-]+)["']""")
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_REFERENCE = re.compile(r"&(?!(?:lt|gt|amp|quot|apos);)(?:#(\d{1,9});|#x([0-9A-Fa-f]{1,8});)?")
SAFE = {"resolve_entities": False, "no_network": True, "load_dtd": False, "huge_tree": True}
"""Settings of the XML parser: entities expand to nothing, and nothing is loaded."""
_PARSER = etree.XMLParser(**SAFE)


class XmlRow(NamedTuple):
    """One row: where it is (offset, length, line) and its attributes."""

    offset: int
    length: int
    line: int
    attributes: dict[str, str]


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

    def scan(self, progress: ByteProgress) -> Iterator[XmlRow]:
        """Yields all rows that can be read; anything else in the file is reported with line and byte."""
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
                    if len(data) > MAX_ROW_LENGTH:
                        self._problem(line, base, f"a row longer than {MAX_ROW_LENGTH >> 20} MB is skipped")
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
                if _ROW.match(segment):
                    length = segment.rfind(b">") + 1
                    breaks_off = not block and match.end() == end and length < len(segment.rstrip())
                    attributes = self._parse(segment[:length], line, base + start, breaks_off)
                    after_broken = attributes is None
                    if attributes is not None:
                        self.rows += 1
                        yield XmlRow(base + start, length, line, attributes)
                        if segment[length:].strip():
                            self._problem(line, base + start + length, "text after a row is skipped")
                elif segment.startswith(b"</"):
                    root_closed = root_closed or not segment.startswith(b"</row")
                elif self.rows and not segment.startswith((b"<!", b"<?")) and not after_broken:
                    stray += 1
                    if stray <= MAX_STRAY_REPORTS:
                        shown = segment[:40].decode("utf-8", "replace").strip()
                        self._problem(line, base + start, f"{shown!r} is not a row and is skipped")
            line += data.count(b"\n", counted, end)
            base += end
            carry = data[end:]
            if not block:
                break
        if self.rows and not root_closed:
            self._problem(line, base, f"the file ends before its closing tag; {self.rows} rows were read")

    def read(self, offset: int, length: int) -> dict[str, str]:
        """The attributes of the row at an offset that :meth:`scan` gave.

        :raises SourceError: the row is not there any more.
        """
        self.file.seek(offset)
        row = self.file.read(length).decode(self.encoding, "replace")
        try:
            return parse_row(row)
        except etree.XMLSyntaxError:
            pass  # scan has repaired and reported it
        try:
            return parse_broken_row(row)
        except etree.XMLSyntaxError as error:
            raise SourceError(
                f"the file has changed while it was read (byte {offset})", where=self.name, hint="Run the command again"
            ) from error

    def _parse(self, data: bytes, line: int, offset: int, breaks_off: bool) -> dict[str, str] | None:
        """The attributes of a row; None where it cannot be read. What was repaired or refused is reported.

        :param breaks_off: whether the file ends after this row, and not with the end of a tag.
        """
        try:
            row = data.decode(self.encoding)
        except UnicodeDecodeError as error:
            self._problem(
                line, offset, f"byte {error.start + 1} of a row is not {self.encoding}; such bytes become U+FFFD"
            )
            row = data.decode(self.encoding, "replace")
        try:
            return parse_row(row)
        except etree.XMLSyntaxError as error:
            reason = _reason(error)
        try:
            attributes = parse_broken_row(row)
        except etree.XMLSyntaxError:
            reason = reason if data else "it has a bare < in it, or no end"
            self._problem(
                line, offset,
                "the file breaks off inside this row" if breaks_off
                else f"a row with broken attributes is skipped ({reason})",
            )
            return None
        self._problem(line, offset, f"a row is repaired ({reason})")
        return attributes

    def _problem(self, line: int, offset: int, problem: str) -> None:
        self.on_problem(Problem(f"{self.name}:{line} (byte {offset})", problem))


def parse_row(row: str) -> dict[str, str]:
    """The attributes of an element that stands alone, as XML has them.

    :raises etree.XMLSyntaxError: it is not well-formed.
    """
    return dict(etree.fromstring(row if row.endswith("/>") else f"{row}</row>", _PARSER).attrib)


def parse_broken_row(row: str) -> dict[str, str]:
    """The attributes of a row once characters that XML forbids are out, ampersands that begin no reference are escaped,
    and whatever follows the tag is left aside.

    :raises etree.XMLSyntaxError: there is more wrong than that.
    """
    parser = etree.XMLPullParser(("start",), **SAFE)
    failure: etree.XMLSyntaxError | None = None
    try:
        parser.feed(repaired(row))
    except etree.XMLSyntaxError as error:
        failure = error
    for _, element in parser.read_events():
        return dict(element.attrib)
    raise failure or etree.XMLSyntaxError("the row has no end", 0, 0, 0)


def repaired(xml: str) -> str:
    """XML without characters that it forbids, and with ampersands that begin no reference escaped."""
    return _REFERENCE.sub(_allowed, _FORBIDDEN.sub(" ", xml))


def _allowed(match: re.Match[str]) -> str:
    decimal, hexadecimal = match.groups()
    if decimal or hexadecimal:
        code = int(decimal) if decimal else int(hexadecimal, 16)
        return match.group() if code < 0x110000 and not _FORBIDDEN.match(chr(code)) else "\ufffd"
    return "&amp;"


def _reason(error: etree.XMLSyntaxError) -> str:
    """What the parser says, without its place in the row."""
    return str(error.msg or error).partition(", line ")[0]
