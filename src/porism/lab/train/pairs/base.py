"""What a training pair is, and what a miner of them does."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import ClassVar

from porism.analysis.model_text import ModelText, content_text
from porism.errors import ConfigError
from porism.settings import Settings
from porism.types import Document, Documents


@dataclass(frozen=True, slots=True)
class Pair:
    """An anchor, which is read as a query, and a positive text that it shall find.

    ``negatives`` are texts that it shall not find. ``anchor_id`` and ``positive_id`` name the documents that the texts
    are of, empty where there are none. ``scores`` are those of a teacher for the positive and each negative, in this
    order; empty where nothing has scored them.
    """

    anchor: str
    positive: str
    negatives: tuple[str, ...] = ()
    miner: str = ""
    anchor_id: str = ""
    positive_id: str = ""
    scores: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Miner(Settings, ABC):
    """Finds pairs in a collection. A miner is a frozen dataclass of its settings and has a name in the registry."""

    name: ClassVar[str]
    files: ClassVar[tuple[str, ...]] = ()
    """The settings that name a file."""

    @abstractmethod
    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        """Yields the pairs of a collection in an order that is always the same; ``text`` says how texts are written.

        :raises ConfigError: the collection has nothing that the miner works with, and the message says what is missing.
        """

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        """What the miner reads of a document that shall be found, or shall not: by default its body."""
        return fields_text(document, ("body",), text)


def scored(pairs: Iterable[Pair]) -> list[Pair]:
    """The pairs that a teacher has scored, for distillation.

    :raises ConfigError: there is none.
    """
    usable = [pair for pair in pairs if pair.scores]
    if not usable:
        raise ConfigError(
            "distillation needs pairs that a teacher has scored", hint="Score them: porism train pairs --teacher."
        )
    return usable


def fields_text(document: Document, names: tuple[str, ...], text: ModelText) -> str:
    """Some fields of a document as text, those that it has, in the order of the names."""
    written = (content_text(document.fields[name], text) for name in names if name in document.fields)
    return text.between.join(field for field in written if field)


def values(document: Document, key: str) -> tuple[str, ...]:
    """The values of a key of the metadata: none, one or several."""
    given = document.metadata.get(key, ())
    return (given,) if isinstance(given, str) else tuple(given)
