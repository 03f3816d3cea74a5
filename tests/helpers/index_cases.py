"""Small analysed batches for the tests of the index, made from a plain model of documents, and the model read back."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from porism.analysis.batch import AnalyzedBatch, TermMatrix
from porism.formula import OperatorNode, OperatorTree, pack_tree
from porism.index.segment import Segment
from porism.index.snapshot import Snapshot
from porism.types import Metadata


@dataclass(frozen=True)
class Doc:
    """A document as a reader of the index should see it: words of each field, and formulas in place.

    A formula is its key, a source, and the ids of the occurrence; its terms are the letters of its key.
    """

    id: str
    words: Mapping[str, Sequence[str]]
    formulas: Mapping[str, Sequence[tuple[str, str, str]]] = field(default_factory=dict)
    metadata: Metadata = field(default_factory=dict)
    origin: tuple[int, int, int] = (-1, 0, 0)
    """Owner, digest and line."""

    @property
    def stored(self) -> bytes:
        words = {name: sorted(words) for name, words in sorted(self.words.items()) if words}
        return f"{self.id}: {words}".encode("utf-8", "surrogatepass")


def matrix(rows: Sequence[Sequence[str]]) -> TermMatrix:
    vocabulary: dict[str, int] = {}
    indptr, terms, counts = [0], [], []
    for row in rows:
        counted = Counter(vocabulary.setdefault(term, len(vocabulary)) for term in row)
        for term in sorted(counted):
            terms.append(term)
            counts.append(min(counted[term], 65_535))
        indptr.append(len(terms))
    return TermMatrix(
        list(vocabulary), np.asarray(indptr, np.int64), np.asarray(terms, np.int32), np.asarray(counts, np.uint16)
    )


def formula_terms(key: str, channel: str) -> list[str]:
    return [f"{channel}:{letter}" for letter in key]


def packed_tree(key: str) -> bytes:
    """A formula's tree in these tests: a sum of the letters of its key."""
    return pack_tree(OperatorTree(OperatorNode("plus", "U", [OperatorNode(letter, "V") for letter in key]), key))


def batch_of(docs: Sequence[Doc], channels: Sequence[str] = ("letters", "pairs")) -> AnalyzedBatch:
    fields = tuple(dict.fromkeys(name for doc in docs for name in [*doc.words, *doc.formulas]))
    keys: dict[str, int] = {}
    sources: list[str] = []
    occurrences: list[tuple[int, int, int, int]] = []
    ids: list[str] = []
    visual_ids: list[str] = []
    for position, doc in enumerate(docs):
        for number, name in enumerate(fields):
            for nth, (key, occurrence_id, visual_id) in enumerate(doc.formulas.get(name, ())):
                if key not in keys:
                    keys[key] = len(keys)
                    sources.append(f"source of {key}")
                occurrences.append((position, number, keys[key], nth))
                ids.append(occurrence_id)
                visual_ids.append(visual_id)
    columns = np.asarray(occurrences, np.int64).reshape(-1, 4)
    return AnalyzedBatch(
        ids=[doc.id for doc in docs],
        stored=[doc.stored for doc in docs],
        metadata=[doc.metadata for doc in docs],
        fields=fields,
        text={"words": matrix([doc.words.get(name, ()) for doc in docs for name in fields])},
        formula_keys=list(keys),
        formula_sources=sources,
        formula_trees=[packed_tree(key) for key in keys],
        formulas={name: matrix([formula_terms(key, name) for key in keys]) for name in channels},
        occurrence_doc=columns[:, 0].astype(np.int32),
        occurrence_field=columns[:, 1].astype(np.uint16),
        occurrence_formula=columns[:, 2].astype(np.int32),
        occurrence_number=columns[:, 3].astype(np.int32),
        occurrence_id=ids,
        occurrence_visual_id=visual_ids,
        owners=np.asarray([doc.origin[0] for doc in docs], np.int32),
        digests=np.asarray([doc.origin[1] for doc in docs], np.uint64),
        lines=np.asarray([doc.origin[2] for doc in docs], np.int32),
    )


def row_of(segment: Segment, channel: str, row: int) -> Counter[str]:
    """The terms of one row with their counts."""
    found = segment.matrix(channel).select(np.array([row]))
    dictionary = segment.dictionary(channel)
    assert found.terms.tolist() == sorted(set(found.terms.tolist()))
    return Counter(dict(zip(map(dictionary.term, found.terms.tolist()), found.counts.tolist(), strict=True)))


def read_doc(segment: Segment, doc: int) -> Doc:
    """A document as the index has it; checks on the way that all that is stored of it agrees."""
    words: dict[str, list[str]] = {}
    for number, name in enumerate(segment.fields):
        counted = row_of(segment, "words", doc * len(segment.fields) + number)
        if counted:
            words[name] = sorted(counted.elements())
    formulas: dict[str, list[tuple[str, str, str]]] = {}
    occurrences = segment.occurrences
    for at in range(int(occurrences.indptr[doc]), int(occurrences.indptr[doc + 1])):
        name = segment.fields[occurrences.field[at]]
        formula = int(occurrences.formula[at])
        key = segment.formula_key(formula)
        assert segment.find_formula(key) == formula
        assert segment.formula_source(formula) == f"source of {key}"
        assert segment.formula_tree(formula) == packed_tree(key)
        for channel in segment.formula_channels:
            assert row_of(segment, channel, formula) == Counter(formula_terms(key, channel))
        assert occurrences.number[at] == len(formulas.setdefault(name, []))
        formulas[name].append((key, occurrences.id(at), occurrences.visual_id(at)))
    doc_id = segment.doc_id(doc)
    assert segment.find(doc_id) == doc
    origin = (int(segment.owners[doc]), int(segment.digests[doc]), int(segment.lines[doc]))
    return Doc(doc_id, words, formulas, segment.metadata(doc), origin)


def normal(doc: Doc) -> Doc:
    """The document with its words in the order in which :func:`read_doc` gives them."""
    return Doc(
        doc.id,
        {name: sorted(words) for name, words in doc.words.items() if words},
        {name: list(formulas) for name, formulas in doc.formulas.items() if formulas},
        doc.metadata,
        doc.origin,
    )


def read_all(snapshot: Snapshot) -> dict[str, Doc]:
    """All live documents of a snapshot."""
    found: dict[str, Doc] = {}
    for segment in snapshot.segments:
        for doc in np.flatnonzero(segment.live).tolist():
            read = read_doc(segment, doc)
            assert read.id not in found
            found[read.id] = read
    assert len(found) == snapshot.doc_count
    return found
