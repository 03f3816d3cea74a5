"""Formula search by channels and by structure, as the registry opens it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.index import Snapshot
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.matching import align_match, explain_match
from porism.retrieve.formulas.model import DEFAULT_FORMULA_MODEL, FORMULA_MODELS, FormulaModel
from porism.retrieve.formulas.retriever import FormulaRetriever
from porism.retrieve.kinds import FormulaKind
from porism.retrieve.lexical.retriever import LexicalRetriever, SearchTerms
from porism.retrieve.ranking import UnitResults
from porism.types import Formula


class StructureRanker:
    """Ranks formulas by their terms and by the alignment of their operator trees, and explains how they match."""

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, model: FormulaModel = DEFAULT_FORMULA_MODEL,
        search_terms: SearchTerms = LexicalRetriever,
    ) -> None:
        """
        :param search_terms: what finds formulas by terms, made as a :class:`LexicalRetriever` is.
        :raises ConfigError: the index has none of the model's channels.
        """
        self.retriever = FormulaRetriever(snapshot, analyzer, model, search_terms=search_terms)

    @property
    def model(self) -> FormulaModel:
        """Its settings."""
        return self.retriever.model

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each query formula; those that share no term with it are not results.

        :raises QueryError: ``k`` is below 1.
        """
        return self.retriever.search(formulas, k)

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The scores of formulas, by segment and ordinal there, in a search for the query formula (float64)."""
        return self.retriever.scores(self.retriever.read(formula), segments, units)

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula, given by its key, has its score for a query formula.

        :raises QueryError: the index has no such formula.
        """
        return explain_match(self.retriever, formula, key)

    def aligned(self, formula: Formula, key: str) -> FormulaMatch:
        """What of a formula, given by its key, matches a query formula: :meth:`match` without its score.

        :raises QueryError: the index has no such formula.
        """
        return align_match(self.retriever, formula, key)


def _channels(model: FormulaModel) -> tuple[str, ...]:
    return tuple(model.channels)


STRUCTURE = FormulaKind(
    name="structure", settings=FormulaModel, models=FORMULA_MODELS, channels=_channels, make=StructureRanker
)
"""Formula search by a weighted sum of channels and the alignment of operator trees."""
