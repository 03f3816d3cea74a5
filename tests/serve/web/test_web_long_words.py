"""Words, ids and formulas without a place to break, on the width of a phone."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from long_forms import LONG_ONLY

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_pages import scrolls_by_keys
from web_servers import Open, serving

from porism.search.sources.indexing import index_documents
from porism.types import Content, Document, Formula

LONG_ID = "i" * 1_800
PHONE = {"viewport": {"width": 360, "height": 740}}


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    folder = tmp_path_factory.mktemp("long")
    wide = Formula("x" * 400 + "=1")
    limit = Formula(r"\lim_{b \to \infty} \int_0^b \frac{\sin x}{x} dx")
    display = Formula("+".join(f"a_{{{number}}}" for number in range(200)), display=True)
    documents = [
        Document(
            LONG_ID, {"title": Content.of("T" * 900 + " series"), "body": Content.of("series ", wide, " ", display)},
            {"tags": ("t" * 600, "a"), "type": "y" * 500, "url": f"https://example.org/{'u' * 900}"},
        ),
        Document(
            "other", {"title": Content.of("O" * 300), "body": Content.of("series ", wide, " " + "word" * 700)},
            {"tags": ("t" * 600,), "type": "y" * 500},
        ),
        Document("titled", {"title": Content.of("series ", wide), "body": Content.of("series ", wide)}, {}),
        Document("limit", {"title": Content.of("Evaluating ", limit), "body": Content.of("oscillation ", wide)}, {}),
    ]
    index_documents(documents, folder / "index", jobs=1)
    with serving({"long": folder / "index"}, judgments=folder / "judgments") as address:
        yield address


@LONG_ONLY
@pytest.mark.parametrize("path", [
    f"/search?q=series+{'x' * 300}", f"/search?q=series&filter=type%3D{'y' * 500}&filter=tags%3D{'t' * 600}",
    f"/document?id={LONG_ID}&q=series", f"/compare?left={LONG_ID}&right=other", "/similar?id=other",
    f"/why?q=series&id={LONG_ID}", f"/search?mode=formulas&q=%24{'x' * 200}%24", f"/formula?formula={'x' * 300}",
    "/search?q=series+%24xxx%3D1%24", "/document?id=titled&q=series", "/similar?id=titled", "/beside?q=series+%24x%24",
    "/compare?left=titled&right=other", "/why?q=series&id=titled", "/search?mode=formulas&q=%24%3Fy%3D1%24",
    f"/beside?q=series+{'w' * 300}", f"/search?q={'z' * 900}",
])
def test_nothing_is_wider_than_the_screen(opened: Open, path: str) -> None:
    page = opened(path, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("path", ["/search?q=oscillation", "/document?id=limit", "/similar?id=limit"])
def test_what_a_title_has_below_its_line_is_not_cut_off(opened: Open, path: str) -> None:
    title = opened(path).locator("main :is(h1, h2):has(munder)").first
    assert title.evaluate("one => one.scrollHeight <= one.clientHeight + 1")


def test_a_title_that_is_too_wide_is_scrolled_by_keys(opened: Open) -> None:
    page = opened("/document?id=titled", **PHONE)
    assert scrolls_by_keys(page, page.locator("h1[tabindex='0']"))


@LONG_ONLY
def test_errors_and_questions_to_judge_for_are_not_wider_either(opened: Open) -> None:
    page = opened(f"/document?id={'q' * 900}", fails=True, **PHONE)
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page = opened("/judge", **PHONE)
    page.get_by_label("A question to judge for").fill("series " + "w" * 400)
    page.get_by_role("button", name="Find documents").click()
    page.wait_for_url("**/judge/topic?**")
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    page.get_by_role("link", name="All questions").click()
    assert page.evaluate("document.documentElement.scrollWidth") == 360
