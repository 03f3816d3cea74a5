"""Pairwise scores from columns: a query, two documents and a score a line; wrong lines are refused or repaired."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from porism.errors import FormatError, OnProblem, Problem, pluralise
from porism.lab.pairwise.scores import PairwiseScores

Duplicates = Literal["error", "mean", "last"]
"""What becomes of a pair that has several scores: an error, their mean, or the last one."""

Invalid = Literal["error", "skip"]
"""What becomes of a score that is not a probability, and of a document compared with itself: an error, or left out."""


@dataclass(frozen=True, slots=True)
class PairColumns:
    """The lines of a file of pairwise scores, N in all.

    :param queries: distinct query ids; ``query_numbers`` (int32 [N]) says which one a line is of.
    :param documents: distinct document ids; ``first`` and ``second`` (int32 [N]) say which two a line compares.
    :param scores: float64 [N], the probability that the first document is more relevant.
    :param lines: int64 [N], from 1.
    """

    name: str
    queries: Sequence[str]
    documents: Sequence[str]
    query_numbers: NDArray[np.int32]
    first: NDArray[np.int32]
    second: NDArray[np.int32]
    scores: NDArray[np.float64]
    lines: NDArray[np.int64]

    def taken(self, at: NDArray[np.int64] | NDArray[np.bool_]) -> PairColumns:
        """Some of the lines."""
        return PairColumns(
            self.name, self.queries, self.documents, self.query_numbers[at], self.first[at], self.second[at],
            self.scores[at], self.lines[at],
        )


def assembled(
    columns: PairColumns, *, duplicates: Duplicates = "error", invalid: Invalid = "error",
    on_problem: OnProblem | None = None,
) -> list[PairwiseScores]:
    """The pairwise scores of each query, queries and candidates in the order in which lines first name them.

    :raises FormatError: a score is not a probability, a document is compared with itself, or a pair occurs twice,
        unless that is repaired; repairs are counted and reported.
    """
    columns = _valid(columns, invalid, on_problem)
    order = np.argsort(columns.query_numbers, kind="stable")
    bounds = np.searchsorted(columns.query_numbers[order], np.arange(len(columns.queries) + 1))
    repeated: list[int] = []
    by_query: list[PairwiseScores] = []
    for number, query_id in enumerate(columns.queries):
        own = columns.taken(order[bounds[number] : bounds[number + 1]])
        if not len(own.scores):
            continue  # all that it had was left out
        known, first_at, places = np.unique(
            np.column_stack([own.first, own.second]).ravel(), return_index=True, return_inverse=True
        )
        by_appearance = np.argsort(first_at)
        rank = np.empty(len(known), np.int64)
        rank[by_appearance] = np.arange(len(known))
        cells = rank[places.reshape(-1, 2)] @ np.array([len(known), 1])
        matrix, twice = _matrix(own, cells, len(known), duplicates)
        repeated += twice
        ids = tuple(own.documents[document] for document in known[by_appearance].tolist())
        by_query.append(PairwiseScores(query_id, ids, matrix))
    if repeated and on_problem is not None:
        kept_score = "the mean of its scores" if duplicates == "mean" else "the last of its scores"
        on_problem(Problem(
            f"{columns.name}:{min(repeated)}",
            f"{pluralise(len(repeated), 'line')} with a pair that other lines have: each pair has {kept_score}",
        ))
    return by_query


def _matrix(
    own: PairColumns, cells: NDArray[np.int64], count: int, duplicates: Duplicates
) -> tuple[NDArray[np.float64], list[int]]:
    """The matrix of a query, and the numbers of the lines that repeat a pair."""
    flat = np.full(count * count, np.nan)
    flat[cells] = own.scores  # of several the last one stays
    order = np.argsort(cells, kind="stable")
    again = order[1:][cells[order][1:] == cells[order][:-1]]
    if len(again):
        at = int(again.min())
        if duplicates == "error":
            raise FormatError(
                f"the pair of {own.documents[own.first[at]]} and {own.documents[own.second[at]]} occurs twice",
                where=f"{own.name}:{own.lines[at]} (query {own.queries[own.query_numbers[at]]})",
                hint="Take the mean or the last of its scores: --duplicates mean, --duplicates last.",
            )
        if duplicates == "mean":
            counts = np.bincount(cells, minlength=count * count)
            sums = np.bincount(cells, own.scores, minlength=count * count)
            flat[counts > 0] = sums[counts > 0] / counts[counts > 0]
    return flat.reshape(count, count), own.lines[again].tolist()


def _valid(columns: PairColumns, invalid: Invalid, on_problem: OnProblem | None) -> PairColumns:
    """The lines whose score is a probability and whose documents are two."""
    improbable = ~((columns.scores >= 0.0) & (columns.scores <= 1.0))  # NaN is neither
    alone = columns.first == columns.second
    for wrong, singular, plural in (
        (improbable, "score that is not a probability from 0 to 1", "scores that are not a probability from 0 to 1"),
        (alone & ~improbable, "document that is compared with itself", "documents that are compared with themselves"),
    ):
        if not wrong.any():
            continue
        at = int(np.flatnonzero(wrong)[0])
        where = f"{columns.name}:{columns.lines[at]}"
        faults = pluralise(int(wrong.sum()), singular, plural)
        shown = f"{columns.scores[at]:g}" if wrong[at] and improbable[at] else columns.documents[columns.first[at]]
        if invalid == "error":
            raise FormatError(
                f"{faults}, such as {shown}", where=where,
                hint="Turn log-probabilities into probabilities, or leave such lines out: --invalid skip.",
            )
        if on_problem is not None:
            on_problem(Problem(where, f"{faults}, such as {shown}: left out"))
    sound = ~(improbable | alone)
    return columns if sound.all() else columns.taken(sound)
