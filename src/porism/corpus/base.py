"""What every reader of a collection is: one protocol, the options they share, and what they report on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self

from porism.errors import ConfigError, OnProblem, Problem
from porism.types import PLACEHOLDER, Document, Notation

Unit = Literal["answer", "question", "thread"]
"""What becomes a document in a question-and-answer collection."""

UNITS: tuple[Unit, ...] = ("answer", "question", "thread")
NOTATIONS: tuple[Notation, ...] = ("latex", "mathml")

OnProgress = Callable[[int, int], None]
"""Called now and then with (bytes done, bytes in all); bytes in all is 0 where it is not known."""

_UNWANTED = re.compile(f"[\x00-\x08\x0b\x0e-\x1f\x7f{PLACEHOLDER}]")


def clean(text: str) -> str:
    """The text with control characters and placeholders as spaces; tabs, line ends and form feeds stay."""
    return _UNWANTED.sub(" ", text) if _UNWANTED.search(text) else text


class UnitId(str):
    """An id that a reader makes up: ``file#unit``, or ``file`` where the document is the whole file.

    It is unique in its file only; :func:`~porism.corpus.open_source` puts the name of the source before it.
    """

    file: str
    unit: str

    def __new__(cls, file: str, unit: str = "") -> Self:
        self = super().__new__(cls, f"{file}#{unit}" if unit else file)
        self.file, self.unit = file, unit
        return self


@dataclass(frozen=True, slots=True)
class ReaderOptions:
    """The options of readers; each reader uses what applies to its format and ignores the rest.

    :param unit: what becomes a document in question-and-answer collections: an ``answer`` with its question's title,
        body and tags; a ``question`` alone; or a whole ``thread``.
    :param comments: whether comments of a post become its field ``comments``.
    :param formulas: the notation wanted where a source has both.
    :param fields: field name → column or key (dotted for nested values), for tables; None lets the reader guess.
    :param id_field: column or key that holds the document id; None lets the reader guess.
    :param metadata_fields: columns or keys that go to the metadata; None lets the reader guess.
    :param encoding: of text sources; None means UTF-8, or what a byte order mark or declaration in the file says.
    :param outside: whether ``\\input`` and symbolic links may lead to files outside the source.
    :param max_unpacked: so many bytes may a gzip file unpack to; None means 64 GiB, and beyond 256 MiB at most 200
        times its size.
    :param collection: a name that goes into every document's metadata as ``source``; None means the name of the file
        or folder.
    :raises ConfigError: ``unit`` or ``formulas`` has a value that does not exist, ``encoding`` is not known, or
        ``max_unpacked`` is not positive.
    """

    unit: Unit = "answer"
    comments: bool = True
    formulas: Notation = "latex"
    fields: Mapping[str, str] | None = None
    id_field: str | None = None
    metadata_fields: tuple[str, ...] | None = None
    encoding: str | None = None
    collection: str | None = None
    outside: bool = False
    max_unpacked: int | None = None

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ConfigError(f"there is no unit {self.unit!r}", hint=f"Choose one of {', '.join(UNITS)}")
        if self.formulas not in NOTATIONS:
            raise ConfigError(
                f"there is no formula notation {self.formulas!r}", hint=f"Choose one of {', '.join(NOTATIONS)}"
            )
        if self.max_unpacked is not None and self.max_unpacked < 1:
            raise ConfigError(f"max_unpacked is {self.max_unpacked}", hint="Give a number of bytes, at least 1")
        if self.encoding is not None:
            try:
                "".encode(self.encoding)
            except LookupError:
                raise ConfigError(
                    f"there is no encoding {self.encoding!r}", hint="Name one that Python knows, such as cp1252"
                ) from None


class Reader(Protocol):
    """Reads one format of collection."""

    @property
    def name(self) -> str:
        """The name of the format, as a user types it (``arqmath``, ``jsonl``…)."""
        ...

    def detect(self, path: Path) -> bool:
        """Whether the file or folder is of this format: a cheap look at its name, first bytes or entries."""
        ...

    def read(
        self, path: Path, options: ReaderOptions, on_problem: OnProblem, on_progress: OnProgress
    ) -> Iterator[Document]:
        """Yields the documents of a file or folder in a stream.

        :raises SourceError: the source is missing, empty or unreadable (when the first document is read).
        """
        ...


def ignore_problem(problem: Problem) -> None:
    """An ``on_problem`` that ignores all problems."""


def ignore_progress(done: int, total: int) -> None:
    """An ``on_progress`` that ignores all progress."""
