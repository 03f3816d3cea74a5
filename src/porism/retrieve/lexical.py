"""Exact top-k search over weighted terms of several channels, across the segments of a snapshot.

The score of a document is ``Σ_view Σ_channel Σ_term weight · factor``. The first view is the whole document, with the
field weights given; others see some fields only (:class:`~porism.retrieve.channels.View`). It is added in the order of
the views, of the channels given and, within a channel, of the terms by code point, in float64. Statistics count live
documents only. So scores and rankings depend on the documents alone, bit by bit: not on how they are spread over
segments, nor on what was deleted or replaced before.

What is ranked are the units of segments (:mod:`porism.index.units`): documents, or formulas with their keys as ids.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import chain
from typing import NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.explanation import Explanation
from porism.index.strings import offsets
from porism.index.topk import ScoredChannel, SegmentSearcher
from porism.index.units import Units
from porism.retrieve.channels import (
    FieldWeights,
    View,
    channel_statistics,
    has_channel,
    scored_channel,
    view_terms,
)
from porism.retrieve.ranking import Found, Results, UnitIds, UnitResults, merge
from porism.retrieve.vocabulary import Vocabulary
from porism.retrieve.weighting import ChannelStatistics, LexicalChannel

QueryTerms = Mapping[str, Mapping[str, float]]
"""Channel → term → weight in the query (its number of occurrences, or any number ≥ 0)."""

_NEGLIGIBLE = 1e-100
"""Query weights below this count as 0, and none may be above its inverse: sums of products stay finite numbers."""

WHOLE = ""
"""The name of the view in which all fields count as the retriever's field weights say."""

R = TypeVar("R")


class _Asked(NamedTuple):
    """One query's terms that occur at all, by channel and code point: weights in the query and in all, numbers, df."""

    channel_of: NDArray[np.int32]
    terms: list[str]
    asked: NDArray[np.float64]
    weights: NDArray[np.float64]
    numbers: NDArray[np.int32]
    df: NDArray[np.int64]


class LexicalRetriever:
    """Search of a snapshot's segments by the channels given; immutable, and safe to share between threads.

    What it needs of a channel is opened when a query first uses it.
    """

    def __init__(
        self,
        segments: Sequence[Units],
        channels: Mapping[str, LexicalChannel],
        field_weights: FieldWeights | None = None,
        views: Mapping[str, View] | None = None,
    ) -> None:
        """``segments`` are the documents, or the formulas, of a whole snapshot; ``channels`` are in the order in which
        their scores are added, and a channel of weight 0 is left out. So is a view (by name) that no segment has a
        field of.

        :raises ConfigError: the index has no such channel.
        """
        self.segments = tuple(segments)
        self.channels = {name: channel for name, channel in channels.items() if channel.weight > 0}
        self.field_weights: FieldWeights = dict(field_weights or {})
        for name in channels:
            if self.segments and not any(has_channel(segment, name) for segment in self.segments):
                known = sorted({
                    name for segment in self.segments for name in (*segment.text_channels, *segment.formula_channels)
                })
                raise ConfigError(
                    f"the index has no channel {name!r}", hint=f"It has {', '.join(known)}; index again for others."
                )
        self.views = {
            name: view for name, view in (views or {}).items() if view.weight > 0 and view.sees(self.segments)
        }
        self._names = tuple(self.channels)
        self._noun = self.segments[0].noun if self.segments else "document"
        self._lock = threading.RLock()
        self._terms: dict[str, Vocabulary] = {}
        self._statistics: dict[str, ChannelStatistics] = {}
        self._scored_channels: dict[tuple[str, str], list[ScoredChannel]] = {}
        self._terms_of_view: dict[
            tuple[str, tuple[str, ...]], list[tuple[NDArray[np.int64], NDArray[np.int64]]]
        ] = {}
        self._searchers: dict[tuple[str, ...], list[SegmentSearcher]] = {}
        self.ids = UnitIds(self.segments)
        # large segments first: their k-th score spares work in the others
        self._order = sorted(
            (number for number, segment in enumerate(self.segments) if segment.doc_count),
            key=lambda number: -self.segments[number].doc_count,
        )

    def statistics(self, channel: str) -> ChannelStatistics:
        """The number and mean length of the live documents that have the channel."""
        with self._lock:
            if channel not in self._statistics:
                self._statistics[channel] = channel_statistics(self.segments, channel, self.field_weights)
            return self._statistics[channel]

    def document_frequencies(self, channel: str, terms: Sequence[str]) -> NDArray[np.int64]:
        """In how many live documents each term occurs (int64, one a term)."""
        return self._channel_terms(channel).find(terms).df

    def term_weights(self, query: QueryTerms) -> dict[str, dict[str, float]]:
        """What each query term that occurs in the collection weighs: the factor apart, its share of scores. What views
        add is left out.

        :raises QueryError: a weight is not a finite number ≥ 0.
        :raises ConfigError: the retriever has no such channel.
        """
        names, prepared = self._prepare(query)
        found: dict[str, dict[str, float]] = {name: {} for name in names}
        for position, term, weight in zip(
            prepared.channel_of.tolist(), prepared.terms, prepared.weights.tolist(), strict=True
        ):
            found[names[position]][term] = weight
        return found

    def search_terms(
        self,
        queries: Sequence[QueryTerms],
        k: int,
        *,
        allowed: Sequence[NDArray[np.bool_]] | None = None,
        threads: int = 1,
    ) -> list[Results]:
        """The best ``k`` documents of each query; those in which no term occurs are not results.

        ``allowed`` has, for each of ``segments``, one element a document: False for those that must not be found.

        :raises QueryError: ``k`` is below 1, or a weight is not a finite number ≥ 0.
        :raises ConfigError: a query names a channel that the retriever does not have.
        """

        def search(query: QueryTerms) -> Results:
            found = self._search(query, k, allowed)
            return Results(self.ids.take(found.segments, found.units), found.scores)

        return _each(search, queries, k, threads)

    def search_units(
        self,
        queries: Sequence[QueryTerms],
        k: int,
        *,
        allowed: Sequence[NDArray[np.bool_]] | None = None,
        threads: int = 1,
    ) -> list[UnitResults]:
        """What :meth:`search_terms` finds, by number: spares the ids, which can cost more than the search.

        :raises QueryError: ``k`` is below 1, or a weight is not a finite number ≥ 0.
        :raises ConfigError: a query names a channel that the retriever does not have.
        """
        return _each(lambda query: self._search(query, k, allowed), queries, k, threads)

    def score_units(self, query: QueryTerms, segment: int, units: NDArray[np.integer]) -> NDArray[np.float64]:
        """The exact scores (float64) of units of one segment, in the order given; 0 where no term occurs.

        ``segment`` is a position in ``segments``. Deleted units are scored like others.

        :raises IndexError: there is no such unit.
        :raises QueryError: a weight is not a finite number ≥ 0.
        :raises ConfigError: the query names a channel that the retriever does not have.
        """
        distinct, places = np.unique(np.asarray(units, np.int32), return_inverse=True)
        count = self.segments[segment].doc_count
        if len(distinct) and not 0 <= distinct[0] <= distinct[-1] < count:
            raise IndexError(f"units {distinct[0]} to {distinct[-1]} of {count}")
        names, prepared = self._prepare(query)
        if not len(prepared.weights) or not len(distinct):
            return np.zeros(len(places))
        searcher = self._segment_searchers(names)[segment]
        return searcher.score(*_in_segment(self._viewed(names, prepared), segment), distinct)[places]

    def explain_terms(self, query: QueryTerms, doc_id: str, *, asked: QueryTerms | None = None) -> Explanation:
        """Why a document has its score: channels, those of views too, and in each its terms, all adding up.

        Of a term that ``asked`` gives less weight than ``query`` the rest is shown as what feedback gave it.

        :raises QueryError: the index has no such document, or a weight is not a finite number ≥ 0.
        :raises ConfigError: the query names a channel that the retriever does not have.
        """
        number, document = self.find(doc_id)
        names, prepared = self._prepare(query)
        viewed = self._viewed(names, prepared)
        searcher = self._segment_searchers(names)[number]
        total = 0.0
        channels: list[Explanation] = []
        looks = [(view, name) for view in (WHOLE, *self.views) for name in names]
        for position, ((view, name), scored) in enumerate(zip(looks, searcher.channels, strict=True)):
            subtotal = 0.0
            leaves: list[Explanation] = []
            for i in np.flatnonzero(viewed.channel_of == position).tolist():
                term = int(viewed.numbers[number, i])
                factor, x, y = scored.parts(term, document) if term >= 0 else (0.0, 0.0, 0.0)
                if factor == 0:
                    continue
                value = float(viewed.weights[i]) * factor
                subtotal += value
                share_of_term = f"{x:.4g} / ({x:.4g} + {y:.4g})" if scored.saturating else f"{x:.4g} / {y:.4g}"
                if scored.shift:
                    share_of_term = f"({scored.shift:.4g} + {share_of_term})"
                in_query, share = float(viewed.asked[i]), self.channels[name].weight
                own = in_query if asked is None else asked.get(name, {}).get(viewed.terms[i], 0.0)
                term_weight = float(prepared.weights[i % len(prepared.terms)]) / (share * in_query)
                origin = f"{in_query:g}" if own == in_query else f"({own:g} + feedback {in_query - own:.4g})"
                leaves.append(Explanation(value, (
                    f"{viewed.terms[i]!r}: in the query {origin} · channel weight {share:g} · "
                    f"{f'view weight {self.views[view].weight:g} · ' if view else ''}"
                    f"term weight {term_weight:.4f} (in {viewed.df[i]} {self._noun}s) · {share_of_term} (frequency "
                    f"{scored.postings.frequency(term, document):g}, length {scored.postings.length(document):g})"
                )))
            total += subtotal
            if leaves:
                where = f"view {view}, channel {name}" if view else f"channel {name}"
                channels.append(Explanation(subtotal, f"{where}: {self.channels[name].weighting!r}", leaves))
        return Explanation(total, f"{self.segments[number].noun} {doc_id}", channels)

    def find(self, doc_id: str) -> tuple[int, int]:
        """The segment that has a document, and the document's number there.

        :raises QueryError: there is none with this id.
        """
        for number, segment in enumerate(self.segments):
            document = segment.find(doc_id)
            if document is not None:
                return number, document
        raise QueryError(f"there is no {self._noun} {doc_id!r} in the index")

    def _channel_terms(self, name: str) -> Vocabulary:
        with self._lock:
            if name not in self._terms:
                self._terms[name] = Vocabulary(
                    self.segments, name, self.field_weights, self.channels[name].weighting, self.statistics(name)
                )
            return self._terms[name]

    def scored(self, name: str, view: str = WHOLE) -> list[ScoredChannel]:
        """The postings of a channel in each segment, with their factors; as a view sees them, if one is named."""
        with self._lock:
            if (view, name) not in self._scored_channels:
                weighting = self.channels[name].weighting
                fields = self.views[view] if view else self.field_weights
                statistics = channel_statistics(self.segments, name, fields) if view else self.statistics(name)
                self._scored_channels[view, name] = [
                    scored_channel(segment, name, fields, weighting, statistics) for segment in self.segments
                ]
            return self._scored_channels[view, name]

    def _segment_searchers(self, names: tuple[str, ...]) -> list[SegmentSearcher]:
        """Search of each segment by these channels together, in every view."""
        with self._lock:
            if names not in self._searchers:
                scored = [self.scored(name, view) for view in (WHOLE, *self.views) for name in names]
                self._searchers[names] = [
                    SegmentSearcher(
                        segment.doc_count, [one[number] for one in scored], segment.id_order, segment.live
                    )
                    for number, segment in enumerate(self.segments)
                ]
            return self._searchers[names]

    def _prepare(self, query: QueryTerms) -> tuple[tuple[str, ...], _Asked]:
        for name in query:
            if name not in self.channels:
                raise ConfigError(
                    f"the query has terms of the channel {name!r}, which is not searched",
                    hint=f"Searched are {', '.join(self._names)}.",
                )
        names = tuple(name for name in self._names if query.get(name))
        if not names:
            nothing = np.zeros(0, np.int64)
            return names, _Asked(
                nothing.astype(np.int32), [], np.zeros(0), np.zeros(0),
                np.zeros((len(self.segments), 0), np.int32), nothing,
            )
        # All channels in one go: a query has few terms in each, and every call of NumPy costs as much as many terms.
        ordered = [sorted(query[name]) for name in names]
        terms = list(chain.from_iterable(ordered))
        asked = np.fromiter(
            chain.from_iterable(
                map(query[name].__getitem__, channel_terms)
                for name, channel_terms in zip(names, ordered, strict=True)
            ),
            np.float64, count=len(terms),
        )
        lengths = [len(channel_terms) for channel_terms in ordered]
        channel_of = np.repeat(np.arange(len(names), dtype=np.int32), lengths)
        if not (asked.min() >= 0 and asked.max() <= 1 / _NEGLIGIBLE):
            wrong = int(np.flatnonzero(~((asked >= 0) & (asked <= 1 / _NEGLIGIBLE)))[0])
            raise QueryError(
                f"the weights of query terms of {names[channel_of[wrong]]!r} must be finite numbers ≥ 0, at most 1e100"
            )
        asked[asked < _NEGLIGIBLE] = 0
        found = [
            self._channel_terms(name).find(channel_terms) for name, channel_terms in zip(names, ordered, strict=True)
        ]
        shares = np.array([self.channels[name].weight for name in names])[channel_of]
        numbers = np.concatenate([one.numbers for one in found], axis=1)
        df = np.concatenate([one.df for one in found])
        weights = shares * asked * np.concatenate([one.weights for one in found])
        if not weights.min() > 0:
            kept = np.flatnonzero(weights > 0)
            terms = [terms[i] for i in kept.tolist()]
            channel_of, asked, weights = channel_of[kept], asked[kept], weights[kept]
            numbers, df = numbers[:, kept], df[kept]
        return names, _Asked(channel_of, terms, asked, weights, numbers, df)

    def _viewed(self, names: tuple[str, ...], asked: _Asked) -> _Asked:
        """The terms for all views: those of one view after those of the other, on channels of their own."""
        if not self.views or not asked.terms:
            return asked
        shares = [1.0, *(view.weight for view in self.views.values())]
        times = len(shares)
        first = np.arange(times, dtype=np.int32) * np.int32(len(names))
        numbers = [asked.numbers]
        for view in self.views:
            mine = np.empty_like(asked.numbers)
            for of_segment, (keys, starts), wanted in zip(
                mine, self._view_terms(view, names), asked.numbers, strict=True
            ):
                places = np.searchsorted(keys[:-1], _keys(asked.channel_of, wanted))
                there = keys[places] == _keys(asked.channel_of, wanted)
                of_segment[:] = np.where(there, places - starts[asked.channel_of], -1)
            numbers.append(mine)
        return _Asked(
            np.add.outer(first, asked.channel_of).reshape(-1), asked.terms * times, np.tile(asked.asked, times),
            np.multiply.outer(shares, asked.weights).reshape(-1), np.concatenate(numbers, axis=1),
            np.tile(asked.df, times),
        )

    def _view_terms(
        self, view: str, names: tuple[str, ...]
    ) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
        """The terms that channels have in a view, in each segment.

        As keys of channel and number, increasing, and behind them one that no term has; and where each channel begins.
        """
        with self._lock:
            if (view, names) not in self._terms_of_view:
                self._terms_of_view[view, names] = []
                for segment in self.segments:
                    terms = [view_terms(segment, name, self.views[view]) for name in names]
                    keys = [_keys(np.int32(position), numbers) for position, numbers in enumerate(terms)]
                    self._terms_of_view[view, names].append(
                        (np.concatenate([*keys, [np.iinfo(np.int64).max]]), offsets(np.array(list(map(len, terms)))))
                    )
            return self._terms_of_view[view, names]

    def _search(self, query: QueryTerms, k: int, allowed: Sequence[NDArray[np.bool_]] | None) -> UnitResults:
        names, prepared = self._prepare(query)
        found: list[Found] = []
        if not len(prepared.weights):
            return merge(found, k, self.ids)
        prepared = self._viewed(names, prepared)
        searchers = self._segment_searchers(names)
        floor = 0.0
        for number in self._order:
            units, scores = searchers[number].top(
                *_in_segment(prepared, number), k, allowed=None if allowed is None else allowed[number], floor=floor
            )
            if len(scores):
                found.append(Found(number, units, scores))
            if len(scores) == k:
                floor = max(floor, float(scores[-1]))
        return merge(found, k, self.ids)


def _keys(channel_of: NDArray[np.int32] | np.int32, numbers: NDArray[np.int32]) -> NDArray[np.int64]:
    """Channel and number of terms as one number, in the order of both; below 0 for a term that is not there."""
    keys: NDArray[np.int64] = np.left_shift(channel_of, 32, dtype=np.int64) | numbers
    return keys


def _in_segment(prepared: _Asked, segment: int) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.float64]]:
    """The channels, numbers and weights of the terms that a segment has."""
    numbers = np.ascontiguousarray(prepared.numbers[segment])
    if bool((numbers < 0).any()):
        present = numbers >= 0
        return prepared.channel_of[present], numbers[present], prepared.weights[present]
    return prepared.channel_of, numbers, prepared.weights


def _each(search: Callable[[QueryTerms], R], queries: Sequence[QueryTerms], k: int, threads: int) -> list[R]:
    """Searches for each query, in several threads where that is asked for."""
    if k < 1:
        raise QueryError(f"{k} results cannot be found", hint="Ask for at least 1.")
    if threads == 1 or len(queries) < 2:
        return [search(query) for query in queries]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(search, queries))
