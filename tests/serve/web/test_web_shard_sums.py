"""Sums of models, such as ``neural``, search an index on a server together with one here."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")
pytest.importorskip("torch", reason="needs the extra: pip install 'porism[neural]'")

from fastapi.testclient import TestClient
from shard_servers import post, run
from tiny_models import save_encoder
from web_servers import serving

from porism.corpus import read_topics
from porism.errors import ConfigError
from porism.sample import sample_path
from porism.search.index import open_index
from porism.search.questions import Question, make_query
from porism.serve.shards.requests import ScoresRequest
from porism.serve.shards.values import ShardQuestion, ShardScores, ShardStatistics, WholeStatistics
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX, ApiError
from porism.serve.web.remote_shards import in_parts, joined, open_shards
from porism.serve.web.settings import WebSettings
from porism.vectors.dense.encoding import DENSE_ENCODING

QUESTION = r"why does $\sum 1/n^2$ converge?"


@pytest.fixture(scope="module")
def encoded(tmp_path_factory: pytest.TempPathFactory, sample_shards: list[Path]) -> list[Path]:
    """The two indexes of the sample, encoded by one model."""
    folder = tmp_path_factory.mktemp("encoded")
    encoder = save_encoder(folder / "tiny")
    paths = []
    for path in sample_shards:
        paths.append(Path(shutil.copytree(path, folder / path.name)))
        DENSE_ENCODING.encode(paths[-1], encoder, device="cpu")
    return paths


@pytest.fixture(scope="module")
def server(encoded: list[Path]) -> Iterator[str]:
    with serving({"many": encoded[1]}, model="neural") as url:
        yield url


def test_a_server_and_an_index_here_answer_as_one(encoded: list[Path], server: str) -> None:
    topics = list(read_topics(sample_path("queries.jsonl")))[::14]
    together = open_shards([encoded[0], server], "neural")
    with open_index(encoded, "neural") as joint:
        expected, found = joint.run(topics, 60), together.run(topics, 60)
        assert {query.id: list(found[query.id]) for query in topics} == {
            query.id: list(expected[query.id]) for query in topics
        }
        several = together.search(QUESTION, 6, explain=True)
        one = joint.search(joint.question(QUESTION, guess_formulas=True), 6)
        assert [(hit.id, hit.score) for hit in several.hits] == [(hit.id, hit.score) for hit in one]
    for hit in several.hits:
        assert hit.explanation is not None
        assert [part.label.partition(":")[0] for part in hit.explanation.parts] == ["default", "dense"]
        assert hit.explanation.value == pytest.approx(hit.score)
    assert any(hit.page for hit in several.hits)
    with pytest.raises(ConfigError, match="is searched by another model than few"):
        open_shards([encoded[0], server], "dense").search(QUESTION)


def test_a_server_that_dies_before_it_scores_counts_for_nothing(encoded: list[Path], server: str) -> None:
    together = open_shards([encoded[0], server], "neural")
    remote: Any = together.shards[1]
    real = remote._client.shard

    def dies(request: Any) -> Any:
        if isinstance(request, ScoresRequest) and request.part == "dense":
            raise ApiError("no answer from the server", code="no_answer")
        return real(request)

    remote._client.shard = dies
    found = together.search(QUESTION, 6)
    assert [one.reason for one in found.missing] == ["no answer from the server"]
    alone = open_shards([encoded[0]], "neural").search(QUESTION, 6)
    assert [(hit.id, hit.score) for hit in found.hits] == [(hit.id, hit.score) for hit in alone.hits]


def test_many_documents_are_scored_in_parts() -> None:
    ids = tuple(f"d{number}" for number in range(2_500))
    statistics = WholeStatistics(0, (), ShardStatistics({}))
    parts: Any = in_parts(ScoresRequest(1, ShardQuestion(Question(make_query("x"))), statistics, ids, part="a"))
    assert [(len(part.ids), part.part) for part in parts] == [(1_000, "a"), (1_000, "a"), (500, "a")]
    assert joined([ShardScores(1, (2.0,), ("t",)), ShardScores(1, (1.0,), (None,))]) == ShardScores(
        1, (2.0, 1.0), ("t", None)
    )


def test_pages_and_commands_search_by_sums(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, encoded: list[Path],
    server: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    given = ("search", QUESTION, "-k", 5, "--json", "--model", "neural", "--index", encoded[0])
    found = json.loads(run(capsys, *given, "--index", server)[1])["hits"]
    whole = json.loads(run(capsys, *given, "--index", encoded[1])[1])
    assert [(hit["id"], hit["score"]) for hit in found] == [(hit["id"], hit["score"]) for hit in whole]
    app = create_app(WebSettings({"few": encoded[0]}, servers=(server,), model="neural", logs=False))
    asked = {"q": QUESTION, "k": 5, "explain": True}
    with TestClient(app, base_url="http://localhost") as client:
        paged = client.get(f"{PREFIX}/search", params={**asked, "index": "all"}).json()
        for step, body, message in (
            ("scores", {"ids": ["x"] * 1_001}, "1,001 ids"),
            ("scores", {"ids": ["x"], "part": "none"}, "has no part"),
            ("scores", {"ids": ["x"]}, "does not answer the step"),
            ("scores", {"ids": ["x"], "part": "dense"}, "lacks a document"),
        ):
            sent = {"question": asdict(ShardQuestion(Question(make_query("set")))), "generation": 1, "statistics": {
                "documents": 0, "channels": [], "query": {"df": {}},
            }}
            generation = post(client, "collection").json()["generation"]
            refused = post(client, step, **sent | body | {"generation": generation})
            assert (refused.status_code, message in refused.json()["error"]["message"]) == (400, True), body
    assert [hit["id"] for hit in paged["hits"]] == [hit["id"] for hit in whole]
    assert all(hit["explanation"]["contributions"]["parts"] for hit in paged["hits"])
