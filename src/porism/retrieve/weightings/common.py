"""What several weightings compute: pivoted lengths, ratios that stay finite, sums that any order of adding gives."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index.engine.factors import FrequencyRows
from porism.retrieve.weightings.base import HEAVIEST, ChannelStatistics, DocumentCounts

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

STEP = 2.0**-24
"""Sums of multiples of this are exact: up to 2²⁹, and the index adds those of its segments in these steps."""


def check_bm25(name: str, k1: float, b: float, delta: float = 0.0) -> None:
    """Whether the parameters of a variant of BM25 are in their ranges.

    :raises ConfigError: ``k1`` or ``delta`` is not a number from 0 to :data:`HEAVIEST`, or ``b`` not between 0 and 1.
    """
    if not (0 <= k1 <= HEAVIEST and 0 <= b <= 1 and 0 <= delta <= HEAVIEST):
        raise ConfigError(
            f"{name} cannot have k1 = {k1}, b = {b} and delta = {delta}", hint="Use k1 ≥ 0, 0 ≤ b ≤ 1 and delta ≥ 0."
        )


def check_range(name: str, parameter: str, value: float, low: float, high: float) -> None:
    """Whether a parameter is a number between two others.

    :raises ConfigError: it is not.
    """
    if not low <= value <= high:
        raise ConfigError(
            f"{name} cannot have {parameter} = {value}", hint=f"Use a number from {low:g} to {high:,.10g}."
        )


def collection_size(df: Counts, statistics: ChannelStatistics) -> Floats:
    """N beside each document frequency; never below it, so that logarithms of ratios stay ≥ 0."""
    return np.maximum(np.maximum(df, 1), statistics.documents).astype(np.float64)


def occurring(df: Counts) -> Floats:
    """Document frequencies as divisors: 1 for terms that only deleted documents have."""
    return np.maximum(df, 1).astype(np.float64)


def collection_frequency(cf: Floats) -> Floats:
    """Frequencies in the collection as divisors: 1 for terms that only deleted documents have."""
    return np.where(cf > 0, cf, 1.0)


def collection_length(statistics: ChannelStatistics) -> float:
    """The length of the whole collection as a factor: 1 for one without a term."""
    return (statistics.tokens or statistics.documents * statistics.mean_length) or 1.0


def lengths_of(rows: FrequencyRows, documents: DocumentCounts) -> Floats:
    """The length of the document of each posting; 1 where it is 0, which no document with a term has."""
    lengths = documents.lengths[rows.documents]
    return np.where(lengths > 0, lengths, 1.0)


def length_ratio(lengths: Floats, b: float, statistics: ChannelStatistics) -> Floats:
    """BM25's ``1 − b + b · length / mean length``."""
    return 1.0 - b + b * lengths / statistics.mean_length


def row_sums(rows: FrequencyRows, values: Floats) -> Floats:
    """The sum of each row's values, added in their order, whatever rows are beside it (float64, documents)."""
    return np.bincount(rows.documents, weights=values, minlength=len(rows.indptr) - 1).astype(np.float64, copy=False)


def exact_parts(values: Floats) -> tuple[Floats, Floats]:
    """Each value as two multiples of :data:`STEP`, ``first + STEP · second`` to 48 binary places.

    Their sums are exact up to 2²⁹: so they do not depend on how documents are spread over segments.
    """
    first = np.rint(values / STEP) * STEP
    return first, np.rint((values - first) / STEP / STEP) * STEP


def finite(value: float) -> bool:
    """Whether a parameter is a number at all."""
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)
