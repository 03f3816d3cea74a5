"""Results grouped by question: in the API, on the page, and opened in place."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

SEARCH = "/search?q=squares"


@pytest.fixture(scope="module")
def threads_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Four answers to one question, two to another, and one entry by itself; the fewer words, the better."""
    from porism.search.sources.updating import index_sources

    folder = tmp_path_factory.mktemp("threads")
    entries = [
        {"id": f"a{number}", "question_id": question, "title": f"Question {question}",
         "body": f"squares {'and more words ' * number}"}
        for number, question in enumerate("1121132")
    ]
    del entries[5]["question_id"]
    lines = "".join(f"{json.dumps(entry)}\n" for entry in entries)
    (folder / "answers.jsonl").write_text(lines, encoding="utf-8")
    index_sources([folder / "answers.jsonl"], folder / "index", jobs=1)
    return folder / "index"


@pytest.fixture(scope="module")
def url(threads_index: Path) -> Iterator[str]:
    with serving({"threads": threads_index}) as address:
        yield address


@pytest.fixture(scope="module")
def asked(url: str) -> Iterator[Any]:
    from porism.serve.web.client import Client

    with Client(url) as client:
        yield client


def test_the_api_groups_where_it_is_asked_to(asked: Any) -> None:
    each = asked.search("squares")
    assert (each.total, each.groups, [hit.group for hit in each.hits]) == (7, None, [None] * 7)
    found = asked.search("squares", group_by="question")
    assert (found.total, found.groups) == (7, 3)
    assert [(hit.rank, hit.id, hit.group and hit.group.more) for hit in found.hits] == [
        (1, "a0", 3), (2, "a2", 1), (3, "a5", None),
    ]
    inside = asked.search("squares", group=found.hits[0].group.id)
    assert inside.total == 4
    assert {hit.id for hit in inside.hits} == {hit.id for hit in each.hits if hit.id in {"a0", "a1", "a3", "a4"}}
    assert inside.hits[0].id == "a0"
    second = asked.search("squares", 2, page=2, group_by="question")
    assert [(hit.rank, hit.id) for hit in second.hits] == [(3, "a5")]


def test_a_question_is_one_card_whose_answers_open_in_place(opened: Open) -> None:
    page = opened(SEARCH)
    assert page.locator(".card").count() == 3
    link = page.locator(".card").first.locator("a.group")
    assert link.inner_text() == "3 more answers here"
    assert "grouped as 3" in page.locator(".summary").inner_text()
    link.click()
    page.wait_for_selector(".group-panel .card")
    first = page.locator(".hits > .card").first
    assert sorted(first.locator(".card").evaluate_all("all => all.map(one => one.dataset.id)")) == ["a1", "a3", "a4"]
    assert link.get_attribute("aria-expanded") == "true"
    link.click()
    assert not first.locator(".group-panel").is_visible()


def test_without_scripts_the_answers_are_a_page(opened: Open) -> None:
    page = opened(SEARCH, java_script_enabled=False)
    page.locator("a.group").first.click()
    assert page.locator(".card").count() == 4
    page.get_by_role("link", name="All results").click()
    assert page.locator(".card").count() == 3
    page.get_by_role("link", name="show each").click()
    assert page.locator(".card").count() == 7
    page.get_by_role("link", name="group by question").click()
    assert page.locator(".card").count() == 3
