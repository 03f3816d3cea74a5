"""From what shards count and find to statistics of the whole collection, and to one ranking."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.retrieve.documents.links import Links
from porism.retrieve.documents.matched_formulas import first_gaining
from porism.serve.shards.requests import Shard
from porism.serve.shards.values import (
    ChannelLengths,
    ShardCandidates,
    ShardCollection,
    ShardStatistics,
    WholeStatistics,
)


class Ranked(NamedTuple):
    """A document: the shard that has it, its id there and in the answer, its score, and what of that links add."""

    shard: Shard
    id: str
    shown_id: str
    score: float
    links: float = 0.0


class Chosen(NamedTuple):
    """Candidates of the whole collection, in columns: the shard that has each (a number of ``shards``, int64), its id
    there and in the answer, its score without links (float64), and its thread."""

    shards: list[Shard]
    homes: NDArray[np.int64]
    ids: list[str]
    shown_ids: list[str]
    scores: NDArray[np.float64]
    threads: list[str | None]


def channel_totals(collections: Iterable[ShardCollection]) -> tuple[tuple[str, str, int, float], ...]:
    """Zone, channel, documents and mean length of each channel over all shards: as one index would count them."""
    return totals_of(collection.channels for collection in collections)


def totals_of(parts: Iterable[Iterable[ChannelLengths]]) -> tuple[tuple[str, str, int, float], ...]:
    """The same of the channels of each shard."""
    counts: dict[tuple[str, str], dict[float, int]] = {}
    for channels in parts:
        for lengths in channels:
            own = counts.setdefault((lengths.zone, lengths.channel), {})
            for length, count in zip(lengths.lengths, lengths.counts, strict=True):
                own[length] = own.get(length, 0) + count
    totals = []
    for (zone, channel), of_lengths in counts.items():
        documents = sum(of_lengths.values())
        total = math.fsum(length * count for length, count in of_lengths.items())
        totals.append((zone, channel, documents, total / documents if documents else 1.0))
    return tuple(totals)


def add_statistics(
    documents: int, channels: tuple[tuple[str, str, int, float], ...], counted: Iterable[ShardStatistics]
) -> WholeStatistics:
    """The statistics of the whole collection for a query: those of its channels, and what shards have counted."""
    df: dict[str, dict[str, int]] = {}
    holders: list[int] = []
    for answer in counted:
        for channel, counts in answer.df.items():
            own = df.setdefault(channel, {})
            for term, count in counts.items():
                own[term] = own.get(term, 0) + count
        holders += [0] * (len(answer.holders) - len(holders))
        for place, count in enumerate(answer.holders):
            holders[place] += count
    return WholeStatistics(documents, channels, ShardStatistics(df, tuple(holders)))


def choose(candidates: Mapping[Shard, ShardCandidates], depth: int, *, all_level: bool = False) -> Chosen:
    """The candidates of the whole collection, among those of the shards: the first ``depth`` by their terms, and those
    that gain most by what they hold. Of those level with the last by terms they are those of the largest id, or
    ``all_level`` ones."""
    shards, parts = list(candidates), list(candidates.values())
    ids = list(chain.from_iterable(part.ids for part in parts))
    lengths = np.array([len(part.ids) for part in parts], np.int64)
    homes = np.repeat(np.arange(len(parts)), lengths)
    places = np.arange(len(ids)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    terms = np.fromiter(chain.from_iterable(part.terms for part in parts), np.float64, len(ids))
    scores = np.fromiter(chain.from_iterable(part.scores for part in parts), np.float64, len(ids))
    shown = shown_ids(shards, homes, ids)
    firsts = places < np.repeat(np.array([part.first for part in parts], np.int64), lengths)
    taken = np.zeros(len(ids), np.bool_)
    taken[_largest(np.flatnonzero(firsts), terms, shown, depth, all_level=all_level)] = True
    gains = np.fromiter(chain.from_iterable(part.gains for part in parts), np.float64)
    if len(gains):
        gaining = list(chain.from_iterable(
            ((home, doc_id) for doc_id in part.gain_ids) for home, part in enumerate(parts)
        ))
        place_of = {key: place for place, key in enumerate(zip(homes.tolist(), ids, strict=True))}
        known = (place_of.get(gaining[number]) for number in first_gaining(gains).tolist())
        taken[[place for place in known if place is not None]] = True
    threads = [thread for part in parts for thread in part.threads or [None] * len(part.ids)]
    kept = np.flatnonzero(taken).tolist()
    return Chosen(
        shards, homes[kept], [ids[place] for place in kept], [shown[place] for place in kept], scores[kept],
        [threads[place] for place in kept],
    )


def shown_ids(shards: Sequence[Shard], homes: NDArray[np.int64], ids: list[str]) -> list[str]:
    """The ids of the answer: those that several shards have with the name of the shard before them."""
    if len(set(ids)) == len(ids):
        return ids
    several = {doc_id for doc_id, count in Counter(ids).items() if count > 1}
    return [
        f"{shards[home].name}:{doc_id}" if doc_id in several else doc_id
        for home, doc_id in zip(homes.tolist(), ids, strict=True)
    ]


def _largest(
    places: NDArray[np.int64], values: NDArray[np.float64], ids: Sequence[str], count: int, *, all_level: bool = False
) -> NDArray[np.int64]:
    """The ``count`` of some places that have the largest values, of equal ones those of the largest ids, or
    ``all_level`` with the last; in any order."""
    if len(places) <= count:
        return places
    own = values[places]
    least = np.partition(own, len(own) - count)[len(own) - count]
    above, level = places[own > least], places[own == least]
    if all_level:
        return np.concatenate([above, level])
    by_id = sorted(level.tolist(), key=lambda place: ids[place], reverse=True)
    return np.concatenate([above, np.array(by_id[: count - len(above)], np.int64)])


def best(chosen: Chosen, k: int, gains: Mapping[str, float]) -> list[Ranked]:
    """The best ``k`` candidates by their whole scores, ties by descending id.

    ``gains`` has what links give a thread.
    """
    given = links_of(chosen, gains)
    scores = chosen.scores + given
    kept = _largest(np.arange(len(scores)), scores, chosen.shown_ids, k).tolist()
    kept.sort(key=lambda place: (scores[place], chosen.shown_ids[place]), reverse=True)
    return [
        Ranked(
            chosen.shards[chosen.homes[place]], chosen.ids[place], chosen.shown_ids[place], float(scores[place]),
            float(given[place]),
        )
        for place in kept
    ]


def links_of(chosen: Chosen, gains: Mapping[str, float]) -> NDArray[np.float64]:
    """What links give candidates (float64), by what they give threads."""
    given = np.zeros(len(chosen.ids))
    if gains:
        given[:] = [gains.get(thread, 0.0) if thread is not None else 0.0 for thread in chosen.threads]
    return given


def thread_scores(chosen: Chosen) -> dict[str, float]:
    """The threads of candidates with the best score of their documents, at least 0."""
    scores: dict[str, float] = {}
    for thread, score in zip(chosen.threads, chosen.scores.tolist(), strict=True):
        if thread is not None:
            scores[thread] = max(scores.get(thread, 0.0), score)
    return scores


def link_gains(
    settings: Links, scores: Mapping[str, float], links: Iterable[tuple[str, str]], held: Sequence[str]
) -> dict[str, float]:
    """What links give the documents of each thread: as :class:`~porism.retrieve.documents.links.LinkedThreads`.

    :param held: threads of no candidate that have documents.
    """
    known = {*scores, *held}
    linked: dict[str, set[str]] = {}
    for thread, other in links:
        if thread in scores and other in known and thread != other:
            linked.setdefault(thread, set()).add(other)
    return {
        thread: settings.weight * (sum(scores.get(other, 0.0) for other in sorted(others)) / len(others))
        for thread, others in linked.items()
    }
