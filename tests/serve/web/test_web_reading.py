"""A document to be read: contents, neighbours, references, comments apart, and what has the same formulas."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

THEOREM = f"/document?id={quote('paper/main.tex#thm:x')}"


@pytest.fixture(scope="module")
def url(reading_index: Path) -> Iterator[str]:
    with serving({"texts": reading_index}) as address:
        yield address


def test_the_api_gives_references_contents_and_same_formulas(reading_index: Path) -> None:
    from fastapi.testclient import TestClient

    from porism.serve.web.app import create_app
    from porism.serve.web.settings import WebSettings

    app = create_app(WebSettings({"texts": reading_index}, logs=False))
    with TestClient(app, base_url="http://localhost") as client:
        def asked(route: str, doc_id: str) -> Any:
            return client.get(f"/api/v1/{route}", params={"id": doc_id}).json()

        def referring(doc_id: str, **parameters: str) -> list[tuple[str, str]]:
            shown = client.get("/api/v1/document", params={"id": doc_id, **parameters}).json()
            paragraphs = [own for section in shown["sections"] for own in section["paragraphs"]]
            pieces = [piece for paragraph in paragraphs for piece in paragraph["pieces"]]
            return [(piece["text"], piece["target"]) for piece in pieces if piece["target"]]

        five, bare = "paper/main.tex#lem:five", "paper/main.tex#lem:bare"
        labels = [("Five lemma", five), ("lem:bare", bare), ("Five lemma", five)]
        assert referring("paper/main.tex#thm:x") == labels
        assert referring("paper/main.tex#thm:x", q="five lemma bare") == labels  # words within labels are marked
        assert referring("notes/Group.md") == [
            ("Ring", "notes/Ring.md"), ("the kernel", "notes/Homomorphism.md"), ("rings", "notes/Ring.md"),
        ]
        related = asked("relations", "p0")
        assert [entry["id"] for entry in related["outline"]["entries"]] == ["p1", "p0", "p3"]
        assert related["outline"]["previous"]["id"] == "p1"
        assert [other["id"] for other in related["same_formulas"]] == [five, "paper/main.tex#thm:x", "p2"]
        assert [other["id"] for other in related["linked"]["documents"]] == ["p2"]
        sections = {section["name"]: len(section["paragraphs"]) for section in asked("document", "p0")["sections"]}
        assert sections == {"body": 2, "comments": 2}


def test_a_page_leads_through_its_file_and_to_what_it_refers_to_without_scripts(opened: Open) -> None:
    page = opened(THEOREM, java_script_enabled=False)
    assert page.locator(".contents [aria-current]").inner_text().startswith("Theorem: By Lemma")
    assert page.locator(".text.body h2").inner_text() == "Statement"
    page.locator(".text.proof a.ref").click()
    page.locator("h1", has_text="Five lemma").wait_for()
    page.locator(".neighbours [rel=next]").click()
    page.locator(".text", has_text="We have").wait_for()
    page.locator(".neighbours [rel=next]").click()
    page.locator(".text.proof").wait_for()
    assert page.locator(".beside .shared math").count() > 0
    page.locator(".contents a", has_text="Ends").click()
    page.locator("h1", has_text="Ends").wait_for()
    assert page.locator(".neighbours [rel=next]").count() == 0


def test_comments_are_apart_and_similar_ones_are_of_other_questions(opened: Open) -> None:
    page = opened("/document?id=p0")
    assert page.locator(".text.comments li").all_inner_texts() == ["One comment.", "Another."]
    similar = page.locator(".beside ul").first.locator("a:not(.compare-link)").all_inner_texts()
    assert similar
    assert "Question 1" not in similar


@pytest.mark.parametrize(("width", "columns"), [(1440, 3), (1100, 2), (390, 1)])
def test_the_margins_use_the_width_there_is(opened: Open, width: int, columns: int) -> None:
    page = opened(THEOREM, viewport={"width": width, "height": 900})
    boxes = [page.locator(selector).bounding_box() for selector in (".contents", ".reading", ".beside")]
    assert len({round(box["x"]) for box in boxes}) == columns
    assert page.evaluate("document.documentElement.scrollWidth") <= width
