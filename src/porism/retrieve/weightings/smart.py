"""TF·IDF in the SMART notation: ``ddd.qqq``, three letters for documents and three for queries.

Each three say how the frequency of a term counts, how rare terms weigh, and what the vector is divided by. The score
is the inner product of both vectors. The letters, their synonyms and what the pivot is are those of gensim's
``TfidfModel`` (``smartirs``), with which ``Lnu.ltb`` was published for ARQMath. Salton and Buckley, *Term-Weighting
Approaches in Automatic Text Retrieval* (1988); Singhal, Buckley and Mitra, *Pivoted Document Length Normalization*
(SIGIR 1996).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index.engine.factors import FrequencyRows
from porism.retrieve.weightings.base import (
    HEAVIEST,
    ChannelStatistics,
    Counts,
    DocumentCounts,
    Floats,
    StoredWeighting,
    TermCounts,
    check_range,
    collection_size,
    occurring,
    row_sums,
)

FREQUENCY: Mapping[str, str] = MappingProxyType({
    "n": "tf",
    "t": "tf (the same as n)",
    "l": "1 + log2(tf)",
    "d": "1 + log2(1 + log2(tf))",
    "a": "0.5 + 0.5 · tf / largest tf",
    "b": "1",
    "L": "(1 + log2(tf)) / (1 + log2(mean tf))",
})
"""First letter → how the frequency counts; largest and mean are over the distinct terms of the document or query."""

RARITY: Mapping[str, str] = MappingProxyType({
    "n": "1",
    "x": "1 (the same as n)",
    "f": "log2(N / df)",
    "t": "log2((N + 1) / df)",
    "p": "max(0, log2((N − df) / df))",
})
"""Second letter → what a term weighs."""

NORMALISATION: Mapping[str, str] = MappingProxyType({
    "n": "1",
    "x": "1 (the same as n)",
    "c": "the Euclidean length of the vector",
    "u": "(1 − slope) · pivot + slope · number of distinct terms",
    "b": "(1 − slope) · pivot + slope · Σ tf · (characters of the term + 1)",
})
"""Third letter → what the vector is divided by."""

Norm = TypeVar("Norm", float, NDArray[np.float64])

_LETTERS = (FREQUENCY, RARITY, NORMALISATION)
_KINDS = ("term frequency", "document frequency", "normalisation")
_SAME = ({"t": "n"}, {"x": "n"}, {"x": "n"})


def parse_scheme(scheme: str) -> str:
    """Three letters with synonyms replaced.

    :raises ConfigError: there are not three, or a letter does not exist at its place.
    """
    if len(scheme) != len(_LETTERS):
        raise ConfigError(f"the SMART scheme {scheme!r} has not three letters", hint="Write for example: Lnu.ltb.")
    for letter, letters, kind in zip(scheme, _LETTERS, _KINDS, strict=True):
        if letter not in letters:
            raise ConfigError(
                f"the SMART scheme {scheme!r} has no {kind} {letter!r}", hint=f"Choose from {', '.join(letters)}."
            )
    return "".join(same.get(letter, letter) for letter, same in zip(scheme, _SAME, strict=True))


@dataclass(frozen=True, slots=True)
class Smart(StoredWeighting):
    """TF·IDF with the weights of documents and queries in the SMART notation.

    ``u`` and ``b`` have a pivot: by default the mean over documents of what they count (the mean number of distinct
    terms; the mean of Σ tf · (characters + 1)), for queries too. A ``pivot`` that is given is used in its place, and
    pivots ``n`` and ``c`` by the Euclidean length: ``(1 − slope) · pivot + slope · length``. ``query_pivot`` and
    ``query_slope`` do the same for queries; without the second, they have the slope of documents.

    Terms whose weight is 0 do not count as distinct terms under ``u``. Frequencies below 1, which field weights make,
    count as they are where a logarithm would be taken. Query terms that do not occur in the collection do not count.

    :raises ConfigError: a scheme is not a SMART scheme; a slope is not from 0 to 1; or a pivot is not above 0.
    """

    documents: str = "Lnu"
    queries: str = "ltb"
    slope: float = 0.25
    pivot: float | None = None
    query_slope: float | None = None
    query_pivot: float | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "documents", parse_scheme(self.documents))
        object.__setattr__(self, "queries", parse_scheme(self.queries))
        name = f"{self.documents}.{self.queries}"
        for parameter, value in (("slope", self.slope), ("query_slope", self.query_slope)):
            if value is not None:
                check_range(name, parameter, value, 0.0, 1.0)
        for parameter, value in (("pivot", self.pivot), ("query_pivot", self.query_pivot)):
            if value is not None:
                check_range(name, parameter, value, 1 / HEAVIEST, HEAVIEST)

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """What the second letter of documents says: 0 under ``f`` for a term of all documents, under ``p`` of half."""
        return rarity(self.documents[1], df, statistics)

    def query_weights(self, counts: Floats, df: Counts, statistics: ChannelStatistics, characters: Floats) -> Floats:
        """The vector of the query, normalised."""
        known = (df > 0) & (counts > 0)
        if not known.any():
            return np.zeros(len(counts))
        tf = counts[known]
        weights = np.zeros(len(counts))
        weights[known] = local(self.queries[0], tf, tf.sum() / len(tf), tf.max()) * rarity(
            self.queries[1], df[known], statistics
        )
        letter, counting = self.queries[2], weights > 0
        slope = self.slope if self.query_slope is None else self.query_slope
        if letter == "u":
            norm = float(np.count_nonzero(counting))
        elif letter == "b":
            norm = float(np.sum(tf * (characters[known] + 1.0)))
        else:
            norm = float(np.sqrt(np.sum(np.square(weights))))
        norm = _pivoted(letter, norm, slope, self.query_pivot, statistics)
        return weights / norm if norm > 0 else weights

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """What the first letter gives, over the norm of the document."""
        of = rows.documents
        means = documents.lengths / np.maximum(documents.distinct, 1)
        counted = local(self.documents[0], rows.frequencies, means[of], documents.most[of])
        letter = self.documents[2]
        if letter == "n" and self.pivot is None:
            return counted
        rare = rarity(self.documents[1], terms.df, statistics)[rows.terms]
        if letter == "u":
            norms = row_sums(rows, (rare > 0).astype(np.float64))
        elif letter == "b":
            norms = documents.characters + documents.lengths
        else:
            norms = np.sqrt(row_sums(rows, np.square(counted * rare)))
        norms = _pivoted(letter, norms, self.slope, self.pivot, statistics)
        return counted / np.where(norms > 0, norms, 1.0)[of]


def local(letter: str, tf: Floats, mean: Floats | float, most: Floats | float) -> Floats:
    """How frequencies above 0 count, by the first letter; ``mean`` and ``most`` are those of their documents."""
    if letter == "n":
        return tf
    if letter == "l":
        return one_plus_log2(tf)
    if letter == "d":
        return one_plus_log2(one_plus_log2(tf))
    if letter == "a":
        return 0.5 + 0.5 * (tf / most)
    if letter == "b":
        return np.ones(len(tf))
    return one_plus_log2(tf) / one_plus_log2(np.asarray(mean, np.float64))


def one_plus_log2(values: Floats) -> Floats:
    """``1 + log2`` of values from 1; below, the values, so that all are above 0 and grow without a jump."""
    return np.where(values >= 1, 1.0 + np.log2(np.maximum(values, 1.0)), values)


def rarity(letter: str, df: Counts, statistics: ChannelStatistics) -> Floats:
    """What terms weigh, by the second letter (≥ 0)."""
    containing, total = occurring(df), collection_size(df, statistics)
    if letter == "f":
        return np.log2(total / containing)
    if letter == "t":
        return np.log2((total + 1.0) / containing)
    if letter == "p":
        return np.log2(np.maximum(total - containing, containing) / containing)
    return np.ones(len(df))


def _pivoted(letter: str, norms: Norm, slope: float, pivot: float | None, statistics: ChannelStatistics) -> Norm:
    """Norms with a pivot, where one is given or the letter has one."""
    if pivot is None:
        if letter == "n":
            return norms * 0.0 + 1.0
        if letter == "c":
            return norms
        by_letter = {"u": statistics.mean_distinct, "b": statistics.mean_characters + statistics.mean_length}
        pivot = by_letter[letter]
    return (1.0 - slope) * pivot + slope * norms
