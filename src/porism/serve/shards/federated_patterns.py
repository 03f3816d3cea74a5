"""Statements of several shards by pattern, as of one index that has all their documents."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from porism.errors import OnProblem, QueryError
from porism.index import Filters
from porism.retrieve.patterns.question import read_patterns
from porism.search.patterns import PatternAnswer
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.merging import shown_ids
from porism.serve.shards.requests import PatternsRequest
from porism.serve.shards.shard_group import ShardGroup


def search_patterns(
    group: ShardGroup, pattern: str, k: int, *, symmetric: bool = True, filters: Filters | None = None,
    on_problem: OnProblem | None = None,
) -> PatternAnswer:
    """The ``k`` smallest statements of all shards that match a pattern, as
    :meth:`porism.search.patterns.PatternSearch.search`. An id that several shards have among these is preceded by the
    name of its shard.

    :raises QueryError: as there.
    :raises ShardsMissing: no shard answers.
    """
    if k < 1:
        raise QueryError(f"k is {k}", hint="Ask for at least one result.")
    read_patterns(pattern, on_problem)

    def work(calls: ShardCalls) -> PatternAnswer:
        request = PatternsRequest(pattern, k, symmetric, group.filters({}, filters, calls))
        answers = calls.all(lambda shard: shard.ask(request))
        shards = list(answers)
        found = [(home, hit) for home, shard in enumerate(shards) for hit in answers[shard].hits]
        homes = np.array([home for home, _ in found], np.int64)
        shown = shown_ids(shards, homes, [hit.id for _, hit in found])
        named = [
            replace(hit, id=shown_id, home=hit.home or shards[home].name)
            for (home, hit), shown_id in zip(found, shown, strict=True)
        ]
        hits = sorted(named, key=lambda hit: (hit.size, hit.id))
        return PatternAnswer(
            tuple(replace(hit, rank=rank) for rank, hit in enumerate(hits[:k], 1)),
            sum(answer.total for answer in answers.values()), sum(answer.undecided for answer in answers.values()),
            missing=tuple(calls.missing),
        )

    return group.ask(work)
