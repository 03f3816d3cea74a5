"""Pages and API put the first results in the order of a reranker that the server was started with."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web]'")

from fastapi.testclient import TestClient

from porism.errors import ConfigError
from porism.lab.pipeline.rerankers.explaining import RerankerChain
from porism.lab.pipeline.rerankers.named import named_reranker
from porism.search.answering import IndexAnswers
from porism.search.index import open_index
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX, Client
from porism.serve.web.settings import WebSettings

QUESTION = r"why does $\sum 1/n^2$ converge?"
NAME = "retriever:model=words;depth=7"


@pytest.fixture(scope="module")
def client(sample_index: Path) -> Iterator[TestClient]:
    app = create_app(WebSettings({"sample": sample_index}, rerankers=("words", NAME), logs=False))
    with TestClient(app, base_url="http://localhost") as made:
        yield made


def test_hits_and_reasons_are_those_of_a_reranked_answer(client: TestClient, sample_index: Path) -> None:
    with open_index(sample_index) as index:
        expected = IndexAnswers(index).search(
            QUESTION, 12, rerank=RerankerChain([named_reranker(index, NAME)]), explain=True
        )
    asked = {"q": QUESTION, "rerank": NAME, "explain": True, "k": 6}
    pages = [client.get(f"{PREFIX}/search", params={**asked, "page": page}).json() for page in (1, 2)]
    hits = [hit for page in pages for hit in page["hits"]]
    assert [(hit["rank"], hit["id"]) for hit in hits] == [(hit.rank, hit.id) for hit in expected.hits]
    for hit, other in zip(hits, expected.hits, strict=True):
        assert [(stage["stage"], stage["rank"]) for stage in hit["stages"]] == [
            (stage.stage, stage.rank) for stage in other.stages
        ]
        assert other.explanation is not None
        assert hit["explanation"]["contributions"]["value"] == pytest.approx(other.explanation.value, abs=1e-6)
    assert pages[0]["rerank"] == NAME
    assert pages[0]["rerankers"] == ["words", NAME]
    plain = client.get(f"{PREFIX}/search", params={"q": QUESTION, "k": 6}).json()
    assert [hit["id"] for hit in plain["hits"]] != [hit["id"] for hit in hits[:6]]
    assert plain["hits"][0]["stages"] == []
    first = expected.hits[0]
    why = client.get(f"{PREFIX}/explain", params={"q": QUESTION, "id": first.id, "rerank": NAME}).json()
    assert why["contributions"]["value"] == pytest.approx(first.score, abs=1e-6)
    assert why["contributions"] == hits[0]["explanation"]["contributions"]
    body = client.post(f"{PREFIX}/search", json=asked).json()
    assert [hit["id"] for hit in body["hits"]] == [hit["id"] for hit in hits[:6]]


def test_a_page_offers_the_rerankers_and_keeps_the_choice(client: TestClient) -> None:
    page = client.get("/search", params={"q": QUESTION, "rerank": "words"}).text
    assert '<select name="rerank">' in page
    assert "<option selected>words</option>" in page
    assert "rerank=words&amp;page=2" in page or "page=2&amp;rerank=words" in page
    assert '<span class="stage"' in page
    assert '<select name="rerank">' not in client.get("/search", params={"q": "x^2", "mode": "formulas"}).text
    why = re.search(r'href="(/why\?[^"]*)"', page)
    assert why is not None
    reason = client.get(why[1].replace("&amp;", "&"))
    assert (reason.status_code, "document" in reason.text) == (200, True)
    assert "Re-ranking" in client.get("/help").text
    plain = client.get("/search", params={"q": QUESTION}).text
    assert "<option selected>" not in plain
    assert '<span class="stage"' not in plain


def test_what_the_server_was_not_started_with_is_refused(client: TestClient, sample_index: Path) -> None:
    refused = client.get(f"{PREFIX}/search", params={"q": QUESTION, "rerank": "dense"})
    assert refused.status_code == 400
    assert refused.json()["error"]["message"] == "The server has no reranker 'dense'."
    assert client.get("/search", params={"q": QUESTION, "rerank": "dense"}).status_code == 400
    without = create_app(WebSettings({"sample": sample_index}, logs=False))
    with TestClient(without, base_url="http://localhost") as other:
        refused = other.get(f"{PREFIX}/search", params={"q": QUESTION, "rerank": "words"})
        assert "porism serve --rerank" in refused.json()["error"]["hint"]
        assert "rerank" not in other.get("/search", params={"q": QUESTION}).text
    with pytest.raises(ConfigError, match="there is no reranker 'wrods'"):
        create_app(WebSettings({"sample": sample_index}, rerankers=("wrods",), logs=False))


def test_documents_of_a_server_are_not_reranked_by_a_search_of_one_index(
    sample_shards: list[Path], address: str
) -> None:
    with pytest.raises(ConfigError, match="on this machine only"):
        create_app(WebSettings({"few": sample_shards[0]}, rerankers=("words",), servers=(address,), logs=False))


def test_the_client_names_a_reranker(sample_index: Path) -> None:
    pytest.importorskip("httpx", reason="needs the extra: pip install 'porism[web]'")
    from web_servers import serving

    with serving({"sample": sample_index}, rerankers=("words",)) as url, Client(url) as asked:
        assert [one.stage for one in asked.search(QUESTION, rerank="words").hits[0].stages] == ["search", "words"]
