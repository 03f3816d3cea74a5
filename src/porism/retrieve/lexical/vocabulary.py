"""The terms of a channel over all segments: their numbers, document frequencies and weights, remembered."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.engine.units import Units
from porism.retrieve.lexical.channels import FieldWeights, has_channel, live_frequencies
from porism.retrieve.weightings.base import ChannelStatistics, Weighting
from porism.system.concurrency.locks import Lock

_MAX_REMEMBERED = 200_000
_SMALL_VOCABULARY = 100_000
_LOOKED_UP_BEFORE_ALL = 0.125
"""The share of a small vocabulary that is looked up term by term before all of it is learnt at once."""


class FoundTerms(NamedTuple):
    """Terms of a channel: numbers (int32, segments × terms; -1 where a segment lacks it), df (int64), weights
    (float64)."""

    numbers: NDArray[np.int32]
    df: NDArray[np.int64]
    weights: NDArray[np.float64]


class IndexVocabulary:
    """A channel's terms in every segment; what was looked up is remembered."""

    def __init__(
        self, segments: Sequence[Units], name: str, fields: FieldWeights, weighting: Weighting,
        statistics: ChannelStatistics,
    ) -> None:
        self._dictionaries = [segment.dictionary(name) if has_channel(segment, name) else None for segment in segments]
        self._frequencies = [live_frequencies(segment, name, fields) for segment in segments]
        self._weighting, self._statistics = weighting, statistics
        self._lock = Lock()
        self._row: dict[str, int] = {}
        self._table: FoundTerms
        self._size = sum(len(dictionary) for dictionary in self._dictionaries if dictionary is not None)
        self._looked_up = 0
        self._complete = False
        self._forget()

    def _forget(self) -> None:
        self._row = {}
        self._complete = False
        self._reserve(1024)

    def _reserve(self, capacity: int) -> None:
        """Room for so many terms; what is known of the first ones stays."""
        known = len(self._row)
        table = FoundTerms(
            np.full((len(self._dictionaries), capacity), -1, np.int32), np.zeros(capacity, np.int64),
            np.zeros(capacity),
        )
        if known:
            table.numbers[:, :known] = self._table.numbers[:, :known]
            table.df[:known] = self._table.df[:known]
            table.weights[:known] = self._table.weights[:known]
        self._table = table

    def find(self, terms: Sequence[str]) -> FoundTerms:
        """What is known of each term; the weight of one that does not occur is 0."""
        with self._lock:
            try:
                rows = np.fromiter(map(self._row.__getitem__, terms), np.int64, count=len(terms))
            except KeyError:
                rows = self._rows_of_new(terms)
            numbers, df, weights = self._table
            return FoundTerms(numbers[:, rows], df[rows], weights[rows])

    def _rows_of_new(self, terms: Sequence[str]) -> NDArray[np.int64]:
        """The rows of terms of which some are not known yet."""
        new = list(dict.fromkeys(term for term in terms if term not in self._row))
        self._looked_up += len(new)
        many = self._looked_up > _LOOKED_UP_BEFORE_ALL * self._size
        if many and not self._complete and self._size <= _SMALL_VOCABULARY:
            self._learn_all()
        if self._complete:  # the last row is that of terms which do not occur
            return np.array([self._row.get(term, -1) for term in terms], np.int64)
        if len(self._row) > _MAX_REMEMBERED:
            self._forget()
            new = list(dict.fromkeys(terms))
        self._learn(new)
        return np.fromiter(map(self._row.__getitem__, terms), np.int64, count=len(terms))

    def _learn_all(self) -> None:
        """Learns a small vocabulary whole: who asks often is spared look-ups; who asks now and then does not wait."""
        dictionaries = [dictionary for dictionary in self._dictionaries if dictionary is not None]
        self._forget()
        if len(dictionaries) == 1:
            self._learn(list(dictionaries[0]), in_order=True)
        else:
            self._learn(list(dict.fromkeys(term for dictionary in dictionaries for term in dictionary)))
        self._reserve(len(self._row) + 1)
        self._complete = True

    def _learn(self, terms: Sequence[str], *, in_order: bool = False) -> None:
        """Adds terms; ``in_order``: they are all those of the only dictionary by number, and need no look-up."""
        start = len(self._row)
        stop = start + len(terms)
        if stop > len(self._table.df):
            self._reserve(2 * stop)
        df = self._table.df[start:stop]
        df[:] = 0
        for numbers, dictionary, counts in zip(self._table.numbers, self._dictionaries, self._frequencies, strict=True):
            if dictionary is not None:
                own_numbers = np.arange(len(terms), dtype=np.int32) if in_order else dictionary.lookup(terms)
                numbers[start:stop] = own_numbers
                there = own_numbers >= 0
                df[there] += counts.of(own_numbers[there])
        weights = self._table.weights[start:stop]
        weights[:] = 0
        occurs = df > 0
        weights[occurs] = self._weighting.term_weights(df[occurs], self._statistics)
        self._row.update(zip(terms, range(start, stop), strict=True))
