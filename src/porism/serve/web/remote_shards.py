"""Indexes on servers as shards, and several indexes, here or there, opened to be searched as one."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast
from urllib.parse import parse_qs, quote, urlsplit

from porism.errors import ConfigError, PorismError
from porism.extras import need
from porism.retrieve import DEFAULT_MODEL, RetrieverSettings
from porism.search.index import open_index
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.formula_requests import FormulaHitsRequest, FormulaOccurrencesRequest
from porism.serve.shards.requests import (
    MOVED,
    A,
    DocumentTermsRequest,
    FrequenciesRequest,
    GroupsRequest,
    HitsRequest,
    Request,
    ScoresRequest,
    Shard,
    StaleCommit,
    TextsRequest,
)
from porism.serve.shards.shard import IndexShard
from porism.serve.shards.shard_group import SECONDS

if TYPE_CHECKING:
    import httpx

KEY = "PORISM_API_KEY"
"""The variable of the environment with the key that servers demand."""

_BATCH_SIZE = 100
"""So many documents or formulas are asked for at once."""

_SCORES_BATCH_SIZE = 1_000
_KEYS_BATCH_SIZE = 2_000
_TERMS_BATCH_SIZE = 10_000
_MAX_BATCH_CHARACTERS = 200_000
"""So many formulas or terms are named at once, and so many characters of them: a body has a million bytes at most."""

_IN_PARTS: Mapping[type[Request[Any]], tuple[str, int]] = {
    HitsRequest: ("ids", _BATCH_SIZE), ScoresRequest: ("ids", _SCORES_BATCH_SIZE),
    FormulaHitsRequest: ("asked", _BATCH_SIZE), FormulaOccurrencesRequest: ("keys", _KEYS_BATCH_SIZE),
    DocumentTermsRequest: ("ids", _BATCH_SIZE),
    GroupsRequest: ("ids", _SCORES_BATCH_SIZE),
    FrequenciesRequest: ("terms", _TERMS_BATCH_SIZE), TextsRequest: ("ids", _BATCH_SIZE),
}
"""Requests that are about many things, the field that has them, and how many go at once."""


class RemoteShard:
    """An index of a server by its address, ``http://host:8470`` or ``http://host:8470/?index=NAME``."""

    def __init__(
        self, address: str, *, key: str | None = None, seconds: float = SECONDS,
        transport: httpx.BaseTransport | None = None,
    ) -> None:
        """Connects when it is first used.

        :raises ConfigError: the address is not valid.
        :raises MissingExtra: httpx is not installed.
        """
        need("pydantic", "web", "indexes on servers")
        from porism.serve.web.client import Client

        parts = urlsplit(address)
        if parts.scheme not in ("http", "https") or not parts.hostname:
            raise ConfigError(f"{address[:200]!r} is not the address of a server", hint="For example: http://127.0.0.1:8470")
        self._index = parse_qs(parts.query).get("index", [""])[0]
        self._base = f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
        self.name = f"{parts.netloc.rpartition('@')[2]}{parts.path.rstrip('/')}"
        if self._index:
            self.name = f"{self.name}/{self._index}"
        self._client = Client(self._base, key=key, index=self._index, seconds=seconds, transport=transport)

    def ask(self, request: Request[A]) -> A:
        """The server's answer to a request; what is about many documents or formulas is asked a part at a time.

        :raises StaleCommit: the server has a newer commit.
        """
        try:
            answers = [self._client.shard(part) for part in in_parts(request)]
        except PorismError as error:
            raise _moved(error) from error
        return joined(answers)

    def page(self, doc_id: str) -> str:
        """The address of the page of a document."""
        named = f"&index={quote(self._index)}" if self._index else ""
        return f"{self._base}/document?id={quote(doc_id, safe='')}{named}"


def open_servers(addresses: Sequence[str], seconds: float) -> list[RemoteShard]:
    """Indexes on servers as shards, with the key that the environment has.

    :raises ConfigError: an address is not valid.
    """
    return [RemoteShard(address, key=os.environ.get(KEY), seconds=seconds) for address in addresses]


def in_parts(request: Request[A]) -> list[Request[A]]:
    """A request, or several of which each is within the limits of a server."""
    name, most = _IN_PARTS.get(type(request), ("", 0))
    if not name:
        return [request]
    rows: tuple[Any, ...] = getattr(request, name)
    parts, size = [0], 0
    for place, row in enumerate(rows):
        length = len("".join(row) if isinstance(row, (str, tuple)) else row.key)
        size += length
        if place > parts[-1] and (size > _MAX_BATCH_CHARACTERS or place - parts[-1] >= most):
            parts.append(place)
            size = length
    whole: Any = request
    ends = zip(parts, [*parts[1:], len(rows)], strict=True)
    return [replace(whole, **{name: rows[first:last]}) for first, last in ends]


def joined(answers: Sequence[A]) -> A:
    """The answers to the parts of a request as one."""
    first: Any = answers[0]
    columns = {
        field.name: tuple(row for answer in answers for row in getattr(answer, field.name))
        for field in fields(first) if len(answers) > 1 and isinstance(getattr(first, field.name), tuple)
    }
    return cast("A", replace(first, **columns))


def _moved(error: PorismError) -> PorismError:
    """What the server says, as the error that it is here."""
    return StaleCommit(error.what, hint=error.hint) if getattr(error, "code", "") == MOVED else error


def open_shards(
    indexes: Sequence[str | os.PathLike[str]], model: RetrieverSettings | str = DEFAULT_MODEL, *,
    formula_model: RetrieverSettings | str | None = None, seconds: float = SECONDS, key: str | None = None,
) -> FederatedIndex:
    """Opens indexes here (folders) and on servers (``http://…``), to be searched as one index of all their documents.

    Scores and ranks are those that it would give. Servers are searched by the model that they were started with, which
    must be the one that is given; so are their formulas.

    :param seconds: how long each server may take for a question; one that takes longer is missing from the answer.
    :param key: the key that servers demand; by default what the environment has as ``PORISM_API_KEY``.
    :raises ConfigError: the model cannot be searched in shards, or indexes here cannot be searched as one.
    :raises IndexNotFound: a folder has no index.
    :raises MissingExtra: httpx is not installed.
    """
    places = list(dict.fromkeys(os.fspath(path) for path in indexes))
    folders = [Path(place) for place in places if not place.startswith(("http://", "https://"))]
    shards: list[Shard] = []
    if folders:
        index = open_index(folders, model, formula_model)
        shards.append(IndexShard("here" if len(folders) > 1 else folders[0].resolve().name, index))
    given = key if key is not None else os.environ.get(KEY)
    extra: dict[str, Any] = {"key": given, "seconds": seconds}
    shards += [RemoteShard(place, **extra) for place in places if place.startswith(("http://", "https://"))]
    return FederatedIndex(shards, seconds=seconds)
