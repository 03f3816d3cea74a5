"""What must not be trained on: topics and judged queries, and what nearly repeats them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from porism.analysis.model_text import ModelText, content_text, document_text
from porism.corpus.topics import read_topics
from porism.errors import SourceError
from porism.lab.train.near import NearDuplicates
from porism.lab.train.pairs.base import Pair
from porism.types import Content, Document, Documents, Query

_BATCH_SIZE = 4_096
"""Documents that are compared with the excluded texts at a time."""


@dataclass(frozen=True, slots=True)
class Exclusion:
    """Texts and ids that no pair may have, nor texts that nearly repeat them (see :mod:`porism.lab.train.near`)."""

    texts: tuple[str, ...] = ()
    ids: frozenset[str] = frozenset()
    overlap: float = 0.6

    def applies(self, pairs: Sequence[Pair]) -> NDArray[np.bool_]:
        """Which pairs have an excluded id, or a text that nearly repeats an excluded one, on either side."""
        excluded = np.array([not self.ids.isdisjoint((p.anchor_id, p.positive_id)) for p in pairs], np.bool_)
        if not self.texts or not pairs:
            return excluded
        texts = dict.fromkeys(text for pair in pairs for text in (pair.anchor, pair.positive))
        distinct = {text: number for number, text in enumerate(texts)}
        repeats = self.repeats(list(distinct))
        sides = np.array([(distinct[p.anchor], distinct[p.positive]) for p in pairs])
        result: NDArray[np.bool_] = excluded | repeats[sides].any(axis=1)
        return result

    def repeats(self, texts: Sequence[str]) -> NDArray[np.bool_]:
        """Which texts nearly repeat an excluded one."""
        if not self.texts or not texts:
            return np.zeros(len(texts), np.bool_)
        return NearDuplicates(self.texts, self.overlap).find(list(texts))

    def without(self, documents: Iterable[Document], text: ModelText) -> Iterator[Document]:
        """The documents that have no excluded id, and of which neither the whole nor a title, question or body nearly
        repeats an excluded text."""
        waiting: list[Document] = []
        for document in documents:
            if document.id not in self.ids:
                waiting.append(document)
            if len(waiting) == _BATCH_SIZE:
                yield from self._unlike(waiting, text)
                waiting = []
        yield from self._unlike(waiting, text)

    def _unlike(self, documents: Sequence[Document], text: ModelText) -> Iterator[Document]:
        texts = [[document_text(document, text), *document_parts(document, text)] for document in documents]
        repeats = self.repeats([part for parts in texts for part in parts])
        ends = np.cumsum([len(parts) for parts in texts])
        for document, parts, end in zip(documents, texts, ends, strict=True):
            if not repeats[end - len(parts) : end].any():
                yield document


def document_parts(document: Document, text: ModelText) -> list[str]:
    """The texts of a document that say by themselves what it is about: its title, question and body."""
    return [
        content_text(content, text)
        for name, content in document.fields.items() if name in ("title", "question", "body") and content
    ]


def exclusion(
    topics: Iterable[Path] = (),
    ids: Iterable[Path] = (),
    documents: Documents | None = None,
    text: ModelText | None = None,
    overlap: float = 0.6,
) -> Exclusion:
    """What files name.

    :param topics: files of topics in any format; their texts are excluded.
    :param ids: files of ids of documents, one a line or in the first column, such as judgments of a task whose topics
        are documents. The texts of these documents, where the collection has them, are excluded too.
    :raises SourceError: a file cannot be read.
    :raises FormatError: topics are broken.
    """
    text = text or ModelText()
    texts = [written for path in topics for topic in read_topics(path) for written in _texts(topic, text)]
    excluded = {doc_id for path in ids for doc_id in _ids(path)}
    if documents is not None and excluded:
        texts += [part for document in documents if document.id in excluded for part in document_parts(document, text)]
    return Exclusion(tuple(dict.fromkeys(filter(None, texts))), frozenset(excluded), overlap)


def _texts(topic: Query, text: ModelText) -> list[str]:
    """A topic as a whole, and its fields of text."""
    fields = [field for name, field in topic.fields.items() if name != "tags"]
    whole = Content.of(*(part for field in fields for part in (*field.parts, "\n")))
    return [content_text(content, text) for content in (whole, *fields)]


def _ids(path: Path) -> list[str]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or error
        raise SourceError(f"the ids to exclude cannot be read ({reason})", where=str(path)) from error
    return [line.split()[0] for line in lines if line.strip()]
