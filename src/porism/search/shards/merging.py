"""From what shards count and find to statistics of the whole collection, and to one ranking."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from porism.retrieve.documents.links import Links
from porism.retrieve.documents.matched_formulas import first_gaining
from porism.search.shards.shard import Shard
from porism.search.shards.values import Candidate, ShardCandidates, ShardCollection, ShardStatistics, WholeStatistics


class Ranked(NamedTuple):
    """A document: the shard that has it, its id there and in the answer, its score, and what of that links add."""

    shard: Shard
    id: str
    shown_id: str
    score: float
    links: float = 0.0


class Found(NamedTuple):
    """A candidate, the shard that has it, and its id in the answer."""

    shard: Shard
    shown_id: str
    candidate: Candidate


def channel_totals(collections: Iterable[ShardCollection]) -> tuple[tuple[str, str, int, float], ...]:
    """Zone, channel, documents and mean length of each channel over all shards: as one index would count them."""
    counts: dict[tuple[str, str], dict[float, int]] = {}
    for collection in collections:
        for one in collection.channels:
            own = counts.setdefault((one.zone, one.channel), {})
            for length, count in zip(one.lengths, one.counts, strict=True):
                own[length] = own.get(length, 0) + count
    found = []
    for (zone, channel), of_lengths in counts.items():
        documents = sum(of_lengths.values())
        total = math.fsum(length * count for length, count in of_lengths.items())
        found.append((zone, channel, documents, total / documents if documents else 1.0))
    return tuple(found)


def add_statistics(collections: Iterable[ShardCollection], counted: Iterable[ShardStatistics]) -> WholeStatistics:
    """The statistics of the whole collection for a query."""
    known = list(collections)
    df: dict[str, dict[str, int]] = {}
    holders: list[int] = []
    for one in counted:
        for channel, counts in one.df.items():
            own = df.setdefault(channel, {})
            for term, count in counts.items():
                own[term] = own.get(term, 0) + count
        holders += [0] * (len(one.holders) - len(holders))
        for place, count in enumerate(one.holders):
            holders[place] += count
    documents = sum(collection.documents for collection in known)
    return WholeStatistics(documents, channel_totals(known), ShardStatistics(df, tuple(holders)))


def choose(found: Mapping[Shard, ShardCandidates], depth: int) -> list[Found]:
    """The candidates of the whole collection: the first ``depth`` by their terms, and those that gain most by what they
    hold, among the shards' candidates. Best terms first, ties by descending id."""
    ids: dict[str, set[str]] = {}
    for shard, of_shard in found.items():
        for candidate in of_shard.candidates:
            ids.setdefault(candidate.id, set()).add(shard.name)
    every = sorted(
        (
            Found(shard, candidate.id if len(ids[candidate.id]) == 1 else f"{shard.name}:{candidate.id}", candidate)
            for shard, of_shard in found.items() for candidate in of_shard.candidates
        ),
        key=lambda one: (one.candidate.terms, one.shown_id), reverse=True,
    )
    gains = [(shard, one) for shard, of_shard in found.items() for one in of_shard.gains]
    gaining = first_gaining(np.array([one.gain for _, one in gains], np.float64))
    further = {(gains[place][0], gains[place][1].id) for place in gaining.tolist()}
    first = [one for one in every if one.candidate.first][:depth]
    chosen = {(one.shard, one.candidate.id) for one in first}
    return first + [
        one for one in every
        if (one.shard, one.candidate.id) in further and (one.shard, one.candidate.id) not in chosen
    ]


def best(candidates: Iterable[Found], k: int, gains: Mapping[str, float]) -> list[Ranked]:
    """The best ``k`` candidates by their whole scores, ties by descending id.

    ``gains`` has what links give a thread.
    """
    ranked = [
        Ranked(one.shard, one.candidate.id, one.shown_id, one.candidate.score + gain, gain)
        for one in candidates
        for gain in (gains.get(one.candidate.thread, 0.0) if one.candidate.thread is not None else 0.0,)
    ]
    return sorted(ranked, key=lambda one: (one.score, one.shown_id), reverse=True)[:k]


def thread_scores(candidates: Iterable[Found]) -> dict[str, float]:
    """The threads of candidates with the best score of their documents, at least 0."""
    scores: dict[str, float] = {}
    for one in candidates:
        if (thread := one.candidate.thread) is not None:
            scores[thread] = max(scores.get(thread, 0.0), one.candidate.score)
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
