"""Pairs of questions that link to one another: duplicates, and posts that users linked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair, fields_text, values
from porism.types import Document, Documents

LinkKind = Literal["duplicates", "linked"]
"""Keys of the metadata that readers of posts fill."""


@dataclass(frozen=True, slots=True)
class LinksMiner(Miner):
    """A question and the questions that it links to; with ``answers``, also the answers of those.

    ``kinds`` says which links count. Links to questions that the collection does not have are left out.

    :raises ConfigError: there is no such kind.
    """

    name: ClassVar[str] = "links"

    kinds: tuple[LinkKind, ...] = ("duplicates",)
    answers: bool = False

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in get_args(LinkKind):
                raise ConfigError(f"there are no links of the kind {kind!r}", hint="Choose duplicates or linked.")

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        """Needs the metadata ``question_id`` and that of links; a question is read from any of its answers."""
        of_question: dict[str, list[str]] = {}
        links: dict[str, tuple[str, ...]] = {}
        for document in documents:
            question = document.metadata.get("question_id")
            if isinstance(question, str):
                of_question.setdefault(question, []).append(document.id)
                links.setdefault(question, tuple(other for kind in self.kinds for other in values(document, kind)))
        if not any(links.values()):
            raise ConfigError(
                f"no document has links of the kind {' or '.join(self.kinds)}",
                hint="Index a dump of questions and answers with its file PostLinks.",
            )
        for question, others in links.items():
            (one,) = documents.get(of_question[question][:1])
            anchor = self.document_text(one, text)
            for other in others:
                found = of_question.get(other, [])
                for number, document in enumerate(documents.get(found if self.answers else found[:1])):
                    if number == 0 and (positive := self.document_text(document, text)):
                        yield Pair(anchor, positive, miner=self.name, anchor_id=one.id, positive_id=document.id)
                    if self.answers and "question" in document.fields:
                        answer = fields_text(document, ("body",), text)
                        yield Pair(anchor, answer, miner=self.name, anchor_id=one.id, positive_id=document.id)

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return fields_text(document, ("title", "question" if "question" in document.fields else "body"), text)
