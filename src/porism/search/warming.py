"""A few questions to an index that was just opened, so that no reader waits for what is prepared at the first use."""

from __future__ import annotations

from collections.abc import Callable
from itertools import islice

import numpy as np

from porism.index import Snapshot
from porism.index.documents import stored_document
from porism.search.index import Index
from porism.types import Content, Document, Formula

_QUESTIONS = 4
_LOOKED_AT = 64
_MAX_FORMULAS = 2
_MAX_CHARACTERS = 80


def warm(index: Index, questions: int = _QUESTIONS, ended: Callable[[], bool] = lambda: False) -> int:
    """Asks an index with the beginnings of some of its documents, those with formulas first; returns how many it asked.

    What the first question of an open index prepares (postings, statistics, spellings, compiled code) is then there.

    :param ended: is asked before each question whether to ask no more.
    """
    asked = 0
    for content in _beginnings(index.snapshot, questions):
        if ended():
            break
        question = index.question(content)
        hits = index.search(question)
        index.hints(question)
        if hits and question.query.content.formulas:
            index.matches(question, hits[0].id)
        asked += 1
    return asked


def _beginnings(snapshot: Snapshot, most: int) -> list[Content]:
    """The first words and formulas of documents from all over the index; of those without formulas only where others
    are too few."""
    live = [(segment, doc) for segment in snapshot.segments for doc in np.flatnonzero(segment.live).tolist()]
    documents = (stored_document(segment, doc) for segment, doc in live[:: max(1, len(live) // _LOOKED_AT)])
    beginnings = [content for document in documents if (content := _beginning(document))]
    return list(islice(sorted(beginnings, key=lambda content: not content.formulas), most))


def _beginning(document: Document) -> Content:
    parts: list[str | Formula] = []
    characters, formulas = _MAX_CHARACTERS, _MAX_FORMULAS
    for content in document.fields.values():
        for part in content.parts:
            if isinstance(part, str):
                parts.append(part[:characters])
                characters -= len(part[:characters])
            elif formulas and len(part.source) <= _MAX_CHARACTERS:
                parts.append(part)
                formulas -= 1
    return Content.of(*parts)
