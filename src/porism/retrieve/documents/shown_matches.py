"""The formulas of a document that are shown as matches of a query's formulas.

Shown are the best formula of a document, those almost as similar to the query, and those that contain the whole query
formula. A formula that merely shares symbols with the query is not shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.analyzer import Analyzer, read_formula
from porism.analysis.documents import clean_text
from porism.formula import layout_key
from porism.index import Snapshot
from porism.retrieve.documents.weighted_formulas import WeightedFormulas
from porism.retrieve.formulas.alignment_kernels import MATCHED, QUERY_WEIGHT
from porism.retrieve.formulas.equal_formulas import MIN_NODES
from porism.retrieve.formulas.exact_kernels import IDENTICAL, PART, RENAMED, RENAMED_PART
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.matching import match_formulas
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.formulas.retriever import FormulaRetriever, QueryFormula
from porism.retrieve.ranking import UnitResults
from porism.system.concurrency.caching import cached_property
from porism.types import Formula, Query

MIN_COUNT = 0.85
"""A match has at least this share of the query formula, by weight of its nodes."""

WHOLE = 0.99
"""From this share on, a formula contains the whole query formula, with the same letters."""

SMALL = 4
"""A query formula of at most this many nodes matches only if it is contained whole: any power is like ``x^n``."""

EQUAL_VALUE = 0.75
"""From this similarity by value on, a formula is a match in any notation."""

NEAR = 0.02
"""The largest difference between the quality of a match and of the document's best one."""

_EXACT = np.zeros(5)
_EXACT[[IDENTICAL, RENAMED, PART, RENAMED_PART]] = 2.0, 1.5, 0.9, 0.8
"""By kind of an exact match: how like the query formula it is taken to be."""

_COMPARED = 12
"""Only this many formulas of a document are compared, the most similar ones."""


class ShownMatch(NamedTuple):
    """The query formula that a formula of a document matches, and the quality of the match (0 to 1)."""

    query: Formula
    quality: float


class ShownMatches:
    """Compares the formulas of a document with those of a query; safe to share between threads."""

    def __init__(self, snapshot: Snapshot, analyzer: Analyzer, formulas: WeightedFormulas, model: FormulaModel) -> None:
        """``formulas`` reads the formulas of a query that count; ``model`` compares them."""
        self._snapshot, self._analyzer, self._formulas, self._model = snapshot, analyzer, formulas, model

    @cached_property
    def _retriever(self) -> FormulaRetriever:
        return FormulaRetriever(self._snapshot, self._analyzer, self._model)

    def matches(self, query: Query, segment: int, document: int) -> list[FormulaMatch]:
        """For each formula of the query, the match with the formula of a document that the search pairs with it: an
        equal one or one that contains it, whatever its notation, else the most similar one.

        Formulas of the query without one of similarity 0.5 or more are left out.
        """
        retriever = self._retriever
        where = retriever.snapshot.segments[segment].occurrences
        formulas = np.unique(where.formula[where.indptr[document] : where.indptr[document + 1]])
        matches: list[FormulaMatch] = []
        if retriever.aligner is None or not len(formulas):
            return matches
        for query_formula in self._formulas.of(query):
            similar = _likeness(retriever, query_formula.formula, segment, formulas)
            best = int(np.argmax(similar))
            if similar[best] >= 0.5:
                read = retriever.read(query_formula.formula.formula)
                matches.append(match_formulas(retriever, read, segment, int(formulas[best]), True))
        return matches

    def matching(self, query: Query, segment: int, document: int) -> dict[tuple[str, int], ShownMatch]:
        """The formulas of a document that are shown as matches, by field and number there.

        They are similar or equal to one of the query's; single symbols, too small to compare, only match if equal.
        """
        retriever = self._retriever
        held = retriever.snapshot.segments[segment]
        where = held.occurrences
        places = slice(where.indptr[document], where.indptr[document + 1])
        ordinals = where.formula[places]
        formulas_of_query = [query_formula.formula for query_formula in self._formulas.of(query)]
        distinct = np.unique(ordinals).astype(np.int32)
        matches = matching_formulas(retriever, formulas_of_query, segment, distinct)
        matches |= {
            ordinal: ShownMatch(formula, 1.0) for ordinal, formula in self._equal_to(query, segment) if ordinal >= 0
        }
        columns = zip(ordinals.tolist(), where.field[places].tolist(), where.number[places].tolist(), strict=True)
        return {
            (held.fields[field], number): matches[ordinal] for ordinal, field, number in columns if ordinal in matches
        }

    def _equal_to(self, query: Query, segment: int) -> list[tuple[int, Formula]]:
        """The formulas of the query with their ordinals in a segment, -1 where it has no equal formula."""
        by_key = {
            clean_text(layout_key(read_formula(formula.source, formula.notation)[0])): formula
            for content in query.fields.values() for formula in content.formulas
        }
        ordinals = self._snapshot.segments[segment].keys.find(list(by_key))
        return list(zip(ordinals.tolist(), by_key.values(), strict=True))


def _likeness(
    retriever: FormulaRetriever, query: QueryFormula, segment: int, formulas: NDArray[np.int32]
) -> NDArray[np.float64]:
    """How like a query formula each formula is (float64): by alignment, by value, or as the one or a part of the other;
    of equal ones the same one is first."""
    aligner = retriever.aligner
    assert aligner is not None
    similar = np.asarray(aligner.similarities(query.tree, segment, formulas), np.float64)
    if retriever.values is not None:
        similar = np.maximum(
            similar, retriever.values.similarities(query.operators, UnitResults.of_segment(segment, formulas))
        )
    kinds = aligner.exactness(query.tree, segment, formulas).kinds
    if len(query.tree.labels) < MIN_NODES:  # nearly everything contains such
        kinds = np.where(kinds >= RENAMED, kinds, 0)
    return np.maximum(similar, _EXACT[kinds])


def matching_formulas(
    retriever: FormulaRetriever, queries: Sequence[QueryFormula], segment: int, formulas: NDArray[np.int32]
) -> dict[int, ShownMatch]:
    """The formulas of a document (by ordinal) that match a formula of the query."""
    matches: dict[int, ShownMatch] = {}
    for query in queries:
        compared = _compared(retriever, query, segment, formulas)
        best = max((quality for quality, _ in compared.values()), default=0.0)
        for ordinal, (quality, whole) in compared.items():
            if (whole or quality >= best - NEAR) and (ordinal not in matches or quality > matches[ordinal].quality):
                matches[ordinal] = ShownMatch(query.formula, quality)
    return matches


def _compared(
    retriever: FormulaRetriever, query: QueryFormula, segment: int, formulas: NDArray[np.int32]
) -> dict[int, tuple[float, bool]]:
    """The quality of each matching formula, and whether it contains the whole query formula."""
    aligner = retriever.aligner
    if aligner is None or not len(formulas):
        return {}
    sums = aligner.sums(query.tree, segment, formulas)
    similar = aligner.similarity(sums)
    by_value = np.zeros(len(formulas))
    if retriever.values is not None:
        by_value = retriever.values.similarities(query.operators, UnitResults.of_segment(segment, formulas))
    renamed = np.isin(aligner.exactness(query.tree, segment, formulas)[0], (IDENTICAL, RENAMED))
    least = WHOLE if len(query.tree.labels) <= SMALL else MIN_COUNT
    compared: dict[int, tuple[float, bool]] = {}
    for position in np.argsort(-np.maximum(np.maximum(similar, by_value), renamed), kind="stable")[:_COMPARED].tolist():
        ordinal = int(formulas[position])
        matched, of_query = sums[position, [MATCHED, QUERY_WEIGHT]].tolist()
        if of_query <= 0:
            continue
        share = min(1.0, matched / of_query)
        if renamed[position] or share >= least or by_value[position] >= EQUAL_VALUE:
            quality = min(1.0, max(float(similar[position]), float(by_value[position])))
            compared[ordinal] = (quality, bool(renamed[position]) or share >= WHOLE)
    return compared
