"""How much an occurrence of a term counts: weightings of the form ``w(term) · f(term, document)``.

Of *computed* weightings the engine knows the closed form of f. Here ``x`` comes from the weighted frequency alone and
``y`` from the weighted length alone. Where the term occurs, f is ``shift + x / (x + y)`` (saturating) or
``shift + x / y``; elsewhere it is 0. BM25 and most of its kin are of this form; nothing of them is stored but one byte
a posting.

*Stored* weightings give f for each posting in any way, from the counts of terms and of documents: TF·IDF with cosine
or pivoted normalisation, divergence from randomness, language models (:mod:`porism.retrieve.weightings`). Their factors
are stored, 20 bytes a posting, and hold for one state of the collection.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Literal

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index.engine.factors import FrequencyRows
from porism.retrieve.lexical.similarity_matrix import SimilarityMatrix

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]

STEP = 2.0**-24
"""Sums of multiples of this are exact: up to 2²⁹, and the index adds those of its segments in these steps."""

HEAVIEST = 1e6
"""The largest weight of a field or a channel."""

Normalised = bool | Literal["maintain"]
"""What becomes of the lengths of vectors in a soft channel: they stay (False), become 1 (True: the soft cosine), or
become what they are without similarities (``maintain``)."""


def check_weight(of: str, weight: float) -> None:
    """Checks a weight.

    :raises ConfigError: it is not a number from 0 to :data:`HEAVIEST`.
    """
    if not 0 <= weight <= HEAVIEST:
        raise ConfigError(f"{of} cannot have the weight {weight}", hint=f"Use a number from 0 to {HEAVIEST:,.0f}.")


@dataclass(frozen=True, slots=True)
class ChannelStatistics:
    """What a weighting may know of a channel: over the live documents that have at least one term of it.

    Lengths and frequencies are weighted by field. ``tokens`` is the sum of the lengths; a document has
    ``mean_distinct`` distinct terms, and in all occurrences of its terms ``mean_characters`` characters. The means are
    1 where there is no such document. Computed weightings may use ``documents`` and ``mean_length`` only.
    """

    documents: int
    mean_length: float
    tokens: float = 0.0
    mean_distinct: float = 1.0
    mean_characters: float = 1.0


@dataclass(frozen=True, slots=True)
class TermCounts:
    """One element a term of a segment's channel, counted over the live documents of the whole collection.

    ``df`` (int64) is in how many documents it occurs, ``cf`` (float64) the sum of its frequencies, ``sums`` (float64,
    terms × m) what :meth:`StoredWeighting.sums` gave, added up; m is 0 where it gave nothing. A term that only deleted
    documents have counts 0.
    """

    df: Counts
    cf: Floats
    sums: Floats


@dataclass(frozen=True, slots=True)
class DocumentCounts:
    """One element a document of a segment: 0 where it has no term of the channel.

    ``lengths`` (float64), ``distinct`` terms (int64), the ``most`` frequent term's frequency (float64), and
    ``characters`` (float64): the sum over terms of frequency times length of the term.
    """

    lengths: Floats
    distinct: Counts
    most: Floats
    characters: Floats


class Weighting(ABC):
    """A weighting; an immutable value whose ``repr`` tells it from all others."""

    __slots__ = ()

    @abstractmethod
    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The weight of terms that occur in ``df`` (≥ 1) live documents; a term of weight ≤ 0 does not count."""

    def query_weights(self, counts: Floats, df: Counts, statistics: ChannelStatistics, characters: Floats) -> Floats:
        """What the terms of one query count (≥ 0), from how often it has them (``counts``, ≥ 0), their ``df`` and how
        many ``characters`` (float64) each has; by default as often as the query has them.

        Terms that do not occur in the collection (df 0) are among them: they may count in the length of the query.
        """
        return counts


class ComputedWeighting(Weighting):
    """A weighting whose factors the engine computes itself, from ``x``, ``y`` and ``shift``: BM25 and its kin."""

    __slots__ = ()

    saturating: ClassVar[bool] = True
    """Whether the factor is ``x / (x + y)`` rather than ``x / y``."""

    @property
    def shift(self) -> float:
        """What a term adds to its factor by occurring at all, from 0 to :data:`HEAVIEST`."""
        return 0.0

    def tf_values(self, frequencies: Floats) -> Floats:
        """x of each weighted frequency: > 0 where that is, 0 for 0; by default the frequency itself."""
        return frequencies

    @abstractmethod
    def length_values(self, lengths: Floats, statistics: ChannelStatistics) -> Floats:
        """y of each weighted length: ≥ 0, and > 0 where the factor is ``x / y``."""

    def factor(self, x: Floats, y: Floats) -> Floats:
        """The factors of terms that occur, from their x and y."""
        return self.shift + (x / (x + y) if self.saturating else x / y)


class StoredWeighting(Weighting):
    """A weighting that gives the factor of each posting itself; over a whole segment at once."""

    __slots__ = ()

    def sums(
        self, rows: FrequencyRows, documents: DocumentCounts, statistics: ChannelStatistics, vocabulary: int
    ) -> Floats | None:
        """Of each of ``vocabulary`` terms m sums over its postings (float64, vocabulary × m), or None for none.

        ``rows`` has live documents only, and the terms of each in code-point order. The sums of all segments are added
        up: :attr:`TermCounts.sums`.
        """
        return None

    @abstractmethod
    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """The factor of each posting (float64, P): finite; it may be negative."""

    def document_summands(self, documents: DocumentCounts, statistics: ChannelStatistics) -> Floats | None:
        """What is added to the score of each document that is found (float64, finite), or None for nothing.

        It is multiplied by the sum of what the query's terms that occur in the collection count.
        """
        return None


class RarityInFactor(StoredWeighting):
    """A stored weighting whose terms all weigh 1: how rare a term is, is in the factor."""

    __slots__ = ()

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        return np.ones(len(df))


def computed(weighting: Weighting) -> ComputedWeighting:
    """A weighting as a computed one.

    :raises ConfigError: it is a stored one.
    """
    if not isinstance(weighting, ComputedWeighting):
        raise ConfigError(f"{weighting!r} has no closed form", hint="Use BM25 or one of its kin here.")
    return weighting


def check_range(name: str, parameter: str, value: float, low: float, high: float) -> None:
    """Checks that a parameter is a number between two others.

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


def row_sums(rows: FrequencyRows, values: Floats) -> Floats:
    """The sum of each row's values, added in their order, whatever rows are beside it (float64, documents)."""
    return np.bincount(rows.documents, weights=values, minlength=len(rows.indptr) - 1).astype(np.float64, copy=False)


def exact_parts(values: Floats) -> tuple[Floats, Floats]:
    """Each value as two multiples of :data:`STEP`, ``first + STEP · second`` to 48 binary places.

    Their sums are exact up to 2²⁹: so they do not depend on how documents are spread over segments.
    """
    first = np.rint(values / STEP) * STEP
    return first, np.rint((values - first) / STEP / STEP) * STEP


def length_ratio(lengths: Floats, b: float, statistics: ChannelStatistics) -> Floats:
    """BM25's ``1 − b + b · length / mean length``."""
    return 1.0 - b + b * lengths / statistics.mean_length


def check_bm25(name: str, k1: float, b: float, delta: float = 0.0) -> None:
    """Checks the parameters of a variant of BM25.

    :raises ConfigError: ``k1`` or ``delta`` is not a number from 0 to :data:`HEAVIEST`, or ``b`` not between 0 and 1.
    """
    if not (0 <= k1 <= HEAVIEST and 0 <= b <= 1 and 0 <= delta <= HEAVIEST):
        raise ConfigError(
            f"{name} cannot have k1 = {k1}, b = {b} and delta = {delta}", hint="Use k1 ≥ 0, 0 ≤ b ≤ 1 and delta ≥ 0."
        )


@dataclass(frozen=True, slots=True)
class BM25(ComputedWeighting):
    """Okapi BM25 as Lucene computes it, with exact lengths.

    ``idf = ln(1 + (N − df + 0.5) / (df + 0.5))``; ``f = tf / (tf + k1 · (1 − b + b · length / mean length))``; the
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

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency."""
        frequencies = df.astype(np.float64)
        return np.log(1.0 + (statistics.documents - frequencies + 0.5) / (frequencies + 0.5))

    def length_values(self, lengths: Floats, statistics: ChannelStatistics) -> Floats:
        """What the frequency competes with: k1 for a document of mean length."""
        return self.k1 * length_ratio(lengths, self.b, statistics)


@dataclass(frozen=True, slots=True)
class BM25Plus(ComputedWeighting):
    """BM25+, which gives a term that occurs at least δ, however long the document: Lv and Zhai, *Lower-Bounding Term
    Frequency Normalization* (CIKM 2011). Tangent-L scores its features with it (δ = 1).

    As published, ``idf = ln((N + 1) / df)``. The published factor is ``(k1 + 1) · tf / (tf + k1 · (1 − b + b · length /
    mean length)) + δ``. As for :class:`BM25` the constant k1 + 1 is left out; so that rankings are those of the
    published formula it divides δ too: ``f = tf / (tf + …) + δ / (k1 + 1)``, and every score is the published one over
    k1 + 1.

    With ``absent`` terms of the query that a document lacks count δ as well, as rank_bm25 computes it and Novotný et
    al. 2021, equation 4, write it. That adds the same to all documents and is left out here:
    rankings are those without δ.

    :raises ConfigError: ``k1`` or ``delta`` is not a number from 0 to :data:`HEAVIEST`, or ``b`` not between 0 and 1.
    """

    k1: float = 1.2
    b: float = 0.75
    delta: float = 1.0
    absent: bool = False

    def __post_init__(self) -> None:
        check_bm25("BM25+", self.k1, self.b, self.delta)

    @property
    def shift(self) -> float:
        """δ beside a factor without its constant k1 + 1; 0 where all documents have it."""
        return 0.0 if self.absent else self.delta / (self.k1 + 1.0)

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency; > 0 even for a term of every document, and finite for one of none."""
        return np.log((statistics.documents + 1.0) / np.maximum(df, 1).astype(np.float64))

    def length_values(self, lengths: Floats, statistics: ChannelStatistics) -> Floats:
        """What the frequency competes with: k1 for a document of mean length."""
        return self.k1 * length_ratio(lengths, self.b, statistics)


@dataclass(frozen=True, slots=True)
class LexicalChannel:
    """How one channel counts in a score: its weight in the sum over channels (0 leaves it out) and its weighting.

    With a ``similarity`` matrix terms that are alike match too (:mod:`porism.retrieve.lexical.soft`): different ones
    ``softness`` times what they are similar. With ``normalised`` the score is the soft cosine, with ``"maintain"`` this
    times the lengths that both vectors have without similarities; else it is the inner product.
    ``field_weights``, where they are given, replace for this channel those of the retriever.

    :raises ConfigError: the weight is not a number from 0 to :data:`HEAVIEST`, or the softness not from 0 to 100.
    """

    weight: float = 1.0
    weighting: Weighting = BM25()
    similarity: SimilarityMatrix | None = None
    normalised: Normalised = False
    field_weights: Mapping[str, float] | None = None
    softness: float = 1.0

    def __post_init__(self) -> None:
        check_weight("a channel", self.weight)
        if not 0 <= self.softness <= 100:
            raise ConfigError(f"a channel cannot have the softness {self.softness}", hint="Use a number from 0 to 100.")

    @property
    def stores_factors(self) -> bool:
        """Whether the factors of its postings are stored: for stored weightings and soft matching."""
        return self.similarity is not None or isinstance(self.weighting, StoredWeighting)

    @property
    def counted(self) -> bool:
        """Whether a query's terms count as often as the query has them."""
        return type(self.weighting).query_weights is Weighting.query_weights
