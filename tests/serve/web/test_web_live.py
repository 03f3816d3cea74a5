"""Pages that notice commits: a folder of notes is watched and served, and a reader is told, not disturbed."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")
pytest.importorskip("watchfiles", reason="needs the extra: pip install 'porism[web]'")

from fastapi.testclient import TestClient
from web_servers import Open, serving

from porism.search.sources.updating import index_sources
from porism.search.sources.watching import watch_index
from porism.serve.web.app import create_app
from porism.serve.web.settings import WebSettings


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    folder = tmp_path / "notes"
    folder.mkdir()
    for number in range(12):
        text = f"# Note {number}\n\nUniform convergence, part {number}: $\\sum_n x^{number + 2}$.\n" + "Words. " * 80
        (folder / f"{number}.md").write_text(text, encoding="utf-8")
    return folder


@pytest.fixture
def url(notes: Path, tmp_path: Path) -> Iterator[str]:
    """A server of the notes beside a watch over them."""
    index = tmp_path / "index"
    index_sources([str(notes)], index, jobs=1)
    stop = threading.Event()
    watch = threading.Thread(target=watch_index, args=[index], kwargs={"jobs": 1, "stop": stop})
    watch.start()
    try:
        with serving({"notes": index}) as address:
            yield address
    finally:
        stop.set()
        watch.join(20)


def test_a_page_of_results_says_that_there_is_a_new_one(opened: Open, notes: Path) -> None:
    page = opened("/search?q=uniform+convergence")
    page.locator("#q").fill("half a question")
    page.wait_for_selector("#preview .part")
    page.evaluate("scrollTo(0, 500)")
    place = page.evaluate("scrollY")
    assert place > 100
    text = "# Uniform convergence\n\nUniform convergence of uniform limits: $f_n \\to f$.\n"
    (notes / "new.md").write_text(text, encoding="utf-8")
    tray = page.locator(".tray.live")
    tray.wait_for()
    assert tray.locator("span").inner_text() == "1 new result on this page."
    assert tray.get_attribute("role") == "status"
    assert page.evaluate("scrollY") == place
    assert page.evaluate("document.activeElement.id") == "q"
    assert page.locator("#q").input_value() == "half a question"
    assert "new" not in " ".join(page.locator(".card .place").all_inner_texts())
    tray.get_by_role("link", name="Show").click()
    page.locator(".card .place", has_text="new.md").wait_for()
    assert page.locator(".tray").count() == 0


def test_a_document_says_only_that_itself_has_changed(opened: Open, notes: Path) -> None:
    page = opened("/search?q=part+3")
    page.locator(".card", has_text="Note 3").locator("h2 a").click()
    page.wait_for_selector("main[data-generation]")
    first = page.get_attribute("main", "data-generation")
    with page.expect_response("**/document?**", timeout=15_000):  # looks, and finds nothing else in itself
        (notes / "7.md").write_text("# Another\n\nall else\n", encoding="utf-8")
    page.wait_for_timeout(500)
    assert page.locator(".tray").count() == 0
    (notes / "3.md").write_text("# Note 3\n\nRewritten: $e^x$\n", encoding="utf-8")
    page.locator(".tray.live").wait_for()
    assert page.locator(".tray.live span").inner_text() == "This document has changed."
    page.get_by_role("button", name="Not now").click()
    assert page.locator(".tray").count() == 0
    assert page.get_attribute("main", "data-generation") == first


def test_the_commit_is_asked_for_without_a_line_in_the_log(
    library: Any, sample_index: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    client = TestClient(create_app(WebSettings({"sample": sample_index}), library), base_url="http://localhost")
    answer = client.get("/generation", params={"index": "sample"})
    assert answer.json() == {"generation": library.view().generation}
    assert answer.headers["cache-control"] == "no-store"
    assert capsys.readouterr().err == ""
    assert client.get("/generation", params={"index": "nope"}).status_code == 404
    assert '"path": "/generation", "status": 404' in capsys.readouterr().err
    assert 'route="/generation",status="200"} 1.0' in client.get("/metrics").text
