"""Databases of SQLite that other programs write: opened so that nothing in them, or beside them, changes."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.parse import quote

from porism.errors import SourceError


@contextmanager
def foreign_database(path: Path, where: str) -> Iterator[sqlite3.Connection]:
    """Opens a database to read it, also while its program holds it.

    :param where: what an error names as its place.
    :raises SourceError: it cannot be read, or lacks what is asked of it.
    """
    try:
        address = f"file:{quote(str(path.resolve()))}?mode=ro&immutable=1"
        with closing(sqlite3.connect(address, uri=True, check_same_thread=False)) as database:
            database.text_factory = lambda data: data.decode("utf-8", "replace")
            yield database
    except (sqlite3.Error, OverflowError) as error:
        raise SourceError(f"the database cannot be read ({error})", where=where) from error
