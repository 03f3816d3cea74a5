"""Looks up the terms of a query: their numbers and weights, for the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.index.engine.units import Units
from porism.retrieve.lexical.channels import FieldWeights, channel_statistics
from porism.retrieve.lexical.factors import ChannelRows, full_statistics
from porism.retrieve.lexical.soft import SoftTerms
from porism.retrieve.lexical.vocabulary import FoundTerms, IndexVocabulary
from porism.retrieve.weightings.base import ChannelStatistics, LexicalChannel, StoredWeighting
from porism.system.concurrency.locks import Lock

QueryTerms = Mapping[str, Mapping[str, float]]
"""Channel → term → weight in the query (its number of occurrences, or any number ≥ 0)."""

_NEGLIGIBLE = 1e-100
"""Query weights below this count as 0, and none may exceed its inverse, so that sums of products are finite."""


class PreparedQuery(NamedTuple):
    """The known terms of a query by channel: counts in the query, total weights, numbers by segment, df.

    The terms of a channel are in code-point order. Terms added by similarity have an empty name.
    """

    channel_of: NDArray[np.int32]
    terms: list[str]
    counts: NDArray[np.float64]
    weights: NDArray[np.float64]
    numbers: NDArray[np.int32]
    df: NDArray[np.int64]


class TermReader:
    """Looks up terms of channels in the segments of a snapshot, with a cache."""

    def __init__(
        self, segments: Sequence[Units], channels: Mapping[str, LexicalChannel], field_weights: FieldWeights
    ) -> None:
        self.segments, self.channels = tuple(segments), channels
        self._names = tuple(channels)
        self._field_weights = field_weights
        self._plain = {name: channel.counted and channel.similarity is None for name, channel in channels.items()}
        self._lock = Lock()
        self._vocabularies: dict[str, IndexVocabulary] = {}
        self._statistics: dict[str, ChannelStatistics] = {}
        self._soft: dict[str, SoftTerms] = {}
        self._rows: dict[str, list[ChannelRows]] = {}

    def fields_of(self, name: str) -> FieldWeights:
        """The field weights of a channel: its own, or those of the retriever."""
        own = self.channels[name].field_weights
        return self._field_weights if own is None else own

    def rows(self, name: str) -> list[ChannelRows]:
        """The rows of a channel in each segment."""
        with self._lock:
            if name not in self._rows:
                fields = self.fields_of(name)
                self._rows[name] = [ChannelRows(segment, name, fields) for segment in self.segments]
            return self._rows[name]

    def statistics(self, name: str) -> ChannelStatistics:
        """The statistics of the live documents that have a channel; all of them for stored weightings."""
        with self._lock:
            if name not in self._statistics:
                fields = self.fields_of(name)
                stored = isinstance(self.channels[name].weighting, StoredWeighting)
                self._statistics[name] = (
                    full_statistics(self.rows(name), name, fields) if stored
                    else channel_statistics(self.segments, name, fields)
                )
            return self._statistics[name]

    def vocabulary(self, name: str) -> IndexVocabulary:
        """The terms of a channel."""
        with self._lock:
            if name not in self._vocabularies:
                self._vocabularies[name] = IndexVocabulary(
                    self.segments, name, self.fields_of(name), self.channels[name].weighting, self.statistics(name)
                )
            return self._vocabularies[name]

    def soft(self, name: str) -> SoftTerms:
        """The terms that those of a soft channel are similar to.

        :raises ConfigError: the channel's matrix was made for another one, or has none of its terms.
        """
        with self._lock:
            if name not in self._soft:
                channel = self.channels[name]
                assert channel.similarity is not None
                self._soft[name] = SoftTerms(
                    self.segments, name, self.fields_of(name), channel.similarity, channel.weighting,
                    self.statistics(name), channel.softness,
                )
            return self._soft[name]

    def read(self, query: QueryTerms, *, exact: bool = False) -> tuple[tuple[str, ...], PreparedQuery]:
        """The channels that the query has terms of, and the terms; with ``exact`` without those that are similar.

        :raises QueryError: a weight is not a finite number ≥ 0.
        :raises ConfigError: the query names a channel that is not searched.
        """
        for name in query:
            if name not in self.channels:
                raise ConfigError(
                    f"the query has terms of the channel {name!r}, which is not searched",
                    hint=f"Searched are {', '.join(self._names)}.",
                )
        names = tuple(name for name in self._names if query.get(name))
        if not names:
            nothing = np.zeros(0, np.int64)
            return names, PreparedQuery(
                nothing.astype(np.int32), [], np.zeros(0), np.zeros(0),
                np.zeros((len(self.segments), 0), np.int32), nothing,
            )
        # All channels in one go: a query has few terms in each, and every call of NumPy costs as much as many terms.
        ordered = [sorted(query[name]) for name in names]
        terms = list(chain.from_iterable(ordered))
        counts = np.fromiter(
            chain.from_iterable(
                map(query[name].__getitem__, channel_terms)
                for name, channel_terms in zip(names, ordered, strict=True)
            ),
            np.float64, count=len(terms),
        )
        lengths = [len(channel_terms) for channel_terms in ordered]
        channel_of = np.repeat(np.arange(len(names), dtype=np.int32), lengths)
        if not (counts.min() >= 0 and counts.max() <= 1 / _NEGLIGIBLE):
            wrong = int(np.flatnonzero(~((counts >= 0) & (counts <= 1 / _NEGLIGIBLE)))[0])
            raise QueryError(
                f"the weights of query terms of {names[channel_of[wrong]]!r} must be finite numbers ≥ 0, at most 1e100"
            )
        counts[counts < _NEGLIGIBLE] = 0
        parts = [self.vocabulary(name).find(channel_terms) for name, channel_terms in zip(names, ordered, strict=True)]
        if not all(map(self._plain.__getitem__, names)):
            terms, counts, parts, channel_of = self._weighed(names, ordered, counts, parts, exact)
        shares = np.array([self.channels[name].weight for name in names])[channel_of]
        numbers = np.concatenate([part.numbers for part in parts], axis=1)
        df = np.concatenate([part.df for part in parts])
        weights = shares * counts * np.concatenate([part.weights for part in parts])
        if len(weights) and not weights.min() > 0:
            kept = np.flatnonzero(weights > 0)
            terms = [terms[i] for i in kept.tolist()]
            channel_of, counts, weights = channel_of[kept], counts[kept], weights[kept]
            numbers, df = numbers[:, kept], df[kept]
        return names, PreparedQuery(channel_of, terms, counts, weights, numbers, df)

    def query_weights(self, name: str, terms: Mapping[str, float]) -> dict[str, float]:
        """What the terms of a query count in a channel, by the channel's weighting."""
        ordered = sorted(terms)
        counts = np.array([terms[term] for term in ordered], np.float64)
        found_terms = self.vocabulary(name).find(ordered)
        counted = self.channels[name].weighting.query_weights(
            counts, found_terms.df, self.statistics(name), _characters(ordered)
        )
        return dict(zip(ordered, counted.tolist(), strict=True))

    def _weighed(
        self, names: Sequence[str], ordered: Sequence[Sequence[str]], query_counts: NDArray[np.float64],
        known_terms: Sequence[FoundTerms], exact: bool,
    ) -> tuple[list[str], NDArray[np.float64], list[FoundTerms], NDArray[np.int32]]:
        """The terms with what the weightings make of their counts, and with those that are similar."""
        parts: list[tuple[list[str], NDArray[np.float64], FoundTerms]] = []
        start = 0
        for name, terms, known in zip(names, ordered, known_terms, strict=True):
            counts = query_counts[start : start + len(terms)]
            start += len(terms)
            channel = self.channels[name]
            if not channel.counted:
                counts = channel.weighting.query_weights(counts, known.df, self.statistics(name), _characters(terms))
            if channel.similarity is None or exact:
                parts.append((list(terms), counts, known))
            else:
                parts.append(self._softened(name, terms, counts, known))
        lengths = [len(terms) for terms, _, _ in parts]
        return (
            list(chain.from_iterable(terms for terms, _, _ in parts)),
            np.concatenate([counts for _, counts, _ in parts]),
            [known for _, _, known in parts],
            np.repeat(np.arange(len(names), dtype=np.int32), lengths),
        )

    def _softened(
        self, name: str, terms: Sequence[str], counts: NDArray[np.float64], known_terms: FoundTerms
    ) -> tuple[list[str], NDArray[np.float64], FoundTerms]:
        soft = self.soft(name)
        rows = soft.rows(terms)
        known = rows >= 0
        similar = soft.expand(rows[known], counts[known])
        others = np.flatnonzero(~known)
        weights = np.concatenate([similar.weights, counts[others]])
        if normalised := self.channels[name].normalised:
            matching = known | (known_terms.df > 0)  # what can match nothing is not part of the query
            norm = soft.norm(rows[matching], counts[matching], similar, normalised)
            if norm > 0:
                weights /= norm
        return (
            ["" for _ in range(len(similar.rows))] + [terms[i] for i in others.tolist()],
            weights,
            FoundTerms(
                np.concatenate([soft.numbers[:, similar.rows], known_terms.numbers[:, others]], axis=1),
                np.concatenate([soft.df[similar.rows], known_terms.df[others]]),
                np.concatenate([soft.weights[similar.rows], known_terms.weights[others]]),
            ),
        )

    def open_similarities(self) -> None:
        """Opens the matrices of soft channels, so that one that does not fit is reported before a search.

        :raises ConfigError: a matrix was made for another channel, or has none of its terms.
        """
        for name, channel in self.channels.items():
            if channel.similarity is not None:
                self.soft(name)


def _characters(terms: Sequence[str]) -> NDArray[np.float64]:
    """How many characters each term has."""
    return np.fromiter(map(len, terms), np.float64, len(terms))
