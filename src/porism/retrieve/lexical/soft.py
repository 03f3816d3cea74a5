"""Soft vector space models: similar terms match too, each pair by its similarity.

The score of a document is ``Σ_i Σ_j q_i · S_ij · d_j`` over the terms i of the query and j of the document. Here q and
d are their weights under any weighting, and S is a
:class:`~porism.retrieve.lexical.similarity_matrix.SimilarityMatrix`. With ``normalised`` the score is divided by
``√(q S q) · √(d S d)``: the soft cosine. With ``normalised="maintain"`` the soft cosine is multiplied by the Euclidean
lengths ``‖q‖ · ‖d‖``: similar terms rotate the vectors and keep their lengths. That is gensim's
``normalized=('maintain', 'maintain')``, which the system of 2022 used. Sidorov et al., *Soft Similarity and Soft Cosine
Measure* (Computación y Sistemas, 2014); Novotný and Štefánik, *Combining Sparse and Dense Information Retrieval* (CLEF
2022).

``q S`` is computed first. It is a longer query, for which documents are scored exactly by their own rows. Terms that S
lacks are similar to themselves only. With a *softness* s other than 1, S is ``I + s · (S − I)``.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.explanation import Explanation
from porism.index.engine.factors import FactorChannel
from porism.index.engine.factors_kernels import expand
from porism.index.engine.units import Units
from porism.retrieve.lexical.channels import FieldWeights, has_channel, live_df
from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix
from porism.retrieve.weightings.base import ChannelStatistics, Normalised, Weighting
from porism.system.compiled.kernels import address
from porism.system.concurrency.locks import Lock

_MAX_REMEMBERED = 200_000
_SHOWN_PAIRS = 100


class SimilarTerms(NamedTuple):
    """The terms similar to those of a query: rows of S (int64, increasing) and their weights (float64, > 0)."""

    rows: NDArray[np.int64]
    weights: NDArray[np.float64]


class _ExpansionBuffers(threading.local):
    def __init__(self) -> None:
        self.sums = np.zeros(0)
        self.bits = np.zeros(0, np.uint64)

    def fit(self, rows: int) -> None:
        if len(self.sums) < rows:
            self.sums, self.bits = np.zeros(rows), np.zeros(rows // 64 + 1, np.uint64)


_workspace = _ExpansionBuffers()


class SoftTerms:
    """The terms of S in the segments of a snapshot; immutable, and safe to share between threads.

    ``numbers`` (int32, segments × terms of S) are the terms' numbers in each segment, -1 where absent. ``df`` (int64)
    and ``weights`` (float64, of the weighting; 0 for a term that does not count) have one element a term of S.
    """

    def __init__(
        self, segments: Sequence[Units], channel: str, fields: FieldWeights, matrix: SimilarityMatrix,
        weighting: Weighting, statistics: ChannelStatistics, softness: float = 1.0,
    ) -> None:
        """``fields`` are the weights of whole documents; similarities of different terms count ``softness`` times.

        :raises ConfigError: the matrix was made for another channel, or has no term of this one.
        """
        matrix.check_channel(channel)
        self.matrix, self.softness = matrix, softness
        terms = len(matrix)
        self.numbers = np.full((len(segments), terms), -1, np.int32)
        self.df = np.zeros(terms, np.int64)
        packed = matrix.dictionary.packed()
        self._vocabularies: list[int] = []
        for segment, numbers in zip(segments, self.numbers, strict=True):
            there = has_channel(segment, channel)
            self._vocabularies.append(len(segment.dictionary(channel)) if there else 0)
            if there and self._vocabularies[-1]:
                numbers[:] = segment.dictionary(channel).lookup_packed(packed)
                known = numbers >= 0
                self.df[known] += live_df(segment, channel, fields)[numbers[known]]
        if any(self._vocabularies) and not self.df.any():
            raise ConfigError(
                f"the similarity matrix has none of the terms of the channel {channel!r}", where=str(matrix.path),
                hint=f"Build one: porism similarities NAME --channel {channel}.",
            )
        self.weights = np.zeros(terms)
        occur = self.df > 0
        self.weights[occur] = np.maximum(weighting.term_weights(self.df[occur], statistics), 0.0)
        self._addresses = address(matrix.indptr), address(matrix.columns), address(matrix.values)
        self._known: dict[str, int] = {}
        self._lock = Lock()

    @property
    def addresses(self) -> tuple[int, int, int]:
        """The addresses of the starts, columns and values of S."""
        return self._addresses

    def rows(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The rows of terms in S (int64), -1 for unknown terms."""
        known = self._known
        try:
            return np.fromiter(map(known.__getitem__, terms), np.int64, count=len(terms))
        except KeyError:
            with self._lock:
                if len(known) > _MAX_REMEMBERED:
                    known = self._known = {}
                new = list(dict.fromkeys(terms))
                known.update(zip(new, self.matrix.dictionary.lookup(new).tolist(), strict=True))
                return np.array([known[term] for term in terms], np.int64)

    def expand(self, rows: NDArray[np.int64], weights: NDArray[np.float64]) -> SimilarTerms:
        """``q S`` for a query with ``weights`` (float64, ≥ 0) of distinct terms, by their ``rows`` (int64, ≥ 0)."""
        workspace = _workspace
        workspace.fit(len(self.df))
        indptr = self.matrix.indptr
        room = min(len(self.df), int((indptr[rows + 1] - indptr[rows]).sum()))
        reached, total = np.empty(room, np.int64), np.empty(room)
        count = expand(rows, weights, *self._addresses, workspace.sums, workspace.bits, reached, total)
        reached, total = reached[:count], total[:count]
        if self.softness != 1:  # S is 1 on its diagonal, which stays
            total *= self.softness
            total[np.searchsorted(reached, rows)] += (1.0 - self.softness) * weights
        return SimilarTerms(reached, total)

    def row_of(self, segment: int) -> NDArray[np.int32]:
        """The row of S of each term of a segment's channel (int32), -1 for terms without one."""
        rows = np.full(self._vocabularies[segment], -1, np.int32)
        numbers = self.numbers[segment]
        there = np.flatnonzero(numbers >= 0)
        rows[numbers[there]] = there
        return rows

    def norm(
        self, rows: NDArray[np.int64], weights: NDArray[np.float64], similar: SimilarTerms,
        normalised: Normalised = True,
    ) -> float:
        """The divisor of the query: ``√(q S q)``, divided by ``‖q‖`` with ``"maintain"``; 0 if the root is negative.

        Terms without a row (-1) are similar to themselves only.
        """
        known = rows >= 0
        own = similar.weights[np.searchsorted(similar.rows, rows[known])]
        total = float(weights[known] @ own) + float(weights[~known] @ weights[~known])
        norm = math.sqrt(max(total, 0.0))
        if normalised != "maintain" or not norm:
            return norm
        return norm / math.sqrt(float(weights @ weights))


def explain_soft(
    soft: SoftTerms, channel: FactorChannel, segment: int, document: int, query: Mapping[str, float],
    unknown: Mapping[str, tuple[int, float]], share: float,
) -> list[Explanation]:
    """The pairs of a query's and a document's terms that make up its score in a soft channel, the largest first.

    ``query`` are the weights in the query; ``unknown`` the numbers and weights of terms that S does not have; ``share``
    multiplies everything.
    """
    start, stop = int(channel.rows.indptr[document]), int(channel.rows.indptr[document + 1])
    terms, factors = channel.rows.terms[start:stop], channel.factors[start:stop]
    held = soft.row_of(segment)[channel.numbers[terms]].tolist()
    factor_of = {row: factor for row, factor in zip(held, factors.tolist(), strict=True) if row >= 0}
    names = list(query)
    leaves: list[Explanation] = []
    for name, row in zip(names, soft.rows(names).tolist(), strict=True):
        if row < 0:
            number, weight = unknown.get(name, (-1, 0.0))
            places = np.flatnonzero(channel.numbers[terms] == number)
            if len(places) and weight > 0:
                factor = float(factors[places[0]])
                leaves.append(_pair(name, name, 1.0, query[name], weight, factor, share))
            continue
        columns, values = soft.matrix.row(row)
        for column, value in zip(columns.tolist(), values.tolist(), strict=True):
            if column in factor_of and soft.weights[column] > 0:
                other, similarity = name, 1.0
                if column != row:
                    (other,) = soft.matrix.dictionary.select(np.array([column])).strings()
                    similarity = value * soft.softness
                weight, factor = float(soft.weights[column]), factor_of[column]
                leaves.append(_pair(name, other, similarity, query[name], weight, factor, share))
    leaves.sort(key=lambda leaf: -abs(leaf.value))
    if len(leaves) > _SHOWN_PAIRS:
        rest = leaves[_SHOWN_PAIRS:]
        leaves = [
            *leaves[:_SHOWN_PAIRS],
            Explanation(sum(leaf.value for leaf in rest), f"{len(rest)} further pairs of terms"),
        ]
    return leaves


def _pair(
    wanted: str, held: str, similarity: float, in_query: float, weight: float, factor: float, share: float
) -> Explanation:
    match = f"exact {wanted!r}" if wanted == held else f"fuzzy {wanted!r} ~ {held!r}"
    return Explanation(
        share * in_query * similarity * weight * factor,
        f"{match}: in the query {in_query:.4g} · similarity {similarity:.4g} · term weight {weight:.4f} · "
        f"factor {factor:.4g}" + (f" · {share:.4g}" if share != 1 else ""),
    )
