"""Formulas whose vectors are nearest to a query formula's, whatever computed the vectors."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.formula import notation_of
from porism.index import Segment, Snapshot
from porism.index.engine.units import FormulaUnits, formula_units
from porism.index.vectors import ComputedRows, content_digests, one_each, open_vectors
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.ranking import SegmentHits, UnitIds, UnitResults, merge
from porism.retrieve.vectors.nearest import nearest, product_error, products
from porism.system.concurrency.locks import Lock
from porism.types import Formula
from porism.vectors.providers import SegmentProvider

_MAX_COSINES = 1 << 23


@dataclass(frozen=True, slots=True)
class NearestModel(RetrieverSettings):
    """How formulas are ranked by vectors: those whose cosine with the query's is above ``least`` (from 0 to below 1)
    are results.

    :raises ConfigError: ``least`` is out of its range.
    """

    least: float = 0.0
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        if not 0 <= self.least < 1:
            raise ConfigError(f"the least cosine cannot be {self.least}", hint="Use a number from 0 to below 1.")


class FormulaVectors(SegmentProvider):
    """Vectors of formulas, each of length 1, or 0 where nothing of a formula is known."""

    @abstractmethod
    def embed(self, formulas: Sequence[Formula]) -> NDArray[np.float32]:
        """The vectors of formulas (float32, formulas × dimensions)."""

    @abstractmethod
    def compute_vectors(self, segment: Segment, formulas: NDArray[np.int64]) -> NDArray[np.float32]:
        """The vectors of formulas of a segment, by ordinal."""

    @abstractmethod
    def contents(self, segment: Segment) -> Iterable[str | bytes]:
        """Of each formula of a segment all that its vector depends on."""

    def count(self, segment: Segment) -> int:
        return segment.formula_count

    def digests(self, segment: Segment) -> NDArray[np.uint64]:
        return content_digests(self.contents(segment))

    def compute(self, segment: Segment, numbers: NDArray[np.int64], digests: NDArray[np.uint64]) -> ComputedRows:
        return one_each(self.compute_vectors(segment, numbers))

    def segment_vectors(self, segment: Segment) -> NDArray[np.float32]:
        """The vectors of all formulas of a segment by ordinal, as they are stored.

        :raises ConfigError: some were not computed yet.
        """
        rows = open_vectors(segment, self.spec, segment.formula_count)
        return rows.decode(0, segment.formula_count)


class NearestFormulas:
    """Ranks the formulas of a snapshot by the cosine of their vectors with a query formula's.

    Exact: every formula is compared. Formulas whose cosine is not above ``least`` are not results; ties come by
    descending key. Safe to share between threads.
    """

    def __init__(self, snapshot: Snapshot, vectors: FormulaVectors, least: float) -> None:
        self.units: list[FormulaUnits] = formula_units(snapshot.segments)
        self._embedded, self._least = vectors, least
        self._ids = UnitIds(self.units)
        self._lock = Lock()
        self._matrices: list[NDArray[np.float32]] | None = None

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each of ``formulas``; none for one of which nothing is known.

        :raises QueryError: ``k`` is below 1.
        """
        if k < 1:
            raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
        queries = self._embedded.embed(formulas)
        results: list[UnitResults] = []
        at_once = max(1, _MAX_COSINES // max([1, *(units.doc_count for units in self.units)]))
        for start in range(0, len(queries), at_once):
            results += self._search(queries[start : start + at_once], k)
        return results

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The cosines of formulas, by segment and ordinal there, with a query formula (float64); 0 for one that is not
        above ``least``."""
        query, matrices = self._embedded.embed([formula])[0], self._vectors()
        scores = np.zeros(len(units))
        for segment in np.unique(segments).tolist():
            mine = segments == segment
            scores[mine] = products(matrices[segment][units[mine]], query)
        return np.where(scores > self._least, scores, 0.0)

    def cosine(self, formula: Formula, key: str) -> tuple[float, Segment, int, NDArray[np.float32]]:
        """The cosine of a query formula with one of the index, given by its key; with that one's segment, its ordinal
        there and its vector.

        :raises QueryError: the index has no such formula.
        """
        places = [(number, unit) for number, units in enumerate(self.units) if (unit := units.find(key)) is not None]
        if not places:
            raise QueryError(f"there is no formula {key!r} in the index")
        number, unit = places[0]
        vector = self._vectors()[number][[unit]]
        score = float(products(vector, self._embedded.embed([formula])[0])[0])
        return score, self.units[number].segment, unit, vector[0]

    def _search(self, queries: NDArray[np.float32], k: int) -> list[UnitResults]:
        hits: list[list[SegmentHits]] = [[] for _ in queries]
        for number, (units, matrix) in enumerate(zip(self.units, self._vectors(), strict=True)):
            if not units.live.any():
                continue
            near = queries @ matrix.T
            near[:, ~units.live] = -np.inf
            for row, query, parts in zip(near, queries, hits, strict=True):
                best_here = nearest(row, k, units.id_order, product_error(query), self._exact(matrix, query))
                above = best_here[1] > self._least
                parts.append(SegmentHits(number, best_here[0][above], best_here[1][above]))
        return [merge(parts, k, self._ids) for parts in hits]

    @staticmethod
    def _exact(
        matrix: NDArray[np.float32], query: NDArray[np.float32]
    ) -> Callable[[NDArray[np.int32]], NDArray[np.float64]]:
        return lambda formulas: products(matrix[formulas], query)

    def _vectors(self) -> list[NDArray[np.float32]]:
        with self._lock:
            if self._matrices is None:
                self._matrices = [self._embedded.segment_vectors(units.segment) for units in self.units]
            return self._matrices


def stored_formula(segment: Segment, formula: int) -> Formula:
    """A formula as it is in an index, which does not say in which notation."""
    source = segment.formula_source(formula)
    return Formula(source, notation_of(source))
