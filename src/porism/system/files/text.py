"""Files of runs: read in lines and columns, written so that they appear whole or not at all."""

from __future__ import annotations

import gzip
import math
import os
import re
import stat
import zlib
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import IO, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import FormatError, SourceError

_LINE_BATCH_SIZE = 256
"""Few enough that their pieces stay in the processor's cache."""

_WHOLE = re.compile(r"[+-]?[0-9]{1,1000}")
_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")


def write_whole(path: str | os.PathLike[str], content: bytes | str) -> Path:
    """Writes a file in one step: what was there before stays until the new content is complete.

    A link stays, and the file that it leads to is replaced. What is not a file, such as a pipe or a device, is written
    to. Text becomes UTF-8; what UTF-8 cannot hold (lone surrogates) becomes a question mark.

    :raises SourceError: the file cannot be written.
    """
    target = Path(path)
    data = content.encode("utf-8", "replace") if isinstance(content, str) else content
    part: Path | None = None
    try:
        if is_special(target):
            target.write_bytes(data)
            return target
        place = Path(os.path.realpath(target))
        part = place.with_name(f".{place.name[:40]}.{os.getpid()}.part")
        part.write_bytes(data)
        os.replace(part, place)
    except OSError as error:
        raise SourceError(f"cannot be written ({error.strerror or error})", where=str(target)) from error
    finally:
        if part is not None:
            with suppress(OSError):  # whatever kept the file from being written must not be hidden by this
                part.unlink()
    return target


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether this is there and neither a file nor a folder: a device, a pipe, a socket, or a link to one."""
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


def whole_number(text: str) -> int:
    """A whole number in decimal digits with or without a sign, as files of results write it.

    :raises ValueError: it is none. ``int`` would also read ``1_000`` and digits of other scripts.
    """
    if _WHOLE.fullmatch(text) is None:
        raise ValueError(f"{text[:40]!r} is not a whole number")
    return int(text)


def decimal_number(text: str) -> float:
    """A decimal number such as ``-0.5`` or ``1e-3``, as files of results write it.

    :raises ValueError: it is none, or is too large. ``float`` would also read ``1_000``, ``inf``, ``nan`` and digits of
        other scripts.
    """
    value = float(text) if _DECIMAL.fullmatch(text) else math.nan
    if not math.isfinite(value):
        raise ValueError(f"{text[:40]!r} is not a finite number")
    return value


def open_text(path: str | os.PathLike[str]) -> IO[str]:
    """Opens UTF-8 text to read (a byte-order mark is skipped, broken bytes become U+FFFD), through gzip for ``.gz``."""
    opened = gzip.open if str(path).endswith(".gz") else open
    return cast("IO[str]", opened(path, "rt", encoding="utf-8-sig", errors="replace"))


def read_lines(path: str | os.PathLike[str]) -> Iterator[tuple[int, str]]:
    """Lines of a text file with their numbers from 1, line ends removed.

    :raises SourceError: the file is missing, unreadable, or a truncated or damaged gzip.
    """
    try:
        with open_text(path) as file:
            for number, line in enumerate(file, 1):
                yield number, line.rstrip("\r\n")
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error


def _unreadable(path: str | os.PathLike[str], error: Exception) -> SourceError:
    reason = getattr(error, "strerror", None) or str(error)
    return SourceError(f"cannot be read ({reason})", where=str(path))


@dataclass(frozen=True, slots=True)
class RunColumns:
    """The lines of a TREC run in the order of the file, N in all: ``query Q0 document rank score tag``.

    ``queries`` are distinct, as they come; ``numbers`` (int64 [N]) says which one a line is of. ``ranks`` (int64 [N])
    are read where they are needed; ``lines`` (int64 [N]) count from 1.
    """

    queries: tuple[str, ...]
    numbers: NDArray[np.int64]
    doc_ids: Sequence[str]
    scores: NDArray[np.float64]
    ranks: NDArray[np.int64] | None
    lines: NDArray[np.int64]
    tag: str

    def taken(self, at: NDArray[np.int64]) -> RunColumns:
        """The lines at these places."""
        doc_ids = [self.doc_ids[place] for place in at.tolist()]
        ranks = None if self.ranks is None else self.ranks[at]
        return RunColumns(self.queries, self.numbers[at], doc_ids, self.scores[at], ranks, self.lines[at], self.tag)


def read_run_columns(path: str | os.PathLike[str], with_ranks: bool) -> RunColumns:
    """Reads a TREC run, columns between spaces or tabs, gzip if the name says so.

    :raises SourceError: the file is missing or unreadable.
    :raises FormatError: a line has other than six (or five: no tag) columns, a score that is not a finite number or,
        where ranks are wanted, a rank below 1.
    """
    known: dict[str, int] = {}
    doc_ids: list[str] = []
    numbers, scores, ranks, lines = ([np.empty(0, kind)] for kind in (np.int64, np.float64, np.int64, np.int64))
    tag = ""
    try:
        with open_text(path) as file:
            for first in count(1, _LINE_BATCH_SIZE):
                rows = [line.split() for line in islice(file, _LINE_BATCH_SIZE)]
                if not rows:
                    break
                places = np.arange(first, first + len(rows), dtype=np.int64)
                if not all(rows):
                    places = places[[bool(row) for row in rows]]
                    rows = [row for row in rows if row]
                if not {len(row) for row in rows} <= {5, 6}:
                    raise _first_problem(path, rows, places, with_ranks)
                try:
                    _refuse_strange_digits([row[4] for row in rows])
                    chunk = np.array([float(row[4]) for row in rows], np.float64)
                    if with_ranks:
                        _refuse_strange_digits([row[3] for row in rows])
                    place = np.array([int(row[3]) for row in rows], np.int64) if with_ranks else None
                except (ValueError, OverflowError):
                    raise _first_problem(path, rows, places, with_ranks) from None
                if not np.isfinite(chunk).all() or (place is not None and ((place < 1) | (place >= 2**62)).any()):
                    raise _first_problem(path, rows, places, with_ranks)
                numbers.append(np.array([known.setdefault(row[0], len(known)) for row in rows], np.int64))
                doc_ids.extend([row[2] for row in rows])
                scores.append(chunk)
                lines.append(places)
                if place is not None:
                    ranks.append(place)
                tag = tag or next((row[5] for row in rows if len(row) == 6), "")
    except (OSError, EOFError, zlib.error) as error:
        raise _unreadable(path, error) from error
    return RunColumns(
        tuple(known), np.concatenate(numbers), doc_ids, np.concatenate(scores),
        np.concatenate(ranks) if with_ranks else None, np.concatenate(lines), tag,
    )


def _refuse_strange_digits(texts: Sequence[str]) -> None:
    """Refuses what ``int`` and ``float`` read and :func:`decimal_number` does not, of many texts at once."""
    text = "".join(texts)
    if not text.isascii() or "_" in text:
        raise ValueError("a number with underscores or with digits of another script")


def _first_problem(
    path: str | os.PathLike[str], rows: Sequence[Sequence[str]], lines: NDArray[np.int64], with_ranks: bool
) -> FormatError:
    """What is wrong with the first of some lines that has something wrong."""
    name = Path(path).name
    for line, row in zip(lines.tolist(), rows, strict=True):
        where = f"{name}:{line}"
        if len(row) not in (5, 6):
            return FormatError(
                f"{len(row)} columns where a run has 6", where=where, hint="Expected: query Q0 document rank score tag."
            )
        try:
            decimal_number(row[4])
        except ValueError:
            return FormatError(f"the score {row[4][:40]!r} is not a finite number", where=where)
        try:
            ranked = not with_ranks or 1 <= whole_number(row[3]) < 2**62
        except ValueError:
            ranked = False
        if not ranked:
            return FormatError(f"the rank {row[3][:40]!r} is not a whole number from 1", where=where)
    raise AssertionError("no line has anything wrong")
