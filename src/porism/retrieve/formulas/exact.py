"""Formulas that contain the query formula, found by one index term: its operator tree with variables renamed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from porism.analysis.term_columns import indexed_form
from porism.formula import OperatorTree
from porism.formula.extractors.subtrees import subtrees
from porism.index.engine.units import FormulaUnits
from porism.retrieve.lexical.global_statistics import CollectionStatistics, global_statistics
from porism.retrieve.lexical.retriever import LexicalRetriever, SearchTerms
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import BM25, LexicalChannel

SUBTREES = "subtrees"
"""The channel that has the subexpressions."""

MIN_NODES = 5
"""Smaller query formulas (``a+b``, ``f(x)``) occur nearly everywhere with other letters, as parts and in value. So with
other letters only whole formulas in the same notation count.
"""

MAX_HOLDERS = 100
"""The largest number of results, the shortest formulas first."""


class SubexpressionSearch:
    """Searches the channel of subexpressions for a query formula as a whole."""

    channel = SUBTREES

    def __init__(
        self, units: Sequence[FormulaUnits], collection: CollectionStatistics | None = None,
        search_terms: SearchTerms = LexicalRetriever,
    ) -> None:
        self.lexical = search_terms(units, {SUBTREES: LexicalChannel(1.0, BM25())}, **global_statistics(collection))

    def terms(self, operators: OperatorTree) -> list[str]:
        """The term of the whole query formula, if it is informative."""
        size = sum(1 for _ in operators.root.walk())
        terms = subtrees(operators) if size > 1 else []
        if not terms or any(node.kind == "W" for node in operators.root.walk()):
            return []
        return [indexed_form(terms[0])]

    def search(self, operators: OperatorTree) -> UnitResults:
        """Formulas that contain the query formula up to renaming; none for single symbols and very large formulas.

        A few are false: whether variables are renamed one to one is checked by alignment.
        """
        terms = self.terms(operators)
        if not terms:
            nothing = np.zeros(0, np.int32)
            return UnitResults(nothing, nothing, np.zeros(0))
        return self.lexical.search_units([{SUBTREES: {terms[0]: 1.0}}], MAX_HOLDERS)[0]
