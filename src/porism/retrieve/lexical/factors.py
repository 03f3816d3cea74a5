"""The stored factors of a channel: what stored weightings give, and what soft matching needs by document.

Counts over the whole collection are sums of numbers rounded to multiples of 2⁻²⁴, which are exact in any order: so they
depend on the live documents alone, and not on how these are spread over segments.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index.engine.factors import FactorChannel, FrequencyRows
from porism.index.engine.factors_kernels import soft_norms
from porism.index.engine.postings import Postings
from porism.index.engine.units import Units
from porism.index.string_kernels import sort_order
from porism.index.strings import Packed
from porism.retrieve.lexical.channels import (
    Fields,
    FieldWeights,
    Zone,
    channel_statistics,
    has_channel,
    live_df,
    open_postings,
    zone_terms,
)
from porism.retrieve.weightings.base import (
    ChannelStatistics,
    DocumentCounts,
    StoredWeighting,
    TermCounts,
    Weighting,
    computed,
)

_UNIT = 2.0**-24


class ChannelRows:
    """What the documents of one segment hold of a channel, as some fields show it.

    ``terms`` (int32) are the channel's numbers of the terms that ``rows`` number; those of a zone are fewer.
    """

    def __init__(self, segment: Units, channel: str, fields: Fields) -> None:
        self.segment, self.channel = segment, channel
        self.postings: Postings = open_postings(segment, channel, fields)
        there = has_channel(segment, channel)
        if isinstance(fields, Zone):
            self.terms = zone_terms(segment, channel, fields)
        else:
            self.terms = np.arange(len(self.postings.lists), dtype=np.int32)
        dictionary = segment.dictionary(channel) if there else None
        self.packed = dictionary.select(self.terms) if dictionary is not None else Packed.of([])
        self.vocabulary = len(dictionary) if dictionary is not None else 0
        """Terms of the whole channel."""
        self.rows = FrequencyRows.of(self.postings, sort_order(self.packed.blob, self.packed.starts).astype(np.int32))
        self.live = segment.live

    def counts(self) -> DocumentCounts:
        """What weightings may know of each document."""
        rows = self.rows
        distinct = np.diff(rows.indptr)
        lengths = self.postings.length_table[self.postings.length_codes]
        most, characters = np.zeros(len(distinct)), np.zeros(len(distinct))
        some = np.flatnonzero(distinct)
        if len(some):
            starts = rows.indptr[:-1][some]
            most[some] = np.maximum.reduceat(rows.frequencies, starts)
            long = _characters(self.packed)[rows.terms]
            characters[some] = np.add.reduceat(np.rint(rows.frequencies * long / _UNIT), starts) * _UNIT
        return DocumentCounts(lengths, distinct, most, characters)

    def by_term(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Values by term of the rows, as values by term of the whole channel."""
        spread = np.zeros((self.vocabulary, *values.shape[1:]))
        spread[self.terms] = values
        return spread


def _characters(packed: Packed) -> NDArray[np.int64]:
    """How many characters each string has."""
    begins = np.zeros(len(packed.blob) + 1, np.int64)
    np.cumsum((packed.blob & 0xC0) != 0x80, out=begins[1:])
    lengths: NDArray[np.int64] = np.diff(begins[packed.starts])
    return lengths


def full_statistics(parts: Sequence[ChannelRows], channel: str, fields: Fields) -> ChannelStatistics:
    """Statistics with everything that stored weightings may ask for."""
    statistics = channel_statistics([part.segment for part in parts], channel, fields)
    distinct, characters = 0, 0.0
    for part in parts:
        counts = part.counts()
        distinct += int(counts.distinct[part.live].sum())
        characters += float(counts.characters[part.live].sum())
    if not statistics.documents:
        return statistics
    return replace(
        statistics, mean_distinct=distinct / statistics.documents, mean_characters=characters / statistics.documents
    )


def collection_counts(
    parts: Sequence[ChannelRows], whole: Sequence[ChannelRows], weights: FieldWeights,
    sums: Sequence[NDArray[np.float64] | None],
) -> list[TermCounts]:
    """What each term of the rows counts in the whole collection.

    ``whole`` are the rows of whole documents, whose df and cf those of a zone are; ``sums`` are of the rows, by term.
    """
    df = _added(whole, [live_df(part.segment, part.channel, weights).astype(np.float64) for part in whole])
    cf = _added(whole, [
        np.bincount(
            rows.terms, np.rint(rows.frequencies / _UNIT), minlength=len(part.postings.lists)
        ).astype(np.float64) * _UNIT
        for part in whole for rows in [part.rows.only(part.live)]
    ])
    if any(of_segment is None for of_segment in sums):
        added = [np.zeros((part.vocabulary, 0)) for part in parts]
    else:
        added = _added(parts, [
            part.by_term(np.rint(of_segment / _UNIT) * _UNIT)
            for part, of_segment in zip(parts, sums, strict=True) if of_segment is not None
        ])
    return [
        TermCounts(one_df[part.terms].astype(np.int64), one_cf[part.terms], one_sum[part.terms])
        for part, one_df, one_cf, one_sum in zip(parts, df, cf, added, strict=True)
    ]


def _added(parts: Sequence[ChannelRows], values: Sequence[NDArray[np.float64]]) -> list[NDArray[np.float64]]:
    """Values by term of the channel in each segment, with those of the other segments added."""
    if len(parts) < 2:
        return list(values)
    totals = [of_segment.copy() for of_segment in values]
    for part, total in zip(parts, totals, strict=True):
        if not part.vocabulary:
            continue
        packed = part.segment.dictionary(part.channel).packed()
        for other, of_other in zip(parts, values, strict=True):
            if other is part or not other.vocabulary:
                continue
            ranks = other.segment.dictionary(other.channel).lookup_packed(packed)
            there = ranks >= 0
            total[there] += of_other[ranks[there]]
    return totals


def factor_channels(
    parts: Sequence[ChannelRows], channel: str, fields: Fields, whole: FieldWeights, weighting: Weighting,
    base: Sequence[ChannelRows],
) -> list[FactorChannel]:
    """A channel in each segment with the factors of a weighting stored; of computed ones too.

    ``parts`` are the rows as ``fields`` show them; ``base`` those of whole documents with the weights ``whole``, whose
    document frequencies count.

    :raises ConfigError: the weighting gives a factor that is not a finite number.
    """
    segments = [part.segment for part in parts]
    if not isinstance(weighting, StoredWeighting):
        statistics = channel_statistics(segments, channel, fields)
        return [
            FactorChannel.of(part.postings, part.rows, _closed(part, weighting, statistics), part.terms)
            for part in parts
        ]
    statistics = full_statistics(parts, channel, fields)
    counts = [part.counts() for part in parts]
    sums = [
        weighting.sums(part.rows.only(part.live), documents, statistics, len(part.postings.lists))
        for part, documents in zip(parts, counts, strict=True)
    ]
    channels: list[FactorChannel] = []
    for part, documents, terms in zip(parts, counts, collection_counts(parts, base, whole, sums), strict=True):
        factors = weighting.factors(part.rows, terms, documents, statistics)
        dead = ~part.live
        if dead.any():  # counts know nothing of what only deleted documents hold
            factors = np.where(dead[part.rows.documents], 0.0, factors)
        summands = weighting.document_summands(documents, statistics)
        for values in (factors, summands):
            if values is not None and not np.isfinite(values).all():
                raise ConfigError(
                    f"{weighting!r} gives factors that are not finite numbers", where=f"channel {channel}"
                )
        channels.append(FactorChannel.of(part.postings, part.rows, factors, part.terms, summands))
    return channels


def _closed(part: ChannelRows, weighting: Weighting, statistics: ChannelStatistics) -> NDArray[np.float64]:
    form = computed(weighting)
    x = form.tf_values(part.rows.frequencies)
    y = form.length_values(part.postings.length_table, statistics)[part.postings.length_codes][part.rows.documents]
    return form.factor(x, y)


def with_norms(
    channel: FactorChannel, term_weights: NDArray[np.float64], similar: tuple[int, int, int], rows: int,
    row_of: NDArray[np.int32], softness: float, *, maintained: bool = False,
) -> FactorChannel:
    """The same channel with each document's factors over ``√(v S v)``, where v is term weight times factor.

    ``similar`` are the addresses of S, ``rows`` its size and ``row_of`` (int32) its row of each term, -1 for one that
    is similar to itself only; similarities of different terms count ``softness`` times. ``maintained`` multiplies
    the factors by ``‖v‖`` again.
    """
    norms = np.zeros(len(channel.rows.indptr) - 1)
    values = channel.factors * term_weights[channel.rows.terms]
    soft_norms(channel.rows.indptr, channel.rows.terms, values, *similar, rows, row_of, softness, norms)
    if maintained:
        squares = np.bincount(channel.rows.documents, values * values, minlength=len(norms))
        np.divide(norms, np.sqrt(squares), out=norms, where=squares > 0)
    over = norms[channel.rows.documents]
    factors = np.divide(channel.factors, over, out=np.zeros(len(over)), where=over > 0)
    return FactorChannel.of(channel.postings, channel.rows, factors, channel.numbers, channel.summands)
