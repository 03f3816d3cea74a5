"""Every exception that Porism raises on purpose, and the report of what was skipped.

::

    PorismError
    ├── SourceError        a source is missing, empty, unreadable, or of no known format
    ├── QueryError         a query or a filter that cannot be run
    ├── FormatError        a run, qrels or topics file with a broken line
    ├── ConfigError        an option, model or channel that does not exist or does not fit
    ├── IndexFolderError        something about an index folder
    │   ├── IndexNotFound      no index there
    │   ├── IndexCorrupt       files are missing, truncated or changed
    │   ├── IndexUnreadable    the system does not let us read files: rights, open files, a disk
    │   ├── IndexVersionError  written by another version of the format
    │   ├── IndexLocked        another process is writing
    │   └── StorageError       the disk is full or the folder cannot be written
    ├── EngineError        an engine outside Porism cannot be reached, refuses, or has not what it should have
    ├── ClusterError       a cluster that cannot be reached, or whose workers cannot do the work
    └── MissingExtra       an optional dependency is not installed
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass


class PorismError(Exception):
    """A message that says what was wrong, where, and what to do; printed without a traceback by the command line."""

    def __init__(self, what: str, *, where: str | None = None, hint: str | None = None) -> None:
        self.what, self.where, self.hint = what, where, hint
        message = f"{where}: {what}" if where else what
        super().__init__(f"{message}. {hint}" if hint else message)


class SourceError(PorismError):
    """A source that is missing, empty, unreadable, or of no known format."""


class QueryError(PorismError):
    """A query or a filter that cannot be run."""


class FormatError(PorismError):
    """A run, qrels or topics file with a line that cannot be read."""


class ConfigError(PorismError, ValueError):
    """An option, model or channel that does not exist or does not fit."""


class IndexFolderError(PorismError):
    """Something is wrong with an index folder (named with an underscore so as not to hide the builtin)."""


class IndexNotFound(IndexFolderError):
    """There is no index in the folder."""


class IndexCorrupt(IndexFolderError):
    """Files of the index are missing, truncated or changed."""


class IndexUnreadable(IndexFolderError):
    """The system does not let us read files of the index: rights, too many open files, memory, or a failing disk."""


class IndexVersionError(IndexFolderError):
    """The index was written in another version of the format."""


class IndexLocked(IndexFolderError):
    """Another process is writing to the index."""


class StorageError(IndexFolderError):
    """The disk is full or the folder cannot be written; the last committed state is intact."""


class EngineError(PorismError):
    """An engine outside Porism, such as Milvus, cannot be reached, refuses, or does not have what it should have."""


class ClusterError(PorismError):
    """A cluster that cannot be reached, or whose workers cannot do the work."""


class MissingExtra(PorismError):
    """An optional dependency is not installed; the hint is the command that installs it."""


def pluralise(count: int, noun: str, plural: str = "") -> str:
    """A number of things in words: ``1 document``, ``2,000 documents``; ``plural`` where it is not the noun with s."""
    return f"{count:,} {noun if count == 1 else plural or noun + 's'}"


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that was skipped or repaired: ``where`` is ``file:line`` or a document id, ``what`` one sentence."""

    where: str
    what: str

    def __str__(self) -> str:
        return f"{self.where}: {self.what}"


OnProblem = Callable[[Problem], None]
"""What a reader calls for each document or formula that it skipped or repaired."""
