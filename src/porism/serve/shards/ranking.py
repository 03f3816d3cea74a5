"""The ranking of the documents of shards by one model: what they count is added up, and what they find is merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import is_not

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.retrieve import SearchModel
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.feedback.learning import Judged
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.feedback_round import FeedbackRound
from porism.serve.shards.merging import (
    Chosen,
    Ranked,
    add_statistics,
    best,
    channel_totals,
    choose,
    link_gains,
    links_of,
    shown_ids,
    thread_scores,
)
from porism.serve.shards.requests import (
    CandidatesRequest,
    ExpandedTerms,
    LinksRequest,
    ScoresRequest,
    Shard,
    StaleCommit,
    StatisticsRequest,
)
from porism.serve.shards.values import ShardCollection, ShardQuestion, ShardScores, WholeStatistics
from porism.vectors.colbert.model import ColbertModel

Collections = Mapping[Shard, ShardCollection]

_Totals = tuple[int, tuple[tuple[str, str, int, float], ...]]


@dataclass(frozen=True, slots=True)
class Ranking:
    """What was found for a question, by the statistics of the shards that answered; ``expanded`` has the terms of a
    question that has learnt some."""

    ranked: list[Ranked]
    statistics: WholeStatistics
    generations: Mapping[Shard, int]
    expanded: ExpandedTerms | None = None


def _depth(model: RetrieverSettings, k: int) -> int:
    """How many candidates ``k`` results are chosen from."""
    if isinstance(model, SearchModel):
        return max(k, model.candidates)
    return model.candidates if isinstance(model, ColbertModel) and not model.exhaustive else k


class DocumentRanker:
    """Ranks the documents of shards by their model, or by a ``part`` of it; safe to share between threads."""

    def __init__(self, part: str = "") -> None:
        self._part = part
        self._last_totals: tuple[list[ShardCollection], _Totals] | None = None

    def rank(
        self, asked: ShardQuestion, k: int, calls: ShardCalls, model: RetrieverSettings, collections: Collections,
        judged: Judged | None = None,
    ) -> Ranking:
        """The best ``k`` documents; from ``judged`` ones the question learns in place of those found first.

        :raises QueryError: a judged document is in no shard, or in several.
        :raises ConfigError: the model does not learn from documents that are not relevant.
        :raises StaleCommit: a shard has a newer commit.
        """
        while True:
            generations, counted = self._count(asked, calls, collections)
            missing = len(calls.missing)
            expanded, statistics = FeedbackRound(calls, asked, counted, generations, model).learn(judged)
            if len(calls.missing) == missing:
                break  # else nothing of what is lost counts: neither its documents nor its statistics
        depth = _depth(model, k)
        found = calls.all(lambda shard: shard.ask(
            CandidatesRequest(generations[shard], asked, statistics, depth, expanded, part=self._part)
        ))
        chosen = choose(found, depth, all_level=isinstance(model, ColbertModel))
        gains = self._link_gains(chosen, calls, model, generations, collections)
        return Ranking(best(chosen, min(k, depth), gains), statistics, generations, expanded)

    def scores(
        self, asked: ShardQuestion, places: Sequence[tuple[Shard, str]], calls: ShardCalls, model: RetrieverSettings,
        collections: Collections, ranking: Ranking,
    ) -> NDArray[np.float64] | None:
        """The scores of documents (float64) as candidates beside one another, by the statistics of a ranking; None
        where a shard is lost.

        :raises StaleCommit: a shard has a newer commit.
        """
        wanted: dict[Shard, list[int]] = {}
        for place, (shard, _) in enumerate(places):
            wanted.setdefault(shard, []).append(place)

        def ask(shard: Shard) -> ShardScores:
            ids = tuple(places[place][1] for place in wanted[shard])
            answer = shard.ask(
                ScoresRequest(ranking.generations[shard], asked, ranking.statistics, ids, part=self._part)
            )
            if len(answer.scores) != len(ids):
                raise QueryError("it has scored other documents than it was asked about")
            return answer

        answers = calls.some(dict.fromkeys(wanted, ask))
        if len(answers) < len(wanted):
            return None
        scores = np.zeros(len(places))
        threads: list[str | None] = [None] * len(places)
        for shard, answer in answers.items():
            scores[wanted[shard]] = answer.scores
            for place, thread in zip(wanted[shard], answer.threads, strict=False):
                threads[place] = thread
        shards, ids = list(wanted), [doc_id for _, doc_id in places]
        homes = np.array([shards.index(shard) for shard, _ in places], np.int64)
        chosen = Chosen(shards, homes, ids, shown_ids(shards, homes, ids), scores, threads)
        return scores + links_of(chosen, self._link_gains(chosen, calls, model, ranking.generations, collections))

    def _count(
        self, asked: ShardQuestion, calls: ShardCalls, collections: Collections
    ) -> tuple[dict[Shard, int], WholeStatistics]:
        """The commits of the shards that have counted what a question names, and the statistics of all of them.

        :raises StaleCommit: a shard has a newer commit.
        """
        counted = calls.all(lambda shard: shard.ask(StatisticsRequest(asked, part=self._part)))
        for shard, one in counted.items():
            if one.generation != collections[shard].generation:
                raise StaleCommit("the index has a newer commit")
        totals = self._totals([collections[shard] for shard in counted])
        return {shard: one.generation for shard, one in counted.items()}, add_statistics(*totals, counted.values())

    def _totals(self, collections: list[ShardCollection]) -> _Totals:
        """The documents of shards, and the statistics of their channels; the last are remembered."""
        known = self._last_totals
        if known is None or len(known[0]) != len(collections) or any(map(is_not, known[0], collections)):
            documents = sum(one.documents for one in collections)
            known = self._last_totals = collections, (documents, channel_totals(collections))
        return known[1]

    def _link_gains(
        self, chosen: Chosen, calls: ShardCalls, model: RetrieverSettings, generations: Mapping[Shard, int],
        collections: Collections,
    ) -> dict[str, float]:
        """What links give each thread of some candidates."""
        linked_at_all = any(collections[shard].links for shard in chosen.shards)
        if not isinstance(model, SearchModel) or not model.links.weight > 0 or not linked_at_all:
            return {}
        scores = thread_scores(chosen)
        threads = tuple(scores)
        linked = calls.all(lambda shard: shard.ask(LinksRequest(generations[shard], threads, part=self._part)))
        pairs = [tuple(pair) for one in linked.values() for pair in one.links]
        others = tuple(sorted({other for _, other in pairs} - set(scores)))
        held = calls.all(
            lambda shard: shard.ask(LinksRequest(generations[shard], (), others, part=self._part))
        ) if others else {}
        return link_gains(
            model.links, scores, [(one, other) for one, other in pairs],
            [name for one in held.values() for name in one.held],
        )
