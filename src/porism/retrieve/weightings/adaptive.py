"""BM25 with a k1 of its own for each term, and a composition of logarithms in place of BM25's saturation.

N is the number of documents, and df in how many of them the term occurs. With ``B = 1 − b + b · length / mean length``,
``c = tf / B`` is the frequency in a document of mean length.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from porism.index.engine.factors import FrequencyRows
from porism.retrieve.weightings.base import (
    STEP,
    ChannelStatistics,
    Counts,
    DocumentCounts,
    Floats,
    RarityInFactor,
    StoredWeighting,
    TermCounts,
    check_bm25,
    check_range,
    collection_size,
    exact_parts,
    length_ratio,
    lengths_of,
    occurring,
)

LEVELS = 16
"""BM25-adapt looks at up to so many occurrences (in a document of mean length) of a term."""

MIN_K1, MAX_K1 = 1e-3, 1e3
"""Between these the k1 of a term is sought."""


@dataclass(frozen=True, slots=True)
class BM25Adapt(RarityInFactor):
    """BM25-adapt: each term has the k1 by which BM25 follows the information that repeating the term gives.

    ``G₁ · (k1' + 1) · c / (k1' + c)``: here ``G_r = log2((d_{r+1} + 0.5) / (d_r + 1)) − log2((df + 0.5) / (N + 1))``.
    d₀ = N, d₁ = df and d_r is in how many documents c ≥ r − 0.5; k1' minimises
    ``Σ_r (G_r / G₁ − (k1' + 1) · r / (k1' + r))²``. The sum is over r up to the T after which G no longer grows (at
    most :data:`LEVELS`). Lv and Zhai, *Adaptive Term Frequency Normalization for BM25* (CIKM 2011), in the notation of
    Trotman, Puurula and Burgess, *Improvements to BM25 and Language Models Examined* (ADCS 2014). Where T is 1 every k1
    fits equally: the term has ``k1``. A term with G₁ ≤ 0 does not count.

    :raises ConfigError: ``k1`` is not a number from 0 to :data:`~porism.retrieve.weightings.base.HEAVIEST`, or ``b``
        not between 0 and 1.
    """

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        check_bm25("BM25-adapt", self.k1, self.b)

    def sums(
        self, rows: FrequencyRows, documents: DocumentCounts, statistics: ChannelStatistics, vocabulary: int
    ) -> Floats:
        """d₂, d₃, … of each term (float64, vocabulary × :data:`LEVELS`)."""
        ratio = length_ratio(lengths_of(rows, documents), self.b, statistics)
        levels = np.floor(np.minimum(rows.frequencies / ratio + 0.5, LEVELS + 1.0)).astype(np.int64)
        repeated = levels >= 2
        cells = rows.terms[repeated].astype(np.int64) * LEVELS + levels[repeated] - 2
        reached = np.bincount(cells, minlength=vocabulary * LEVELS).reshape(vocabulary, LEVELS)
        return np.cumsum(reached[:, ::-1], axis=1)[:, ::-1].astype(np.float64)

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """``G₁ · (k1' + 1) · tf / (tf + k1' · B)``."""
        gain, k1 = self.fitted(terms, statistics)
        scale = np.maximum(gain, 0.0) * (k1 + 1.0)
        competing = k1[rows.terms] * length_ratio(lengths_of(rows, documents), self.b, statistics)
        return scale[rows.terms] * (rows.frequencies / (rows.frequencies + competing))

    def fitted(self, terms: TermCounts, statistics: ChannelStatistics) -> tuple[Floats, Floats]:
        """G₁ and k1' of each term."""
        total = collection_size(terms.df, statistics)
        reached = np.column_stack([terms.df, terms.sums]).astype(np.float64)  # d₁, d₂, …
        expected = np.log2((reached[:, 0] + 0.5) / (total + 1.0))
        gains = np.log2((reached[:, 1:] + 0.5) / (reached[:, :-1] + 1.0)) - expected[:, None]  # G₁, G₂, …
        grows = np.cumprod(np.diff(gains, axis=1) > 0, axis=1, dtype=np.bool_)  # G₂ > G₁, and G₃ > G₂, and …
        k1 = np.full(len(reached), self.k1)
        fit = np.flatnonzero(grows[:, 0] & (gains[:, 0] > 0)) if len(reached) else np.zeros(0, np.int64)
        for start in range(0, len(fit), 65_536):
            some = fit[start : start + 65_536]
            k1[some] = _nearest_k1(gains[some, 1:] / gains[some, :1], grows[some])
        return gains[:, 0], k1


def _nearest_k1(targets: Floats, counting: np.ndarray[tuple[int, int], np.dtype[np.bool_]]) -> Floats:
    """The k1 of least squares for each row: ``(k1 + 1) · r / (k1 + r)`` beside the targets of r = 2, 3, …

    By a grid in equal ratios, then golden section search between the neighbours of its best point.
    """
    occurrences = np.arange(2.0, targets.shape[1] + 2.0)

    def error(exponent: Floats) -> Floats:
        k1 = np.exp(exponent)[:, None]
        squares = np.square(targets - (k1 + 1.0) * occurrences / (k1 + occurrences))
        total = np.zeros(len(targets))
        for column in range(targets.shape[1]):  # in this order for each row, whatever rows are beside it
            total += np.where(counting[:, column], squares[:, column], 0.0)
        return total

    grid = np.linspace(np.log(MIN_K1), np.log(MAX_K1), 57)
    errors = np.stack([error(np.full(len(targets), point)) for point in grid])
    best = np.argmin(errors, axis=0)
    low, high = grid[np.maximum(best - 1, 0)], grid[np.minimum(best + 1, len(grid) - 1)]
    golden = (np.sqrt(5.0) - 1.0) / 2.0
    for _ in range(45):
        left, right = high - golden * (high - low), low + golden * (high - low)
        falls = error(left) <= error(right)
        low, high = np.where(falls, low, left), np.where(falls, right, high)
    nearest: Floats = np.exp((low + high) / 2.0)
    return nearest


@dataclass(frozen=True, slots=True)
class BM25T(StoredWeighting):
    """BM25T: each term has a k1 from the distribution of its frequencies, by the log-logistic model.

    ``ln(N / df) · (k1' + 1) · c / (k1' + c)``: k1' solves ``g(k1') = mean of ln(c + 1)`` over the documents that have
    the term. Here ``g(k) = k · ln(k) / (k − 1)`` and g(1) = 1. Lv and Zhai, *A Log-Logistic Model-Based Interpretation
    of TF Normalization of BM25* (ECIR 2012); the inverse document frequency is that of ATIRE, whose authors compared it
    (Trotman, Puurula and Burgess 2014). A term of all documents does not count.

    :raises ConfigError: ``b`` is not between 0 and 1.
    """

    b: float = 0.75

    def __post_init__(self) -> None:
        check_bm25("BM25T", 0.0, self.b)

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency; 0 for a term of all documents."""
        return np.log(collection_size(df, statistics) / occurring(df))

    def sums(
        self, rows: FrequencyRows, documents: DocumentCounts, statistics: ChannelStatistics, vocabulary: int
    ) -> Floats:
        """The sum of ln(c + 1) of each term, in two parts (float64, vocabulary × 2)."""
        parts = exact_parts(np.log1p(rows.frequencies / length_ratio(lengths_of(rows, documents), self.b, statistics)))
        return np.column_stack([np.bincount(rows.terms, weights=part, minlength=vocabulary) for part in parts])

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """``(k1' + 1) · tf / (tf + k1' · B)``."""
        k1 = self.fitted(terms)[rows.terms]
        ratio = length_ratio(lengths_of(rows, documents), self.b, statistics)
        return (k1 + 1.0) * (rows.frequencies / (rows.frequencies + k1 * ratio))

    def fitted(self, terms: TermCounts) -> Floats:
        """k1' of each term, between :data:`MIN_K1` and :data:`MAX_K1`."""
        means = (terms.sums[:, 0] + STEP * terms.sums[:, 1]) / occurring(terms.df)
        low, high = np.full(len(means), np.log(MIN_K1)), np.full(len(means), np.log(MAX_K1))
        for _ in range(60):  # g grows with k1
            middle = (low + high) / 2.0
            below = np.exp(middle)
            beyond = np.expm1(middle)
            with np.errstate(divide="ignore", invalid="ignore"):
                value = np.where(beyond == 0, 1.0, below * middle / beyond)
            low, high = np.where(value < means, middle, low), np.where(value < means, high, middle)
        middles: Floats = np.exp((low + high) / 2.0)
        return middles


@dataclass(frozen=True, slots=True)
class TFldp(StoredWeighting):
    """TFl∘δ∘p×IDF: ``ln((N + 1) / df) · (1 + ln(1 + ln(c + δ)))``.

    Rousseau and Vazirgiannis, *Composition of TF Normalizations: New Insights on Scoring Functions for Ad Hoc IR*
    (SIGIR 2013); table 1 of Kamphuis et al. 2020. Their parameters are b = 0.2 and δ = 1.

    :raises ConfigError: ``b`` is not between 0 and 1, or ``delta`` not from 1 (below, logarithms of small frequencies
        would not exist) to :data:`~porism.retrieve.weightings.base.HEAVIEST`.
    """

    b: float = 0.75
    delta: float = 1.0

    def __post_init__(self) -> None:
        check_bm25("TFldp", 0.0, self.b, self.delta)
        check_range("TFldp", "delta", self.delta, 1.0, 1e6)

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency; above 0 even for a term of all documents."""
        return np.log((collection_size(df, statistics) + 1.0) / occurring(df))

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """``1 + ln(1 + ln(c + δ))``, above 1."""
        normal = rows.frequencies / length_ratio(lengths_of(rows, documents), self.b, statistics)
        return 1.0 + np.log1p(np.log(normal + self.delta))
