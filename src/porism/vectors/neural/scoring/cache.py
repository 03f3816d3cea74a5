"""Scores that a model has given, in a file that outlives the process: nothing is computed twice."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Sequence
from types import TracebackType

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import FormatError, SourceError

_BATCH_SIZE = 500
"""Keys in one question to the database; SQLite takes 999."""

_APPLICATION = 0x706F7273


def score_key(digest: str, texts: Sequence[str]) -> bytes:
    """What identifies a score: 16 bytes of the digest of a model and of the texts that it read, in their order."""
    whole = xxhash.xxh3_128(digest.encode())
    for text in texts:
        data = text.encode("utf-8", "surrogatepass")
        whole.update(f"\0{len(data)}\0".encode() + data)
    return bytes(whole.digest())


class ScoreCache:
    """A file of scores by :func:`score_key`, which any number of models and processes may share.

    What :meth:`put` was given is there when it returns, also if the process is killed then.

    :raises SourceError: the file cannot be opened or written.
    :raises FormatError: it is another file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        try:
            self._base = sqlite3.connect(self.path, timeout=60.0, isolation_level=None, check_same_thread=False)
            self._check()
            self._base.execute("PRAGMA journal_mode = WAL")
            self._base.execute("CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, score REAL) WITHOUT ROWID")
            self._base.execute(f"PRAGMA application_id = {_APPLICATION}")
        except sqlite3.DatabaseError as error:
            raise self._error(error) from error

    def _check(self) -> None:
        tables = {name for (name,) in self._base.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
        if tables - {"scores"}:
            raise FormatError("is another database, and is left as it is", where=self.path, hint="Name another file.")

    def _error(self, error: sqlite3.Error) -> SourceError | FormatError:
        if isinstance(error, sqlite3.OperationalError):
            return SourceError(f"the scores cannot be kept there ({error})", where=self.path,
                               hint="Name a file in a folder that can be written to.")
        return FormatError(f"is not a file of scores ({error})", where=self.path, hint="Name another file.")

    def __len__(self) -> int:
        (count,) = self._base.execute("SELECT count(*) FROM scores").fetchone()
        return int(count)

    def get(self, keys: Sequence[bytes]) -> NDArray[np.float64]:
        """The scores under these keys (float64 [n]), NaN where there is none.

        :raises SourceError: the file cannot be read.
        """
        known: dict[bytes, float] = {}
        try:
            for start in range(0, len(keys), _BATCH_SIZE):
                some = keys[start : start + _BATCH_SIZE]
                marks = ",".join("?" * len(some))
                known.update(self._base.execute(f"SELECT key, score FROM scores WHERE key IN ({marks})", some))
        except sqlite3.Error as error:
            raise self._error(error) from error
        return np.array([known.get(key, np.nan) for key in keys], np.float64)

    def put(self, keys: Sequence[bytes], scores: Sequence[float] | NDArray[np.float64]) -> None:
        """Keeps scores under keys, all of them or none.

        :raises SourceError: the file cannot be written.
        """
        rows = list(zip(keys, np.asarray(scores, np.float64).tolist(), strict=True))
        try:
            self._base.execute("BEGIN IMMEDIATE")
            try:
                self._base.executemany("INSERT OR REPLACE INTO scores VALUES (?, ?)", rows)
                self._base.execute("COMMIT")
            except BaseException:
                self._base.execute("ROLLBACK")
                raise
        except sqlite3.Error as error:
            raise self._error(error) from error

    def close(self) -> None:
        """Closes the file."""
        self._base.close()

    def __enter__(self) -> ScoreCache:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
