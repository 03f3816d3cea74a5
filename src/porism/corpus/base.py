"""What every reader of a collection is: one protocol, the options they share, and what they report on the way."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, Self

from porism.errors import ConfigError, OnProblem, Problem
from porism.settings import setting
from porism.types import PLACEHOLDER, Document, MarkupNotation

Unit = Literal["answer", "question", "thread"]
"""What becomes a document in a question-and-answer collection."""

UNITS: tuple[Unit, ...] = ("answer", "question", "thread")
NOTATIONS: tuple[MarkupNotation, ...] = ("latex", "mathml")

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

    :raises ConfigError: ``unit`` or ``formulas`` has a value that does not exist, ``encoding`` is not known,
        ``base_url`` is not an address, or ``max_unpacked`` is not positive.
    """

    unit: Unit = setting("answer", "What becomes a document in a question-and-answer collection: an answer with the "
                                   "title, body and tags of its question, a question alone, or a whole thread.")
    comments: bool = setting(True, "Whether comments of posts are indexed.")
    formulas: MarkupNotation = setting("latex", "The notation to read where a source has both.")
    fields: Mapping[str, str] | None = setting(
        None, "For tables (JSONL, CSV): the field NAME is the column or key KEY; repeatable. Dots lead into nested "
              "values.", unset="guessed")
    id_field: str | None = setting(None, "For tables: the column or key with the document's id.", unset="guessed")
    metadata_fields: tuple[str, ...] | None = setting(
        None, "For tables: a column or key to keep as metadata; repeatable.", unset="guessed")
    encoding: str | None = setting(None, "The encoding of text sources, such as cp1252.",
                                   unset="as the file declares, or UTF-8")
    collection: str | None = setting(None, "What every document has as its metadata source.",
                                     unset="the name of the file or folder")
    base_url: str | None = setting(
        None, "For web pages: the address that the folder has on the web. The link of a document is then that of its "
              "page, with the name of its section or theorem.", unset="documents have no link")
    outside: bool = setting(False, "Follow \\input and symbolic links that lead out of the source.")
    max_unpacked: int | None = setting(
        None, "How many bytes a compressed file or an archive may unpack to.",
        unset="64 GiB, and beyond 256 MiB 200 times its size")

    def __post_init__(self) -> None:
        if self.unit not in UNITS:
            raise ConfigError(f"there is no unit {self.unit!r}", hint=f"Choose one of {', '.join(UNITS)}")
        if self.formulas not in NOTATIONS:
            raise ConfigError(
                f"there is no formula notation {self.formulas!r}", hint=f"Choose one of {', '.join(NOTATIONS)}"
            )
        if self.base_url is not None and not self.base_url.startswith(("http://", "https://")):
            raise ConfigError(f"the base URL {self.base_url!r} is not an address", hint="Begin it with https://")
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

    @property
    def document(self) -> str:
        """What becomes a document, in a few words."""
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
