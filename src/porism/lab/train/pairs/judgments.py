"""Pairs of a judged topic and each document that is relevant to it, with those judged worse as negatives."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from porism.analysis.model_text import ModelText, document_text
from porism.corpus.topics import read_qrels, read_topics
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair
from porism.types import Document, Documents


@dataclass(frozen=True, slots=True)
class JudgmentsMiner(Miner):
    """A topic and each document that was judged ``gain`` or more, with the documents judged lower as negatives.

    ``topics`` is a file of topics in any format, of which all ``fields`` are read if none is named, and ``qrels`` one
    of judgments. At most ``negatives`` documents that were judged lower are kept, the highest gains first: these look
    most like answers.

    :raises ConfigError: a file is not given, or a number is out of its range.
    """

    name: ClassVar[str] = "judgments"
    files: ClassVar[tuple[str, ...]] = ("topics", "qrels")

    topics: str = ""
    qrels: str = ""
    gain: int = 1
    negatives: int = 20
    fields: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.topics or not self.qrels:
            raise ConfigError("judgments are of topics", hint="Give both files: judgments:topics=TOPICS;qrels=QRELS.")
        if self.gain < 1 or self.negatives < 0:
            raise ConfigError("gain is 1 or more, and negatives 0 or more", hint="Try 1 and 20.")

    def mine(self, documents: Documents, text: ModelText) -> Iterator[Pair]:
        """Leaves out documents that the collection does not have or that have no text.

        :raises SourceError: a file cannot be read.
        :raises FormatError: topics or judgments are broken.
        """
        judged = read_qrels(Path(self.qrels))
        wanted = dict.fromkeys(doc_id for gains in judged.values() for doc_id in gains)
        written = {document.id: self.document_text(document, text) for document in documents if document.id in wanted}
        reads = ModelText(self.fields, text.formulas, text.before, text.after, text.between)
        count = 0
        for topic in read_topics(Path(self.topics)):
            anchor = document_text(Document(topic.id, topic.fields), reads)
            known = {doc_id: gain for doc_id, gain in judged.get(topic.id, {}).items() if written.get(doc_id)}
            worse = sorted((doc_id for doc_id in known if known[doc_id] < self.gain), key=lambda doc_id: -known[doc_id])
            negatives = tuple(written[doc_id] for doc_id in worse[: self.negatives])
            for doc_id, gain in known.items():
                if anchor.strip() and gain >= self.gain:
                    count += 1
                    yield Pair(anchor, written[doc_id], negatives, self.name, topic.id, doc_id)
        if not count:
            raise ConfigError(
                f"no topic has a document of the collection that was judged {self.gain} or more",
                where=self.qrels, hint="Compare the ids of topics and documents with those of the judgments.",
            )

    @staticmethod
    def document_text(document: Document, text: ModelText) -> str:
        return document_text(document, text)
