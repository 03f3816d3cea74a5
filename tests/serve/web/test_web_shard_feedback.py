"""Questions learn from documents of indexes on servers what they would learn from one index."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from shard_servers import post, run
from web_servers import serving

from porism.corpus import read_topics
from porism.errors import QueryError
from porism.retrieve import SearchModel
from porism.sample import sample_path
from porism.search.answering import IndexAnswers
from porism.search.index import open_index
from porism.search.models import read_model
from porism.search.questions import Question, make_query
from porism.serve.shards.merging import add_statistics, channel_totals
from porism.serve.shards.requests import (
    CollectionRequest,
    DocumentTermsRequest,
    FrequenciesRequest,
    StatisticsRequest,
)
from porism.serve.shards.values import ShardFrequencies, ShardQuestion
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX, ApiError
from porism.serve.web.remote_shards import in_parts, joined, open_shards
from porism.serve.web.settings import WebSettings

QUESTION = r"why does $\sum 1/n^2$ converge?"


@pytest.fixture(scope="module")
def learning(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with feedback, as a file."""
    path = tmp_path_factory.mktemp("model") / "learning.toml"
    path.write_text('model = "default"\n[feedback]\nmethod = "rm3"\ndocuments = 6\nterms = 15\n')
    return path


@pytest.fixture(scope="module")
def server(sample_shards: list[Path], learning: Path) -> Iterator[str]:
    with serving({"many": sample_shards[1]}, model=str(learning)) as url:
        yield url


def test_a_server_teaches_what_an_index_here_would(
    sample_index: Path, sample_shards: list[Path], learning: Path, server: str
) -> None:
    model = read_model(str(learning))
    assert isinstance(model, SearchModel)
    together = open_shards([sample_shards[0], server], model)
    topics = list(read_topics(sample_path("queries.jsonl")))[::9]
    with open_index(sample_index, model) as whole:
        expected, found = whole.run(topics, 100), together.run(topics, 100)
        assert {query.id: list(found[query.id]) for query in topics} == {
            query.id: list(expected[query.id]) for query in topics
        }
        for judged in ((), ("basel-by-parseval", "harmonic-series-diverges")):
            one = IndexAnswers(whole).search(QUESTION, 6, explain=True, relevant=judged)
            several = together.search(QUESTION, 6, explain=True, relevant=judged)
            assert [(hit.id, hit.score, str(hit.explanation)) for hit in several.hits] == [
                (hit.id, hit.score, str(hit.explanation)) for hit in one.hits
            ]
            assert "feedback" in str(several.hits[0].explanation)
    with pytest.raises(QueryError, match="no index has a document 'nothing'"):
        together.search(QUESTION, relevant=["nothing"])


def test_a_server_that_dies_while_a_question_learns_counts_for_nothing(
    sample_shards: list[Path], learning: Path, server: str
) -> None:
    model = read_model(str(learning))
    together = open_shards([sample_shards[0], server], model)
    whole = together.search(QUESTION, 6)
    alone = open_shards([sample_shards[0]], model).search(QUESTION, 6)
    remote: Any = together.shards[1]
    real = remote._client.shard
    for step in (DocumentTermsRequest, FrequenciesRequest):
        def dies(request: Any, step: type[Any] = step) -> Any:
            if isinstance(request, step):
                raise ApiError("no answer from the server", code="no_answer")
            return real(request)

        remote._client.shard = dies
        found = together.search(QUESTION, 6)
        remote._client.shard = real
        assert [one.reason for one in found.missing] == ["no answer from the server"]
        assert [(hit.id, hit.score) for hit in found.hits] == [(hit.id, hit.score) for hit in alone.hits]
    assert together.search(QUESTION, 6).hits == whole.hits
    assert whole.hits != alone.hits


def test_pages_of_several_servers_learn_too(
    sample_index: Path, sample_shards: list[Path], learning: Path, server: str
) -> None:
    one = create_app(WebSettings({"sample": sample_index}, model=str(learning), logs=False))
    several = create_app(WebSettings({"few": sample_shards[0]}, servers=(server,), model=str(learning), logs=False))
    asked = {"q": QUESTION, "k": 6, "page": 2}
    with TestClient(one, base_url="http://localhost") as client:
        expected = client.get(f"{PREFIX}/search", params=asked).json()
    with TestClient(several, base_url="http://localhost") as client:
        found = client.get(f"{PREFIX}/search", params={**asked, "index": "all"}).json()
    assert [(hit["id"], hit["score"]) for hit in found["hits"]] == [
        (hit["id"], hit["score"]) for hit in expected["hits"]
    ]
    assert len(found["hits"]) == 6
    assert not found["partial"]


def test_the_steps_have_limits(client: Any, library: Any) -> None:
    shard = library.view().shard
    question = ShardQuestion(Question(make_query("closed set $x^2$")))
    has = shard.ask(CollectionRequest())
    statistics = add_statistics(has.documents, channel_totals([has]), [shard.ask(StatisticsRequest(question))])
    given = {"question": asdict(question), "statistics": asdict(statistics), "generation": shard.generation}
    uncounted = asdict(statistics) | {"query": {"df": {}, "holders": []}}
    found = post(client, "document_terms", **given, ids=["basel-by-parseval", "nothing"]).json()
    assert [one["id"] for one in found["documents"]] == ["basel-by-parseval"]
    words = found["documents"][0]["channels"]["words"]
    assert len(words["terms"]) == len(words["frequencies"]) > 3
    assert set(found["question"]["words"]) == {"close", "set", "x", "2"}  # those of the formula too
    counted = post(client, "frequencies", generation=shard.generation, terms=[["words", "set"], ["words", "zz"]])
    assert counted.json()["df"][0] > 0
    assert counted.json()["df"][1] == 0
    for step, change, status, message in (
        ("document_terms", {"ids": ["x"] * 101}, 400, "101 ids"),
        ("document_terms", {"generation": 99}, 409, "at commit"),
        ("document_terms", {"question": {"question": {"query": {"id": "q", "fields": {}}}}}, 400, "empty"),
        ("document_terms", {"statistics": uncounted}, 400, "Holders of 0"),
        ("frequencies", {"terms": [["words", "x"]] * 20_001}, 400, "20,001 terms"),
        ("frequencies", {"generation": 99}, 409, "at commit"),
    ):
        sent = {**given, "ids": ["x"]} if step == "document_terms" else {"generation": shard.generation, "terms": []}
        refused = post(client, step, **{**sent, **change})
        assert (refused.status_code, message in refused.json()["error"]["message"]) == (status, True), (step, change)
    candidates = {**given, "depth": 5}
    for expanded, message in (
        ({"words": {"zzzz": 1.0}}, "was not given"), ({"words": {"set": -1.0}}, "must be finite numbers"),
    ):
        refused = post(client, "candidates", **candidates, expanded=expanded)
        assert (refused.status_code, message in refused.json()["error"]["message"]) == (400, True)


def test_terms_are_counted_in_parts() -> None:
    terms = tuple(("words", f"w{number}") for number in range(25_000))
    parts: Any = in_parts(FrequenciesRequest(1, terms))
    assert sum((part.terms for part in parts), ()) == terms
    assert max(len(part.terms) for part in parts) <= 10_000
    long: Any = in_parts(FrequenciesRequest(1, (("words", "x" * 150_000), ("words", "y" * 150_000))))
    assert [len(part.terms) for part in long] == [1, 1]
    assert joined([ShardFrequencies(1, (2, 0)), ShardFrequencies(1, (5,))]) == ShardFrequencies(1, (2, 0, 5))


def test_the_command_line_learns_from_documents_on_servers(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path, sample_index: Path,
    sample_shards: list[Path], address: str,
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    indexes = ("--index", sample_shards[0], "--index", address)
    asked = ("search", QUESTION, "-k", 5, "--json", "--relevant", "harmonic-series-diverges")
    given = (*asked, "--relevant", "basel-by-parseval", "--not-relevant", "geometric-series")
    status, out, _ = run(capsys, *given, *indexes)
    assert status == 0
    whole = json.loads(run(capsys, *given, "--index", sample_index)[1])
    found = json.loads(out)["hits"]
    assert [(hit["id"], hit["score"]) for hit in found] == [(hit["id"], hit["score"]) for hit in whole]
    assert json.loads(run(capsys, *asked[:-2], *indexes)[1])["hits"][0]["score"] != whole[0]["score"]
    status, _, err = run(capsys, "search", "x", *indexes, "--relevant=nothing")
    assert status == 1
    assert "no index has a document 'nothing'" in err.lower()
    status, _, err = run(capsys, "search", "x", *indexes, "--formulas", "--relevant=nothing")
    assert status == 2
    assert "do not work with --formulas" in err
