"""Records from JSON: a line each, or the entries of one array, in bounded memory either way."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from porism.corpus.base import ReaderOptions
from porism.corpus.streams import ByteProgress, byte_lines, decode, narrow_encoding
from porism.corpus.tables.json_arrays import MAX_BRACKETS, MAX_ENTRY_LENGTH, TOO_LONG, array_entries, is_array
from porism.errors import OnProblem, Problem

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
