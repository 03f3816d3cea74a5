"""Flips: two documents about which a model contradicts itself when it reads them in the other order.

Avila and Lourenço (2021), section 4.1: P(dᵢ > dⱼ) and 1 - P(dⱼ > dᵢ) ought to be about equal. Where one of them says
that dᵢ is more relevant and the other that dⱼ is, they call it a flip.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.lab.pairwise.scores import PairwiseRun, PairwiseScores


class Flips(NamedTuple):
    """The flips of one query.

    :param candidates: how many documents were compared.
    :param pairs: pairs of documents that have scores in both orders.
    :param flips: pairs of these that flip.
    :param rate: the mean over the documents of the share of their pairs that flip, 0 where no pair has both orders:
        equation 5 of Avila and Lourenço. Where every pair has both orders it is ``flips / pairs``.
    :param of_documents: how many flips each document takes part in (int64 [k]).
    """

    query_id: str
    candidates: int
    pairs: int
    flips: int
    rate: float
    of_documents: NDArray[np.int64]


def flipped(pairs: PairwiseScores) -> NDArray[np.bool_]:
    """Which pairs flip: a symmetric matrix (bool [k, k]). A score of exactly 1/2 contradicts nothing."""
    leaning = np.nan_to_num(pairs.matrix - 0.5)
    found: NDArray[np.bool_] = (leaning > 0) & (leaning.T > 0) | (leaning < 0) & (leaning.T < 0)
    return found


def count_flips(pairs: PairwiseScores) -> Flips:
    """The flips of a query."""
    both = ~(np.isnan(pairs.matrix) | np.isnan(pairs.matrix.T))
    flips = flipped(pairs)
    of_documents, compared = flips.sum(1), both.sum(1)
    shares = of_documents[compared > 0] / compared[compared > 0]
    rate = float(shares.mean()) if len(shares) else 0.0
    return Flips(
        pairs.query_id, len(pairs), int(both.sum()) // 2, int(flips.sum()) // 2, rate, of_documents.astype(np.int64)
    )


def flips_at(pairs: PairwiseRun, depths: Sequence[int] = ()) -> dict[int, list[Flips]]:
    """Depth → the flips of each query among its first so many candidates; without depths, among all of them, under the
    largest number of candidates that a query has."""
    wanted: Iterable[int] = depths or (max(map(len, pairs.queries), default=0),)
    return {depth: [count_flips(query.first(depth)) for query in pairs.queries] for depth in wanted}
