"""What documents are made of: their terms in a channel, numbered alike in all segments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index import Segment
from porism.index.engine.factors import FactorChannel
from porism.index.rows import TermRows
from porism.index.strings import Dictionary, Packed, ranges
from porism.retrieve.feedback.term_numbers import TermNumbers
from porism.retrieve.lexical.channels import FieldWeights, has_channel, live_frequencies, weighted_fields
from porism.system.concurrency.locks import Lock

_MAX_REMEMBERED = 100_000

Rows = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]


class DocumentTerms(NamedTuple):
    """The terms that some documents have in a channel: one entry a document and term, in the order of the documents.

    ``documents`` (int64) are their positions among those requested, ``terms`` (int64) numbers over all segments.
    ``frequencies`` (float64) are those of the term in the document, ``lengths`` (float64) those of the document, both
    weighted by field. ``factors`` (float64) are what the channel's weighting makes of them.
    """

    documents: NDArray[np.int64]
    terms: NDArray[np.int64]
    frequencies: NDArray[np.float64]
    lengths: NDArray[np.float64]
    factors: NDArray[np.float64]

    @classmethod
    def join(cls, parts: Sequence[DocumentTerms]) -> DocumentTerms:
        """The terms of documents of several segments, in the order of the documents."""
        if not parts:
            whole, real = np.zeros(0, np.int64), np.zeros(0)
            return cls(whole, whole, real, real, real)
        if len(parts) == 1:
            return parts[0]
        columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
        order = np.argsort(columns[0], kind="stable")
        return cls(*(column[order] for column in columns))


class FoundDocuments:
    """Documents of one segment, as rows of its channels.

    ``positions`` (int64) are those among all documents requested, ``units`` (int64) their numbers in the segment.
    """

    def __init__(self, segment: Segment, positions: NDArray[np.int64], units: NDArray[np.int64]) -> None:
        self.positions = positions
        self.units = units
        self._segment = segment
        self._made: dict[tuple[bool, tuple[tuple[int, float], ...]], Rows] = {}

    def of(self, channel: str, field_weights: FieldWeights) -> Rows:
        """The position of a document in ``units``, a row that it is made of, and how much the row's field weighs.

        They are in the order in which frequencies are added: by document, name of the field, place in the field.
        """
        fields = tuple(field for field in weighted_fields(self._segment, field_weights) if field[1] > 0)
        text = channel in self._segment.text_channels
        if (text, fields) not in self._made:
            self._made[text, fields] = self._text_rows(fields) if text else self._formula_rows(fields)
        return self._made[text, fields]

    def stored(self, channel: FactorChannel) -> DocumentTerms:
        """The terms of the documents in a channel whose factors are stored, numbered as in the segment."""
        first = channel.rows.indptr[self.units]
        counts = channel.rows.indptr[self.units + 1] - first
        entries = ranges(first, counts)
        lengths = channel.postings.length_table[channel.postings.length_codes[self.units]]
        return DocumentTerms(
            np.repeat(self.positions, counts), channel.rows.terms[entries].astype(np.int64),
            channel.rows.frequencies[entries], np.repeat(lengths, counts), channel.factors[entries],
        )

    def _text_rows(self, fields: Sequence[tuple[int, float]]) -> Rows:
        numbers = np.array([number for number, _ in fields], np.int64)
        weights = np.array([weight for _, weight in fields], np.float64)
        return (
            np.repeat(np.arange(len(self.units)), len(numbers)),
            np.add.outer(self.units * len(self._segment.fields), numbers).reshape(-1),
            np.tile(weights, len(self.units)),
        )

    def _formula_rows(self, fields: Sequence[tuple[int, float]]) -> Rows:
        rank = np.full(len(self._segment.fields), -1, np.int64)
        weight_of = np.zeros(len(rank))
        for position, (number, weight) in enumerate(fields):
            rank[number], weight_of[number] = position, weight
        where = self._segment.occurrences
        starts = where.indptr[self.units]
        lengths = where.indptr[self.units + 1] - starts
        places = np.repeat(np.arange(len(self.units)), lengths)
        occurrences = ranges(starts, lengths)
        field_of = where.field[occurrences]
        order = np.argsort(places * len(rank) + rank[field_of], kind="stable")
        order = order[rank[field_of[order]] >= 0]
        return places[order], where.formula[occurrences[order]].astype(np.int64), weight_of[field_of[order]]


class ChannelTerms(TermNumbers):
    """The terms of one channel with one number each in all segments; what was used once is remembered.

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
        self._frequencies = [live_frequencies(segment, name, field_weights) for segment in segments]
        self._single = len(segments) == 1
        self._lock = Lock()
        # by segment and its number of a term: the number in all, plus 1; pages that are never written cost nothing
        self._known = [
            np.zeros(0 if self._single or dictionary is None else len(dictionary), np.int32)
            for dictionary in self._dictionaries
        ]
        self._count = 0
        self._learnt: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]] = []
        self._names: dict[int, str] = {}
        self._df = np.zeros(1024, np.int64)
        self._from = np.zeros((1024, 2), np.int64)

    def ids(self, segment: int, terms: NDArray[np.int64]) -> NDArray[np.int64]:
        """The numbers (int64) of terms that a segment has under the numbers ``terms``."""
        if self._single:
            return terms
        with self._lock:
            self._settle()
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
            self._from = np.append(self._from, np.stack([room, room], axis=1), axis=0)
            self._df = np.append(self._df, room)
        packed = self._strings(segment, terms)
        new = np.arange(start + 1, stop + 1, dtype=np.int32)
        df = np.zeros(len(terms), np.int64)
        learnt: list[tuple[NDArray[np.int32], NDArray[np.int64], NDArray[np.int32]]] = []
        for number, dictionary in enumerate(self._dictionaries):
            if dictionary is not None:
                positions = terms if number == segment else dictionary.lookup_packed(packed).astype(np.int64)
                there = positions >= 0
                learnt.append((self._known[number], positions[there], new[there]))
                df[there] += self._frequencies[number].of(positions[there])
        self._from[start:stop, 0], self._from[start:stop, 1] = segment, terms
        self._df[start:stop] = df
        self._count = stop
        self._learnt = learnt  # from here on the numbers are given, in whichever process goes on
        self._settle()

    def _settle(self) -> None:
        """Enters what was learnt; again, where a thread did not get to the end of it before its process forked."""
        for known, positions, new in self._learnt:
            known[positions] = new
        self._learnt = []

    def find(self, terms: Sequence[str]) -> NDArray[np.int64]:
        positions = np.full(len(terms), -1, np.int64)
        for segment, dictionary in enumerate(self._dictionaries):
            if dictionary is not None and len(terms):
                numbers = dictionary.lookup(terms).astype(np.int64)
                there = np.flatnonzero((numbers >= 0) & (positions < 0))
                positions[there] = self.ids(segment, numbers[there])
        return positions

    def df(self, ids: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._frequencies[0].of(ids).astype(np.int64) if self._single else self._df[ids]

    def names(self, ids: NDArray[np.int64]) -> list[str]:
        wanted = ids.tolist()
        with self._lock:
            names = self._names
            new = [number for number in wanted if number not in names]
            if new:
                if len(names) > _MAX_REMEMBERED:
                    names.clear()
                    new = wanted
                names.update(zip(new, self.strings(np.array(new, np.int64)).strings(), strict=True))
            return [names[number] for number in wanted]

    def strings(self, ids: NDArray[np.int64]) -> Packed:
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
