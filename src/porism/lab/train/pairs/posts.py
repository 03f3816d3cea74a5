"""Pairs of posts: a question and its answers, and questions that link to each other."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, Literal, get_args

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair, fields_text, values
from porism.system.files.text import decimal_number
from porism.types import Document, Documents


@dataclass(frozen=True, slots=True)
class AnswersMiner(Miner):
    """A question (title and body) and each of its answers.

    ``accepted`` takes answers that were accepted, ``votes`` those with at least so many votes; with both, one of the
    two is enough. Zhong et al., *Evaluating Token-Level and Passage-Level Dense Retrieval Models for Math Information
    Retrieval*, EMNLP 2022, take accepted answers and those with more than 7 votes. With neither, all answers are taken.
    ``title_only`` makes another pair of the title alone, which is short as queries are. With ``before``, a date such as
    2018 or 2018-06-30, only older posts count.
    """

    name: ClassVar[str] = "answers"

    accepted: bool = False
    votes: int | None = None
    title_only: bool = False
    before: str = ""

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        questions = 0
        for document in documents:
            threaded = "answers" in document.fields
            fields = ("title", "body" if threaded else "question")
            if not threaded and "question" not in document.fields:
                continue
            anchor, positive = fields_text(document, fields, text), self.document_text(document, text)
            questions += bool(anchor)
            if self.before and not _is_older(document, self.before):
                continue
            if not anchor or not positive or not (threaded or self._is_good(document)):
                continue
            yield Pair(anchor, positive, miner=self.name, positive_id=document.id)
            title = fields_text(document, ("title",), text)
            if self.title_only and title and title != anchor:
                yield Pair(title, positive, miner=self.name, positive_id=document.id)
        if not questions:
            raise ConfigError(
                "the collection has no answers with their questions",
                hint="Index a dump of questions and answers, or documents with the fields question and body.",
            )

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return fields_text(document, ("answers" if "answers" in document.fields else "body",), text)

    def _is_good(self, document: Document) -> bool:
        if not self.accepted and self.votes is None:
            return True
        if self.accepted and document.metadata.get("accepted") == "true":
            return True
        return self.votes is not None and _votes(document) >= self.votes


def _is_older(document: Document, date: str) -> bool:
    """Whether a post was written before a date; not where its own is unknown."""
    created = document.metadata.get("created", "")
    return isinstance(created, str) and "" < created < date


def _votes(document: Document) -> float:
    """The votes of a post, minus infinity where they are not known."""
    try:
        return decimal_number(str(document.metadata.get("score", "")))
    except ValueError:
        return float("-inf")


LinkKind = Literal["duplicates", "linked"]
"""Keys of the metadata that readers of posts fill."""


@dataclass(frozen=True, slots=True)
class LinksMiner(Miner):
    """A question and the questions that it links to; with ``answers``, also the answers of those.

    ``kinds`` says which links count. Links to questions that the collection does not have are left out. With
    ``before``, a date, only older posts count.

    :raises ConfigError: there is no such kind.
    """

    name: ClassVar[str] = "links"

    kinds: tuple[LinkKind, ...] = ("duplicates",)
    answers: bool = False
    before: str = ""

    def __post_init__(self) -> None:
        for kind in self.kinds:
            if kind not in get_args(LinkKind):
                raise ConfigError(f"there are no links of the kind {kind!r}", hint="Choose duplicates or linked.")

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        of_question: dict[str, list[str]] = {}
        links: dict[str, tuple[str, ...]] = {}
        for document in documents:
            question = document.metadata.get("question_id")
            if isinstance(question, str) and (not self.before or _is_older(document, self.before)):
                of_question.setdefault(question, []).append(document.id)
                links.setdefault(question, tuple(other for kind in self.kinds for other in values(document, kind)))
        if not any(links.values()):
            raise ConfigError(
                f"no document has links of the kind {' or '.join(self.kinds)}",
                hint="Index a dump of questions and answers with its file PostLinks.",
            )
        for question, others in links.items():
            (asking,) = documents.get(of_question[question][:1])
            anchor = self.document_text(asking, text)
            for other in others:
                linked = of_question.get(other, [])
                for number, document in enumerate(documents.get(linked if self.answers else linked[:1])):
                    if number == 0 and (positive := self.document_text(document, text)):
                        yield Pair(anchor, positive, miner=self.name, anchor_id=asking.id, positive_id=document.id)
                    if self.answers and "question" in document.fields:
                        answer = fields_text(document, ("body",), text)
                        yield Pair(anchor, answer, miner=self.name, anchor_id=asking.id, positive_id=document.id)

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return fields_text(document, ("title", "question" if "question" in document.fields else "body"), text)
