"""Formula search whose candidates an engine outside Porism finds: by channels, by equal values and subexpressions. They
are aligned here, with the trees of the index."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer
from porism.index import Snapshot
from porism.index.engine.units import Units
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.matching import StructureRanker
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.kinds import FormulaKind, RetrieverKind
from porism.retrieve.lexical.retriever import LexicalRetriever
from porism.retrieve.ranking import UnitResults
from porism.retrieve.weightings.base import LexicalChannel
from porism.search.models.sums.kind import resolve_part
from porism.search.models.sums.retriever import Part
from porism.serve.backends.milvus import MilvusBackend
from porism.serve.exported.formula_keys import FormulaKeys
from porism.serve.exported.kind import not_exported
from porism.serve.exported.lexical import FORMULAS, ExportedLexical
from porism.serve.exported.model import MilvusFormulaModel
from porism.serve.exported.opening import OpenExport, open_export
from porism.types import Formula

FORMULA_KIND = "milvus-formulas"

_OPTION = "--formula-model"


class ExportedFormulas:
    """Ranks formulas as a :class:`StructureRanker` does, and says what the engine does not know yet. Immutable, and
    safe to share between threads."""

    def __init__(
        self, export: OpenExport, snapshot: Snapshot, analyzer: Analyzer, inner: FormulaModel,
        model: MilvusFormulaModel,
    ) -> None:
        """``inner`` is the model that ranks, ``model`` the one that names the engine.

        :raises ConfigError: the index has none of the model's channels.
        :raises EngineError: the engine lacks what the model needs.
        """
        export.require(FORMULAS, "the terms of the formulas", _OPTION)
        self.export = export

        def search_terms(units: Sequence[Units], channels: Mapping[str, LexicalChannel]) -> LexicalRetriever:
            return ExportedLexical(
                export, units, channels, table=FORMULAS, parse=FormulaKeys(units).read, option=_OPTION
            )

        self.inner = StructureRanker(snapshot, analyzer, inner, search_terms=search_terms)
        self._model = replace(model, tuned_on=tuple(dict.fromkeys((*model.tuned_on, *inner.tuned_on))))

    @property
    def model(self) -> MilvusFormulaModel:
        """The settings that name the engine; tuned on what the model that ranks was tuned on, too."""
        return self._model

    def search(self, formulas: Sequence[Formula], k: int = 10) -> list[UnitResults]:
        """The best ``k`` formulas for each query formula; those that share no term with it are not results.

        :raises QueryError: ``k`` is below 1.
        :raises EngineError: the engine cannot be reached or refuses.
        """
        return self.inner.search(formulas, k)

    def score_formulas(
        self, formula: Formula, segments: NDArray[np.integer], units: NDArray[np.integer]
    ) -> NDArray[np.float64]:
        """The scores of formulas, by segment and ordinal there, in a search for the query formula (float64)."""
        return self.inner.score_formulas(formula, segments, units)

    def match(self, formula: Formula, key: str) -> FormulaMatch:
        """Why a formula, given by its key, has its score for a query formula.

        :raises QueryError: the index has no such formula.
        """
        return self.inner.match(formula, key)

    def aligned(self, formula: Formula, key: str) -> FormulaMatch:
        """What of a formula, given by its key, matches a query formula: :meth:`match` without its score.

        :raises QueryError: the index has no such formula.
        """
        return self.inner.aligned(formula, key)

    def formula_notes(self) -> list[str]:
        """What the engine does not know yet."""
        return [self.export.behind] if self.export.behind else []


def _resolved(model: MilvusFormulaModel) -> tuple[RetrieverKind[Any], RetrieverSettings]:
    return resolve_part(model.of, Part(settings=model.settings), formulas=True)


def _channels(model: MilvusFormulaModel) -> tuple[str, ...]:
    kind, inner = _resolved(model)
    return kind.channels(inner)


def _make(snapshot: Snapshot, analyzer: Analyzer, model: MilvusFormulaModel) -> ExportedFormulas:
    inner = _resolved(model)[1]
    if not isinstance(inner, FormulaModel):
        raise not_exported(inner, formulas=True)
    backend = MilvusBackend(model.uri, model.collection, model.timeout)
    return ExportedFormulas(open_export(backend, snapshot), snapshot, analyzer, inner, model)


MILVUS_FORMULA_MODELS: Mapping[str, MilvusFormulaModel] = MappingProxyType({"milvus": MilvusFormulaModel()})
"""``milvus`` is the default formula model, whose candidates Milvus finds."""

MILVUS_FORMULAS = FormulaKind(
    name=FORMULA_KIND, settings=MilvusFormulaModel, models=MILVUS_FORMULA_MODELS, channels=_channels, make=_make,
    joint=False,
)
"""Formula models of all kinds of the registry, searched in Milvus."""
