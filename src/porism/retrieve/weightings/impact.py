"""Weights that need no weighting: a learnt model has made them already."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from porism.retrieve.weightings.base import ChannelStatistics, ComputedWeighting, Counts, Floats


@dataclass(frozen=True, slots=True)
class Impact(ComputedWeighting):
    """The frequency of a term in the document is its factor, however rare the term and long the document; so a score
    is the inner product of query and document.

    Of a sparse encoder's channel the frequency is the weight that the encoder gave the term.
    """

    saturating = False

    def term_weights(self, df: Counts, statistics: ChannelStatistics) -> Floats:
        """1 for each term: how rare it is, the encoder knows."""
        return np.ones(len(df))

    def length_values(self, lengths: Floats, statistics: ChannelStatistics) -> Floats:
        """1: the length does not count."""
        return np.ones(len(lengths))
