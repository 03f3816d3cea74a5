"""Weights that need no weighting: a learnt model has made them already."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from porism.retrieve.weightings.base import ChannelStatistics, CountedQuery


@dataclass(frozen=True, slots=True)
class Impact(CountedQuery):
    """The frequency of a term in the document is its factor, however rare the term and long the document; so a score
    is the inner product of query and document.

    Of a sparse encoder's channel the frequency is the weight that the encoder gave the term.
    """

    @property
    def saturating(self) -> bool:
        """Twice the weight counts twice as much."""
        return False

    @property
    def shift(self) -> float:
        """Nothing."""
        return 0.0

    def term_weights(self, df: NDArray[np.int64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """1 for each term: how rare it is, the encoder knows."""
        return np.ones(len(df))

    def tf_values(self, frequencies: NDArray[np.float64]) -> NDArray[np.float64]:
        """The frequency itself."""
        return frequencies

    def length_values(self, lengths: NDArray[np.float64], statistics: ChannelStatistics) -> NDArray[np.float64]:
        """1: the length does not count."""
        return np.ones(len(lengths))
