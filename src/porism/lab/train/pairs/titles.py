"""Pairs of the title, name or heading of a document and its text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair, fields_text
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
        """Needs the fields ``title`` and ``body`` (or ``answers``)."""
        found = 0
        for document in documents:
            body = self.document_text(document, text)
            title = fields_text(document, ("section", "title") if self.section else ("title",), text)
            if "title" in document.fields and len(body) >= self.shortest and title and title != body:
                found += 1
                yield Pair(title, body, miner=self.name, anchor_id=document.id, positive_id=document.id)
        if not found:
            raise ConfigError(
                "no document of the collection has a title and a text",
                hint="Without titles, take the miner halves.",
            )

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return fields_text(document, ("body", "answers"), text)
