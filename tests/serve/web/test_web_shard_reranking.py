"""The first results of an index on a server and one here are re-ranked together."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

import pydantic
from fastapi.testclient import TestClient
from shard_servers import post, run
from tiny_models import need_models, save_cross_encoder

from porism.search.index import open_index
from porism.serve.shards.requests import TextsRequest
from porism.serve.shards.values import ShardTexts
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX
from porism.serve.web.remote_shards import in_parts, joined
from porism.serve.web.settings import WebSettings
from porism.types import Content, Document

QUESTION = r"why does $\sum 1/n^2$ converge?"


def test_a_cross_encoder_reads_documents_of_a_server(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sample_shards: list[Path],
    address: str,
) -> None:
    need_models()
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    model = save_cross_encoder(tmp_path / "cross")
    given = (
        "search", QUESTION, "-k", 6, "--json", "--explain", "--depth", 12, "--index", sample_shards[0],
        "--rerank", f"cross-encoder:model={model};first_stage=0.2",
    )
    status, out, _ = run(capsys, *given, "--index", address)
    assert status == 0
    found = json.loads(out)["hits"]
    whole = json.loads(run(capsys, *given, "--index", sample_shards[1])[1])
    assert [(hit["id"], hit["rank"]) for hit in found] == [(hit["id"], hit["rank"]) for hit in whole]
    for mine, other in zip(found, whole, strict=True):
        assert mine["score"] == pytest.approx(other["score"])
        assert [one["stage"] for one in mine["stages"]] == ["search", "cross-encoder"]
        assert [one["rank"] for one in mine["stages"]] == [one["rank"] for one in other["stages"]]
        assert mine["explanation"]["value"] == pytest.approx(mine["score"])
    assert [hit["stages"][0]["rank"] for hit in found] != list(range(1, 7))


def test_what_cannot_re_rank_documents_of_servers_is_refused(
    capsys: pytest.CaptureFixture[str], sample_shards: list[Path], address: str
) -> None:
    indexes = ("--index", sample_shards[0], "--index", address)
    for name, code, message in (
        (("--rerank=words",), 1, "a model of search re-ranks documents of indexes on this machine only"),
        (("--rerank=crosss",), 1, "there is no reranker 'crosss'"),
        (("--rerank=prior", "--formulas"), 2, "--rerank does not work with --formulas"),
        (("--depth=3",), 2, "--depth works with --rerank only"),
    ):
        status, out, err = run(capsys, "search", "x", *indexes, *name)
        assert (status, out) == (code, "")
        assert message in err


def test_documents_are_given_whole_and_a_hundred_at_once(sample_shards: list[Path]) -> None:
    parts: Any = in_parts(TextsRequest(1, tuple(f"d{number}" for number in range(250))))
    assert [len(part.ids) for part in parts] == [100, 100, 50]
    one, other = Document("a", {"body": Content("x")}), Document("b", {})
    assert joined([ShardTexts(1, (one,)), ShardTexts(1, (other,))]) == ShardTexts(1, (one, other))
    app = create_app(WebSettings({"few": sample_shards[0]}, logs=False))
    with TestClient(app, base_url="http://localhost") as client:
        generation = post(client, "collection").json()["generation"]
        found = client.get(f"{PREFIX}/search", params={"q": "closed set", "k": 1}).json()["hits"][0]
        answered = post(client, "texts", generation=generation, ids=[found["id"]])
        assert answered.status_code == 200
        (document,) = answered.json()["documents"]
        with open_index(sample_shards[0]) as index:
            assert pydantic.TypeAdapter(Document).validate_python(document) == index.document(found["id"])
        for ids, code, message in (
            (["x"] * 101, 400, "101 ids"), (["nowhere"], 400, "nowhere"),
        ):
            refused = post(client, "texts", generation=generation, ids=ids)
            assert (refused.status_code, message in refused.json()["error"]["message"]) == (code, True)
        assert post(client, "texts", generation=generation + 1, ids=[]).status_code == 409
