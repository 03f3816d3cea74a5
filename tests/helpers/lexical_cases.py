"""A plain model of documents, batches made from it, and BM25 over it by the book."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path

import numpy as np

from porism.analysis.batch import AnalyzedBatch, TermMatrix
from porism.formula import OperatorNode, OperatorTree, pack_tree
from porism.index import IndexWriter, Snapshot
from porism.retrieve.lexical.channels import Zone
from porism.retrieve.weightings.base import BM25, BM25Plus, LexicalChannel


@dataclass(frozen=True)
class Doc:
    """Words by field, and formulas by field; the terms of a formula are its letters, in the channel ``letters``."""

    id: str
    words: Mapping[str, Sequence[str]]
    formulas: Mapping[str, Sequence[str]] = field(default_factory=dict)

    def seen(self, zone: Zone) -> Doc:
        """What a zone sees of the document."""
        fields = [{k: v for k, v in of.items() if k in zone.field_weights} for of in (self.words, self.formulas)]
        return Doc(self.id, *fields)

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
    zones: Sequence[Zone] = (),
) -> list[tuple[str, float]]:
    """Document ids and scores, best first, ties by descending id; float64 sums in the documented order."""
    total = dict.fromkeys((doc.id for doc in docs), 0.0)
    matched: set[str] = set()
    for zone, (name, channel) in product((None, *zones), channels.items()):
        assert isinstance(channel.weighting, BM25 | BM25Plus)
        k1, b = channel.weighting.k1, channel.weighting.b
        plus = isinstance(channel.weighting, BM25Plus)
        shift = channel.weighting.delta / (k1 + 1.0) if plus else 0.0
        whole = {doc.id: doc.frequencies(name, field_weights) for doc in docs}
        known = whole if zone is None else {
            doc.id: doc.seen(zone).frequencies(name, zone.field_weights) for doc in docs
        }
        count = sum(length > 0 for _, length in whole.values())
        lengths = Counter(length for _, length in known.values() if length > 0)
        having = sum(lengths.values())
        mean = math.fsum(length * uses for length, uses in lengths.items()) / having if having else 1.0
        subtotal = dict.fromkeys(total, 0.0)
        for term in sorted(query.get(name, {})):
            df = sum(term in frequencies for frequencies, _ in whole.values())
            if not df or not query[name][term]:
                continue
            ratio = (count + 1.0) / df if plus else 1.0 + (count - df + 0.5) / (df + 0.5)
            idf = float(np.log(np.array([ratio]))[0])
            weight = channel.weight * query[name][term] * idf * (1.0 if zone is None else zone.weight)
            for doc_id, (frequencies, length) in known.items():
                if term in frequencies:
                    tf = frequencies[term]
                    subtotal[doc_id] += weight * (shift + tf / (tf + k1 * (1.0 - b + b * length / mean)))
                    matched.add(doc_id)
        for doc_id, value in subtotal.items():
            total[doc_id] += value
    return sorted(sorted(((doc_id, total[doc_id]) for doc_id in matched), reverse=True), key=lambda hit: -hit[1])[:k]


CHANNELS = {"words": LexicalChannel(1.0, BM25(1.2, 0.75)), "letters": LexicalChannel(0.7, BM25(0.9, 0.4))}
FIELDS = {"title": 3.0, "body": 1.0, "notes": 0.3}
WORDS = [f"w{number}" for number in range(40)]


def random_docs(seed: int, count: int) -> list[Doc]:
    chance = random.Random(seed)

    def words() -> list[str]:
        return [WORDS[int(40 * chance.random() ** 3)] for _ in range(chance.randrange(0, 12))]

    def formulas() -> list[str]:
        return ["".join(chance.choices("abcxyz+=", k=chance.randrange(1, 5))) for _ in range(chance.randrange(0, 3))]

    docs = []
    for number in range(count):
        names = chance.sample(["title", "body", "notes"], chance.randrange(1, 4))
        docs.append(Doc(f"d{number}é" if number % 7 == 0 else f"d{number}", {name: words() for name in names},
                        {name: formulas() for name in names}))
    return docs


def write(path: Path, *groups: list[Doc], deleted: list[str] | None = None) -> Snapshot:
    with IndexWriter(path, config={}) as writer:
        for group in groups:
            writer.add(batch_of(group))
            writer.commit()
        writer.delete(deleted or [])
    return Snapshot.open(path)


def queries(seed: int, count: int) -> list[dict[str, dict[str, float]]]:
    chance = random.Random(seed)
    return [
        {
            "letters": {letter: float(chance.randrange(0, 3)) for letter in chance.sample("abcxyz+=?", 5)},
            "words": {word: chance.choice([1.0, 2.0, 0.25]) for word in chance.sample([*WORDS, "none"], 8)},
        }
        for _ in range(count)
    ]
