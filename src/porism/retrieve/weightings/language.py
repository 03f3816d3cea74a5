"""Language models: the logarithm of the likelihood that a document's model makes the query.

Zhai and Lafferty, *A Study of Smoothing Methods for Language Models Applied to Information Retrieval* (TOIS 2004).
As there, what depends on the query alone is left out, which changes no ranking and makes the rest a sum over the terms
that occur: ``Σ_t q(t) · ln p(t)`` and, for Jelinek–Mercer, ``|q| · ln λ``. p(t) is the
frequency of the term in the collection over the length of the collection, q(t) how often the query has it. Terms that
do not occur in the collection are left out of the query.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from porism.index.engine.factors import FrequencyRows
from porism.retrieve.weightings.base import (
    HEAVIEST,
    ChannelStatistics,
    DocumentCounts,
    Floats,
    RarityInFactor,
    TermCounts,
    check_range,
    collection_frequency,
    collection_length,
    lengths_of,
)

MIN_COUNT = 1e-6
"""How near smoothing parameters may come to where the likelihood is 0."""


@dataclass(frozen=True, slots=True)
class Dirichlet(RarityInFactor):
    """Query likelihood with Dirichlet smoothing: ``Σ_t q(t) · ln(1 + tf / (μ · p(t))) + |q| · ln(μ / (length + μ))``.

    ``|q|`` is the number of the query's term occurrences. The scores of documents may be below 0.

    :raises ConfigError: ``mu`` is not a number from a millionth to :data:`HEAVIEST`.
    """

    mu: float = 2000.0

    def __post_init__(self) -> None:
        check_range("the Dirichlet language model", "mu", self.mu, MIN_COUNT, HEAVIEST)

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """``ln(1 + tf / (μ · p(t)))``."""
        expected = self.mu * (collection_frequency(terms.cf) / collection_length(statistics))
        return np.log1p(rows.frequencies / expected[rows.terms])

    def document_summands(self, documents: DocumentCounts, statistics: ChannelStatistics) -> Floats:
        return -np.log1p(documents.lengths / self.mu)


@dataclass(frozen=True, slots=True)
class JelinekMercer(RarityInFactor):
    """Query likelihood with Jelinek–Mercer smoothing: ``Σ_t q(t) · ln(1 + (1 − λ) / λ · tf / (length · p(t)))``.

    λ (``smoothing``) is the weight of the collection; small values suit short queries, large ones long queries.

    :raises ConfigError: ``smoothing`` is not a number from a millionth to that much below 1.
    """

    smoothing: float = 0.7

    def __post_init__(self) -> None:
        check_range("the Jelinek–Mercer language model", "lambda", self.smoothing, MIN_COUNT, 1.0 - MIN_COUNT)

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """``ln(1 + (1 − λ) / λ · tf / (length · p(t)))``."""
        seen = rows.frequencies / lengths_of(rows, documents)
        expected = collection_frequency(terms.cf) / collection_length(statistics)
        return np.log1p((1.0 - self.smoothing) / self.smoothing * (seen / expected[rows.terms]))
