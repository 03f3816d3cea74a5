"""TF·IDF and the cosine as scikit-learn's ``TfidfVectorizer`` computes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from porism.errors import ConfigError
from porism.index.engine.factors import FrequencyRows
from porism.retrieve.weightings.base import (
    ChannelStatistics,
    Counts,
    DocumentCounts,
    Floats,
    StoredWeighting,
    TermCounts,
    collection_size,
    occurring,
    row_sums,
)


@dataclass(frozen=True, slots=True)
class TfIdf(StoredWeighting):
    """TF·IDF with smooth inverse document frequencies; the score is the cosine of query and document.

    A term weighs ``tf · (1 + ln((N + 1) / (df + 1)))`` in documents and queries or, if not ``smooth``,
    ``tf · (1 + ln(N / df))``; ``sublinear`` puts 1 + ln(tf) in the place of tf (frequencies below 1 count as they are).
    Vectors are divided by their ``norm``: 2 the Euclidean length, 1 the sum, 0 nothing. Query terms that do not occur
    in the collection do not count. The definitions are those of ``TfidfVectorizer(smooth_idf, sublinear_tf, norm)``.

    :raises ConfigError: ``norm`` is not 0, 1 or 2.
    """

    smooth: bool = True
    sublinear: bool = False
    norm: int = 2

    def __post_init__(self) -> None:
        if self.norm not in (0, 1, 2):
            raise ConfigError(
                f"TF·IDF cannot have the norm {self.norm}", hint="Use 2 (Euclidean), 1 (sum) or 0 (none)."
            )

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """The inverse document frequency: at least 1."""
        total = collection_size(df, statistics)
        return 1.0 + (np.log((total + 1.0) / (df + 1.0)) if self.smooth else np.log(total / occurring(df)))

    def query_weights(self, counts: Floats, df: Counts, statistics: ChannelStatistics, characters: Floats) -> Floats:
        """The vector of the query, normalised."""
        known = (df > 0) & (counts > 0)
        weights = np.zeros(len(counts))
        weights[known] = self._counted(counts[known]) * self.term_weights(df[known], statistics)
        norm = float(np.sqrt(np.sum(np.square(weights))) if self.norm == 2 else np.sum(weights))
        return weights / norm if self.norm and norm > 0 else weights

    def factors(
        self, rows: FrequencyRows, terms: TermCounts, documents: DocumentCounts, statistics: ChannelStatistics
    ) -> Floats:
        """What the frequency counts, over the norm of the document."""
        counted = self._counted(rows.frequencies)
        if not self.norm:
            return counted
        weights = counted * self.term_weights(terms.df, statistics)[rows.terms]
        norms = np.sqrt(row_sums(rows, np.square(weights))) if self.norm == 2 else row_sums(rows, weights)
        return counted / np.where(norms > 0, norms, 1.0)[rows.documents]

    def _counted(self, tf: Floats) -> Floats:
        if not self.sublinear:
            return tf
        return np.where(tf >= 1, 1.0 + np.log(np.maximum(tf, 1.0)), tf)
