"""Pairs of two parts of one text: the inverse cloze task, for collections without titles, questions or links."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

import xxhash

from porism.analysis.model_text import ModelText, content_text
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair
from porism.lab.train.sentences import split_sentences
from porism.types import Documents


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
        """Draws by the seed and the id of the document, so that other documents change nothing."""
        found = 0
        for document in documents:
            draw = random.Random(xxhash.xxh3_64_intdigest(document.id.encode("utf-8", "replace"), self.seed))
            for name in self.fields:
                if name not in document.fields:
                    continue
                parts = [content_text(one, text) for one in split_sentences(document.fields[name])]
                long = [number for number, part in enumerate(parts) if len(part) >= self.shortest]
                for number in sorted(draw.sample(long, min(self.each, len(long)))):
                    stays = draw.random() < self.kept
                    rest = "\n".join(part for at, part in enumerate(parts) if stays or at != number)
                    if len(parts) > 1 and len(rest) >= self.shortest:
                        found += 1
                        yield Pair(
                            parts[number], rest, miner=self.name, anchor_id=document.id, positive_id=document.id
                        )
        if not found:
            raise ConfigError(
                f"no document has two sentences in {' or '.join(self.fields)}",
                hint="Name other fields, or take another miner.",
            )
