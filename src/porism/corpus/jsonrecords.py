"""Records from JSON: a line each, or the entries of one array, in bounded memory either way."""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NamedTuple

import orjson

from porism.corpus.base import ReaderOptions
from porism.corpus.streams import BLOCK, LONGEST_LINE, Progress, byte_lines, decode, narrow_encoding
from porism.errors import OnProblem, Problem

_BETWEEN_ENTRIES = re.compile(r"[\s,]*")


class Record(NamedTuple):
    """One record of a table: the line where it begins, and its keys and values."""

    line: int
    values: Mapping[str, Any]


def json_records(
    file: IO[bytes], path: Path, options: ReaderOptions, on_problem: OnProblem, progress: Progress
) -> Iterator[Record]:
    """Yields the objects of a file of JSON lines, or of one array; what is no object is reported and skipped."""
    encoding = narrow_encoding(options.encoding)
    if _is_array(file):
        yield from _json_array(file, path, encoding, on_problem, progress)
        return
    for line, _, data in byte_lines(file, path.name, on_problem):
        progress.add(len(data) + 1)
        data = data.removeprefix(b"\xef\xbb\xbf") if line == 1 else data
        if not data.strip():
            continue
        where = f"{path.name}:{line}"
        try:
            value = orjson.loads(data)
        except orjson.JSONDecodeError as error:
            value = _loads_again(data, where, encoding, error, on_problem)
            if value is None:
                continue
        if isinstance(value, dict):
            yield Record(line, value)
        else:
            on_problem(Problem(where, f"a line that is no JSON object but {type(value).__name__} is skipped"))


def _loads_again(data: bytes, where: str, encoding: str, error: Exception, on_problem: OnProblem) -> Any:
    """For lines in another encoding or with NaN, which orjson refuses; None where it is in vain."""
    text = decode(data, where, on_problem, encoding)
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        on_problem(Problem(where, f"a line that is no JSON is skipped ({error})"))
        return None


def _is_array(file: IO[bytes]) -> bool:
    """Whether the file is one JSON array of objects rather than lines."""
    start = file.read(1 << 16)
    file.seek(0)
    first, end, rest = start.lstrip(b"\xef\xbb\xbf \t\r\n").partition(b"\n")
    if not re.match(rb"\[\s*(?:\{|$)", first):
        return False
    return not (end and rest.strip() and first.rstrip().endswith(b"]"))


def _json_array(
    file: IO[bytes], path: Path, encoding: str, on_problem: OnProblem, progress: Progress
) -> Iterator[Record]:
    """The objects of an array, one after the other; where the array breaks, what came before is kept."""
    decoder = codecs.getincrementaldecoder(encoding)("replace")
    scanner = json.JSONDecoder()
    text, position, number, size = "", 0, 0, BLOCK
    inside = False
    while True:
        block = file.read(size)
        progress.add(len(block))
        text = text[position:] + decoder.decode(block, not block)
        if not inside:
            text, inside = text.lstrip("\ufeff \t\r\n")[1:], True
        position = 0
        while True:
            match = _BETWEEN_ENTRIES.match(text, position)
            position = match.end() if match else position
            if position >= len(text) or text[position] == "]":
                break
            try:
                value, end = scanner.raw_decode(text, position)
            except (ValueError, RecursionError) as error:
                if block and not isinstance(error, RecursionError) and size < LONGEST_LINE:
                    break  # the entry may go on in the next block
                on_problem(Problem(f"{path.name}: entry {number + 1}", f"the array breaks here ({error})"))
                return
            if end == len(text) and block:
                break  # a number may go on in the next block
            position = end
            number += 1
            if isinstance(value, dict):
                yield Record(number, value)
            else:
                on_problem(Problem(f"{path.name}: entry {number}", "an entry that is no object is skipped"))
        if not block:
            if text[position:position + 1] != "]":
                on_problem(Problem(f"{path.name}: entry {number + 1}", "the array breaks off here"))
            return
        size = max(BLOCK, len(text) - position)  # growing blocks keep long entries linear
