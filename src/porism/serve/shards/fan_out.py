"""ShardCalls several shards at once, each for so long and no longer."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Mapping
from queue import Empty, SimpleQueue
from threading import Thread
from typing import TypeVar

from porism.errors import PorismError
from porism.search.answers import MissingIndex
from porism.serve.shards.requests import Shard, StaleCommit
from porism.serve.shards.shard import IndexShard

T = TypeVar("T")


class ShardCalls:
    """One question to some shards; those that fail or are too slow are ``missing`` from then on.

    The time of a shard is what it takes itself, in all steps together: nobody pays for waiting for another one. An
    index on this machine has any time.
    """

    def __init__(self, shards: Iterable[Shard], seconds: float) -> None:
        self.shards = list(shards)
        self.missing: list[MissingIndex] = []
        self._seconds = seconds
        self._left = {shard: math.inf if isinstance(shard, IndexShard) else seconds for shard in self.shards}

    def all(self, ask: Callable[[Shard], T]) -> dict[Shard, T]:
        """What each shard that is not missing answers, in the order of the shards.

        :raises StaleCommit: one has a newer commit.
        """
        return self.some(dict.fromkeys(self.shards, ask))

    def some(self, asked: Mapping[Shard, Callable[[Shard], T]]) -> dict[Shard, T]:
        """What some shards answer, each asked something of its own.

        :raises StaleCommit: one has a newer commit.
        """
        answers: SimpleQueue[tuple[Shard, T | BaseException, float]] = SimpleQueue()
        began = time.monotonic()

        def work(shard: Shard, ask: Callable[[Shard], T]) -> None:
            answer: T | BaseException
            try:
                answer = ask(shard)
            except BaseException as error:  # raised below, in the thread that asked
                answer = error
            answers.put((shard, answer, time.monotonic() - began))

        for shard, ask in asked.items():
            # a thread that hangs must not keep the process from ending
            Thread(target=work, args=[shard, ask], name=f"shard {shard.name}", daemon=True).start()
        answered: dict[Shard, T] = {}
        waiting = dict.fromkeys(asked)
        while waiting:
            nearest = min(self._left[shard] for shard in waiting)
            try:
                timeout = None if nearest == math.inf else max(0.0, nearest - (time.monotonic() - began))
                shard, answer, taken = answers.get(timeout=timeout)
            except Empty:
                for late in [shard for shard in waiting if self._left[shard] <= nearest]:
                    self.lose(late, f"no answer within {self._seconds:g} s")
                    del waiting[late]
                continue
            if shard not in waiting:
                continue
            del waiting[shard]
            self._left[shard] -= taken
            if isinstance(answer, StaleCommit):
                answer.shard = shard
            if isinstance(answer, PorismError) and not isinstance(answer, StaleCommit):
                self.lose(shard, answer.what)
            elif isinstance(answer, BaseException):
                raise answer
            else:
                answered[shard] = answer
        return {shard: answered[shard] for shard in asked if shard in answered}

    def lose(self, shard: Shard, reason: str) -> None:
        """Goes on without a shard."""
        self.shards = [other for other in self.shards if other is not shard]
        self.missing.append(MissingIndex(shard.name, reason))
