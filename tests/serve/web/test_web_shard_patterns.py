"""Statements of indexes on servers are found by pattern together with those here."""

from __future__ import annotations

from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="indexes are served by the web app: pip install 'porism[web]'")
pytest.importorskip("httpx", reason="requests are sent by httpx: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from shard_servers import post

from porism.serve.web.client import PREFIX


@every_case("asked", [
    {"q": "?a ≥ ?b", "k": 5}, {"q": r"\sin ?x", "k": 3}, {"q": "?a = ?b", "directed": True, "filter": "tags=topology"},
])
def test_statements_of_another_server_are_found_too(client: TestClient, beside: TestClient, asked: Any) -> None:
    whole = client.get(f"{PREFIX}/patterns", params=asked).json()
    found = beside.get(f"{PREFIX}/patterns", params={**asked, "index": "all"}).json()
    assert found["total"] == whole["total"] > 0
    assert [(hit["rank"], hit["id"], hit["statement"]) for hit in found["hits"]] == [
        (hit["rank"], hit["id"], hit["statement"]) for hit in whole["hits"]
    ]
    assert found["missing"] == []


def test_the_step_has_limits(client: Any) -> None:
    found = post(client, "patterns", pattern="?a = ?b", k=3).json()
    assert len(found["hits"]) == 3
    for change, message in (
        ({"k": 0}, "k is 0"), ({"k": 10_000}, "k is 10,000"), ({"pattern": ","}, "nothing to search"),
    ):
        refused = post(client, "patterns", **{"pattern": "?a", "k": 3, **change})
        assert (refused.status_code, message in refused.json()["error"]["message"].lower()) == (400, True), change
