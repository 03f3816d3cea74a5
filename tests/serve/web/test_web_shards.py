"""Indexes on servers are searched together with those here, as one index; what a server does wrong is said."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from pathlib import Path
from threading import Event, Thread
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from shard_servers import post, run
from web_servers import serving

import porism
from porism.corpus import read_topics
from porism.errors import ConfigError
from porism.sample import sample_path
from porism.search.answering import IndexAnswers
from porism.search.index import open_index
from porism.search.questions import Question, make_query
from porism.serve.shards.federated import ShardsMissing
from porism.serve.shards.merging import add_statistics, channel_totals
from porism.serve.shards.requests import (
    CandidatesRequest,
    CollectionRequest,
    HitsRequest,
    LinksRequest,
    StaleCommit,
    StatisticsRequest,
)
from porism.serve.shards.values import ShardQuestion
from porism.serve.web import client as client_module
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX, ApiError, Client
from porism.serve.web.guarding import new_key
from porism.serve.web.remote_shards import RemoteShard, open_shards
from porism.serve.web.settings import WebSettings

QUESTION = r"why does $\sum 1/n^2$ converge?"


@contextmanager
def misbehaving(behave: Callable[[socket.socket], None]) -> Iterator[str]:
    """The address of a server that does something of its own with each connection."""
    listening = socket.create_server(("127.0.0.1", 0))
    ended = Event()

    def work() -> None:
        while not ended.is_set():
            try:
                connection, _ = listening.accept()
            except OSError:
                return
            Thread(target=one, args=[connection], daemon=True).start()

    def one(connection: socket.socket) -> None:
        with connection:
            try:
                behave(connection)
            except OSError:
                return

    Thread(target=work, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{listening.getsockname()[1]}"
    finally:
        ended.set()
        listening.close()


def replying(body: bytes, length: int | None = None) -> Callable[[socket.socket], None]:
    def behave(connection: socket.socket) -> None:
        connection.recv(65_536)
        head = f"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {length or len(body)}\r\n\r\n"
        connection.sendall(head.encode() + body)

    return behave


def test_a_server_and_an_index_here_answer_as_one(sample_index: Path, sample_shards: list[Path], address: str) -> None:
    topics = list(read_topics(sample_path("queries.jsonl")))[::9]
    together = porism.open_shards([sample_shards[0], address])
    with open_index(sample_index) as whole:
        assert len(together) == len(whole)
        expected, found = whole.run(topics, 100), together.run(topics, 100)
        assert {query.id: list(found[query.id]) for query in topics} == {
            query.id: list(expected[query.id]) for query in topics
        }
        of_one, of_several = (one.search(QUESTION, 6, explain=True) for one in (IndexAnswers(whole), together))
    assert not of_several.partial
    for mine, other in zip(of_several.hits, of_one.hits, strict=True):
        assert (mine.id, mine.score, mine.snippet, str(mine.explanation)) == (
            other.id, other.score, other.snippet, str(other.explanation)
        )
        assert [piece.written for piece in mine.snippet.pieces] == [piece.written for piece in other.snippet.pieces]
        assert [one.pairs for one in mine.matches or ()] == [one.pairs for one in other.matches or ()]
    assert any(hit.matches for hit in of_several.hits)
    there = {hit.id: hit.page for hit in of_several.hits if hit.page is not None}
    assert 0 < len(there) < len(of_several.hits)
    for doc_id, page in there.items():
        assert page.endswith(f"/document?id={doc_id}&index=many")
    assert found.provenance is not None
    named = address.removeprefix("http://").replace("/?index=", "/")
    assert set(found.provenance.made_by["shards"]) == {"few.index", named}


def test_several_indexes_here_are_one_shard(sample_index: Path, sample_shards: list[Path]) -> None:
    together = open_shards(sample_shards)
    assert [shard.name for shard in together.shards] == ["here"]
    with open_index(sample_index) as whole:
        assert [hit.id for hit in together.search("closed set", 5).hits] == [
            hit.id for hit in whole.search("closed set", 5)
        ]
    for wrong in ("http://", "ftp://host"):
        with pytest.raises(ConfigError, match="is not the address of a server"):
            RemoteShard(wrong)


def test_servers_that_do_wrong_are_missing_and_named(sample_shards: list[Path]) -> None:
    def hang(connection: socket.socket) -> None:
        time.sleep(20)

    def drip(connection: socket.socket) -> None:
        connection.recv(65_536)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        for _ in range(100):
            connection.sendall(b" ")
            time.sleep(0.1)

    def die(connection: socket.socket) -> None:
        replying(b'{"protocol": 1,', 500)(connection)

    with socket.create_server(("127.0.0.1", 0)) as free:
        refusing = f"http://127.0.0.1:{free.getsockname()[1]}"
    collection = b'{"protocol": 1, "version": 3}'
    for behave, reason in (
        (hang, "no answer"), (drip, "within 0.6 s"), (die, "no answer from"), (replying(b"<html>"), "is not valid"),
        (replying(collection), "is not valid"),
    ):
        with misbehaving(behave) as wrong:
            seconds = 0.6 if behave in (hang, drip) else 60.0
            found = open_shards([sample_shards[0], wrong], seconds=seconds).search(QUESTION, 3)
            assert [one.name for one in found.missing] == [wrong.removeprefix("http://")]
            assert reason in found.missing[0].reason
            assert len(found.hits) == 3
    found = open_shards([sample_shards[0], refusing]).search(QUESTION, 3)
    assert "no answer from" in found.missing[0].reason
    with pytest.raises(ShardsMissing, match="no index answers"):
        open_shards([refusing]).search(QUESTION)


def test_a_server_that_dies_in_the_middle_is_missing_from_what_it_has_not_said(
    sample_shards: list[Path], address: str
) -> None:
    together = open_shards([sample_shards[0], address])
    remote: Any = together.shards[1]
    whole = together.search(QUESTION, 6)
    real = remote._client.shard

    def dies(request: Any) -> Any:
        if isinstance(request, CandidatesRequest):
            raise ApiError("no answer from the server", code="no_answer")
        return real(request)

    remote._client.shard = dies
    found = together.search(QUESTION, 6)
    remote._client.shard = real
    assert [one.reason for one in found.missing] == ["no answer from the server"]
    scores = {hit.id: hit.score for hit in whole.hits}
    shared = {hit.id: hit.score for hit in found.hits if hit.id in scores}
    assert shared  # the counts of the server are there still
    assert all(scores[doc_id] == score for doc_id, score in shared.items())
    assert together.search(QUESTION, 6).hits == whole.hits


def test_other_settings_and_models_are_refused(tmp_path: Path, sample_shards: list[Path], address: str) -> None:
    from porism.analysis.analyzer import AnalysisConfig
    from porism.search.sources.updating import index_sources

    with pytest.raises(ConfigError, match="is searched by another model than few"):
        open_shards([sample_shards[0], address], "words").search("set")
    (tmp_path / "notes.md").write_text("# Notes\n\nwords $x^2$\n")
    config = replace(AnalysisConfig.named(["default", "tangent-l"]), language="german")
    index_sources([tmp_path / "notes.md"], tmp_path / "notes", config=config, jobs=1)
    with pytest.raises(ConfigError, match="was indexed with language auto, and notes with german"):
        open_shards([tmp_path / "notes", address]).search("set")


def test_the_steps_have_limits_stable_codes_and_commits(client: Any, library: Any) -> None:
    collection = post(client, "collection").json()
    assert collection["protocol"] == 7
    assert collection["documents"] == library.view().index.snapshot.doc_count
    question = asdict(ShardQuestion(Question(make_query("sum $x^2$"))))

    def asking(text: str, formulas: int = 0) -> dict[str, Any]:
        content = {"text": text, "formulas": [{"source": "x"}] * formulas}
        return {"question": {"query": {"id": "q", "fields": {"query": content}}}}

    counted = post(client, "statistics", question=question).json()
    assert counted["df"]["words"]["sum"] > 0
    assert counted["generation"] == collection["generation"]
    shard = library.view().shard
    read = ShardQuestion(Question(make_query("sum $x^2$")))
    has = shard.ask(CollectionRequest())
    statistics = add_statistics(has.documents, channel_totals([has]), [shard.ask(StatisticsRequest(read))])
    given = {"question": question, "statistics": asdict(statistics), "depth": 5, "generation": shard.generation}
    found = post(client, "candidates", **given).json()
    assert found["first"] == 5
    for change, status, code, message in (
        ({"depth": 1_001}, 400, "bad_request", "The depth is 1,001."),
        ({"depth": 0}, 400, "bad_request", "The depth is 0."),
        ({"generation": 99}, 409, "moved", "at commit"),
        ({"index": "none"}, 404, "not_found", "no index 'none'"),
        ({"question": asking("")}, 400, "bad_request", "empty"),
        ({"question": asking("x" * 5_000)}, 400, "bad_request", "too long"),
        ({"question": asking("\ufffc" * 13, 13)}, 400, "bad_request", "13"),
        ({"statistics": asdict(statistics) | {"documents": -1}}, 400, "bad_request", "Counts are numbers"),
        ({"statistics": asdict(statistics) | {"channels": []}}, 400, "bad_request", "were not given"),
        ({"statistics": asdict(statistics) | {"query": {"df": {}, "holders": [1]}}}, 400, "bad_request", "not given"),
        ({"statistics": asdict(statistics) | {"query": {"df": {}, "holders": []}}}, 400, "bad_request", "Holders of 0"),
    ):
        refused = post(client, "candidates", **given | change)
        error = refused.json()["error"]
        assert (refused.status_code, error["code"]) == (status, code), change
        assert message in error["message"]
    ids = found["ids"][:5]
    shown = {name: given[name] for name in ("question", "statistics", "generation")}
    hits = post(client, "hits", **shown, ids=ids)
    assert [hit["id"] for hit in hits.json()["hits"]] == ids
    assert [hit["location"]["path"] for hit in hits.json()["hits"]] == [None] * 5
    assert post(client, "hits", **shown, ids=ids * 21).status_code == 400
    links = post(client, "links", threads=["1"], asked=["2"], generation=shard.generation).json()
    assert links == {"generation": shard.generation, "links": [], "held": []}


def test_keys_and_commits_are_those_of_the_server(tmp_path: Path, sample_shards: list[Path]) -> None:
    secret, line = new_key("reader")
    (tmp_path / "keys").write_text(line)
    with serving({"few": sample_shards[0]}, keys=tmp_path / "keys") as url:
        refused = open_shards([sample_shards[1], url]).search("set")
        assert "needs a key" in refused.missing[0].reason
        assert not open_shards([sample_shards[1], url], key=secret).search("set").partial
        with Client(url, key=secret) as asked:
            question = ShardQuestion(Question(make_query("set")))
            collection, counted = asked.shard(CollectionRequest()), asked.shard(StatisticsRequest(question))
            statistics = add_statistics(collection.documents, channel_totals([collection]), [counted])
            with pytest.raises(ApiError) as moved:
                asked.shard(CandidatesRequest(99, question, statistics, 5))
            assert (moved.value.status, moved.value.code) == (409, "moved")
        shard = RemoteShard(url, key=secret)
        with pytest.raises(StaleCommit):
            shard.ask(LinksRequest(99))
        with pytest.raises(StaleCommit):
            shard.ask(HitsRequest(99, question, statistics, ("x",)))


def test_an_answer_that_is_too_long_is_not_read(monkeypatch: pytest.MonkeyPatch, client: Any) -> None:
    monkeypatch.setattr(client_module, "MAX_BYTES", 100)
    with serving_in(client) as asked, pytest.raises(ApiError, match="has more than 100 bytes"):
        asked.shard(CollectionRequest())


@contextmanager
def serving_in(client: TestClient) -> Iterator[Client]:
    """A client whose requests a test client of the application answers."""
    import httpx

    class Inside(httpx.BaseTransport):
        def handle_request(self, request: httpx.Request) -> httpx.Response:
            answered = client.request(
                request.method, str(request.url), content=request.read(), headers={"content-type": "application/json"}
            )
            return httpx.Response(answered.status_code, content=answered.content)

    with Client("http://localhost", transport=Inside()) as made:
        yield made


def test_the_command_line_searches_servers_and_names_those_that_are_missing(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sample_index: Path,
    sample_shards: list[Path], address: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    indexes = ("--index", sample_shards[0], "--index", address)
    status, out, err = run(capsys, "search", QUESTION, *indexes, "-k", 4, "--json")
    assert status == 0
    found = json.loads(out)
    assert (found["partial"], found["missing"]) == (False, [])
    whole = json.loads(run(capsys, "search", QUESTION, "--index", sample_index, "-k", 4, "--json")[1])
    assert [(hit["id"], hit["score"]) for hit in found["hits"]] == [(hit["id"], hit["score"]) for hit in whole]
    status, out, err = run(capsys, "search", QUESTION, *indexes, "-k", 4)
    assert whole[0]["id"] in out
    pages = [run(capsys, "open", place, "--print", *indexes)[1].strip() for place in range(1, 5)]
    assert any(page.startswith("http://127.0.0.1") and "/document?id=" in page for page in pages)
    with socket.create_server(("127.0.0.1", 0)) as free:
        gone = f"http://127.0.0.1:{free.getsockname()[1]}"
    status, out, err = run(capsys, "search", QUESTION, "--index", sample_shards[0], "--index", gone, "--seconds", 5)
    assert status == 0
    assert f"{gone.removeprefix('http://')} is missing: no answer from {gone}" in err
    assert "The answer is partial." in err
    (tmp_path / "topics.tsv").write_text("q1\tclosed set\n")
    given = ("run", "--topics", tmp_path / "topics.tsv", "-k", 20, "--quiet", "--output")
    assert run(capsys, *given, tmp_path / "both.run", *indexes)[0] == 0
    assert run(capsys, *given, tmp_path / "one.run", "--index", sample_index)[0] == 0
    assert (tmp_path / "both.run").read_text() == (tmp_path / "one.run").read_text()
    status, out, err = run(capsys, *given, tmp_path / "not.run", "--index", sample_shards[0], "--index", gone)
    assert status == 1
    assert "A run needs the answers of all indexes" in err
    assert not (tmp_path / "not.run").exists()


def test_a_server_searches_another_one_too(client: TestClient, beside: TestClient) -> None:
    for asked in (
        {"q": QUESTION, "k": 4, "explain": True}, {"q": QUESTION, "k": 3, "page": 2},
        {"q": "continuous function", "filter": "tags=topology"},
    ):
        whole = client.get(f"{PREFIX}/search", params=asked).json()
        answered = beside.get(f"{PREFIX}/search", params={**asked, "index": "all"})
        found = answered.json()
        assert "etag" not in answered.headers
        for key in ("question", "parts", "total", "total_is_exact", "page", "per_page", "partial", "missing"):
            assert found[key] == whole[key], key
        assert [(hit["rank"], hit["id"], hit["score"]) for hit in found["hits"]] == [
            (hit["rank"], hit["id"], hit["score"]) for hit in whole["hits"]
        ]
        texts = [["".join(piece["text"] for piece in hit["snippet"]) for hit in one["hits"]] for one in (found, whole)]
        assert texts[0] == texts[1]
        if "explain" in asked:
            assert [hit["explanation"]["contributions"]["value"] for hit in found["hits"]] == pytest.approx(
                [hit["explanation"]["contributions"]["value"] for hit in whole["hits"]]
            )
    hits = beside.get(f"{PREFIX}/search", params={"q": QUESTION, "index": "all"}).json()["hits"]
    pages = {hit["id"]: hit["page"] for hit in hits}
    there = {doc_id: page for doc_id, page in pages.items() if page}
    assert 0 < len(there) < len(pages)
    assert {hit["home"] for hit in hits if not hit["page"]} == {"few"}
    (server,) = {hit["home"] for hit in hits if hit["page"]}
    assert server.endswith("/many")
    html = beside.get("/search", params={"q": QUESTION, "index": "all"}).text
    for doc_id, page in there.items():
        assert page.replace("&", "&amp;") in html
        assert f"/why?q={QUESTION}&amp;id={doc_id}" not in html
    assert "Missing from these results" not in html
    assert [one["name"] for one in beside.get(f"{PREFIX}/indexes").json()] == ["few", "all"]


def test_a_page_and_an_answer_name_the_server_that_is_missing(sample_shards: list[Path], beside: TestClient) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        gone = f"http://127.0.0.1:{free.getsockname()[1]}"
    app = create_app(WebSettings({"few": sample_shards[0]}, servers=(gone,), logs=False))
    with TestClient(app, base_url="http://localhost") as asked:
        found = asked.get(f"{PREFIX}/search", params={"q": QUESTION, "index": "all"}).json()
        alone = asked.get(f"{PREFIX}/search", params={"q": QUESTION}).json()
        html = asked.get("/search", params={"q": QUESTION, "index": "all"}).text
        refused = post(asked, "collection", index="all")
    name = gone.removeprefix("http://")
    assert found["partial"]
    assert [one["name"] for one in found["missing"]] == [name]
    assert "no answer from" in found["missing"][0]["reason"]
    assert [(hit["id"], hit["score"]) for hit in found["hits"]] == [(hit["id"], hit["score"]) for hit in alone["hits"]]
    assert not alone["partial"]
    assert f"Missing from these results: {name} (no answer from" in html
    assert "The time ran out" not in html
    assert refused.status_code == 400
    assert "is not a shard" in refused.json()["error"]["message"]
    with TestClient(app, base_url="http://localhost") as asked:
        formulas = asked.get(f"{PREFIX}/formulas", params={"q": "x^2", "index": "all"}).json()
    assert formulas["partial"]
    assert [one["name"] for one in formulas["missing"]] == [name]
    assert formulas["hits"]
