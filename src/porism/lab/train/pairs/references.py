r"""Pairs of a text and what it refers to by label: ``\ref{thm:lagrange}`` in a proof, and the theorem of that label."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair, values
from porism.lab.train.pairs.citations import statement_text
from porism.types import Document, Documents

_REFERENCE = re.compile(r"\[([^\[\]\s]+)\]")
"""How readers of LaTeX write a reference: the label in brackets."""


@dataclass(frozen=True, slots=True)
class References(Miner):
    """A statement and each statement whose label its text or proof refers to, as readers of LaTeX keep them."""

    name: ClassVar[str] = "references"

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        """Needs the metadata ``labels``; a reference is a label in brackets in any field but ``labels``."""
        owner: dict[str, str] = {}
        refers: dict[str, list[str]] = {}
        for document in documents:
            for label in values(document, "labels"):
                owner.setdefault(label, document.id)
            fields = (content.text for name, content in document.fields.items() if name != "labels")
            found = [label for written in fields for label in _REFERENCE.findall(written)]
            if found:
                refers[document.id] = found
        links = [
            (citing, cited)
            for citing, labels in refers.items()
            for cited in dict.fromkeys(owner[label] for label in labels if label in owner)
            if citing != cited
        ]
        if not links:
            raise ConfigError(
                "no document refers to another one by its label", hint="Such labels are in sources of LaTeX."
            )
        ids = list(dict.fromkeys(one for link in links for one in link))
        texts = {one.id: self.document_text(one, text) for one in documents.get(ids)}
        for citing, cited in links:
            if texts[citing] and texts[cited]:
                yield Pair(texts[citing], texts[cited], miner=self.name, anchor_id=citing, positive_id=cited)

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return statement_text(document, text)
