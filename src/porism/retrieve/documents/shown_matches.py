"""Which formulas of a document answer those of a query so well that they are shown as matches.

The best of a document is one, what comes as near to the query as it does, and what holds all of the query. A formula
that merely shares symbols with the query is none, least of all beside the one in the query.
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
from porism.retrieve.formulas.exact_kernels import IDENTICAL, RENAMED
from porism.retrieve.formulas.matches import FormulaMatch
from porism.retrieve.formulas.matching import match_formulas
from porism.retrieve.formulas.model import FormulaModel
from porism.retrieve.formulas.retriever import FormulaRetriever, QueryFormula
from porism.retrieve.ranking import UnitResults
from porism.system.concurrency.caching import cached_property
from porism.types import Formula, Query

LEAST = 0.85
"""A match has at least this share of the query formula, by weight of the nodes."""

WHOLE = 0.99
"""From this share on, a formula holds the whole query formula, with the same letters."""

SMALL = 4
"""A query formula of so many nodes is matched by what holds the whole of it only: any power is like ``x^n``."""

EQUAL_VALUE = 0.75
"""From this similarity by value on, a formula is a match however it is written."""

NEAR = 0.02
"""A match is at most so much worse than the document's best."""

_COMPARED = 12
"""Of a document's formulas the most similar so many are looked at."""


class ShownMatch(NamedTuple):
    """That a formula of a document answers one of the query: which, and how well (0 to 1)."""

    query: Formula
    quality: float


class ShownMatches:
    """Compares the formulas of a document with those of a query; safe to share between threads."""

    def __init__(
        self, snapshot: Snapshot, analyzer: Analyzer, formulas: WeightedFormulas, model: FormulaModel
    ) -> None:
        """``formulas`` reads those of a query that count; ``model`` compares them."""
        self._snapshot, self._analyzer, self._formulas, self._model = snapshot, analyzer, formulas, model

    @cached_property
    def _retriever(self) -> FormulaRetriever:
        return FormulaRetriever(self._snapshot, self._analyzer, self._model)

    def matches(self, query: Query, segment: int, document: int) -> list[FormulaMatch]:
        """How the document's formulas answer those of the query: for each of these the most similar one.

        Formulas of the query to which none is at least half similar have none.
        """
        retriever = self._retriever
        where = retriever.snapshot.segments[segment].occurrences
        formulas = np.unique(where.formula[where.indptr[document] : where.indptr[document + 1]])
        found: list[FormulaMatch] = []
        if retriever.aligner is None or not len(formulas):
            return found
        for one in self._formulas.of(query):
            similar = retriever.aligner.similarities(one.formula.tree, segment, formulas)
            best = int(np.argmax(similar))
            if similar[best] >= 0.5:
                read = retriever.read(one.formula.formula)
                found.append(match_formulas(retriever, read, segment, int(formulas[best]), True))
        return found

    def matching(self, query: Query, segment: int, document: int) -> dict[tuple[str, int], ShownMatch]:
        """The formulas of a document that are shown as matches, by field and number there: those that are like the
        query's, and those that are equal to one, symbols too, which are too small to be compared."""
        retriever = self._retriever
        held = retriever.snapshot.segments[segment]
        where = held.occurrences
        places = slice(where.indptr[document], where.indptr[document + 1])
        ordinals = where.formula[places]
        formulas_of_query = [one.formula for one in self._formulas.of(query)]
        distinct = np.unique(ordinals).astype(np.int32)
        found = matching_formulas(retriever, formulas_of_query, segment, distinct)
        found |= {
            ordinal: ShownMatch(formula, 1.0) for ordinal, formula in self._equal_to(query, segment) if ordinal >= 0
        }
        columns = zip(ordinals.tolist(), where.field[places].tolist(), where.number[places].tolist(), strict=True)
        return {
            (held.fields[field], number): found[ordinal] for ordinal, field, number in columns if ordinal in found
        }

    def _equal_to(self, query: Query, segment: int) -> list[tuple[int, Formula]]:
        """The formulas of the query, each with its ordinal in a segment; -1 where the segment has no equal one."""
        by_key = {
            clean_text(layout_key(read_formula(formula.source, formula.notation)[0])): formula
            for content in query.fields.values() for formula in content.formulas
        }
        ordinals = self._snapshot.segments[segment].keys.find(list(by_key))
        return list(zip(ordinals.tolist(), by_key.values(), strict=True))


def matching_formulas(
    retriever: FormulaRetriever, queries: Sequence[QueryFormula], segment: int, formulas: NDArray[np.int32]
) -> dict[int, ShownMatch]:
    """The formulas of one document (by their ordinals in its segment) that match a formula of the query."""
    found: dict[int, ShownMatch] = {}
    for one in queries:
        compared = _compared(retriever, one, segment, formulas)
        best = max((quality for quality, _ in compared.values()), default=0.0)
        for ordinal, (quality, whole) in compared.items():
            if (whole or quality >= best - NEAR) and (ordinal not in found or quality > found[ordinal].quality):
                found[ordinal] = ShownMatch(one.formula, quality)
    return found


def _compared(
    retriever: FormulaRetriever, query: QueryFormula, segment: int, formulas: NDArray[np.int32]
) -> dict[int, tuple[float, bool]]:
    """How well formulas answer one of the query and whether they hold all of it; those that are no match left out."""
    aligner = retriever.aligner
    if aligner is None or not len(formulas):
        return {}
    sums = aligner.sums(query.tree, segment, formulas)
    similar = aligner.similarity(sums)
    by_value = np.zeros(len(formulas))
    if retriever.values is not None:
        units = UnitResults(np.full(len(formulas), segment, np.int32), formulas, np.zeros(len(formulas)))
        by_value = retriever.values.similarities(query.operators, units)
    renamed = np.isin(aligner.exactness(query.tree, segment, formulas)[0], (IDENTICAL, RENAMED))
    least = WHOLE if len(query.tree.labels) <= SMALL else LEAST
    found: dict[int, tuple[float, bool]] = {}
    for position in np.argsort(-np.maximum(np.maximum(similar, by_value), renamed), kind="stable")[:_COMPARED].tolist():
        ordinal = int(formulas[position])
        matched, of_query = sums[position, [MATCHED, QUERY_WEIGHT]].tolist()
        if of_query <= 0:
            continue
        share = min(1.0, matched / of_query)
        if renamed[position] or share >= least or by_value[position] >= EQUAL_VALUE:
            quality = min(1.0, max(float(similar[position]), float(by_value[position])))
            found[ordinal] = (quality, bool(renamed[position]) or share >= WHOLE)
    return found
