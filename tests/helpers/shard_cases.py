"""Shards of the bundled sample, and one of which tests change what it answers."""

from __future__ import annotations

from porism.search.shards.requests import A, Request, Shard


class Wrapped:
    """A shard that says what another one does; tests change a step by a method of its name."""

    def __init__(self, shard: Shard, name: str = "") -> None:
        self.shard, self.name = shard, name or shard.name

    def ask(self, request: Request[A]) -> A:
        own = getattr(self, request.step, None)
        found: A = self.shard.ask(request) if own is None else own(request)
        return found
