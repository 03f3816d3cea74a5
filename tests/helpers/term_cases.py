"""Random term matrices, and BM25 over them by the book."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.index.engine.postings import Postings
from porism.index.rows import Entries


@dataclass
class Case:
    """One channel: its matrix, its postings, and the same as dense arrays (``tf`` documents × terms, ``length``)."""

    postings: Postings
    tf: NDArray[np.float64]
    length: NDArray[np.float64]


def channel_case(
    counts: NDArray[np.int64], field_weights: list[tuple[int, float]], *, wide: bool, dense_at_least: int = 64
) -> Case:
    """``counts`` is documents × fields × terms; weighted counts are added in the order of ``field_weights``."""
    documents, fields, vocabulary = counts.shape
    flat = counts.reshape(documents * fields, vocabulary)
    rows, terms = np.nonzero(flat)
    indptr = np.zeros(len(flat) + 1, np.int64)
    np.cumsum(np.bincount(rows, minlength=len(flat)), out=indptr[1:])
    values = flat[rows, terms].astype(np.uint16 if wide else np.uint8)
    postings = Postings.build(
        indptr, terms.astype(np.int32), values, vocabulary, Entries.of_text(documents, fields), field_weights,
        dense_at_least=dense_at_least,
    )
    tf, length = np.zeros((documents, vocabulary)), np.zeros(documents)
    for number, weight in field_weights:
        tf = tf + weight * counts[:, number]
        length = length + weight * counts[:, number].sum(axis=1)
    return Case(postings, tf, length)


def random_counts(
    random: np.random.Generator, documents: int, fields: int, vocabulary: int, density: float, most: int
) -> NDArray[np.int64]:
    """Counts up to ``most``, each there with probability ``density``."""
    shape = (documents, fields, vocabulary)
    return np.where(random.random(shape) < density, random.integers(1, most + 1, shape), 0)
