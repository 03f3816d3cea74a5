"""Pseudo-relevance feedback: a query learns terms from the documents that it finds first.

The first documents are taken to be relevant, and what is characteristic of them joins the query with a small weight:
Rocchio, *Relevance Feedback in Information Retrieval* (in Salton, *The SMART Retrieval System*, 1971); that documents
count by their scores, and terms by what they hold of the documents, is as in the relevance models of Lavrenko and Croft
(SIGIR 2001). In each channel of the query apart:

- ``v(t) = Σ_d w_d · f(t, d)`` over the first documents, with ``w`` their scores, made to sum to 1, and ``f`` the
  factor of the channel's weighting (for BM25 ``tf / (tf + k1 · (1 − b + b · length / mean length))``);
- the terms of the largest ``v(t) · idf(t)`` are kept, those of equal ones by code point;
- a kept term's weight grows by ``weight · v(t) · Σ q / Σ v``, with q the query's own weights in the channel and the
  second sum over the kept terms: so feedback has a given share of each channel, and none where the query has nothing.

All of it depends on the live documents alone, bit by bit, and not on how they are spread over segments.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.rows import TermRows
from porism.index.string_kernels import sort_order
from porism.index.strings import Dictionary, Packed, offsets
from porism.retrieve.channels import FieldWeights, has_channel, live_df, weighted_fields
from porism.retrieve.feedback_kernels import sums_by_number, weighted_frequencies
from porism.retrieve.lexical import LexicalRetriever, QueryTerms
from porism.retrieve.model import Feedback
from porism.retrieve.ranking import UnitResults

_MOST_REMEMBERED = 100_000


class QueryExpander:
    """Adds terms of the first documents to queries, over one snapshot; safe to share between threads."""

    def __init__(self, segments: Sequence[Segment], lexical: LexicalRetriever, settings: Feedback) -> None:
        """``segments`` are those of ``lexical``, whose units are documents."""
        self._segments = tuple(segments)
        self._lexical = lexical
        self._settings = settings
        self._channels: dict[str, _Channel] = {}
        self._lock = threading.Lock()

    def expand(
        self, query: QueryTerms, allowed: Sequence[NDArray[np.bool_]] | None = None
    ) -> dict[str, dict[str, float]]:
        """The query's terms with those of the first documents that it finds, among the ``allowed`` ones.

        Weights of the query's own terms do not become less. A query that finds nothing stays as it is.

        :raises QueryError: a weight is not a finite number ≥ 0.
        :raises ConfigError: the query names a channel that is not searched.
        """
        expanded = {name: dict(terms) for name, terms in query.items()}
        if self._settings.weight == 0:
            return expanded
        first = self._lexical.search_units([query], self._settings.documents, allowed=allowed)[0]
        total = math.fsum(first.scores.tolist())
        if not 0 < total < math.inf:
            return expanded
        weights = first.scores / total
        made = {
            number: _Made(self._segments[number], first, number, self._lexical.field_weights)
            for number in np.unique(first.segments).tolist()
        }
        for name, asked in query.items():
            mass = math.fsum(asked.values())
            if name not in self._lexical.channels or mass == 0:
                continue
            learnt = self._learn(name, made, weights)
            sum_of_v = math.fsum(learnt.values())
            if sum_of_v > 0:
                unit = self._settings.weight * mass / sum_of_v
                terms = expanded[name]
                for term, v in learnt.items():
                    terms[term] = terms.get(term, 0.0) + unit * v
        return expanded

    def _learn(self, name: str, made: dict[int, _Made], weights: NDArray[np.float64]) -> dict[str, float]:
        """The kept terms of a channel, each with its v."""
        channel, weighting = self._channel(name), self._lexical.channels[name].weighting
        ranks, ids, found_x, found_y = [], [], [], []
        for number, documents in made.items():
            rows = channel.rows[number]
            if rows is None:
                continue
            places, wanted, row_weights = documents.of(name)
            places, terms, frequencies = weighted_frequencies(*rows.select(wanted), places, row_weights)
            scored = self._lexical.scored(name)[number]
            ranks.append(documents.ranks[places])
            ids.append(channel.ids(number, terms))
            found_x.append(weighting.tf_values(frequencies))
            found_y.append(scored.length_values[scored.postings.length_codes[documents.units]][places])
        if not ranks:
            return {}
        rank, x, y, numbers = (np.concatenate(parts) for parts in (ranks, found_x, found_y, ids))
        if len(ranks) > 1:
            order = np.argsort(rank, kind="stable")
            rank, x, y, numbers = rank[order], x[order], y[order], numbers[order]
        factors = weighting.shift + (x / (x + y) if weighting.saturating else x / y)
        found, v = sums_by_number(numbers, weights[rank] * factors)
        worth = v * weighting.term_weights(channel.df(found), self._lexical.statistics(name))
        limit = self._settings.terms
        if len(worth) > limit:
            last = np.partition(worth, len(worth) - limit)[len(worth) - limit]
            best = np.flatnonzero(worth > last)
            level = np.flatnonzero(worth == last)
            if len(best) + len(level) > limit:
                packed = channel.strings(found[level])
                level = level[sort_order(packed.blob, packed.starts)[: limit - len(best)]]
            best = np.append(best, level)
            found, v, worth = found[best], v[best], worth[best]
        kept = worth > 0
        return dict(zip(channel.names(found[kept]), v[kept].tolist(), strict=True))

    def _channel(self, name: str) -> _Channel:
        with self._lock:
            if name not in self._channels:
                self._channels[name] = _Channel(self._segments, name, self._lexical.field_weights)
            return self._channels[name]


class _Made:
    """What the documents found in one segment are made of: rows of its channels.

    ``ranks`` (int64) are those of the documents in the result, ``units`` (int64) their numbers in the segment.
    """

    def __init__(self, segment: Segment, first: UnitResults, number: int, field_weights: FieldWeights) -> None:
        self.ranks = np.flatnonzero(first.segments == number)
        self.units = first.units[self.ranks].astype(np.int64)
        self._segment = segment
        self._fields = [(field, weight) for field, weight in weighted_fields(segment, field_weights) if weight > 0]
        self._text: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]] | None = None
        self._formulas: tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]] | None = None

    def of(self, channel: str) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        """The position of a document in ``units``, a row that it is made of, and how much the row's field weighs.

        They are in the order in which frequencies are added: by document, name of the field, place in the field.
        """
        if channel in self._segment.text_channels:
            if self._text is None:
                self._text = self._text_rows()
            return self._text
        if self._formulas is None:
            self._formulas = self._formula_rows()
        return self._formulas

    def _text_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        numbers = np.array([number for number, _ in self._fields], np.int64)
        weights = np.array([weight for _, weight in self._fields], np.float64)
        return (
            np.repeat(np.arange(len(self.units)), len(numbers)),
            np.add.outer(self.units * len(self._segment.fields), numbers).reshape(-1),
            np.tile(weights, len(self.units)),
        )

    def _formula_rows(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
        rank = np.full(len(self._segment.fields), -1, np.int64)
        weight_of = np.zeros(len(rank))
        for position, (number, weight) in enumerate(self._fields):
            rank[number], weight_of[number] = position, weight
        where = self._segment.occurrences
        starts = where.indptr[self.units]
        ends = offsets(where.indptr[self.units + 1] - starts)
        lengths = np.diff(ends)
        places = np.repeat(np.arange(len(self.units)), lengths)
        occurrences = np.arange(ends[-1]) + np.repeat(starts - ends[:-1], lengths)
        fields = where.field[occurrences]
        order = np.argsort(places * len(rank) + rank[fields], kind="stable")
        order = order[rank[fields[order]] >= 0]
        return places[order], where.formula[occurrences[order]].astype(np.int64), weight_of[fields[order]]


class _Channel:
    """The terms of one channel with one number each in all segments; what was asked for once is remembered.

    Of a single segment these are the segment's own numbers. ``rows`` are the channel's, None where a segment lacks it.
    """

    def __init__(self, segments: Sequence[Segment], name: str, field_weights: FieldWeights) -> None:
        there = [has_channel(segment, name) for segment in segments]
        self.rows: list[TermRows | None] = [
            segment.matrix(name) if has else None for segment, has in zip(segments, there, strict=True)
        ]
        self._dictionaries: list[Dictionary | None] = [
            segment.dictionary(name) if has else None for segment, has in zip(segments, there, strict=True)
        ]
        self._live_df = [live_df(segment, name, field_weights) for segment in segments]
        self._single = len(segments) == 1
        self._lock = threading.Lock()
        # by segment and its number of a term: the number in all, plus 1; pages that are never written cost nothing
        self._known = [
            np.zeros(0 if self._single or dictionary is None else len(dictionary), np.int32)
            for dictionary in self._dictionaries
        ]
        self._count = 0
        self._names: dict[int, str] = {}
        self._df = np.zeros(1024, np.int64)
        self._from = np.zeros((1024, 2), np.int64)

    def ids(self, segment: int, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers (int64) of terms that a segment has under the numbers ``terms``."""
        if self._single:
            return terms
        with self._lock:
            known = self._known[segment]
            numbers = known[terms]
            if not numbers.all():
                self._learn(segment, np.unique(terms[numbers == 0]))
                numbers = known[terms]
            return numbers.astype(np.int64) - 1

    def _learn(self, segment: int, terms: NDArray[np.int64]) -> None:
        """Numbers terms of a segment, and finds them in the others."""
        start, stop = self._count, self._count + len(terms)
        if stop > len(self._df):
            room = np.zeros(2 * stop - len(self._df), np.int64)
            self._df = np.append(self._df, room)
            self._from = np.append(self._from, np.stack([room, room], axis=1), axis=0)
        self._from[start:stop, 0], self._from[start:stop, 1] = segment, terms
        packed = self._strings(segment, terms)
        new = np.arange(start + 1, stop + 1, dtype=np.int32)
        for number, dictionary in enumerate(self._dictionaries):
            if dictionary is not None:
                found = terms if number == segment else dictionary.lookup_packed(packed)
                there = found >= 0
                self._known[number][found[there]] = new[there]
                self._df[start:stop][there] += self._live_df[number][found[there]]
        self._count = stop

    def df(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        """In how many live documents terms occur (int64)."""
        return self._live_df[0][ids].astype(np.int64) if self._single else self._df[ids]

    def names(self, ids: NDArray[np.int64]) -> list[str]:
        """The terms as strings; those that were asked for stay decoded."""
        wanted = ids.tolist()
        with self._lock:
            names = self._names
            new = [number for number in wanted if number not in names]
            if new:
                if len(names) > _MOST_REMEMBERED:
                    names.clear()
                    new = wanted
                names.update(zip(new, self.strings(np.array(new, np.int64)).strings(), strict=True))
            return [names[number] for number in wanted]

    def strings(self, ids: NDArray[np.int64]) -> Packed:
        """The terms, packed."""
        if self._single:
            return self._strings(0, ids)
        origin = self._from[ids]
        numbers = np.unique(origin[:, 0]).tolist()
        parts = [np.flatnonzero(origin[:, 0] == number) for number in numbers]
        packed = Packed.join([
            self._strings(number, origin[part, 1]) for number, part in zip(numbers, parts, strict=True)
        ])
        return packed.take(np.argsort(np.concatenate([np.zeros(0, np.int64), *parts]), kind="stable"))

    def _strings(self, segment: int, terms: NDArray[np.int64]) -> Packed:
        dictionary = self._dictionaries[segment]
        assert dictionary is not None
        return dictionary.select(terms)
