"""Questions with slips: results of what was meant, and a way back to what was written."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

SLIP, MEANT = "Cauchy Schwrz inequality", "Cauchy schwarz inequality"


def ids(client: Any, **asked: Any) -> list[str]:
    return [hit["id"] for hit in client.get("/api/v1/search", params=asked).json()["hits"]]


def test_the_api_says_what_may_be_meant_and_follows_it_where_it_is_asked_to(client: Any) -> None:
    asked = client.get("/api/v1/search", params={"q": SLIP}).json()
    assert asked["correction"]["question"] == MEANT
    assert (asked["correction"]["sure"], asked["correction"]["followed"]) == (True, False)
    followed = client.get("/api/v1/search", params={"q": SLIP, "correct": True}).json()
    assert followed["question"] == SLIP
    assert followed["correction"]["followed"]
    assert [hit["id"] for hit in followed["hits"]] == ids(client, q=MEANT) != [hit["id"] for hit in asked["hits"]]
    assert client.get("/api/v1/search", params={"q": MEANT, "correct": True}).json()["correction"] is None


def test_the_page_follows_it_and_links_back(client: Any) -> None:
    page = client.get("/search", params={"q": SLIP}).text
    assert f"Showing results for <strong>{MEANT}</strong>" in page
    assert "No document has" not in page
    back = page.split("Search instead for")[1].split('href="')[1].split('"')[0].replace("&amp;", "&")
    exact = client.get(back).text
    assert "Showing results" not in exact
    assert f'Did you mean <a href="/search?q={MEANT.replace(" ", "+")}">' in exact
    assert f'value="{SLIP}"' in exact
