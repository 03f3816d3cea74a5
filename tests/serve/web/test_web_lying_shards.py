"""A shard may answer anything: it is missing then, or believed, but the search goes on and takes bounded memory."""

from __future__ import annotations

import gzip
import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

import httpx
import pydantic
from long_forms import LONG
from shard_servers import post

from porism.errors import ConfigError
from porism.search.answering import SearchOptions
from porism.search.index import open_index
from porism.search.locations import Location
from porism.serve.shards.federated import FederatedIndex
from porism.serve.shards.formula_requests import REQUESTS
from porism.serve.shards.shard import IndexShard
from porism.serve.web import client as client_module
from porism.serve.web.client import ApiError, Client
from porism.serve.web.remote_shards import RemoteShard

QUESTION = r"why does $\sum 1/n^2$ converge?"
STEPS = {request.step: request for request in REQUESTS}
HOSTILE: tuple[Any, ...] = (
    10**30, 10**400, -1, -(10**18), 2**63, 1e308, -1e308, float("inf"), float("nan"), 0, True, None, "", "x" * 10_000,
    [], {}, [[]], {"x": 10**30}, "javascript:alert(1)", "\x1b[31m", "\ud800",
)
LIES = 120 if LONG else 80


class Liar(httpx.BaseTransport):
    """The server of an index that changes its answers before it sends them."""

    def __init__(self, shard: IndexShard, lie: Callable[[str, Any], Any]) -> None:
        self.shard, self.lie = shard, lie

    def handle_request(self, request: Any) -> Any:
        kind: Any = STEPS[request.url.path.rpartition("/")[2]]
        body = json.loads(request.read())
        del body["index"]
        answer = self.shard.ask(pydantic.TypeAdapter(kind).validate_python(body))
        value = json.loads(pydantic.TypeAdapter(kind.answer).dump_json(answer))
        return httpx.Response(200, content=json.dumps(self.lie(kind.step, value)).encode())


@pytest.fixture(scope="module")
def honest(sample_shards: list[Path]) -> list[IndexShard]:
    return [IndexShard(path.stem, open_index(path)) for path in sample_shards]


def searched(honest: list[IndexShard], lie: Callable[[str, Any], Any], formulas: bool = False) -> Any:
    liar = RemoteShard("http://liar", transport=Liar(honest[1], lie))
    index = FederatedIndex([honest[0], liar])
    options = SearchOptions(k=5, explain=True)
    return index.answer_formulas("$n^2$", options) if formulas else index.answer(QUESTION, options)


def leaves(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    if isinstance(value, dict | list):
        for key in value if isinstance(value, dict) else range(len(value)):
            yield from leaves(value[key], (*path, key))


def changed(value: Any, path: tuple[Any, ...], lie: Any) -> Any:
    if not path:
        return lie
    at = value
    for key in path[:-1]:
        at = at[key]
    at[path[-1]] = lie
    return value


@every_case("formulas", [False, True])
def test_whatever_a_shard_says_the_others_answer(honest, formulas):
    steps: list[str] = []
    assert not searched(honest, lambda step, value: steps.append(step) or value, formulas).missing
    rng = random.Random(37)
    named = missing = 0
    for number in range(LIES):
        step_of_lie, told = rng.choice(steps), []

        def lie(step: str, value: Any, step_of_lie: str = step_of_lie, told: list[Any] = told) -> Any:
            if step != step_of_lie:
                return value
            paths = list(leaves(value))
            told.append((rng.choice(paths), rng.choice(HOSTILE)))
            return changed(value, *told[-1])

        try:
            answer = searched(honest, lie, formulas)
        except ConfigError:
            named += 1  # shards do not fit, and the message says so
            continue
        assert len(answer.hits) == 5 or (answer.hits and answer.missing), (number, step_of_lie, told)
        missing += bool(answer.missing)
        json.dumps(answer.to_dict())
    assert missing > LIES // 5
    assert named < LIES // 10


def test_a_commit_that_always_moves_is_missing(honest):
    answer = searched(honest, lambda step, value: value | {"generation": 9} if step == "statistics" else value)
    assert [str(missing) for missing in answer.missing] == ["liar is missing: a newer commit again and again"]
    assert len(answer.hits) == 5


def test_counts_above_its_documents_are_not_believed(honest):
    def lie(step: str, value: Any) -> Any:
        if step == "statistics":
            value["df"] = {channel: dict.fromkeys(df, 10_000) for channel, df in value["df"].items()}
        return value

    assert [missing.name for missing in searched(honest, lie).missing] == ["liar"]


def test_an_answer_nested_without_end_is_missing(honest):
    deep: Any = {"value": 1.0, "label": "x", "parts": []}
    for _ in range(200):
        deep = {"value": 1.0, "label": "x", "parts": [deep]}

    def lie(step: str, value: Any) -> Any:
        for hit in value["hits"] if step == "hits" else ():
            hit["explanation"] = deep
        return value

    assert [missing.name for missing in searched(honest, lie).missing] == ["liar"]


def test_urls_of_places_are_of_the_web():
    assert Location(url="javascript:alert(1)").url is None
    assert Location(url="https://example.org/").url == "https://example.org/"


def test_answers_are_neither_compressed_nor_longer_than_the_limit(monkeypatch):
    headers: list[Any] = []

    def answer(request: Any) -> Any:
        headers.append(request.headers["accept-encoding"])
        return httpx.Response(200, headers=sent, stream=httpx.ByteStream(body))

    body, sent = gzip.compress(bytes(10_000_000)), {"content-encoding": "gzip"}
    with Client(transport=httpx.MockTransport(answer)) as client:
        with pytest.raises(ApiError, match="is compressed"):
            client.search("x")
        with pytest.raises(ApiError, match="is compressed"):
            list(client.explained("x"))
        assert headers == ["identity", "identity"]
        monkeypatch.setattr(client_module, "MAX_BYTES", 1_000)
        body, sent = b"x" * 2_000, {}
        with pytest.raises(ApiError, match="more than 1,000 bytes"):
            client.search("x")
        with pytest.raises(ApiError, match="more than 1,000 bytes"):
            list(client.explained("x"))
        body = b"x"
        with pytest.raises(ApiError, match="the answer is not valid"):
            client.search("x")


def test_a_server_refuses_requests_beyond_the_bounds(sample_index, library):
    from fastapi.testclient import TestClient

    from porism.serve.web.app import create_app
    from porism.serve.web.settings import WebSettings

    with TestClient(
        create_app(WebSettings({"sample": sample_index}, logs=False), library), base_url="http://localhost"
    ) as client:
        for number in (10**30, 10**400, -(10**30)):
            answer = post(client, "frequencies", generation=number, terms=[])
            assert answer.status_code == 400, answer.text
        answer = post(client, "patterns", pattern="?x", k=10**30)
        assert answer.status_code == 400
