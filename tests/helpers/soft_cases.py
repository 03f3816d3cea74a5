"""Random similarity matrices, and soft scores by plain sums over pairs of terms."""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from lexical_cases import Doc

from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix, write_similarity_matrix
from porism.retrieve.weightings.base import LexicalChannel

Similar = dict[tuple[str, str], float]


def random_similar(seed: int, terms: Sequence[str], per_term: int = 5) -> Similar:
    """Similarities of pairs, both ways, as float32 holds them; each term is as similar to itself as can be."""
    chance = random.Random(seed)
    similar: Similar = {(term, term): 1.0 for term in terms}
    for term in terms:
        for other in chance.sample(list(terms), min(per_term, len(terms))):
            if other != term:
                similar[term, other] = similar[other, term] = float(np.float32(chance.uniform(0.05, 0.9)))
    return similar


def matrix_of(path: Path, similar: Similar, channel: str = "") -> SimilarityMatrix:
    terms = sorted({term for pair in similar for term in pair})
    rows = [[(terms.index(other), value) for (term, other), value in similar.items() if term == row] for row in terms]
    for row in rows:
        row.sort()
    indptr = np.cumsum([0, *map(len, rows)])
    cells = [cell for row in rows for cell in row]
    write_similarity_matrix(
        path, terms, indptr, np.array([column for column, _ in cells], np.int64),
        np.array([value for _, value in cells], np.float64), {"channel": channel},
    )
    return SimilarityMatrix.open(path)


def soft_by_the_book(
    docs: Sequence[Doc], name: str, channel: LexicalChannel, field_weights: Mapping[str, float], similar: Similar,
    query: Mapping[str, float],
) -> dict[str, float]:
    """The score of each document that has a term similar to one of the query, for BM25."""
    weighting = channel.weighting
    known = {doc.id: doc.frequencies(name, field_weights) for doc in docs}
    having = [length for _, length in known.values() if length > 0]
    mean = sum(having) / len(having) if having else 1.0
    df: dict[str, int] = {}
    for frequencies, _ in known.values():
        for term in frequencies:
            df[term] = df.get(term, 0) + 1

    def similarity(term: str, other: str) -> float:
        return 1.0 if term == other else channel.softness * similar.get((term, other), 0.0)

    def vector(doc: Doc) -> dict[str, float]:
        frequencies, length = known[doc.id]
        k1, b = weighting.k1, weighting.b
        return {
            term: math.log(1 + (len(having) - df[term] + 0.5) / (df[term] + 0.5))
            * tf / (tf + k1 * (1 - b + b * length / mean))
            for term, tf in frequencies.items()
        }

    def product(one: Mapping[str, float], other: Mapping[str, float]) -> float:
        return math.fsum(a * similarity(s, t) * c for s, a in one.items() for t, c in other.items())

    scores: dict[str, float] = {}
    similar_to = {term for pair in similar for term in pair}
    known_query = {term: count for term, count in query.items() if term in df or term in similar_to}

    def length(vector: Mapping[str, float]) -> float:
        """What a vector is divided by."""
        soft = math.sqrt(product(vector, vector)) if channel.normalised else 1.0
        return soft / math.hypot(*vector.values()) if channel.normalised == "maintain" else soft

    in_query = length(known_query)
    for doc in docs:
        held = vector(doc)
        score = product(query, held)
        if score > 0:
            scores[doc.id] = channel.weight * score / (in_query * length(held))
    return scores
