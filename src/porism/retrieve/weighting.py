"""How much an occurrence of a term counts: weightings of the form ``w(term) · f(frequency, length)``.

The engine evaluates one family of factors exactly and fast: with ``x`` from the weighted frequency alone and ``y`` from
the weighted length alone, f is ``shift + x / (x + y)`` (saturating) or ``shift + x / y`` where the term occurs, and 0
where it does not. BM25 and BM25+, tf·idf with pivoted or no length normalisation, and the divergence-from-randomness
models with Laplace or Bernoulli after-effect are of this family.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError

HEAVIEST = 1e6
"""The largest weight of a field or a channel."""


@dataclass(frozen=True, slots=True)
class ChannelStatistics:
    """What a weighting may know of a channel: how many live documents have at least one term, and their mean length.

    Lengths are weighted by field. ``mean_length`` is 1 where there is no such document.
    """

    documents: int
    mean_length: float


class Weighting(Protocol):
    """A weighting; an immutable value whose ``repr`` tells it from all others."""

    @property
    def saturating(self) -> bool:
        """Whether the factor is ``x / (x + y)`` rather than ``x / y``."""

    @property
    def shift(self) -> float:
        """What a term adds to its factor by occurring at all, from 0 to :data:`HEAVIEST`."""

    def term_weights(self, df: NDArray[np.int64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """The weight of terms that occur in ``df`` (≥ 1) live documents; a term of weight ≤ 0 does not count."""

    def tf_values(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """x of each weighted frequency: > 0 where that is, 0 for 0."""

    def length_values(self, lengths: NDArray[np.float64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """y of each weighted length: ≥ 0, and > 0 where the factor is ``x / y``."""


@dataclass(frozen=True, slots=True)
class BM25:
    """Okapi BM25 as Lucene computes it, with exact lengths.

    ``idf = ln(1 + (N − df + 0.5) / (df + 0.5))`` and ``f = tf / (tf + k1 · (1 − b + b · length / mean length))``; the
    constant factor k1 + 1 of the original is left out, which changes no ranking. Robertson and Zaragoza, *The
    Probabilistic Relevance Framework: BM25 and Beyond* (2009), equations 3.11 and 3.15; the field weights are those of
    BM25F with one length normalisation for all fields.

    :raises ConfigError: ``k1`` is not a number from 0 to :data:`HEAVIEST`, or ``b`` not between 0 and 1.
    """

    k1: float = 1.2
    b: float = 0.75

    def __post_init__(self) -> None:
        if not (0 <= self.k1 <= HEAVIEST and 0 <= self.b <= 1):
            raise ConfigError(f"BM25 cannot have k1 = {self.k1} and b = {self.b}", hint="Use k1 ≥ 0 and 0 ≤ b ≤ 1.")

    @property
    def saturating(self) -> bool:
        """BM25's factor saturates."""
        return True

    @property
    def shift(self) -> float:
        """Nothing: the factor of a term in an ever longer document approaches 0."""
        return 0.0

    def term_weights(self, df: NDArray[np.int64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """The inverse document frequency."""
        found = df.astype(np.float64)
        return np.log(1.0 + (statistics.documents - found + 0.5) / (found + 0.5))

    def tf_values(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """The frequency itself."""
        return frequencies

    def length_values(self, lengths: NDArray[np.float64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """What the frequency competes with: k1 for a document of mean length."""
        return self.k1 * (1.0 - self.b + self.b * lengths / statistics.mean_length)


@dataclass(frozen=True, slots=True)
class BM25Plus:
    """BM25+, which gives a term that occurs at least δ, however long the document: Lv and Zhai, *Lower-Bounding Term
    Frequency Normalization* (CIKM 2011). Tangent-L scores its features with it (δ = 1).

    As published, ``idf = ln((N + 1) / df)`` and the factor is ``(k1 + 1) · tf / (tf + k1 · (1 − b + b · length / mean
    length)) + δ``. As for :class:`BM25` the constant k1 + 1 is left out; so that rankings are those of the published
    formula it divides δ too: ``f = tf / (tf + …) + δ / (k1 + 1)``, and every score is the published one over k1 + 1.

    :raises ConfigError: ``k1`` or ``delta`` is not a number from 0 to :data:`HEAVIEST`, or ``b`` not between 0 and 1.
    """

    k1: float = 1.2
    b: float = 0.75
    delta: float = 1.0

    def __post_init__(self) -> None:
        if not (0 <= self.k1 <= HEAVIEST and 0 <= self.b <= 1 and 0 <= self.delta <= HEAVIEST):
            raise ConfigError(
                f"BM25+ cannot have k1 = {self.k1}, b = {self.b} and delta = {self.delta}",
                hint="Use k1 ≥ 0, 0 ≤ b ≤ 1 and delta ≥ 0.",
            )

    @property
    def saturating(self) -> bool:
        """BM25's factor saturates."""
        return True

    @property
    def shift(self) -> float:
        """δ beside a factor without its constant k1 + 1."""
        return self.delta / (self.k1 + 1.0)

    def term_weights(self, df: NDArray[np.int64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """The inverse document frequency; > 0 even for a term of every document, and finite for one of none."""
        return np.log((statistics.documents + 1.0) / np.maximum(df, 1).astype(np.float64))

    def tf_values(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """The frequency itself."""
        return frequencies

    def length_values(self, lengths: NDArray[np.float64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """What the frequency competes with: k1 for a document of mean length."""
        return self.k1 * (1.0 - self.b + self.b * lengths / statistics.mean_length)


@dataclass(frozen=True, slots=True)
class LexicalChannel:
    """How one channel counts in a score: its weight in the sum over channels (0 leaves it out) and its weighting.

    :raises ConfigError: the weight is not a number from 0 to :data:`HEAVIEST`.
    """

    weight: float = 1.0
    weighting: Weighting = BM25()

    def __post_init__(self) -> None:
        if not 0 <= self.weight <= HEAVIEST:
            raise ConfigError(
                f"a channel cannot have the weight {self.weight}", hint=f"Use a number from 0 to {HEAVIEST:,.0f}."
            )
