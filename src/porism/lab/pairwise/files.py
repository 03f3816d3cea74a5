"""Files of pairwise scores, by the ending of the name: archives (``.npz``), lines of columns (TSV, CSV, between spaces)
and JSON lines; text also with gzip.

Without a header a line is ``query first second score``. A header names columns in any order and may have others: so do
files of castorini's duoBERT (``query_id doc_id_a doc_id_b rank_a rank_b``, scores pasted beside) and those of webis
(JSON lines with ``qid``, ``id_a``, ``id_b``, ``score``).
"""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count, islice
from operator import itemgetter
from pathlib import Path
from typing import Any, get_args

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.errors import ConfigError, FormatError, OnProblem, SourceError
from porism.lab.pairwise.columns import Duplicates, Invalid, PairColumns, assembled
from porism.lab.pairwise.scores import PairwiseRun, PairwiseScores
from porism.system.files.text import open_text, write_whole


def read_pairwise(
    path: str | os.PathLike[str], *, duplicates: Duplicates = "error", invalid: Invalid = "error",
    on_problem: OnProblem | None = None,
) -> PairwiseRun:
    """Reads pairwise scores: an archive (``.npz``), JSON lines (``.jsonl``), CSV, or columns between tabs or spaces.

    :param duplicates: see :data:`~porism.lab.pairwise.columns.Duplicates`.
    :param invalid: see :data:`~porism.lab.pairwise.columns.Invalid`.
    :raises SourceError: the file is missing or unreadable.
    :raises FormatError: a line or the archive is broken, or there is nothing in it.
    :raises ConfigError: an option has a wrong value.
    """
    for name, value, known in (("duplicates", duplicates, Duplicates), ("invalid", invalid, Invalid)):
        if value not in get_args(known):
            raise ConfigError(f"{name} cannot be {value!r}", hint=f"Choose from {', '.join(get_args(known))}.")
    file = Path(path)
    if file.is_dir():
        raise SourceError("this is a folder, not a file", where=str(path))
    if file.suffix == ".npz":
        run = read_archive(file)
    else:
        columns = read_columns(file)
        run = PairwiseRun(
            tuple(assembled(columns, duplicates=duplicates, invalid=invalid, on_problem=on_problem)),
            {"kind": "file", "name": file.name},
        )
    if not run.queries:
        raise FormatError("there are no pairwise scores in the file", where=str(path))
    return run


def write_pairwise(path: str | os.PathLike[str], run: PairwiseRun) -> None:
    """Writes pairwise scores as the ending of the name says: ``.npz``, ``.jsonl``, ``.csv``, else TSV with a header.

    Only an archive keeps what made them, the order of candidates, and candidates that no score is of.

    :raises FormatError: an id cannot be in such a file.
    :raises SourceError: the file cannot be written.
    """
    file = Path(path)
    if file.suffix == ".npz":
        write_archive(file, run)
    else:
        write_text(file, run)


VERSION = 1
"""The version of the format."""


def write_archive(path: Path, run: PairwiseRun) -> None:
    """Writes an archive, which appears whole or not at all.

    :raises SourceError: the file cannot be written.
    :raises FormatError: what made the scores is not a plain value.
    """
    try:
        about = orjson.dumps({
            "pairwise": VERSION, "made_by": dict(run.made_by),
            "queries": [
                {"id": query.query_id, "documents": query.doc_ids, "ranked": query.ranked} for query in run.queries
            ],
        })
    except TypeError as error:
        raise FormatError(f"what made the scores, or an id, cannot be written ({error})", where=str(path)) from error
    arrays = {str(number): _narrow(query.matrix) for number, query in enumerate(run.queries)}
    content = io.BytesIO()
    np.savez(content, allow_pickle=False, about=np.frombuffer(about, np.uint8), **arrays)
    write_whole(path, content.getvalue())


def _narrow(matrix: NDArray[np.float64]) -> NDArray[Any]:
    """In 32 bits, where the scores are of 32 bits."""
    narrow = matrix.astype(np.float32)
    return narrow if np.array_equal(narrow.astype(np.float64), matrix, equal_nan=True) else matrix


def read_archive(path: Path) -> PairwiseRun:
    """Reads an archive.

    :raises SourceError: the file is missing or unreadable.
    :raises FormatError: it is no such archive, is of another version, or damaged.
    """
    try:
        with np.load(path, allow_pickle=False) as archive:
            about = orjson.loads(archive["about"].tobytes())
            if about["pairwise"] != VERSION:
                raise FormatError(
                    f"pairwise scores in the format {about['pairwise']!r}", where=str(path),
                    hint=f"This version of Porism reads format {VERSION}.",
                )
            queries = tuple(
                PairwiseScores(query["id"], tuple(query["documents"]), archive[str(number)], bool(query["ranked"]))
                for number, query in enumerate(about["queries"])
            )
            return PairwiseRun(queries, about["made_by"])
    except OSError as error:
        raise SourceError(f"cannot be read ({error.strerror or error})", where=str(path)) from error
    except (zipfile.BadZipFile, zlib.error, EOFError, KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, FormatError):
            raise
        raise FormatError(
            f"this is not an archive of pairwise scores ({error})", where=str(path),
            hint="Archives are written by porism aggregate --store FILE.npz.",
        ) from error


_LINE_BATCH_SIZE = 4096

NAMES: Mapping[str, tuple[str, ...]] = {
    "query": ("query", "qid", "query_id", "queryid", "topic", "topic_id"),
    "first": ("first", "doc_i", "i", "id_a", "doc_a", "doc_id_a", "docid_a", "docno_a", "docno1", "docid1", "doc1"),
    "second": ("second", "doc_j", "j", "id_b", "doc_b", "doc_id_b", "docid_b", "docno_b", "docno2", "docid2", "doc2"),
    "score": ("score", "p", "p_ij", "prob", "probability", "preference", "pref"),
}
"""What the columns are called, in headers and in JSON; the first of each is what Porism writes."""

_FORM = "Expected: query first second score, or a header that names these columns."

Row = Sequence[Any]
"""Query, first, second and score."""


def read_columns(path: Path) -> PairColumns:
    """The lines of a text file of pairwise scores.

    :raises SourceError: the file is missing or unreadable.
    :raises FormatError: a line has other columns than the first, or a score that is not a number.
    """
    queries: dict[str, int] = {}
    documents: dict[str, int] = {}
    chunks: list[tuple[NDArray[Any], ...]] = []
    rows = _json_rows(path) if _suffix(path) in (".jsonl", ".json", ".ndjson") else _text_rows(path)
    for lines, some in rows:
        names, first, second, scores = zip(*some, strict=True)
        try:
            if any(isinstance(score, str) for score in scores[:1]) and "_" in "".join(scores):
                raise ValueError("float reads digits with underscores")
            numbers = np.fromiter(map(float, scores), np.float64, len(scores))
        except (TypeError, ValueError):
            raise _no_number(path, lines, scores) from None
        size = len(scores)
        chunks.append((
            _numbered(names, queries, size), _numbered(first, documents, size), _numbered(second, documents, size),
            numbers, np.array(lines, np.int64),
        ))
    joined = [
        np.concatenate([np.zeros(0, kind), *(chunk[at] for chunk in chunks)])
        for at, kind in enumerate((np.int32, np.int32, np.int32, np.float64, np.int64))
    ]
    return PairColumns(path.name, list(queries), list(documents), *joined)


def _numbered(names: Sequence[str], known: dict[str, int], size: int) -> NDArray[np.int32]:
    """The number of each name; new names get the next ones (int32 [size])."""
    for name in dict.fromkeys(names):
        known.setdefault(name, len(known))
    return np.fromiter(map(known.__getitem__, names), np.int32, size)


def _suffix(path: Path) -> str:
    return Path(path.name.removesuffix(".gz")).suffix


def _no_number(path: Path, lines: Sequence[int], scores: Sequence[Any]) -> FormatError:
    for line, score in zip(lines, scores, strict=True):
        try:
            if "_" in str(score):
                raise ValueError("float reads digits with underscores")
            float(score)
        except (TypeError, ValueError):
            where = f"{path.name}:{line}"
            return FormatError(f"the score {str(score)[:40]!r} is not a number", where=where, hint=_FORM)
    raise AssertionError("all scores are numbers")


def _lines(path: Path) -> Iterator[tuple[list[int], list[str]]]:
    """Lines that are not blank, with their numbers, many at once."""
    try:
        with open_text(path) as file:
            for first in count(1, _LINE_BATCH_SIZE):
                some = list(islice(file, _LINE_BATCH_SIZE))
                if not some:
                    return
                numbers = list(range(first, first + len(some)))
                if not all(map(str.strip, some)):
                    numbers = [number for number, line in zip(numbers, some, strict=True) if line.strip()]
                    some = [line for line in some if line.strip()]
                if numbers:
                    yield numbers, some
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot be read ({getattr(error, 'strerror', None) or error})", where=str(path)) from error


def _text_rows(path: Path) -> Iterator[tuple[list[int], Sequence[Row]]]:
    """Lines as columns: between commas in a file ``.csv``, else between tabs or spaces."""
    separator = "," if _suffix(path) == ".csv" else None
    chosen: tuple[int, int, int, int] | None = None
    wide = 4
    for numbers, lines in _lines(path):
        rows = [line.split() for line in lines] if separator is None else [
            line.strip().split(separator) for line in lines
        ]
        if chosen is None:
            chosen, wide, has_header = _layout(path, numbers[0], rows[0])
            if has_header:
                numbers, rows = numbers[1:], rows[1:]
        if not {len(row) for row in rows} <= {wide}:
            at = next(at for at, row in enumerate(rows) if len(row) != wide)
            raise FormatError(
                f"{len(rows[at])} columns where the file has {wide}", where=f"{path.name}:{numbers[at]}", hint=_FORM
            )
        if rows:
            yield numbers, rows if chosen == (0, 1, 2, 3) and wide == 4 else list(map(itemgetter(*chosen), rows))


def _layout(path: Path, number: int, row: Sequence[str]) -> tuple[tuple[int, int, int, int], int, bool]:
    """Where query, first, second and score are in a row, how many columns it has, and whether it is a header."""
    names = [name.strip().lower() for name in row]
    places = _places(names)
    if places is not None:
        return places, len(row), True
    if len(row) != 4:
        raise FormatError(f"{len(row)} columns without a header", where=f"{path.name}:{number}", hint=_FORM)
    return (0, 1, 2, 3), 4, False


def _places(names: Sequence[str]) -> tuple[int, int, int, int] | None:
    """Where the four columns are among names, None where one of them is not there."""
    places = [next((names.index(name) for name in known if name in names), -1) for known in NAMES.values()]
    return None if -1 in places else (places[0], places[1], places[2], places[3])


def _json_rows(path: Path) -> Iterator[tuple[list[int], Sequence[Row]]]:
    """JSON lines as columns; the first one says what they are called."""
    keys: tuple[str, ...] | None = None
    for numbers, lines in _lines(path):
        rows: list[Row] = []
        for number, line in zip(numbers, lines, strict=True):
            where = f"{path.name}:{number}"
            try:
                value = orjson.loads(line)
                if keys is None and isinstance(value, dict):
                    keys = _keys(value, where)
                query, first, second, score = (value[key] for key in keys or ())
            except orjson.JSONDecodeError as error:
                raise FormatError(f"this is not JSON ({error})", where=where) from error
            except (KeyError, TypeError, ValueError) as error:
                raise FormatError(f"not a pair with its score ({error})", where=where, hint=_FORM) from error
            rows.append((str(query), str(first), str(second), np.nan if score is None else score))
        yield numbers, rows


def _keys(value: Mapping[str, Any], where: str) -> tuple[str, ...]:
    names = list(value)
    places = _places([name.lower() for name in names])
    if places is None:
        raise FormatError(f"a pair has the keys {', '.join(names)[:80]}", where=where, hint=_FORM)
    return tuple(names[place] for place in places)


def write_text(path: Path, run: PairwiseRun) -> None:
    """Writes lines with all digits: TSV with a header, CSV, or JSON lines, as the name of the file says.

    :raises FormatError: an id has white space or, in CSV, a comma.
    :raises SourceError: the file cannot be written.
    """
    import gzip

    kind = _suffix(path)
    if kind in (".jsonl", ".json", ".ndjson"):
        content = b"".join(
            orjson.dumps(dict(zip(NAMES, row, strict=True)), option=orjson.OPT_APPEND_NEWLINE) for row in _rows(run)
        )
    else:
        separator = "," if kind == ".csv" else "\t"
        _check_ids(path, run, separator)
        lines = [separator.join(NAMES)]
        lines += [f"{query}{separator}{first}{separator}{second}{separator}{score!r}"
                  for query, first, second, score in _rows(run)]
        content = ("\n".join(lines) + "\n").encode()
    write_whole(path, gzip.compress(content, mtime=0) if path.suffix == ".gz" else content)


def _rows(run: PairwiseRun) -> Iterable[tuple[str, str, str, float]]:
    """Query, two documents and their score, of every pair that has one."""
    for pairs in run.queries:
        for i, first in enumerate(pairs.doc_ids):
            for j, score in enumerate(pairs.matrix[i].tolist()):
                if score == score:
                    yield pairs.query_id, first, pairs.doc_ids[j], score


def _check_ids(path: Path, run: PairwiseRun, separator: str) -> None:
    for pairs in run.queries:
        for name in (pairs.query_id, *pairs.doc_ids):
            if name.split() != [name] or (separator == "," and "," in name):
                raise FormatError(
                    f"the id {name!r} cannot be between columns", where=str(path), hint="Write .npz or .jsonl."
                )
