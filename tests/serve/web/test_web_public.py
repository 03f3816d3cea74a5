"""A public server: nothing can be written, visitors are limited, proxies may keep answers, no path is named."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from fastapi.testclient import TestClient

from porism.errors import ConfigError
from porism.serve.web.app import create_app
from porism.serve.web.public import PUBLIC_LIMITS, visitor
from porism.serve.web.server import check_workers
from porism.serve.web.settings import Limits, WebSettings


def serving(library: Any, sample_index: Path, **settings: Any) -> TestClient:
    given = WebSettings({"sample": sample_index}, logs=False, public=True, **settings)
    return TestClient(create_app(given, library), base_url="http://localhost")


@pytest.fixture(scope="module")
def public(library: Any, sample_index: Path) -> TestClient:
    return serving(library, sample_index, limits=Limits(per_minute=100_000))


@pytest.mark.parametrize("name", ["ingest", "judgments"])
def test_what_lets_visitors_write_is_refused(library: Any, sample_index: Path, tmp_path: Path, name: str) -> None:
    with pytest.raises(ConfigError, match="nobody can write"):
        serving(library, sample_index, **{name: tmp_path / "x"})


def test_answers_may_be_kept_and_crawlers_are_told_what_to_leave(public: TestClient, client: Any) -> None:
    for path, kept in (
        ("/search?q=series", "public, max-age=300"), ("/api/v1/search?q=series", "public, max-age=300"),
        ("/static/porism.css", "public, max-age=86400"), ("/health", "no-store"), ("/generation", "no-store"),
    ):
        answer = public.get(path)
        assert answer.headers.get_list("cache-control") == [kept], path
    assert "public" not in public.get("/document?id=nothing").headers.get("cache-control", "")
    assert "public" not in client.get("/search?q=series").headers["cache-control"]
    assert "Disallow: /search" in public.get("/robots.txt").text
    assert "Disallow: /\n" not in public.get("/robots.txt").text
    assert "Disallow: /\n" in client.get("/robots.txt").text


def test_visitors_are_counted_one_by_one_behind_a_proxy(library: Any, sample_index: Path) -> None:
    few = serving(library, sample_index, limits=Limits(per_minute=8))
    statuses = {
        (ip, path): [few.get(path, headers={"x-forwarded-for": f"6.6.6.6, {ip}"}).status_code for _ in range(3)]
        for ip, path in (("1.2.3.4", "/search?q=series"), ("5.6.7.8", "/api/v1/search?q=series"))
    }
    assert set(map(tuple, statuses.values())) == {(200, 200, 429)}
    assert few.get("/static/porism.css", headers={"x-forwarded-for": "1.2.3.4"}).status_code == 200
    assert visitor("9.9.9.9", {b"x-forwarded-for": b"1.2.3.4"}) == ("9.9.9.9", False)
    assert visitor("127.0.0.1", {}) == ("127.0.0.1", True)
    check_workers(WebSettings({}, public=True, limits=replace(PUBLIC_LIMITS)))


def test_limits_are_those_of_visitors(public: TestClient) -> None:
    assert public.get("/api/v1/search", params={"q": "x " * 1_100}).status_code == 400
    assert public.get("/api/v1/search", params={"q": "x", "k": 51}).status_code == 400
    assert public.post("/api/v1/search", content=b" " * 200_000).status_code == 413


def test_what_is_for_the_machine_alone_is_not_forwarded(public: TestClient) -> None:
    for path in ("/metrics", "/api/v1/shard/collection"):
        assert public.request("GET", path, headers={"x-forwarded-for": "1.2.3.4"}).status_code == 404
    assert public.get("/metrics").status_code == 200


def test_no_answer_names_a_file_of_the_machine(
    library: Any, sample_index: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PORISM_EDITOR_URL", "vscode://file{file}:{line}")
    public = serving(library, sample_index, limits=Limits(per_minute=100_000))
    paths = ("/health", "/api/v1/health", "/search?q=series", "/api/v1/search?q=series")
    seen = [public.get(path).text for path in paths]
    for text in seen:
        assert "vscode" not in text
        assert str(sample_index.parent) not in text
    assert "Porism" in seen[0]
    assert f"{len(library.view().index):,}" in seen[0]
