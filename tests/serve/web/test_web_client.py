"""The client of the API: what it returns is what the server answers, and every route has a method."""

from __future__ import annotations

import inspect
import time
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("httpx", reason="the client sends requests by httpx: pip install 'porism[web]'")
pytest.importorskip("fastapi", reason="it asks a server: pip install 'porism[web]'")

import httpx
from web_transport import Through

from porism.serve.shards.formula_requests import REQUESTS
from porism.serve.web import schema
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX, ApiError, Client
from porism.serve.web.guarding import new_key
from porism.serve.web.settings import Limits, WebSettings


@pytest.fixture(scope="module")
def api(library: Any, sample_index: Path) -> Client:
    """A client whose requests reach the application without a network."""
    app = create_app(WebSettings({"sample": sample_index}, logs=False), library)
    return Client("http://localhost", transport=Through(app))


def answering(*answers: Any) -> Client:
    """A client of a server that gives these answers in turn."""
    waiting = list(answers)
    return Client(transport=httpx.MockTransport(lambda request: waiting.pop(0)))


def test_every_route_has_a_method(client: Any) -> None:
    paths = client.get(f"{PREFIX}/openapi.json").json()["paths"]
    routes = {path.removeprefix(PREFIX + "/").partition("/")[0] for path in paths}
    assert {path.removeprefix(f"{PREFIX}/shard/") for path in paths if "/shard/" in path} == {
        request.step for request in REQUESTS
    }
    methods = {name for name, _ in inspect.getmembers(Client, inspect.isfunction) if not name.startswith("_")}
    assert routes == methods - {"close", "explained", "add", "delete", "runs", "run", "run_topic"}


def test_values_are_those_of_the_api(api: Client, client: Any) -> None:
    question = r"why does $\sum 1/n^2$ converge"
    found = api.search(question, 3, filters={"type": ["theorem", "identity"]}, explain=True)
    answered = client.get(
        f"{PREFIX}/search", params={"q": question, "k": 3, "filter": ["type=theorem", "type=identity"], "explain": True}
    )
    expected = schema.SearchResults.model_validate_json(answered.content)
    assert found.model_copy(update={"seconds": 0}) == expected.model_copy(update={"seconds": 0})
    assert [hit.rank for hit in found.hits] == [1, 2, 3]
    assert {hit.metadata["type"] for hit in found.hits} <= {"theorem", "identity"}
    assert found.hits[0].explanation is not None
    assert api.search(question, 1, page=2, filters={"type": ["theorem", "identity"]}).hits[0].id == found.hits[1].id


def test_all_methods_answer(api: Client) -> None:
    assert api.formulas(r"\sum_{j=1}^{N} j^2", 2, match="equal").hits[0].relation == "equal value"
    assert api.document("sum-of-squares").id == "sum-of-squares"
    assert api.explain("sum of squares", "sum-of-squares").contributions.value > 0
    with pytest.raises(ApiError, match="does not offer the model 'words'"):
        api.search("sum of squares", model="words")
    assert [part.kind for part in api.question("sums $x^2$").parts] == ["word", "formula"]
    assert api.parse("x^2").spoken == "x squared"
    assert api.convert(r"\frac{a}{b}", "spoken").text == "a over b"
    assert api.equal("(a+b)^2", "a^2+2ab+b^2").relation == "same value"
    assert len(api.similar("sum-of-squares", 4).hits) == 4
    assert api.relations("sum-of-squares").used_by.count == 0
    assert api.compare("sum-of-squares", "sum-of-integers").right.id == "sum-of-integers"
    identities = {"type": "identity"}
    assert api.facets("sum", filters=identities).total == api.search("sum", filters=identities).total
    assert any(one.text.startswith("conver") for one in api.suggest("conver").completions)
    assert [view.name for view in api.indexes()] == ["sample"]
    assert api.health().status == "ok"


def test_a_stream_gives_results_first_and_then_each_explanation(api: Client) -> None:
    first, *others = api.explained("sum of squares", 3)
    assert isinstance(first, schema.SearchResults)
    assert [one.id for one in others] == [hit.id for hit in first.hits]  # type: ignore[union-attr]
    with pytest.raises(ApiError) as caught:
        list(api.explained("", 3))
    assert caught.value.status == 400


def test_a_long_question_is_sent_as_a_body(api: Client) -> None:
    long = "sum of squares " + "é" * 1_900
    assert api.search(long, 1, filters={"type": "identity"}).hits[0].id == "sum-of-squares"
    assert api.formulas(f"${long}$ " + "$x^2$", 1).question.startswith("$sum")


def test_errors_say_what_is_wrong(api: Client) -> None:
    with pytest.raises(ApiError, match="There is no document 'nope'") as caught:
        api.document("nope")
    assert (caught.value.status, caught.value.code) == (404, "not_found")
    assert caught.value.hint
    with pytest.raises(ApiError) as caught:
        api.search("x", index="nope")
    assert caught.value.hint == "Choose from sample."


def test_nobody_answers() -> None:
    with pytest.raises(ApiError, match=r"no answer from http://127\.0\.0\.1:9 .*porism serve") as caught:
        Client("http://127.0.0.1:9/", seconds=2).health()
    assert caught.value.status == 0


def test_a_busy_server_is_asked_again(monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr(time, "sleep", waits.append)
    ready = httpx.Response(200, json={"status": "ok", "version": "1", "indexes": []})
    busy = httpx.Response(429, headers={"retry-after": "7"}, json={"error": {"code": "too_often", "message": "Wait."}})
    assert answering(busy, httpx.Response(503), ready).health().version == "1"
    assert waits == [7.0, 1.0]
    with pytest.raises(ApiError, match="Wait") as caught:
        answering(busy, busy, busy, ready).health()
    assert caught.value.code == "too_often"
    with pytest.raises(ApiError, match="status 502"):
        answering(httpx.Response(502, text="<html>a proxy"), ready).health()


def test_the_key_is_sent(library: Any, sample_index: Path, tmp_path: Path) -> None:
    secret, line = new_key("someone")
    (tmp_path / "keys").write_text(line)
    app = create_app(WebSettings({"sample": sample_index}, Limits(), keys=tmp_path / "keys", logs=False), library)
    transport = Through(app)
    assert Client("http://localhost", key=secret, transport=transport).search("sum").total > 0
    with pytest.raises(ApiError) as caught:
        Client("http://localhost", transport=transport).search("sum")
    assert caught.value.status == 401


def test_fields_of_a_newer_server_are_ignored() -> None:
    body = {"status": "ok", "version": "2", "indexes": [], "news": 1}
    assert answering(httpx.Response(200, json=body)).health().version == "2"
