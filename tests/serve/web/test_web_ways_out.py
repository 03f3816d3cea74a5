"""Ways out of the page: the original, an editor, links, LaTeX, citations, files."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from case_tables import every_case

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

from porism.search.locations import Location, editor_address

POSTS = """<posts>
<row Id="7" PostTypeId="1" Title="Why so?" Body="&lt;p&gt;squares of numbers&lt;/p&gt;" Tags="" />
<row Id="8" PostTypeId="2" ParentId="7" Body="&lt;p&gt;squares of them&lt;/p&gt;" />
</posts>"""


@pytest.fixture(scope="module")
def url(sample_index: Path) -> Iterator[str]:
    with serving({"sample": sample_index}) as address:
        yield address


@every_case(("folder", "unit", "expected"), [
    ("math.stackexchange.com", "answer", {"8": "https://math.stackexchange.com/a/8"}),
    ("mathoverflow.net", "thread", {"7": "https://mathoverflow.net/q/7"}),
    ("cs.stackexchange.com", "question", {"7": "https://cs.stackexchange.com/q/7"}),
    ("my-dump", "answer", {"8": None}),
])
def test_posts_of_a_dump_have_the_address_of_their_site(
    tmp_path: Path, folder: str, unit: str, expected: dict[str, str | None]
) -> None:
    import porism
    from porism.corpus.base import ReaderOptions

    (tmp_path / folder).mkdir()
    (tmp_path / folder / "Posts.xml").write_text(POSTS, encoding="utf-8")
    porism.index_sources([tmp_path / folder], tmp_path / "index", jobs=1, options=ReaderOptions(unit=unit))
    with porism.open_index(tmp_path / "index") as index:
        assert {hit.id: hit.location.url for hit in index.search("squares")} == expected
        assert {doc_id: index.location(doc_id).url for doc_id in expected} == expected


def test_posts_of_arqmath_are_on_math_stack_exchange(tmp_path: Path) -> None:
    import porism

    (tmp_path / "arqmath").mkdir()
    (tmp_path / "arqmath" / "Posts.V1.3.xml").write_text(POSTS, encoding="utf-8")
    porism.index_sources([tmp_path / "arqmath"], tmp_path / "index", jobs=1)
    with porism.open_index(tmp_path / "index") as index:
        assert index.location("8").url == "https://math.stackexchange.com/a/8"


def test_an_editor_opens_a_file_at_its_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import porism
    from porism.serve.web.client import Client

    note = tmp_path / "my notes" / "a.md"
    note.parent.mkdir()
    note.write_text("# Primes\n\nEvery prime is odd but one.\n", encoding="utf-8")
    porism.index_sources([note.parent], tmp_path / "index", jobs=1)
    with serving({"notes": tmp_path / "index"}) as address, Client(address) as client:
        assert client.search("prime").hits[0].place.editor is None
    monkeypatch.setenv("PORISM_EDITOR_URL", "vscode://file{file}:{line}")
    with serving({"notes": tmp_path / "index"}) as address, Client(address) as client:
        expected = f"vscode://file{str(note).replace(' ', '%20')}:3"
        assert client.search("prime").hits[0].place.editor == expected
    assert editor_address(Location(), "vscode://file{file}") is None


def test_results_are_files_of_bibtex_csv_and_json(client: Any) -> None:
    asked = {"q": "sum of squares", "k": 3}
    hits = client.get("/api/v1/search", params=asked).json()["hits"]
    entries = client.get("/export", params={**asked, "format": "bibtex"})
    assert entries.headers["content-disposition"] == 'attachment; filename="results.bib"'
    assert [line[6:-1] for line in entries.text.splitlines() if line.startswith("@")] == [hit["id"] for hit in hits]
    rows = list(csv.DictReader(io.StringIO(client.get("/api/v1/export", params={**asked, "format": "csv"}).text)))
    assert [row["id"] for row in rows] == [hit["id"] for hit in hits]
    assert "$" in rows[0]["passage"]
    values = client.get("/api/v1/export", params=asked).json()["hits"]
    assert [value["id"] for value in values] == [hit["id"] for hit in hits]
    assert len(client.get("/export", params={"q": "sum the of", "k": 1000}).json()["hits"]) > 30
    assert client.get("/export", params={"q": "sum", "k": 1001}).status_code == 400
    assert client.get("/api/v1/export", params={**asked, "format": "exe"}).status_code == 422


def test_a_document_is_cited_and_links_to_the_files_are_those_of_the_page(client: Any) -> None:
    document = client.get("/api/v1/document", params={"id": "chain-rule"}).json()
    assert document["bibtex"].startswith("@misc{chain-rule,\n  title = {{")
    assert document["bibtex"] in client.get("/document", params={"id": "chain-rule"}).text.replace("&#39;", "'")
    page = client.get("/search", params={"q": "sum of squares", "filter": "type=identity"}).text
    link = page.split('href="/export?')[1].split('"')[0].replace("&amp;", "&")
    assert "format=bibtex" in link
    assert "filter=type%3Didentity" in link
    assert client.get(f"/export?{link}").text.startswith("@misc{")


def test_links_and_formulas_are_copied_by_click_and_key(opened: Open) -> None:
    page = opened("/search?q=sum+of+squares+%24%5Csum+i%5E2%24", permissions=["clipboard-read", "clipboard-write"])
    clipboard = "navigator.clipboard.readText()"
    page.locator("button[data-copy-link]").first.click()
    page.wait_for_selector(".tray.said")
    assert page.evaluate(clipboard).endswith("/document?id=sum-of-squares")
    formula = page.locator(".snippet .f[data-latex]").first
    formula.click()
    page.wait_for_function(f"{clipboard}.then(text => !text.includes('/document'))")
    assert page.evaluate(clipboard) == formula.get_attribute("data-latex")
    page.keyboard.press("j")
    written = page.locator(".card").first.locator("[data-latex]").evaluate_all("all => all.map(f => f.dataset.latex)")
    copied = []
    for number in range(2):
        page.keyboard.press("c")
        page.wait_for_function(f"document.querySelector('.said')?.textContent.includes('({number + 1} of')")
        copied.append(page.evaluate(clipboard))
    assert copied == written[:2]
    page.goto(page.url.split("/search")[0] + "/document?id=sum-of-squares")
    page.locator(".pick").nth(1).focus()
    page.keyboard.press("c")
    page.wait_for_selector(".tray.said")
    assert page.evaluate(clipboard) == page.locator(".pick").nth(1).get_attribute("data-latex")
    page.locator("button[data-copy]").click()
    page.wait_for_function(f"{clipboard}.then(text => text.startsWith('@misc'))")
