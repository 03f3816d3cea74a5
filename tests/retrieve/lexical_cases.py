"""A plain model of documents, batches made from it, and BM25 over it by the book."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from porism.batch import AnalyzedBatch, TermMatrix
from porism.formula import OperatorNode, OperatorTree, pack_tree
from porism.retrieve.weighting import BM25, BM25Plus, LexicalChannel


@dataclass(frozen=True)
class Doc:
    """Words by field, and formulas by field; the terms of a formula are its letters, in the channel ``letters``."""

    id: str
    words: Mapping[str, Sequence[str]]
    formulas: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def frequencies(self, channel: str, weights: Mapping[str, float]) -> tuple[dict[str, float], float]:
        """Weighted frequencies of terms, and the weighted length; fields added in code-point order."""
        source = self.words if channel == "words" else {
            name: [letter for key in keys for letter in key] for name, keys in self.formulas.items()
        }
        frequencies: dict[str, float] = {}
        length = 0.0
        for name in sorted(source):
            weight = weights.get(name, 1.0)
            if weight == 0:
                continue
            length += weight * len(source[name])
            for term, count in Counter(source[name]).items():
                frequencies[term] = frequencies.get(term, 0.0) + weight * count
        return frequencies, length


def term_matrix(rows: Sequence[Sequence[str]]) -> TermMatrix:
    vocabulary: dict[str, int] = {}
    indptr, terms, counts = [0], [], []
    for row in rows:
        counted = Counter(vocabulary.setdefault(term, len(vocabulary)) for term in row)
        terms.extend(sorted(counted))
        counts.extend(counted[term] for term in sorted(counted))
        indptr.append(len(terms))
    return TermMatrix(
        list(vocabulary), np.asarray(indptr, np.int64), np.asarray(terms, np.int32), np.asarray(counts, np.uint16)
    )


def batch_of(docs: Sequence[Doc]) -> AnalyzedBatch:
    fields = tuple(dict.fromkeys(name for doc in docs for name in (*doc.words, *doc.formulas)))
    keys: dict[str, int] = {}
    places = [
        (position, number, keys.setdefault(key, len(keys)), nth)
        for position, doc in enumerate(docs)
        for number, name in enumerate(fields)
        for nth, key in enumerate(doc.formulas.get(name, ()))
    ]
    columns = np.asarray(places, np.int64).reshape(-1, 4)
    return AnalyzedBatch(
        ids=[doc.id for doc in docs],
        stored=[b"{}" for _ in docs],
        metadata=[{} for _ in docs],
        fields=fields,
        text={"words": term_matrix([doc.words.get(name, ()) for doc in docs for name in fields])},
        formula_keys=list(keys),
        formula_sources=list(keys),
        formula_trees=[pack_tree(OperatorTree(OperatorNode(key, "V"), key)) for key in keys],
        formulas={"letters": term_matrix([list(key) for key in keys])},
        occurrence_doc=columns[:, 0].astype(np.int32),
        occurrence_field=columns[:, 1].astype(np.uint16),
        occurrence_formula=columns[:, 2].astype(np.int32),
        occurrence_number=columns[:, 3].astype(np.int32),
        occurrence_id=[""] * len(places),
        occurrence_visual_id=[""] * len(places),
    )


def bm25_by_the_book(
    docs: Sequence[Doc],
    channels: Mapping[str, LexicalChannel],
    field_weights: Mapping[str, float],
    query: Mapping[str, Mapping[str, float]],
    k: int,
) -> list[tuple[str, float]]:
    """Document ids and scores, best first, ties by descending id; float64 sums in the documented order."""
    total = dict.fromkeys((doc.id for doc in docs), 0.0)
    matched: set[str] = set()
    for name, channel in channels.items():
        assert isinstance(channel.weighting, BM25 | BM25Plus)
        k1, b = channel.weighting.k1, channel.weighting.b
        plus = isinstance(channel.weighting, BM25Plus)
        shift = channel.weighting.delta / (k1 + 1.0) if plus else 0.0
        known = {doc.id: doc.frequencies(name, field_weights) for doc in docs}
        lengths = Counter(length for _, length in known.values() if length > 0)
        count = sum(lengths.values())
        mean = math.fsum(length * uses for length, uses in lengths.items()) / count if count else 1.0
        subtotal = dict.fromkeys(total, 0.0)
        for term in sorted(query.get(name, {})):
            df = sum(term in frequencies for frequencies, _ in known.values())
            if not df or not query[name][term]:
                continue
            ratio = (count + 1.0) / df if plus else 1.0 + (count - df + 0.5) / (df + 0.5)
            idf = float(np.log(np.array([ratio]))[0])
            weight = channel.weight * query[name][term] * idf
            for doc_id, (frequencies, length) in known.items():
                if term in frequencies:
                    tf = frequencies[term]
                    subtotal[doc_id] += weight * (shift + tf / (tf + k1 * (1.0 - b + b * length / mean)))
                    matched.add(doc_id)
        for doc_id, value in subtotal.items():
            total[doc_id] += value
    return sorted(sorted(((doc_id, total[doc_id]) for doc_id in matched), reverse=True), key=lambda hit: -hit[1])[:k]
