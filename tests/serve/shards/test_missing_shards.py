"""A shard that fails, is late, has a newer commit or does not fit is named; the others answer."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from shard_cases import Wrapped

from porism.errors import ConfigError, PorismError
from porism.search.index import open_index
from porism.serve.shards import merging
from porism.serve.shards.federated import FederatedIndex, ShardsMissing
from porism.serve.shards.requests import (
    A,
    CandidatesRequest,
    CollectionRequest,
    Request,
    Shard,
    StaleCommit,
    StatisticsRequest,
)
from porism.serve.shards.shard import IndexShard
from porism.serve.shards.values import ShardCandidates, ShardCollection, ShardQuestion, ShardStatistics
from porism.types import Content, Query


def test_a_shard_that_fails_is_named_and_the_others_answer(shards: list[IndexShard], sample_shards: list[Path]) -> None:
    class Failing(Wrapped):
        def __init__(self, shard: Shard, step: str, seconds: float = 0.0) -> None:
            super().__init__(shard)
            self.step, self.seconds = step, seconds

        def fails(self, step: str) -> None:
            if step == self.step:
                time.sleep(self.seconds)
                raise PorismError(f"{step} failed")

        def ask(self, request: Request[A]) -> A:
            self.fails(request.step)
            return super().ask(request)

    question = r"why does $\sum 1/n^2$ converge?"
    with open_index(sample_shards[0]) as few:
        alone = [(hit.id, hit.score) for hit in few.search(few.question(question, guess_formulas=True), 5)]
    all_ids = {hit.id for hit in FederatedIndex(shards).search(question, 400).hits}
    for step in ("collection", "statistics", "candidates", "hits"):
        found = FederatedIndex([shards[0], Failing(shards[1], step)]).search(question, 5)
        assert found.partial
        assert [(one.name, one.reason) for one in found.missing] == [("many", f"{step} failed")]
        assert found.to_dict()["missing"] == [{"name": "many", "reason": f"{step} failed"}]
        assert all(shards[0].index.snapshot.find(hit.id) for hit in found.hits)
        assert {hit.id for hit in found.hits} <= all_ids
        if step in ("collection", "statistics"):  # nothing of the other counts
            assert [(hit.id, hit.score) for hit in found.hits] == alone
    slow = FederatedIndex([shards[0], Failing(shards[1], "statistics", 30.0)], seconds=0.5)
    found = slow.search(question, 5)
    assert [(one.name, one.reason) for one in found.missing] == [("many", "no answer within 0.5 s")]
    with pytest.raises(ShardsMissing, match="many is missing: candidates failed"):
        FederatedIndex([shards[0], Failing(shards[1], "candidates")]).run([Query("q", {"query": Content("sum")})])
    with pytest.raises(ShardsMissing, match="no index answers: many is missing: collection failed"):
        FederatedIndex([Failing(shards[1], "collection")]).search(question)

    class Broken(Wrapped):
        def statistics(self, request: StatisticsRequest) -> ShardStatistics:
            raise ZeroDivisionError("a mistake of ours")

    with pytest.raises(ZeroDivisionError):  # is not hidden as a missing shard
        FederatedIndex([shards[0], Broken(shards[1])]).search(question)


def test_a_newer_commit_begins_the_search_again(shards: list[IndexShard], sample_shards: list[Path]) -> None:
    class Reopened(Wrapped):
        moves = 1

        def candidates(self, request: CandidatesRequest) -> ShardCandidates:
            if self.moves:
                self.moves -= 1
                raise StaleCommit("the index is at commit 9, not 1")
            return self.shard.ask(request)

    moving = Reopened(shards[1])
    found = FederatedIndex([shards[0], moving]).search("continuous function", 4)
    assert moving.moves == 0
    assert found.hits == FederatedIndex(shards).search("continuous function", 4).hits
    moving.moves = 9
    endless = FederatedIndex([shards[0], moving]).search("continuous function", 4)
    assert [(one.name, one.reason) for one in endless.missing] == [("many", "a newer commit again and again")]
    assert endless.hits
    asked = ShardQuestion(shards[0].index.question("function"))
    statistics = merging.add_statistics(1, merging.channel_totals([shards[0].ask(CollectionRequest())]), [])
    with pytest.raises(StaleCommit, match="is at commit 1, not 7"):
        shards[0].ask(CandidatesRequest(7, asked, statistics, 10))


def test_shards_that_do_not_fit_are_refused_with_what_to_do(shards: list[IndexShard]) -> None:
    class Other(Wrapped):
        def __init__(self, shard: Shard) -> None:
            super().__init__(shard)
            self.changed: dict[str, Any] = {}

        def collection(self, request: CollectionRequest) -> ShardCollection:
            return replace(self.shard.ask(request), **self.changed)

    other = Other(shards[1])
    for changed, message in (
        ({"protocol": 1}, "many: speaks version 1 of the protocol of shards, and this is version 7"),
        ({"version": "0.0.9"}, "many: is served by Porism 0.0.9, and few by "),
        ({"model": {"kind": "search"}}, "many: is searched by another model than few"),
        ({"config": dict(shards[1].ask(CollectionRequest()).config) | {"language": "german"}},
         "many: was indexed with language german, and few with auto"),
    ):
        other.changed = changed
        with pytest.raises(ConfigError) as refused:
            FederatedIndex([shards[0], other]).search("function")
        assert message in str(refused.value)
        assert refused.value.hint
    with pytest.raises(ConfigError, match="different names"):
        FederatedIndex([shards[0], shards[0]])
    with pytest.raises(ConfigError, match="cannot answer in 0 seconds"):
        FederatedIndex(shards, seconds=0)
