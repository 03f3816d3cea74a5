"""A tiny collection whose counts are known, and scores of a weighting over plain lists of words."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import numpy as np

from porism.index.engine.factors import FrequencyRows
from porism.retrieve.weightings.base import (
    ChannelStatistics,
    ComputedWeighting,
    DocumentCounts,
    StoredWeighting,
    TermCounts,
    Weighting,
)

TINY = [
    ["a", "a", "bb"],
    ["a", "bb", "ccc", "ccc", "ccc"],
    ["bb", "d"],
    [],
    ["bb", "bb"],
]
"""Four documents with terms, of mean length 3 (12 tokens), 2 distinct terms and 5.75 characters on average.

| term | df | cf |
| a    | 2  | 3  |
| bb   | 4  | 5  |
| ccc  | 1  | 3  |
| d    | 1  | 1  |
"""


class Counted:
    """What a weighting gets to know of documents."""

    def __init__(self, docs: Sequence[Sequence[str]]) -> None:
        self.vocabulary = sorted({term for doc in docs for term in doc})
        number = {term: position for position, term in enumerate(self.vocabulary)}
        counts = np.zeros((len(docs), len(self.vocabulary)))
        for row, doc in zip(counts, docs, strict=True):
            for term in doc:
                row[number[term]] += 1
        documents, terms = np.nonzero(counts)
        indptr = np.concatenate([[0], np.cumsum(np.bincount(documents, minlength=len(docs)))]).astype(np.int64)
        self.rows = FrequencyRows(indptr, terms.astype(np.int32), counts[documents, terms])
        sizes = np.array([len(term) for term in self.vocabulary], np.float64)
        distinct = (counts > 0).sum(axis=1)
        lengths, characters = counts.sum(axis=1), counts @ sizes
        most = counts.max(axis=1) if self.vocabulary else np.zeros(len(docs))
        self.documents = DocumentCounts(lengths, distinct.astype(np.int64), most, characters)
        having = int((lengths > 0).sum())
        self.statistics = ChannelStatistics(0, 1.0) if not having else ChannelStatistics(
            having, lengths.sum() / having, lengths.sum(), distinct.sum() / having, characters.sum() / having
        )
        self.df, self.cf = (counts > 0).sum(axis=0).astype(np.int64), counts.sum(axis=0)

    def factors(self, weighting: Weighting) -> np.ndarray:
        """The factor of each posting."""
        if isinstance(weighting, ComputedWeighting):
            x = weighting.tf_values(self.rows.frequencies)
            y = weighting.length_values(self.documents.lengths, self.statistics)[self.rows.documents]
            return weighting.shift + (x / (x + y) if weighting.saturating else x / y)
        sums = weighting.sums(self.rows, self.documents, self.statistics, len(self.vocabulary))
        terms = TermCounts(self.df, self.cf, np.zeros((len(self.df), 0)) if sums is None else sums)
        return weighting.factors(self.rows, terms, self.documents, self.statistics)

    def query(self, weighting: Weighting, asked: Mapping[str, float]) -> np.ndarray:
        """What each of the query's terms counts; in the order given, terms that the collection lacks included."""
        df = np.array([self.df[self.vocabulary.index(t)] if t in self.vocabulary else 0 for t in asked], np.int64)
        sizes = np.array([len(term) for term in asked], np.float64)
        return weighting.query_weights(np.array(list(asked.values())), df, self.statistics, sizes)

    def scores(self, weighting: Weighting, asked: Mapping[str, float]) -> list[float | None]:
        """The score of each document; None where no term occurs."""
        weights = np.zeros(len(self.vocabulary))
        in_collection = 0.0
        for term, weight in zip(asked, self.query(weighting, asked).tolist(), strict=True):
            if term in self.vocabulary:
                weights[self.vocabulary.index(term)] = weight
                in_collection += weight
        term_weights = weighting.term_weights(self.df, self.statistics)
        weights = np.where(term_weights > 0, weights * term_weights, 0.0)
        values = weights[self.rows.terms] * self.factors(weighting)
        stored = isinstance(weighting, StoredWeighting)
        summands = weighting.document_summands(self.documents, self.statistics) if stored else None
        found: list[float | None] = []
        for document, (start, stop) in enumerate(zip(self.rows.indptr[:-1], self.rows.indptr[1:], strict=True)):
            if not (weights[self.rows.terms[start:stop]] > 0).any():
                found.append(None)
                continue
            added = 0.0 if summands is None else in_collection * float(summands[document])
            found.append(float(values[start:stop].sum()) + added)
        return found


def score(weighting: Weighting, asked: Mapping[str, float], document: int) -> float:
    """The score of a document of the tiny collection."""
    value = Counted(TINY).scores(weighting, asked)[document]
    assert value is not None
    return value


def random_texts(seed: int, count: int, vocabulary: int = 15) -> list[list[str]]:
    """Documents of 1 to 20 words of different lengths; the first word is in all of them, others are rare."""
    chance = random.Random(seed)
    words = [f"{'wordy'[: 1 + number % 5]}{number}" for number in range(vocabulary)]
    return [
        [words[0], *(words[int(vocabulary * chance.random() ** 2)] for _ in range(chance.randrange(20)))]
        for _ in range(count)
    ]
