"""Documents that use the formulas of another one, those first that have most of the telling ones."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment, Snapshot
from porism.index.documents import stored_document
from porism.index.engine.trees import open_places, open_trees
from porism.index.engine.units import ordinals_by_segment
from porism.search.formula_occurrences import FormulaPlaces
from porism.search.grouping import thread_of
from porism.search.marked_text import Value
from porism.search.outline import entry_of
from porism.types import Content, Formula

MIN_NODES = 4
"""Formulas with smaller operator trees are everywhere."""

MAX_SHARE = 0.02
"""A formula that more documents have tells little; so many may always have it: :data:`_ALWAYS`."""

MAX_FORMULAS = 60
"""Of a document so many formulas are looked up, the most telling ones."""

_ALWAYS = 20
_READ_FOR_EACH = 4
_SHOWN_FORMULAS = 2


@dataclass(frozen=True, slots=True)
class SharingDocument(Value):
    """A document that has formulas of another one: how many, and the most telling of them; ``name`` is its title as
    one line, or how it begins."""

    id: str
    title: Content
    name: str
    formulas: tuple[Formula, ...]
    count: int


class _Telling(NamedTuple):
    """Formulas of one segment: their ordinals there (int32), and what each is worth (float64)."""

    ordinals: NDArray[np.int32]
    weights: NDArray[np.float64]


def documents_sharing_formulas(snapshot: Snapshot, doc_id: str, k: int = 5) -> tuple[SharingDocument, ...]:
    """At most ``k`` other documents with formulas that a document has, up to white space; one of each question."""
    places = FormulaPlaces(snapshot)
    home = next((number for number, segment in enumerate(snapshot.segments) if segment.find(doc_id) is not None), None)
    if home is None:
        return ()
    segment = snapshot.segments[home]
    doc = segment.find(doc_id)
    assert doc is not None
    telling = _telling(places, home, doc, snapshot.doc_count)
    homes = np.full(len(telling.ordinals), home, np.int32)
    candidates: list[tuple[float, int, int, list[int]]] = []
    for number, ordinals in enumerate(ordinals_by_segment(snapshot.segments, homes, telling.ordinals)):
        other = snapshot.segments[number]
        owners = np.flatnonzero(ordinals >= 0)
        docs, counts = open_places(other).of_each(ordinals[owners])
        owners = np.repeat(owners, counts)
        kept = other.live[docs] & ((docs != doc) | (number != home))
        docs, owners = docs[kept], owners[kept]
        worth = np.bincount(docs, telling.weights[owners], other.doc_count) if len(docs) else np.zeros(0)
        best = np.argsort(-worth, kind="stable")[: k * _READ_FOR_EACH]
        candidates += [
            (float(worth[one]), number, one, owners[docs == one].tolist()) for one in best.tolist() if worth[one] > 0
        ]
    candidates.sort(key=lambda candidate: (-candidate[0], candidate[1:3]))
    sharing: list[SharingDocument] = []
    seen = {thread_of(segment.metadata(doc))} - {None}
    for _, number, other_doc, shared in candidates:
        other = snapshot.segments[number]
        thread = thread_of(other.metadata(other_doc))
        if thread is None or thread not in seen:
            seen.add(thread)
            sharing.append(_shown(other, other_doc, places, segment, telling.ordinals[shared]))
        if len(sharing) == k:
            break
    return tuple(sharing)


def _telling(places: FormulaPlaces, home: int, doc: int, doc_count: int) -> _Telling:
    """The formulas of a document that tell most, best first."""
    segment = places.segments[home]
    where = segment.occurrences
    own = np.unique(where.formula[where.indptr[doc] : where.indptr[doc + 1]]).astype(np.int32)
    sizes = np.diff(open_trees(segment).indptr)[own]
    own, sizes = own[sizes >= MIN_NODES], sizes[sizes >= MIN_NODES]
    counts = places.documents(np.full(len(own), home, np.int32), own)
    kept = (counts > 1) & (counts <= max(_ALWAYS, MAX_SHARE * doc_count))
    weights = np.log(doc_count / np.maximum(counts, 1)) * np.log(sizes)
    order = np.argsort(-weights[kept], kind="stable")[:MAX_FORMULAS]
    return _Telling(own[kept][order], weights[kept][order])


def _shown(
    segment: Segment, doc: int, places: FormulaPlaces, home: Segment, shared: NDArray[np.int32]
) -> SharingDocument:
    document = stored_document(segment, doc)
    formulas = tuple(places.formula(home, ordinal) for ordinal in shared[:_SHOWN_FORMULAS].tolist())
    return SharingDocument(document.id, document.title, entry_of(segment, doc).title, formulas, len(shared))
