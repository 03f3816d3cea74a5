"""The rows of the documents themselves: what a program that speaks to an engine alone can show of each.

A document is a JSON object: its ``id``, its ``title`` and its ``text`` with formulas between dollars (``<math>``
elements as they are), and its ``metadata``, the line of its file aside. One that takes more bytes than an engine keeps
is cut, between characters and never in a formula, and says so: it has ``cut``. Metadata that alone take half of that
are left out then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.analysis.documents import load_document
from porism.index import Segment
from porism.index.segment import LINE
from porism.index.strings import Packed
from porism.serve.backends.base import DOCUMENT_BYTES, Rows, SparseRows, Table
from porism.serve.exported.rows import RowBatch, SingleRowTable, digest_numbers, stamp
from porism.serve.exported.views import EVERY
from porism.types import Content, Document, Formula

TEXTS = "texts"
"""The table of the documents."""

_TITLES = ("title", "section")
"""Fields that are its title, the first that a document has."""

_BESIDE = (*_TITLES, "labels", "tags", "expansion")
"""Fields that are not text of a document which has others."""

_BATCH_SIZE = 256
_FORM = "1"
"""Changes when documents are written differently."""

_FRAME = 100
"""Bytes that are kept for what is around the parts."""


class TextSource(SingleRowTable):
    """The documents of some segments."""

    table = Table(TEXTS, documents=True)
    made_of = _FORM
    changing = False

    def __init__(self, segments: Sequence[Segment]) -> None:
        self.units = self._segments = tuple(segments)

    def rows(self, number: int, units: NDArray[np.int64]) -> Iterator[RowBatch]:
        segment = self._segments[number]
        for start in range(0, len(units), _BATCH_SIZE):
            batch = units[start : start + _BATCH_SIZE]
            ids = segment.doc_ids(batch)
            documents = [shown_document(_still(segment, row)) for row in batch.tolist()]
            nothing = [np.zeros(0, np.int64)] * len(batch)
            stamps = np.array(list(map(stamp, nothing, documents)), np.int64)
            yield RowBatch(
                len(batch), Rows(ids, digest_numbers(Packed.of(ids)), stamps, nothing, _same(len(batch)), documents)
            )


def _still(segment: Segment, number: int) -> Document:
    """A document without the line of its file, which changes where the document does not."""
    document = load_document(segment.stored(number))
    if not segment.lines[number]:
        return document
    return replace(document, metadata={key: value for key, value in document.metadata.items() if key != LINE})


def shown_document(document: Document, most: int = DOCUMENT_BYTES) -> bytes:
    """A document as JSON in UTF-8 of at most ``most`` bytes, cut where it would take more."""
    fields = {name: content for name, content in document.fields.items() if content}
    title = next((fields[name] for name in _TITLES if name in fields), Content(""))
    text: list[str | Formula] = []
    for name in [name for name in fields if name not in _BESIDE] or fields:
        text += ["\n\n", *fields[name].parts] if text else fields[name].parts
    shown: dict[str, Any] = {
        "id": document.id, "title": title.to_latex(), "text": Content.of(*text).to_latex(),
        "metadata": dict(document.metadata),
    }
    whole = orjson.dumps(shown)
    if len(whole) <= most:
        return whole
    left = most - _FRAME
    for name, parts in (("id", [document.id]), ("title", title.parts)):
        shown[name] = _beginning(parts, left // 2)
        left -= _size(shown[name])
    size = len(orjson.dumps(shown["metadata"]))
    shown["metadata"], left = (shown["metadata"], left - size) if size <= left // 2 else ({}, left)
    return orjson.dumps(shown | {"text": _beginning(text, left), "cut": True})


def _beginning(parts: Iterable[str | Formula], most: int) -> str:
    """So much of some parts that it takes at most ``most`` bytes in JSON, quotes aside."""
    kept: list[str] = []
    for part in parts:
        written = part if isinstance(part, str) else Content.of(part).to_latex()
        size = _size(written)
        if size > most:
            if isinstance(part, str):
                kept.append(written[: _characters(written, most)])
            break
        kept.append(written)
        most -= size
    return "".join(kept)


def _characters(text: str, most: int) -> int:
    """How many characters a text begins with that take at most ``most`` bytes."""
    low, high = 0, min(len(text), most)
    while low < high:
        middle = (low + high + 1) // 2
        if _size(text[:middle]) <= most:
            low = middle
        else:
            high = middle - 1
    return low


def _size(text: str) -> int:
    """Bytes of a text in JSON, quotes aside."""
    return len(orjson.dumps(text)) - 2


def _same(count: int) -> SparseRows:
    """Vectors that no search is for."""
    return SparseRows(np.arange(count + 1), np.full(count, EVERY, np.int64), np.ones(count, np.float32))
