"""Pairwise scores: for two candidates of a query, the probability that the first is more relevant than the second."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, FormatError, OnProblem, Problem, pluralise

Floats = NDArray[np.float64]

Holes = Literal["error", "complement", "half"]
"""What becomes of pairs without a score: an error; 1 - the score of the two documents in the other order, where that is
known, and else an error; or that, and else 1/2."""

HOLES: tuple[str, ...] = get_args(Holes)


@dataclass(frozen=True, slots=True, eq=False)
class PairwiseScores:
    """The pairwise scores of one query over k candidates.

    :param matrix: float64 [k, k]; entry i, j is P(dᵢ > dⱼ), the probability that candidate i is more relevant than j
        when a model reads them in this order. The diagonal is NaN, and so is a pair without a score.
    :param ranked: whether ``doc_ids`` are in the order of the stage that found them, the best first.
    :raises FormatError: shape and ids do not fit, an id occurs twice, or a score is not from 0 to 1.
    """

    query_id: str
    doc_ids: tuple[str, ...]
    matrix: Floats
    ranked: bool = False

    def __post_init__(self) -> None:
        where, count = f"query {self.query_id}", len(self.doc_ids)
        matrix = np.array(self.matrix, np.float64)
        if matrix.shape != (count, count):
            of = pluralise(count, "candidate")
            raise FormatError(f"pairwise scores of shape {matrix.shape} for {of}", where=where)
        if len(set(self.doc_ids)) != count:
            raise FormatError("a candidate occurs twice", where=where)
        np.fill_diagonal(matrix, np.nan)
        wrong = np.argwhere((matrix < 0) | (matrix > 1))
        if len(wrong):
            i, j = wrong[0].tolist()
            raise FormatError(
                f"the score {matrix[i, j]:g} of {self.doc_ids[i]} over {self.doc_ids[j]} is not a probability",
                where=where,
            )
        matrix.flags.writeable = False
        object.__setattr__(self, "matrix", matrix)
        object.__setattr__(self, "doc_ids", tuple(self.doc_ids))

    def __len__(self) -> int:
        """How many candidates there are."""
        return len(self.doc_ids)

    def __repr__(self) -> str:
        pairs = len(self) * (len(self) - 1)
        return f"PairwiseScores({self.query_id!r}, {len(self)} candidates, {pairs - self.holes} of {pairs} pairs)"

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, PairwiseScores):
            return NotImplemented
        return (
            (self.query_id, self.doc_ids, self.ranked) == (other.query_id, other.doc_ids, other.ranked)
            and np.array_equal(self.matrix, other.matrix, equal_nan=True)
        )

    @property
    def holes(self) -> int:
        """How many ordered pairs have no score."""
        return int(np.isnan(self.matrix).sum()) - len(self)

    def taken(self, at: Sequence[int] | NDArray[np.int64], *, ranked: bool | None = None) -> PairwiseScores:
        """The candidates at these places, in this order."""
        places = np.asarray(at, np.int64)
        ids = tuple(self.doc_ids[place] for place in places.tolist())
        return PairwiseScores(
            self.query_id, ids, self.matrix[np.ix_(places, places)], self.ranked if ranked is None else ranked
        )

    def first(self, count: int) -> PairwiseScores:
        """The first so many candidates."""
        return self if count >= len(self) else self.taken(range(count))

    def without_holes(self, holes: Holes = "complement", on_problem: OnProblem | None = None) -> PairwiseScores:
        """The scores with every pair filled, see :data:`Holes`; what was filled in is counted and reported.

        :raises ConfigError: a hole may not be filled.
        """
        if holes not in HOLES:
            raise ConfigError(f"holes cannot be {holes!r}", hint=f"Choose from {', '.join(HOLES)}.")
        if not self.holes:
            return self
        where = f"query {self.query_id}"
        empty = np.isnan(self.matrix)
        np.fill_diagonal(empty, False)
        both = empty & empty.T
        refused = empty if holes == "error" else both if holes == "complement" else np.zeros_like(empty)
        if refused.any():
            i, j = np.argwhere(refused)[0].tolist()
            pairs = len(self) * (len(self) - 1)
            way = " in either order" if holes == "complement" else ""
            raise ConfigError(
                f"{int(refused.sum()):,} of {pluralise(pairs, 'pair')} have no score{way}, such as {self.doc_ids[i]} "
                f"and {self.doc_ids[j]}",
                where=where,
                hint="Score them, or choose holes=half (--missing-scores half), which gives such pairs 1/2." if way
                else "Choose holes=complement (--missing-scores complement) where only one order of two was scored.",
            )
        matrix = np.where(empty, 1.0 - self.matrix.T, self.matrix)
        matrix[both] = 0.5
        if on_problem is not None:
            other, neither = int((empty & ~both).sum()), int(both.sum())
            parts = [f"{pluralise(other, 'pair')} got 1 - the score of the other order"] if other else []
            parts += [f"{pluralise(neither, 'pair')} that no order has a score of got 1/2"] if neither else []
            on_problem(Problem(where, ", ".join(parts)))
        return PairwiseScores(self.query_id, self.doc_ids, matrix, self.ranked)


@dataclass(frozen=True, slots=True)
class PairwiseRun:
    """The pairwise scores of several queries.

    :param made_by: what made them, as plain values for JSON.
    :raises FormatError: two are of one query.
    """

    queries: tuple[PairwiseScores, ...]
    made_by: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "queries", tuple(self.queries))
        seen: set[str] = set()
        for pairs in self.queries:
            if pairs.query_id in seen:
                raise FormatError("a query occurs twice among pairwise scores", where=f"query {pairs.query_id}")
            seen.add(pairs.query_id)

    def __len__(self) -> int:
        return len(self.queries)

    def __repr__(self) -> str:
        return f"PairwiseRun({len(self)} queries, {self.pairs:,} pairs)"

    @property
    def pairs(self) -> int:
        """How many ordered pairs have a score."""
        return sum(len(query) * (len(query) - 1) - query.holes for query in self.queries)

    def get(self, query_id: str) -> PairwiseScores | None:
        """Those of a query, None where it has none."""
        return next((query for query in self.queries if query.query_id == query_id), None)


class Flips(NamedTuple):
    """The flips of one query: two documents about which a model contradicts itself in the other order.

    Avila and Lourenço (2021), section 4.1: P(dᵢ > dⱼ) and 1 - P(dⱼ > dᵢ) ought to be about equal. Where one of them
    says that dᵢ is more relevant and the other that dⱼ is, they call it a flip.

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
    flips: NDArray[np.bool_] = (leaning > 0) & (leaning.T > 0) | (leaning < 0) & (leaning.T < 0)
    return flips


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
