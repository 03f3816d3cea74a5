"""How long a shard may take: one time for all steps of a question."""

from __future__ import annotations

import time
from types import SimpleNamespace

import pytest

from porism.serve.shards import fan_out
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.requests import A, Request, Shard


class Named:
    """A shard on another machine, of which only the name matters."""

    def __init__(self, name: str) -> None:
        self.name = name

    def ask(self, request: Request[A]) -> A:
        raise AssertionError("the test asks it by functions of its own")


class Clock:
    """Time that passes only where a test says so, beside the real one."""

    def __init__(self) -> None:
        self.passed = 0.0

    def monotonic(self) -> float:
        return time.monotonic() + self.passed


def test_the_time_of_a_shard_is_that_of_all_steps_together(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    monkeypatch.setattr(fan_out, "time", SimpleNamespace(monotonic=clock.monotonic))
    slow = Named("slow")
    calls = ShardCalls([slow], seconds=100.0)

    def step(shard: Shard) -> str:
        clock.passed += 60.0
        return shard.name

    assert calls.all(step) == {slow: "slow"}
    assert calls.missing == []
    calls.all(step)  # 120 of 100 seconds; this answer is there already
    assert calls.all(lambda shard: time.sleep(0.2)) == {}
    assert [str(missing) for missing in calls.missing] == ["slow is missing: no answer within 100 s"]
