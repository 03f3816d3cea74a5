"""Files of pairwise scores: archives (``.npz``) and text, by the ending of the name."""

from __future__ import annotations

import io
import os
import zipfile
import zlib
from pathlib import Path
from typing import Any, get_args

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.errors import ConfigError, FormatError, OnProblem, SourceError
from porism.lab.pairwise.columns import Duplicates, Invalid, assembled
from porism.lab.pairwise.scores import PairwiseRun, PairwiseScores
from porism.lab.pairwise.text_files import read_columns, write_text
from porism.system.files.text import write_whole


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
            "queries": [{"id": one.query_id, "documents": one.doc_ids, "ranked": one.ranked} for one in run.queries],
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
                PairwiseScores(one["id"], tuple(one["documents"]), archive[str(number)], bool(one["ranked"]))
                for number, one in enumerate(about["queries"])
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
