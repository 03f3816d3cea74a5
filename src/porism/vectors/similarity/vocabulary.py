"""The terms of a channel over all segments of an index, with the number of live documents that have each."""

from __future__ import annotations

from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index import Segment, Snapshot
from porism.index.strings import Packed
from porism.vectors.similarity import kernels

_DOCUMENTS = 1 << 13


class ChannelVocabulary(NamedTuple):
    """Terms in code-point order and ``df`` (int64), in how many live documents each occurs, at least 1."""

    terms: list[str]
    df: NDArray[np.int64]


def channel_vocabulary(snapshot: Snapshot, channel: str, most: int = 50_000, min_df: int = 1) -> ChannelVocabulary:
    """The ``most`` most frequent terms of a channel, by live documents, of those in at least ``min_df``.

    Of equally frequent terms those that come first in code-point order are taken.

    :raises ConfigError: no segment has the channel.
    """
    from porism.index.string_kernels import sort_order, unify

    segments = [one for one in snapshot.segments if channel in (*one.text_channels, *one.formula_channels)]
    if not segments:
        known = dict.fromkeys(
            name for one in snapshot.segments for name in (*one.text_channels, *one.formula_channels)
        )
        raise ConfigError(
            f"the index has no channel {channel!r}", where=str(snapshot.path),
            hint=f"It has {', '.join(known)}." if known else "It has no documents.",
        )
    packed = Packed.join([segment.dictionary(channel).packed() for segment in segments])
    counts = np.concatenate([_live_df(segment, channel) for segment in segments])
    ids, firsts = unify(packed.blob, packed.starts)
    df = np.bincount(ids, counts.astype(np.float64), minlength=len(firsts)).astype(np.int64)
    frequent = np.flatnonzero(df >= max(min_df, 1))
    distinct = packed.take(firsts[frequent])
    order = cast("NDArray[np.int64]", sort_order(distinct.blob, distinct.starts))
    if len(order) > most:
        taken = np.argsort(-df[frequent][order], kind="stable")[:most]
        order = order[np.sort(taken)]
    return ChannelVocabulary(distinct.take(order).strings(), df[frequent][order])


def _live_df(segment: Segment, channel: str) -> NDArray[np.int64]:
    """In how many live documents of a segment each term of a channel occurs (int64, one a term)."""
    matrix, entries = segment.matrix(channel), segment.entries(channel)
    terms = len(segment.dictionary(channel))
    df = np.zeros(terms, np.int64)
    last_seen = np.full(terms, -1, np.int32)
    live = np.ascontiguousarray(segment.live, np.bool_)
    for first in range(0, segment.doc_count, _DOCUMENTS):
        starts = entries.starts[first : min(first + _DOCUMENTS, segment.doc_count) + 1]
        rows = matrix.select(entries.rows[starts[0] : starts[-1]])
        kernels.count_documents(
            np.ascontiguousarray(starts - starts[0]), rows.indptr, rows.terms, live, first, last_seen, df
        )
    return df
