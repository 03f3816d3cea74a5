"""Text files in whatever encoding they come, and the sizes of files."""

from __future__ import annotations

import codecs
import errno
import os
import stat
from pathlib import Path
from typing import BinaryIO

from porism.errors import OnProblem, Problem

MAX_TEXT_BYTES = 256 * 1024 * 1024
"""Larger files of formats that must be read whole are reported and left out."""

_BOMS = (
    (codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF32_LE, "utf-32-le"), (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"),
)  # fmt: skip

_SPECIAL = {
    stat.S_IFIFO: "a named pipe", stat.S_IFSOCK: "a socket", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device",
}  # fmt: skip


def size_of(path: Path) -> int:
    """The size of a file in bytes, 0 where it is unknown."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def kind_of_special(path: Path) -> str | None:
    """What is there where it is neither a file nor a folder (``a named pipe``), else None."""
    try:
        mode = path.stat().st_mode
    except OSError:
        return None
    return None if stat.S_ISREG(mode) or stat.S_ISDIR(mode) else _SPECIAL.get(stat.S_IFMT(mode), "no file")


def open_file(path: Path) -> BinaryIO:
    """Opens a file to read its bytes; never waits, as opening a named pipe would.

    :raises OSError: it cannot be read, or is a pipe, a socket or a device.
    """
    file = open(path, "rb", opener=_open_without_waiting)  # noqa: SIM115 - the caller closes it
    if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
        file.close()
        raise _refused(path)
    return file


def _open_without_waiting(path: str, flags: int) -> int:
    special = kind_of_special(Path(path))
    if special is not None:
        raise _refused(Path(path))
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def _refused(path: Path) -> OSError:
    return OSError(errno.EINVAL, f"it is {kind_of_special(path) or 'no file'}", str(path))


def read_bytes(path: Path, where: str, on_problem: OnProblem, limit: int = MAX_TEXT_BYTES) -> bytes | None:
    """The content of a file; None, and a problem, where it cannot be read or is too large."""
    try:
        size = path.stat().st_size
        if size > limit:
            on_problem(Problem(where, f"the file has {size:,} bytes, more than {limit:,}; it is left out"))
            return None
        with open_file(path) as file:
            return file.read()
    except OSError as error:
        on_problem(Problem(where, f"cannot be read ({error.strerror or error})"))
        return None


def guess_encoding(data: bytes) -> str | None:
    """The encoding that a byte order mark, or the zeros of UTF-16 text without one, give away; None for all others."""
    for mark, name in _BOMS:
        if data.startswith(mark):
            return name
    head = data[:512]
    if len(head) >= 8 and b"\0" in head:
        even, odd = head[0::2].count(0), head[1::2].count(0)
        if odd > len(head) // 3 and even < len(head) // 20:
            return "utf-16-le"
        if even > len(head) // 3 and odd < len(head) // 20:
            return "utf-16-be"
    return None


def decode(data: bytes, where: str, on_problem: OnProblem, encoding: str | None = None) -> str:
    """Bytes as text.

    The encoding is the one that is named, or what a byte order mark says, or UTF-8; bytes that are none of it make
    the text be read as Windows Latin-1 (which maps every byte), and that is reported.
    """
    chosen = encoding or guess_encoding(data) or "utf-8"
    try:
        text = data.decode(chosen)
    except UnicodeDecodeError as error:
        if chosen.startswith(("utf-16", "utf-32")):
            on_problem(Problem(where, f"broken {chosen.upper()} at byte {error.start}; what is broken is left out"))
            text = data.decode(chosen, "ignore")
        else:
            line = data.count(b"\n", 0, error.start) + 1
            problem = f"is not {chosen.upper()} (byte {data[error.start]:#04x}); read as Latin-1"
            on_problem(Problem(f"{where}:{line}", problem))
            try:
                text = data.decode("cp1252")
            except UnicodeDecodeError:  # five bytes mean nothing there
                text = data.decode("latin-1")
    return text.removeprefix("\ufeff")


def read_text(
    path: Path, where: str, on_problem: OnProblem, encoding: str | None = None, limit: int = MAX_TEXT_BYTES
) -> str | None:
    """The text of a file; None, and a problem, where it cannot be read, is too large, or is not text."""
    data = read_bytes(path, where, on_problem, limit)
    if data is None:
        return None
    if encoding is None and guess_encoding(data) is None and b"\0" in data[:4096]:
        on_problem(Problem(where, "is not text; it is left out"))
        return None
    return decode(data, where, on_problem, encoding)
