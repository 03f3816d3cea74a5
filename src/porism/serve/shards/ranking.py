"""The ranking of the documents of shards by one model: what they count is added up, and what they find is merged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import is_not
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.explanation import Explanation
from porism.retrieve import SearchModel
from porism.retrieve.base import RetrieverSettings
from porism.retrieve.feedback.learning import Judged
from porism.search.models.sums.retriever import ScoreScale, SumModel, explain_part, scale_of
from porism.serve.shards import merging
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.feedback_round import FeedbackRound
from porism.serve.shards.merging import Chosen, Ranked
from porism.serve.shards.requests import (
    CandidatesRequest,
    ExpandedTerms,
    LinksRequest,
    ScoresRequest,
    Shard,
    StaleCommit,
    StatisticsRequest,
)
from porism.serve.shards.values import ShardCollection, ShardQuestion, ShardScores, ShardStatistics, WholeStatistics
from porism.vectors.colbert.model import ColbertModel

Collections = Mapping[Shard, ShardCollection]

_Totals = tuple[int, tuple[tuple[str, str, int, float], ...]]


@dataclass(frozen=True, slots=True)
class ShardRanking:
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
    ) -> ShardRanking:
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
        candidates = calls.all(lambda shard: shard.ask(
            CandidatesRequest(generations[shard], asked, statistics, depth, expanded, part=self._part)
        ))
        chosen = merging.choose(candidates, depth, all_level=isinstance(model, ColbertModel))
        gains = self._link_gains(chosen, calls, model, generations, collections)
        return ShardRanking(merging.best(chosen, min(k, depth), gains), statistics, generations, expanded)

    def scores(
        self, asked: ShardQuestion, places: Sequence[tuple[Shard, str]], calls: ShardCalls, model: RetrieverSettings,
        collections: Collections, ranking: ShardRanking,
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
        chosen = Chosen(shards, homes, ids, merging.shown_ids(shards, homes, ids), scores, threads)
        gains = self._link_gains(chosen, calls, model, ranking.generations, collections)
        return scores + merging.links_of(chosen, gains)

    def _count(
        self, asked: ShardQuestion, calls: ShardCalls, collections: Collections
    ) -> tuple[dict[Shard, int], WholeStatistics]:
        """The commits of the shards that have counted what a question names, and the statistics of all of them.

        :raises StaleCommit: a shard has a newer commit.
        """

        def ask(shard: Shard) -> ShardStatistics:
            answer = shard.ask(StatisticsRequest(asked, part=self._part))
            if answer.generation != collections[shard].generation:
                raise StaleCommit("the index has a newer commit")
            collections[shard].check(answer)
            return answer

        counted = calls.all(ask)
        totals = self._totals([collections[shard] for shard in counted])
        generations = {shard: answer.generation for shard, answer in counted.items()}
        return generations, merging.add_statistics(*totals, counted.values())

    def _totals(self, collections: list[ShardCollection]) -> _Totals:
        """The documents of shards, and the statistics of their channels; the last are remembered."""
        known = self._last_totals
        if known is None or len(known[0]) != len(collections) or any(map(is_not, known[0], collections)):
            documents = sum(collection.documents for collection in collections)
            known = self._last_totals = collections, (documents, merging.channel_totals(collections))
        return known[1]

    def _link_gains(
        self, chosen: Chosen, calls: ShardCalls, model: RetrieverSettings, generations: Mapping[Shard, int],
        collections: Collections,
    ) -> dict[str, float]:
        """What links give each thread of some candidates."""
        linked_at_all = any(collections[shard].links for shard in chosen.shards)
        if not isinstance(model, SearchModel) or not model.links.weight > 0 or not linked_at_all:
            return {}
        scores = merging.thread_scores(chosen)
        threads = tuple(scores)
        linked = calls.all(lambda shard: shard.ask(LinksRequest(generations[shard], threads, part=self._part)))
        pairs = [tuple(pair) for answer in linked.values() for pair in answer.links]
        others = tuple(sorted({other for _, other in pairs} - set(scores)))
        held = calls.all(
            lambda shard: shard.ask(LinksRequest(generations[shard], (), others, part=self._part))
        ) if others else {}
        return merging.link_gains(
            model.links, scores, [(thread, other) for thread, other in pairs],
            [name for answer in held.values() for name in answer.held],
        )


class SummedPart(NamedTuple):
    """A part of a sum: its model, what ranks by it, and what each shard has."""

    model: RetrieverSettings
    ranker: DocumentRanker
    collections: Mapping[Shard, ShardCollection]


class ScoredPart(NamedTuple):
    """What a part says of the candidates of all parts: by which statistics, the scores by document, and their scale."""

    ranking: ShardRanking
    scores: Mapping[tuple[Shard, str], float]
    scale: ScoreScale


@dataclass(frozen=True, slots=True, kw_only=True)
class SumRanking(ShardRanking):
    """What was found by a sum of models, with what each of its ``parts`` says."""

    model: SumModel
    parts: Mapping[str, ScoredPart]

    def explain(self, shard: Shard, doc_id: str, told: Mapping[str, Explanation]) -> Explanation:
        """Why a document has its score: what each part adds, which has ``told`` why it gives its own score."""
        parts = [
            explain_part(self.model, name, told[name], part.scores[shard, doc_id], part.scale)
            for name, part in self.parts.items()
        ]
        return Explanation(sum(part.value for part in parts), f"document {doc_id}: a sum of models", parts)


def rank_sum(
    asked: ShardQuestion, k: int, calls: ShardCalls, model: SumModel, parts: Mapping[str, SummedPart]
) -> SumRanking:
    """The best ``k`` documents by a sum; a shard that is lost before all parts have scored counts for nothing.

    :raises StaleCommit: a shard has a newer commit.
    """
    ranking: SumRanking | None = None
    while ranking is None:
        ranking = _rank(asked, k, calls, model, parts)
    return ranking


def _rank(
    asked: ShardQuestion, k: int, calls: ShardCalls, model: SumModel, parts: Mapping[str, SummedPart]
) -> SumRanking | None:
    """The same, None where a shard is lost meanwhile."""
    missing = len(calls.missing)
    depth = max(k, model.depth)
    rankings = {
        name: part.ranker.rank(asked, depth, calls, part.model, part.collections) for name, part in parts.items()
    }
    if len(calls.missing) > missing:
        return None
    ranked = [[(document.shard, document.id) for document in ranking.ranked] for ranking in rankings.values()]
    first = dict.fromkeys(place for places in ranked for place in places[: model.depth])
    pool = list(dict.fromkeys([*first, *(place for places in ranked for place in places)]))
    scored: dict[str, ScoredPart] = {}
    weighted: list[NDArray[np.float64]] = []
    for name, part in parts.items():
        scores = part.ranker.scores(asked, pool, calls, part.model, part.collections, rankings[name])
        if scores is None or len(calls.missing) > missing:
            return None
        scale = scale_of(scores[: len(first)], model.normalisation)
        weighted.append(model.parts[name].weight * scale.apply(scores))
        scored[name] = ScoredPart(rankings[name], dict(zip(pool, scores.tolist(), strict=True)), scale)
    totals = np.sum(weighted, axis=0).tolist()
    shards = list(dict.fromkeys(shard for shard, _ in pool))
    homes = np.array([shards.index(shard) for shard, _ in pool], np.int64)
    shown = merging.shown_ids(shards, homes, [doc_id for _, doc_id in pool])
    order = sorted(range(len(pool)), key=lambda place: (totals[place], shown[place]), reverse=True)
    return SumRanking(
        [Ranked(*pool[place], shown[place], totals[place]) for place in order[:k]], merging.add_statistics(0, (), ()),
        next(iter(rankings.values())).generations, model=model, parts=scored,
    )
