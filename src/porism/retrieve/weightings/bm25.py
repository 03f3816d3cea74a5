"""Variants of BM25 that differ in how rare terms weigh and what long documents lose: computed weightings.

Kamphuis, de Vries, Boytsov and Lin, *Which BM25 Do You Mean?* (ECIR 2020), table 1, lists them. Scores are those of the
table; where the factor of the table has a constant, it is in the weight of the term here. Throughout, N is the
number of documents, df in how many of them the term occurs, and ``B = 1 − b + b · length / mean length``. The variant
of Lucene and BM25+ are in :mod:`porism.retrieve.weightings.base`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from porism.errors import ConfigError
from porism.retrieve.weightings.base import (
    BM25,
    HEAVIEST,
    ChannelStatistics,
    ComputedWeighting,
    Counts,
    Floats,
    check_bm25,
    collection_size,
    length_ratio,
    occurring,
)


@dataclass(frozen=True, slots=True)
class BM25Robertson(BM25):
    """BM25 with the inverse document frequency of Robertson and Spärck Jones.

    ``ln((N − df + 0.5) / (df + 0.5)) · tf / (tf + k1 · B)``: Robertson, Walker, Jones, Hancock-Beaulieu and Gatford,
    *Okapi at TREC-3* (1994), as in table 1 of Kamphuis et al. 2020. Terms that at least half of the documents have
    would count 0 or less: they do not count.

    :raises ConfigError: ``k1`` is not a number from 0 to :data:`HEAVIEST`, or ``b`` not between 0 and 1.
    """

    def __post_init__(self) -> None:
        check_bm25("BM25 (Robertson)", self.k1, self.b)

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency; ≤ 0 for a term of at least half of the documents."""
        frequencies = df.astype(np.float64)
        return np.log((collection_size(df, statistics) - frequencies + 0.5) / (frequencies + 0.5))


@dataclass(frozen=True, slots=True)
class BM25Atire(BM25):
    """BM25 of the search engine ATIRE: ``ln(N / df) · (k1 + 1) · tf / (tf + k1 · B)``.

    Trotman, Jia and Crane, *Towards an Efficient and Effective Search Engine* (SIGIR 2012 workshop on open source
    information retrieval); table 1 of Kamphuis et al. 2020. A term of all documents does not count.

    :raises ConfigError: ``k1`` is not a number from 0 to :data:`HEAVIEST`, or ``b`` not between 0 and 1.
    """

    def __post_init__(self) -> None:
        check_bm25("BM25 (ATIRE)", self.k1, self.b)

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency, times the constant k1 + 1; 0 for a term of all documents."""
        return (self.k1 + 1.0) * np.log(collection_size(df, statistics) / occurring(df))


@dataclass(frozen=True, slots=True)
class BM25L(ComputedWeighting):
    """BM25L, which punishes long documents less: Lv and Zhai, *When Documents Are Very Long, BM25 Fails!* (SIGIR 2011).

    Where the term occurs, it is ``ln((N + 1) / (df + 0.5)) · (k1 + 1) · (c + δ) / (k1 + c + δ)``. Here ``c = tf / B``.
    With K = k1 + δ the factor is ``(k1 + 1) · (k1 / K) · (δ / k1 + tf / (tf + K · B))``.

    :raises ConfigError: ``k1`` or ``delta`` is not a number from 0 to :data:`HEAVIEST`, ``b`` is not between 0 and 1,
        or ``k1`` is less than a millionth of ``delta``.
    """

    k1: float = 1.2
    b: float = 0.75
    delta: float = 0.5

    def __post_init__(self) -> None:
        check_bm25("BM25L", self.k1, self.b, self.delta)
        if not (self.k1 > 0 and self.delta / self.k1 <= HEAVIEST):
            raise ConfigError(
                f"BM25L cannot have k1 = {self.k1} with delta = {self.delta}", hint="Use k1 above 0, such as 1.2."
            )

    @property
    def shift(self) -> float:
        return self.delta / self.k1

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency times the constants; above 0 even for a term of all documents."""
        constant = (self.k1 + 1.0) * self.k1 / (self.k1 + self.delta)
        return constant * np.log((collection_size(df, statistics) + 1.0) / (df + 0.5))

    def length_values(self, lengths: Floats, statistics: ChannelStatistics) -> Floats:
        """What the frequency competes with: k1 + δ for a document of mean length."""
        return (self.k1 + self.delta) * length_ratio(lengths, self.b, statistics)
