"""Statements over the API, by their form."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")


def get(client: Any, status: int = 200, **parameters: Any) -> Any:
    answer = client.get("/api/v1/patterns", params=parameters)
    assert answer.status_code == status, answer.text
    return answer.json()


def test_formulas_of_documents_match_patterns(client: Any) -> None:
    found = get(client, q=r"\sum_{?i=1}^{?n} ?i^2 = _", k=3)
    assert "square-pyramid" in {hit["id"] for hit in found["hits"]}
    assert found["total"] >= len(found["hits"])
    assert found["unchecked"]
    assert all(hit["statement"].startswith("$") for hit in found["hits"])


def test_what_cannot_be_read_is_a_hint_or_an_error(client: Any) -> None:
    assert any("nothing follows" in hint for hint in get(client, q="?a + ")["hints"])
    assert get(client, 400, q=" , ")["error"]["message"].startswith("The pattern has nothing")
    get(client, 400, q="?a", k=0)
