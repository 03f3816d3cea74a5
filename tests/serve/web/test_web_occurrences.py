"""All places of a formula: pages of documents with the text around them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

MANY = 23


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A server of 23 documents with a formula, one of which has it six times, and one without."""
    from porism.search.sources.updating import index_sources

    folder = tmp_path_factory.mktemp("places")
    far = "word " * 120
    entries = [
        {"id": f"d{number}", "title": f"Document {number}", "type": "odd" if number % 2 else "even",
         "body": f"Before $y$ it is $a^2+b^2$ here. {far}" * (6 if number == 1 else 1)}
        for number in range(MANY)
    ]
    entries.append({"id": "none", "title": "$c^4$", "type": "odd", "body": "but $a^2+b^3$"})
    lines = "".join(f"{json.dumps(entry)}\n" for entry in entries)
    (folder / "entries.jsonl").write_text(lines, encoding="utf-8")
    index_sources([folder / "entries.jsonl"], folder / "index", jobs=1)
    with serving({"places": folder / "index"}) as address:
        yield address


@pytest.fixture(scope="module")
def asked(url: str) -> Iterator[Any]:
    from porism.serve.web.client import Client

    with Client(url) as client:
        yield client


def test_every_document_is_on_some_page_with_the_formula_marked(asked: Any) -> None:
    ids: list[str] = []
    for page in (1, 2, 3):
        answer = asked.occurrences("$a^2 + b^2$", page=page)
        assert (answer.documents, answer.places) == (MANY, MANY + 5)
        ids += [hit.id for hit in answer.hits]
        for hit in answer.hits:
            for passage in hit.passages:
                assert [piece.text for piece in passage if piece.match] == ["a² + b²"]
                assert passage[0].text.startswith(("Before", "…"))
    assert sorted(ids) == sorted(f"d{number}" for number in range(MANY))
    several = next(hit for page in (1, 2, 3) for hit in asked.occurrences("a^2+b^2", page=page).hits if hit.id == "d1")
    assert (several.count, len(several.passages)) == (6, 4)


def test_a_key_and_filters_ask_too_and_pages_end(asked: Any) -> None:
    from porism.serve.web.client import ApiError

    found = asked.formulas("$a^2+b^2$", 1).hits[0]
    answer = asked.occurrences(key=found.formula.key, filters={"type": "odd"}, k=50)
    assert answer.documents == 11
    assert answer.formula.key == found.formula.key
    for asks in ({"formula": "q+r"}, {"formula": "a^2+b^2", "page": 4}):
        with pytest.raises(ApiError) as error:
            asked.occurrences(**asks)
        assert error.value.status == 404
    with pytest.raises(ApiError, match="Page 0"):
        asked.occurrences("a^2+b^2", page=0)


def test_a_title_that_is_a_formula_alone_is_a_named_link(opened: Open) -> None:
    for path in ("/occurrences?formula=c%5E4", "/search?q=%24c%5E4%24", "/search?mode=formulas&q=%24a%5E2%2Bb%5E3%24"):
        page = opened(path, java_script_enabled=False)
        assert page.locator("a[aria-label='c⁴']").count() >= 1, path


def test_counts_of_formulas_lead_to_all_places_page_by_page(opened: Open) -> None:
    page = opened("/search?mode=formulas&q=%24a%5E2%2Bb%5E2%24", java_script_enabled=False)
    page.locator(".places .rest a").first.click()
    assert page.locator(".summary strong").inner_text() == "28 places"
    seen = set()
    for number in (1, 2, 3):
        assert f"Page {number} of 3" in page.locator(".pages").inner_text()
        assert page.locator(".snippet .f.hit").count() >= page.locator(".card").count()
        seen |= set(page.locator(".card").evaluate_all("all => all.map(one => one.dataset.id)"))
        if number < 3:
            page.locator("[rel=next]").click()
    assert len(seen) == MANY
    page.go_back()
    page.locator(".card h2 a").first.click()
    assert re.search(r"/document\?id=d\d+&q=", page.url)
    assert page.locator(".reading .f.hit").count() >= 1
