"""Formulas a part of which has the value of a whole query formula, found by one index term."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

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


class EqualValues:
    """Searches the channel of values for the value of a query formula."""

    def __init__(self, units: Sequence[FormulaUnits], model: FormulaModel) -> None:
        self._lexical = LexicalRetriever(units, {VALUES: LexicalChannel(1.0, _WEIGHTING)})
        self._worths = (model.value, model.renamed_value)

    def search(self, operators: OperatorTree) -> tuple[UnitResults, NDArray[np.float64]]:
        """The formulas with a part of this value, each once, and how similar (float64, 0 to 1) that makes them."""
        found: list[UnitResults] = []
        worths: list[NDArray[np.float64]] = []
        for worth, terms in self._queries(operators):
            results = self._lexical.search_units([terms], MOST_EQUAL)[0]
            found.append(results)
            worths.append(worth * np.minimum(1.0, results.scores) ** 2)
        if not found:
            nothing = np.zeros(0, np.int32)
            return UnitResults(nothing, nothing, np.zeros(0)), np.zeros(0)
        segments = np.concatenate([one.segments for one in found])
        units = np.concatenate([one.units for one in found])
        worth = np.concatenate(worths)
        order = np.argsort(-worth, kind="stable")  # the better of two comes first and stays
        _, first = np.unique((segments.astype(np.int64) << 32 | units)[order], return_index=True)
        kept = order[np.sort(first)]
        return UnitResults(segments[kept], units[kept], worth[kept]), worth[kept]

    def similarity(self, operators: OperatorTree, segment: int, unit: int) -> float:
        """How similar equal values make one formula; 0 where no part of it has the value."""
        one = np.array([unit], np.int32)
        return max(
            (
                worth * min(1.0, float(self._lexical.score_units(terms, segment, one)[0])) ** 2
                for worth, terms in self._queries(operators)
            ),
            default=0.0,
        )

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
