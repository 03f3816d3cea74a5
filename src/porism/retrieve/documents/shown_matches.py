"""Which formulas of a document answer those of a query so well that they are shown as matches.

The best of a document is one, what comes as near to the query as it does, and what holds all of the query. A formula
that merely shares symbols with the query is none, least of all beside the one in the query.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.retrieve.formulas.alignment_kernels import MATCHED, QUERY_WEIGHT
from porism.retrieve.formulas.exact_kernels import IDENTICAL, RENAMED
from porism.retrieve.formulas.retriever import FormulaRetriever, QueryFormula
from porism.retrieve.ranking import UnitResults
from porism.types import Formula

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
