"""Divergence from randomness: how much a term's frequency differs from chance.

Amati and van Rijsbergen, *Probabilistic Models of Information Retrieval Based on Measuring the Divergence from
Randomness* (TOIS 2002), and Amati, *Frequentist and Bayesian Approach to Information Retrieval* (ECIR 2006). In a
document of mean length a term occurs ``tfn = tf · log2(1 + c · mean length / length)`` times (normalisation 2); F is
its frequency in the collection and N the number of documents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from porism.index.engine.factors import FrequencyRows
from porism.retrieve.weightings.base import (
    HEAVIEST,
    ChannelStatistics,
    ComputedWeighting,
    Counts,
    DocumentCounts,
    Floats,
    RarityInFactor,
    TermCounts,
    check_range,
    collection_frequency,
    collection_size,
    lengths_of,
)

MIN_C = 1e-6
_LOG2_E = 1.0 / math.log(2.0)


def _normalisation(lengths: Floats, c: float, statistics: ChannelStatistics) -> Floats:
    """``log2(1 + c · mean length / length)``."""
    ratio: Floats = np.log1p(c * statistics.mean_length / lengths) * _LOG2_E
    return ratio


@dataclass(frozen=True, slots=True)
class PL2(RarityInFactor):
    """PL2: Poisson model, Laplace after-effect, normalisation 2.

    With λ = F / N: ``(tfn · log2(tfn / λ) + (λ + 1 / (12 · tfn) − tfn) · log2(e) + 0.5 · log2(2π · tfn)) / (tfn + 1)``;
    Stirling's formula as in the paper, with its 1 / (12 · tfn), so that every factor is above 0.

    :raises ConfigError: ``c`` is not a number from a millionth to :data:`HEAVIEST`.
    """

    c: float = 1.0

    def __post_init__(self) -> None:
        check_range("PL2", "c", self.c, MIN_C, HEAVIEST)

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """The information of the frequency, times what the after-effect leaves of it."""
        tfn = rows.frequencies * _normalisation(lengths_of(rows, documents), self.c, statistics)
        rate = (collection_frequency(terms.cf) / max(statistics.documents, 1))[rows.terms]
        information: Floats = (
            tfn * np.log2(tfn / rate)
            + (rate + 1.0 / (12.0 * tfn) - tfn) * _LOG2_E
            + 0.5 * np.log2(2.0 * np.pi * tfn)
        )
        return information / (tfn + 1.0)


@dataclass(frozen=True, slots=True)
class InL2(ComputedWeighting):
    """InL2: inverse document frequency, Laplace after-effect, normalisation 2.

    ``log2((N + 1) / (df + 0.5)) · tfn / (tfn + 1)``: a computed weighting, as tfn is tf times a function of the length.

    :raises ConfigError: ``c`` is not a number from a millionth to :data:`HEAVIEST`.
    """

    c: float = 1.0

    def __post_init__(self) -> None:
        check_range("InL2", "c", self.c, MIN_C, HEAVIEST)

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency; above 0 even for a term of all documents."""
        return np.log2((collection_size(df, statistics) + 1.0) / (df + 0.5))

    def length_values(self, lengths: Floats, statistics: ChannelStatistics) -> Floats:
        """What the frequency competes with."""
        present = np.where(lengths > 0, lengths, statistics.mean_length)
        return 1.0 / _normalisation(present, self.c, statistics)


@dataclass(frozen=True, slots=True)
class DPH(RarityInFactor):
    """DPH: hypergeometric model with Popper's normalisation; it has no parameter.

    It is ``(1 − f)² / (tf + 1) · (tf · log2(r) + 0.5 · log2(2π · tf · (1 − f)))``. Here f = tf / length, and ``r = tf ·
    mean length / length · N / F``. It may be below 0, and is 0 in a document that has no other term. Amati, Ambrosi,
    Bianchi, Gaibisso and Gambosi, *FUB, IASI-CNR and University of Tor Vergata at TREC 2007 Blog Track*.
    """

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """The information of the frequency, times its normalisation."""
        tf, lengths = rows.frequencies, lengths_of(rows, documents)
        rest = np.maximum(1.0 - tf / lengths, 0.0)
        rare = (max(statistics.documents, 1) / collection_frequency(terms.cf))[rows.terms]
        certain = np.where(rest > 0, rest, 1.0)
        information = tf * np.log2(tf * (statistics.mean_length / lengths) * rare) + 0.5 * np.log2(
            2.0 * np.pi * tf * certain
        )
        return rest * rest / (tf + 1.0) * information
