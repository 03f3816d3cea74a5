"""Files as readers need them: seekable bytes whatever the compression, lines that cannot fill the memory, progress."""

from __future__ import annotations

import codecs
import gzip
import os
import tempfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from porism.corpus.base import OnProgress
from porism.corpus.text_files import guess_encoding, kind_of_special, open_file
from porism.errors import OnProblem, Problem, SourceError

BLOCK = 1 << 20
MAX_LINE_LENGTH = 256 << 20
MAX_UNPACKED = 64 << 30
"""Bytes that gzip data may unpack to unless the reader's options say otherwise."""
UNPACKED_FREELY = 256 << 20
MAX_TIMES_UNPACKED = 200
"""Beyond 256 MiB, gzip data may unpack to so many times their size: text stays far below, and bombs reach 1,000."""
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "utf-32", codecs.BOM_UTF32_BE: "utf-32", codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}


class ByteProgress:
    """Adds up bytes and calls a callback now and then, a few hundred times in all."""

    def __init__(self, on_progress: OnProgress | None, total: int) -> None:
        self._tell = on_progress
        self.total = total
        self.done = 0
        self._next = 0
        self._step = max(1, total // 400)

    def add(self, count: int) -> None:
        """Says that ``count`` more bytes are done."""
        self.done += count
        if self._tell is not None and self.done >= self._next:
            self._next = self.done + self._step
            self._tell(min(self.done, self.total), self.total)

    def finish(self) -> None:
        """Says that all is done."""
        if self._tell is not None:
            self._tell(self.total, self.total)


def check_source(path: Path, expected: str) -> None:
    """Refuses a file that is missing, empty or cannot be read.

    :param expected: what should be there, for the message.
    :raises SourceError: the file is missing, is not a file, is empty, or cannot be opened.
    """
    hint = f"Expected {expected}"
    try:
        if path.is_dir():
            raise SourceError("this is a folder", where=str(path), hint=hint)
        if not path.exists():
            raise SourceError("there is no such file", where=str(path), hint=hint)
        if special := kind_of_special(path):
            raise SourceError(f"is {special}, not a file", where=str(path), hint=hint)
        with open_file(path) as file:
            if not file.read(1):
                raise SourceError("the file is empty", where=str(path), hint=hint)
    except (OSError, ValueError) as error:
        raise SourceError(f"the file cannot be read ({_reason(error)})", where=str(path), hint=hint) from error


def open_seekable(
    path: Path, on_problem: OnProblem, encoding: str | None = None, max_unpacked: int | None = None
) -> IO[bytes]:
    """Opens a file for reading at any offset; gzip is unpacked, and UTF-16 and UTF-32 turned into UTF-8, to a
    temporary file on disk.

    Where gzip data break off or are damaged, what came before is kept and the place reported.

    :param encoding: that of the file, where it is known.
    :param max_unpacked: so many bytes may gzip data unpack to; None stops at 64 GiB, and beyond 256 MiB at 200 times
        the packed size, which no text reaches.
    :raises SourceError: the file cannot be read or unpacks to more than that, or the temporary file cannot be written.
    """
    try:
        file: IO[bytes] = open_file(path)
        start = file.read(4)
        file.seek(0)
        if start.startswith(b"\x1f\x8b"):
            with file:
                file = _unpack(file, path, on_problem, max_unpacked)
            start = file.read(4)
            file.seek(0)
        wide = next((name for mark, name in _WIDE_MARKS.items() if start.startswith(mark)), None)
        if wide is None and encoding is not None and narrow_encoding(encoding) != encoding:
            wide = encoding
        if wide is not None:
            with file:
                file = _transcode(file, wide)
    except OSError as error:
        raise SourceError(
            f"the file cannot be read ({_reason(error)})", where=str(path),
            hint=f"Check the file, and the space in {tempfile.gettempdir()}",
        ) from error
    return file


def first_bytes(path: Path, count: int) -> bytes:
    """The first bytes of a file, unpacked where it is gzip, and in UTF-8 where it is UTF-16 or UTF-32.

    Empty where it cannot be read.
    """
    try:
        with open_file(path) as file:
            packed = file.read(2) == b"\x1f\x8b"
            file.seek(0)
            start = gzip.GzipFile(fileobj=file).read(count) if packed else file.read(count)
    except (OSError, EOFError, zlib.error):
        return b""
    wide = guess_encoding(start)
    return start if wide is None else start.decode(wide, "ignore").encode("utf-8", "ignore")


def narrow_encoding(encoding: str | None) -> str:
    """The encoding of what :func:`open_seekable` gives: UTF-8 in place of UTF-16, UTF-32, and None."""
    if encoding is None or codecs.lookup(encoding).name.startswith(("utf-16", "utf-32")):
        return "utf-8"
    return encoding


def unpacked_limit(size: int, limit: int | None = None) -> int:
    """How many bytes a packed file of this size may unpack to, where the options set no limit."""
    return min(MAX_UNPACKED, max(UNPACKED_FREELY, size * MAX_TIMES_UNPACKED)) if limit is None else limit


def _unpack(packed: IO[bytes], path: Path, on_problem: OnProblem, limit: int | None) -> IO[bytes]:
    limit = unpacked_limit(os.fstat(packed.fileno()).st_size, limit)
    output = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    size = 0
    try:
        with gzip.GzipFile(fileobj=packed) as unpacked:
            while block := unpacked.read1(BLOCK):
                size += len(block)
                if size > limit:
                    output.close()
                    raise SourceError(
                        f"unpacks to more than {limit:,} bytes; it is not read", where=str(path),
                        hint="If it is meant to be so large, allow it with --max-unpacked BYTES",
                    )
                output.write(block)
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        on_problem(
            Problem(f"{path.name}: byte {size} unpacked", f"the gzip data break off or are damaged ({_reason(error)})")
        )
    output.seek(0)
    return output


def _transcode(file: IO[bytes], encoding: str) -> IO[bytes]:
    output = tempfile.TemporaryFile()  # noqa: SIM115 - the caller closes it
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    while block := file.read(BLOCK):
        output.write(decoder.decode(block).encode("utf-8", "replace"))
    output.write(decoder.decode(b"", True).encode("utf-8", "replace"))
    output.seek(0)
    return output


def byte_lines(
    file: IO[bytes], name: str, on_problem: OnProblem, longest: int | None = None
) -> Iterator[tuple[int, int, bytes]]:
    """Yields (line number, offset, line without its end); a line that is too long is reported and skipped.

    Lines end with LF, CR LF or runs of CR before LF.

    :param longest: in bytes, with the line end; None means 256 MB.
    """
    longest = longest or MAX_LINE_LENGTH
    number = offset = 0
    while line := file.readline(longest):
        number += 1
        start = offset
        offset += len(line)
        if not line.endswith(b"\n") and len(line) == longest:
            while line and not line.endswith(b"\n"):
                line = file.readline(BLOCK)
                offset += len(line)
            on_problem(Problem(f"{name}:{number}", f"a line longer than {longest >> 20} MB is skipped"))
            continue
        yield number, start, line.rstrip(b"\r\n")


def decode(data: bytes, where: str, on_problem: OnProblem, encoding: str = "utf-8") -> str:
    """Decodes bytes; what is not of the encoding becomes U+FFFD and is reported."""
    try:
        return data.decode(encoding)
    except UnicodeDecodeError as error:
        on_problem(Problem(where, f"byte {error.start + 1} is not {encoding}; such bytes become U+FFFD"))
        return data.decode(encoding, "replace")


def _reason(error: Exception) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
