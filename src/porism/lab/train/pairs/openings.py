"""Pairs of the first sentence of a text and the whole of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from porism.analysis.model_text import ModelText, content_text, document_text
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair
from porism.lab.train.sentences import split_sentences
from porism.types import Document, Documents

_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*[.,;:!?]?")


@dataclass(frozen=True, slots=True)
class Openings(Miner):
    """The first sentence of a text, which often says what it is about, and the document with all its fields.

    Where only some documents are described in words, such as declarations of a formal library, this tells them from the
    others. A sentence has at least ``shortest`` characters, and a share ``prose`` of what spaces separate are words.

    :raises ConfigError: the share is none.
    """

    name: ClassVar[str] = "openings"

    fields: tuple[str, ...] = ("body",)
    shortest: int = 25
    prose: float = 0.6

    def __post_init__(self) -> None:
        if not 0 <= self.prose <= 1:
            raise ConfigError(f"a share of {self.prose} words cannot be asked for", hint="Use a number from 0 to 1.")

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        """Needs a document with one of the fields that begins with a sentence of words."""
        found = 0
        for document in documents:
            whole = self.document_text(document, text)
            for name in self.fields:
                sentences = split_sentences(document.fields[name]) if name in document.fields else []
                first = content_text(sentences[0], text) if sentences else ""
                if len(first) >= self.shortest and self._is_prose(first) and first != whole:
                    found += 1
                    yield Pair(first, whole, miner=self.name, anchor_id=document.id, positive_id=document.id)
        if not found:
            raise ConfigError(
                f"no document begins with a sentence of words in {' or '.join(self.fields)}",
                hint="Name other fields, ask for less prose, or take another miner.",
            )

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return document_text(document, text)

    def _is_prose(self, sentence: str) -> bool:
        pieces = sentence.split()
        return sum(_WORD.fullmatch(piece) is not None for piece in pieces) >= self.prose * len(pieces)
