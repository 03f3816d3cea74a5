"""Pairs of parts of one document: its title, halves of its text, or its first sentence, and the rest."""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import xxhash

from porism.analysis.model_text import ModelText, content_text, document_text
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair, fields_text
from porism.lab.train.sentences import split_sentences
from porism.types import Document, Documents


@dataclass(frozen=True, slots=True)
class Titles(Miner):
    """The title of a document and its body, of which every folder of notes has some.

    ``section`` puts the titles of the sections above before the document's own. Texts of less than ``shortest``
    characters are left out.
    """

    name: ClassVar[str] = "titles"

    section: bool = False
    shortest: int = 40

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        count = 0
        for document in documents:
            body = self.document_text(document, text)
            title = fields_text(document, ("section", "title") if self.section else ("title",), text)
            if "title" in document.fields and len(body) >= self.shortest and title and title != body:
                count += 1
                yield Pair(title, body, miner=self.name, anchor_id=document.id, positive_id=document.id)
        if not count:
            raise ConfigError(
                "no document of the collection has a title and a text",
                hint="Without titles, take the miner halves.",
            )

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return fields_text(document, ("body", "answers"), text)


@dataclass(frozen=True, slots=True)
class Halves(Miner):
    """A sentence of a text and the rest of it (Lee, Chang and Toutanova, *Latent Retrieval for Weakly Supervised Open
    Domain Question Answering*, ACL 2019: the inverse cloze task).

    Of each text ``each`` sentences at most are drawn; a share ``kept`` of them stays in the rest too, so that exact
    matches are learnt as well. A sentence has at least ``shortest`` characters, and so has the rest.

    :raises ConfigError: a number is out of its range.
    """

    name: ClassVar[str] = "halves"

    fields: tuple[str, ...] = ("body",)
    each: int = 1
    kept: float = 0.1
    shortest: int = 30
    seed: int = 1

    def __post_init__(self) -> None:
        if self.each < 1:
            raise ConfigError(f"{self.each} sentences of a text cannot be drawn", hint="Draw 1 or more.")
        if not 0 <= self.kept <= 1:
            raise ConfigError(f"a share of {self.kept} sentences cannot stay", hint="Use a number from 0 to 1.")

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        count = 0
        for document in documents:
            draw = random.Random(xxhash.xxh3_64_intdigest(document.id.encode("utf-8", "replace"), self.seed))
            for name in self.fields:
                if name not in document.fields:
                    continue
                parts = [content_text(sentence, text) for sentence in split_sentences(document.fields[name])]
                long = [number for number, part in enumerate(parts) if len(part) >= self.shortest]
                for number in sorted(draw.sample(long, min(self.each, len(long)))):
                    stays = draw.random() < self.kept
                    rest = "\n".join(part for at, part in enumerate(parts) if stays or at != number)
                    if len(parts) > 1 and len(rest) >= self.shortest:
                        count += 1
                        yield Pair(parts[number], rest, miner=self.name, anchor_id=document.id, positive_id=document.id)
        if not count:
            raise ConfigError(
                f"no document has two sentences in {' or '.join(self.fields)}",
                hint="Name other fields, or take another miner.",
            )


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
        count = 0
        for document in documents:
            whole = self.document_text(document, text)
            for name in self.fields:
                sentences = split_sentences(document.fields[name]) if name in document.fields else []
                first = content_text(sentences[0], text) if sentences else ""
                if len(first) >= self.shortest and self._is_prose(first) and first != whole:
                    count += 1
                    yield Pair(first, whole, miner=self.name, anchor_id=document.id, positive_id=document.id)
        if not count:
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
