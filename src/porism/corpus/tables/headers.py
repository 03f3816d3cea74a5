"""Tables among other files: which of them hold texts, recognised by their headers.

A folder of research holds tables of judgments, runs, measurements and formulas beside what is worth a search; a row of
those is no document. So a table that nobody named is read only where its header names a column of text.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from pathlib import Path

from porism.corpus.streams import first_bytes
from porism.corpus.tables.cells import SEPARATORS
from porism.corpus.tables.reader import ANSWER_NAMES, BODY_NAMES, QUESTION_NAMES, TITLE_NAMES
from porism.corpus.text_files import guess_encoding

TEXT_COLUMNS = frozenset((*TITLE_NAMES, *QUESTION_NAMES, *ANSWER_NAMES, *BODY_NAMES)) - {
    "name", "subject", "description", "query", "q", "a"
}  # fmt: skip
"""Columns that identify a table of texts. Names of columns in any other table (``name``, ``query``) do not."""

_LOOKED_AT = 65_536


def first_line(path: Path) -> str:
    """The first line of a file that is not blank, packed with gzip or not; empty for one that cannot be read."""
    head = first_bytes(path, _LOOKED_AT)
    text = head.decode(guess_encoding(head) or "utf-8", "replace").removeprefix("\ufeff").lstrip()
    return text.splitlines()[0] if text else ""


def has_text_column(path: Path, wanted: Iterable[str] = ()) -> bool:
    """Whether the first line of a table that is not blank names a column of text, or all columns that are wanted.

    False for a file that cannot be read.
    """
    line = first_line(path)
    columns = set(wanted)
    for separator in SEPARATORS:
        try:
            names = {cell.strip() for cell in next(csv.reader([line], delimiter=separator), [])}
        except csv.Error:
            continue
        lower = {name.lower() for name in names}
        if lower & TEXT_COLUMNS or {"q", "a"} <= lower or (columns and columns <= names):
            return True
    return False
