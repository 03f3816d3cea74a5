"""Files of pairwise scores: archives (``.npz``) and text, by the ending of the name."""

from __future__ import annotations

import os
from pathlib import Path
from typing import get_args

from porism.errors import ConfigError, FormatError, OnProblem, SourceError
from porism.lab.pairwise.archives import read_archive, write_archive
from porism.lab.pairwise.columns import Duplicates, Invalid, assembled
from porism.lab.pairwise.scores import PairwiseRun
from porism.lab.pairwise.text_files import read_columns, write_text


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
