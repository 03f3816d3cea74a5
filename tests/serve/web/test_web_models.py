"""Pages and API search by a model that the server offers beside its first one."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web]'")

from fastapi.testclient import TestClient

from porism.errors import ConfigError
from porism.search.index import open_index
from porism.serve.web.app import create_app
from porism.serve.web.client import PREFIX
from porism.serve.web.settings import WebSettings

QUESTION = r"why does $\sum 1/n^2$ converge?"


@pytest.fixture(scope="module")
def client(sample_index: Path) -> Iterator[TestClient]:
    app = create_app(WebSettings({"sample": sample_index}, offered_models=("words", "paths"), logs=False))
    with TestClient(app, base_url="http://localhost") as made:
        yield made


def test_a_search_is_that_of_the_model_that_is_chosen(client: TestClient, sample_index: Path) -> None:
    with open_index(sample_index) as index:
        for model in ("", "words", "paths"):
            expected = (index.with_models(model) if model else index).search(QUESTION, 10)
            asked = {"q": QUESTION, "model": model}
            found = client.get(f"{PREFIX}/search", params=asked).json()
            assert [(hit["id"], hit["score"]) for hit in found["hits"]] == [
                (hit.id, round(hit.score, 6)) for hit in expected
            ]
            assert client.post(f"{PREFIX}/search", json=asked).json()["hits"] == found["hits"]
            assert (found["model"], found["models"]) == (model, ["words", "paths"])
            first = expected[0]
            why = client.get(f"{PREFIX}/explain", params={**asked, "id": first.id}).json()
            assert why["contributions"]["value"] == pytest.approx(first.score, abs=1e-6)
            export = client.get(f"{PREFIX}/export", params={**asked, "k": 3}).json()["hits"]
            assert [hit["id"] for hit in export] == [hit.id for hit in expected[:3]]
            assert client.get(f"{PREFIX}/search/stream", params=asked).text.count('"explanation"') >= 10


def test_a_page_offers_the_models_and_keeps_the_choice(client: TestClient) -> None:
    page = client.get("/search", params={"q": QUESTION, "model": "words"}).text
    assert re.findall(r'<select name="model">(.*?)</select>', page) == [
        '<option value="">default</option><option selected>words</option><option>paths</option>'
    ]
    assert "model=words" in page.split('rel="next"')[1][:200]
    why = re.search(r'class="why" href="(/why\?[^"]*)"', page)
    assert why is not None
    assert "model=words" in why[1]
    assert client.get(why[1].replace("&amp;", "&")).status_code == 200
    assert "select name=\"model\"" not in client.get("/search", params={"q": "x^2", "mode": "formulas"}).text


def test_what_is_not_offered_is_refused(client: TestClient, sample_index: Path) -> None:
    for path in (f"{PREFIX}/search", "/search"):
        refused = client.get(path, params={"q": QUESTION, "model": "plain"})
        assert refused.status_code == 400
        assert "does not offer the model" in refused.text
    with pytest.raises(ConfigError, match="wrods"):
        create_app(WebSettings({"sample": sample_index}, offered_models=("wrods",), logs=False))
