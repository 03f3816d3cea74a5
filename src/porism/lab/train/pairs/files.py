"""Files of training pairs: JSON Lines that a reader can look at, and that other tools can write."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import orjson

from porism.analysis.documents import clean_text
from porism.errors import FormatError, SourceError
from porism.lab.train.pairs.base import Pair
from porism.system.files.durable import replace_file

_HINT = 'Expected a line such as {"anchor": "…", "positive": "…", "negatives": ["…"]}.'


def write_pairs(path: str | os.PathLike[str], pairs: Iterable[Pair]) -> int:
    """Writes pairs, one a line, empty entries left out; returns how many there are.

    :raises StorageError: the file cannot be written.
    """
    lines = [orjson.dumps(_plain(pair)) for pair in pairs]
    replace_file(Path(path), b"".join(line + b"\n" for line in lines))
    return len(lines)


def read_pairs(path: str | os.PathLike[str]) -> list[Pair]:
    """Reads pairs; keys that a pair does not have are ignored.

    :raises SourceError: the file is missing, unreadable or has no pairs.
    :raises FormatError: a line is not JSON, or has no anchor or no positive.
    """
    pairs = list(_lines(Path(path)))
    if not pairs:
        raise SourceError("there are no training pairs in the file", where=str(path), hint=_HINT)
    return pairs


def _lines(path: Path) -> Iterator[Pair]:
    try:
        with open(path, "rb") as file:
            for number, line in enumerate(file, start=1):
                if line.strip():
                    yield _pair(line, f"{path}:{number}")
    except OSError as error:
        raise SourceError(f"the pairs cannot be read ({error.strerror or error})", where=str(path)) from error


def _pair(line: bytes, where: str) -> Pair:
    try:
        given = orjson.loads(line)
    except orjson.JSONDecodeError as error:
        raise FormatError(f"a line is not JSON ({error})", where=where, hint=_HINT) from error
    if not isinstance(given, Mapping):
        raise FormatError("a line is not a pair", where=where, hint=_HINT)
    for name in ("anchor", "positive"):
        if not isinstance(given.get(name), str) or not given[name].strip():
            raise FormatError(f"a pair has no {name}", where=where, hint=_HINT)
    negatives, scores = given.get("negatives", []), given.get("scores", [])
    if not _is_list(negatives, str):
        raise FormatError("the negatives of a pair are not a list of texts", where=where, hint=_HINT)
    if not _is_list(scores, (int, float)) or len(scores) not in (0, 1 + len(negatives)):
        raise FormatError(
            "the scores of a pair are not those of its positive and each of its negatives", where=where, hint=_HINT
        )
    names = {name: str(given[name]) for name in ("miner", "anchor_id", "positive_id") if name in given}
    return Pair(given["anchor"], given["positive"], tuple(negatives), scores=tuple(map(float, scores)), **names)


def _is_list(value: Any, kind: Any) -> bool:
    return isinstance(value, list) and all(isinstance(entry, kind) and not isinstance(entry, bool) for entry in value)


def _plain(pair: Pair) -> dict[str, Any]:
    plain: dict[str, Any] = {}
    for field in fields(pair):
        value = getattr(pair, field.name)
        if isinstance(value, str):
            value = clean_text(value)
        elif field.name == "negatives":
            value = [clean_text(negative) for negative in value]
        if value:
            plain[field.name] = value
    return plain
