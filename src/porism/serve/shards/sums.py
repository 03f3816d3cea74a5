"""Ranking by a sum of models: all shards search by each part, and each part scores what any has found.

Scales are made of the scores of all shards, so that sums are those of one index.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.explanation import Explanation
from porism.retrieve.base import RetrieverSettings
from porism.search.models.sums.retriever import ScoreScale, SumModel, explain_part, scale_of
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.merging import Ranked, add_statistics, shown_ids
from porism.serve.shards.ranking import DocumentRanker, Ranking
from porism.serve.shards.requests import Shard
from porism.serve.shards.values import ShardCollection, ShardQuestion


class SummedPart(NamedTuple):
    """A part of a sum: its model, what ranks by it, and what each shard has."""

    model: RetrieverSettings
    ranker: DocumentRanker
    collections: Mapping[Shard, ShardCollection]


class ScoredPart(NamedTuple):
    """What a part says of the candidates of all parts: by which statistics, the scores by document, and their scale."""

    ranking: Ranking
    scores: Mapping[tuple[Shard, str], float]
    scale: ScoreScale


@dataclass(frozen=True, slots=True, kw_only=True)
class SumRanking(Ranking):
    """What was found by a sum of models, with what each of its ``parts`` says."""

    model: SumModel
    parts: Mapping[str, ScoredPart]

    def explain(self, shard: Shard, doc_id: str, told: Mapping[str, Explanation]) -> Explanation:
        """Why a document has its score: what each part adds, which has ``told`` why it gives its own score."""
        parts = [
            explain_part(self.model, name, told[name], one.scores[shard, doc_id], one.scale)
            for name, one in self.parts.items()
        ]
        return Explanation(sum(one.value for one in parts), f"document {doc_id}: a sum of models", parts)


def rank_sum(
    asked: ShardQuestion, k: int, calls: ShardCalls, model: SumModel, parts: Mapping[str, SummedPart]
) -> SumRanking:
    """The best ``k`` documents by a sum; a shard that is lost before all parts have scored counts for nothing.

    :raises StaleCommit: a shard has a newer commit.
    """
    found: SumRanking | None = None
    while found is None:
        found = _rank(asked, k, calls, model, parts)
    return found


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
    ranked = [[(one.shard, one.id) for one in ranking.ranked] for ranking in rankings.values()]
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
    shown = shown_ids(shards, homes, [doc_id for _, doc_id in pool])
    order = sorted(range(len(pool)), key=lambda place: (totals[place], shown[place]), reverse=True)
    return SumRanking(
        [Ranked(*pool[place], shown[place], totals[place]) for place in order[:k]], add_statistics(0, (), ()),
        next(iter(rankings.values())).generations, model=model, parts=scored,
    )
