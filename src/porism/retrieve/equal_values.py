"""Formulas a part of which has the value of a whole query formula, found by one index term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis import indexed_form
from porism.formula import OperatorTree
from porism.formula.values import expression_values
from porism.index.units import FormulaUnits
from porism.retrieve.lexical import LexicalRetriever
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weighting import BM25, LexicalChannel

if TYPE_CHECKING:
    from porism.retrieve.formula_model import FormulaModel

VALUES = "values"
"""The channel that has the values."""

MOST_EQUAL = 100
"""Formulas that are found by a value at most, by name and up to renaming each."""

_WEIGHTING = BM25()


class EqualFormulas(NamedTuple):
    """Formulas with a part of equal value, each once, and how similar (float64, 0 to the model's worth of a value) that
    makes them; ``complete`` says that there are no others."""

    found: UnitResults
    worths: NDArray[np.float64]
    complete: bool


class EqualValues:
    """Searches the channel of values for the value of a query formula."""

    def __init__(self, units: Sequence[FormulaUnits], model: FormulaModel) -> None:
        self._lexical = LexicalRetriever(units, {VALUES: LexicalChannel(1.0, _WEIGHTING)})
        self._worths = (model.value, model.renamed_value)

    def search(self, operators: OperatorTree) -> EqualFormulas:
        """The formulas with a part of the value of the whole formula; of many those that say least else."""
        found: list[UnitResults] = []
        worths: list[NDArray[np.float64]] = []
        for worth, terms in self._queries(operators):
            results = self._lexical.search_units([terms], MOST_EQUAL)[0]
            found.append(results)
            worths.append(_similar(worth, results.scores))
        if not found:
            nothing = np.zeros(0, np.int32)
            return EqualFormulas(UnitResults(nothing, nothing, np.zeros(0)), np.zeros(0), True)
        segments = np.concatenate([one.segments for one in found])
        units = np.concatenate([one.units for one in found])
        similar = np.concatenate(worths)
        order = np.argsort(-similar, kind="stable")  # the better of two comes first and stays
        _, first = np.unique((segments.astype(np.int64) << 32 | units)[order], return_index=True)
        kept = order[np.sort(first)]
        return EqualFormulas(
            UnitResults(segments[kept], units[kept], similar[kept]), similar[kept],
            all(len(one.scores) < MOST_EQUAL for one in found),
        )

    def similarities(self, operators: OperatorTree, found: UnitResults) -> NDArray[np.float64]:
        """How similar (float64) equal values make each formula; 0 where no part of it has the value."""
        similar = np.zeros(len(found.scores))
        for worth, terms in self._queries(operators):
            for segment in np.unique(found.segments).tolist():
                mine = found.segments == segment
                scores = self._lexical.score_units(terms, segment, found.units[mine])
                similar[mine] = np.maximum(similar[mine], _similar(worth, scores))
        return similar

    def _queries(self, operators: OperatorTree) -> list[tuple[float, dict[str, dict[str, float]]]]:
        """The value of the whole formula by name and up to renaming, weighted so that itself would score 1."""
        values = expression_values(operators)
        if not values or values[0].position != 0:
            return []
        statistics = self._lexical.statistics(VALUES)
        length = np.array([float(sum(bool(one.named) + bool(one.renamed) for one in values))])
        y = _WEIGHTING.length_values(length, statistics)
        queries: list[tuple[float, dict[str, dict[str, float]]]] = []
        for worth, term in zip(self._worths, (values[0].named, values[0].renamed), strict=True):
            if not term or not worth:
                continue
            indexed = indexed_form(term)
            df = self._lexical.document_frequencies(VALUES, [indexed])
            own = float(_WEIGHTING.term_weights(df, statistics)[0] / (1.0 + y[0]))
            if own > 0 and df[0] > 0:
                queries.append((worth, {VALUES: {indexed: 1.0 / own}}))
        return queries


def _similar(worth: float, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    similar: NDArray[np.float64] = worth * np.minimum(1.0, scores) ** 2
    return similar
