"""What declarations use, what uses them, and counterparts, over the API and on the page of a document."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import porism

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

TEXT = """
/-- The inverse of an inverse is the element itself. -/
theorem inverse_inverse {G : Type*} (a : G) : inverse (inverse a) = a := proof
theorem inverse_thrice {G : Type*} (a : G) : inverse (inverse (inverse a)) = inverse a := inverse_inverse (inverse a)
"""


@pytest.fixture(scope="module")
def lean_client(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    from fastapi.testclient import TestClient

    from porism.serve.web.app import create_app
    from porism.serve.web.settings import WebSettings

    folder: Path = tmp_path_factory.mktemp("lean")
    (folder / "A.lean").write_text(TEXT, encoding="utf-8")
    (folder / "a.md").write_text("# Groups\n\nThe inverse of an inverse is the element itself.\n", encoding="utf-8")
    porism.index_sources([folder / "A.lean", folder / "a.md"], folder / "index")
    settings = WebSettings({"lean": folder / "index"}, logs=False)
    with TestClient(create_app(settings), base_url="http://localhost") as made:
        yield made


def test_relations_over_the_api(lean_client: Any) -> None:
    found = lean_client.get("/api/v1/relations", params={"id": "A.lean#inverse_inverse"}).json()
    assert [document["id"] for document in found["used_by"]["documents"]] == ["A.lean#inverse_thrice"]
    assert found["used_by"]["documents"][0]["place"]["line"] == 4
    assert [document["title"] for document in found["counterparts"]["documents"]] == ["Groups"]
    assert found["proof_uses"]["count"] == 0
    assert lean_client.get("/api/v1/relations", params={"id": "nothing"}).status_code == 404


def test_the_page_of_a_document_links_what_it_is_related_to(lean_client: Any) -> None:
    page = lean_client.get("/document", params={"id": "A.lean#inverse_inverse"}).text
    assert "<h2>Used by</h2>" in page
    assert "/document?id=A.lean%23inverse_thrice" in page
    assert "<h2>Counterparts</h2>" in page
    assert "<dt>declares</dt>" not in page


def test_documents_of_one_kind_alone_have_no_counterparts(client: Any) -> None:
    assert "Counterparts" not in client.get("/document", params={"id": "basel-by-parseval"}).text
