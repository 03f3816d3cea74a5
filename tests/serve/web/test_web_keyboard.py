"""Pages by keyboard alone, and without scripts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_pages import PAGES, QUESTION, serving_all_pages
from web_servers import Open

FOCUSED = "selector => document.activeElement.matches(selector)"
OUTLINE = "getComputedStyle(document.activeElement).outlineStyle"


@pytest.fixture(scope="module")
def url(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_all_pages(sample_index, tmp_path_factory.mktemp("pages")) as address:
        yield address


def tab_to(page: Any, selector: str, most: int = 30) -> None:
    """Presses Tab until what has the focus matches."""
    for _ in range(most):
        page.keyboard.press("Tab")
        if page.evaluate(FOCUSED, selector):
            return
    raise AssertionError(f"{selector} is not reached")


def test_a_question_is_asked_and_a_match_found_without_a_mouse(opened: Open) -> None:
    page = opened("/help")
    page.keyboard.press("/")
    assert page.evaluate(FOCUSED, "#q")
    assert page.locator(".field").evaluate("one => getComputedStyle(one).outlineStyle") == "solid"
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    page.wait_for_selector(".card")
    tab_to(page, ".card h2 a")
    assert page.evaluate(OUTLINE) == "solid"
    page.keyboard.press("Enter")
    page.wait_for_url("**/document*")
    matches = page.locator("article.reading .text .hit")
    for expected in (0, 1, 0, 0):
        page.keyboard.press("j" if expected else "k")
        assert matches.nth(expected).evaluate("match => match === document.activeElement")
        assert page.evaluate(OUTLINE) == "solid"


def test_results_are_walked_through_from_the_one_that_has_the_focus(opened: Open) -> None:
    page = opened("/search?q=series")
    page.locator(".card").nth(3).locator("a").last.focus()
    page.keyboard.press("w")
    page.locator(".card").nth(3).locator(".reasons").wait_for()
    page.keyboard.press("j")
    assert page.locator(".card").nth(4).locator("h2 a").evaluate("link => link === document.activeElement")
    assert page.locator(".card.current").count() == 1


@pytest.mark.parametrize("width", [1280, 390])
def test_results_are_reached_before_the_filters(opened: Open, width: int) -> None:
    page = opened("/search?q=series", viewport={"width": width, "height": 844})
    if width == 1280:
        boxes = [page.locator(one).bounding_box() for one in (".columns > .list", ".columns > .facets")]
        assert boxes[0]["y"] <= boxes[1]["y"] + 1
        assert boxes[1]["x"] < boxes[0]["x"]
    else:  # a sheet
        assert not page.locator(".facets").is_visible()
    order = page.locator(".card h2 a, .facets li a").evaluate_all("links => links.map(one => !one.closest('.facets'))")
    assert order == sorted(order, reverse=True)


def test_a_tree_that_is_closed_gives_the_focus_back(opened: Open) -> None:
    page = opened(PAGES[1])
    page.locator(".tree-link").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_selector(".tree-panel svg")
    page.keyboard.press("Escape")
    assert page.locator(".tree-link").first.evaluate("link => link === document.activeElement")


def test_the_menu_of_a_formula_closes_when_it_is_left_and_keeps_the_index(opened: Open) -> None:
    page = opened("/document?id=basel-by-parseval&index=sample")
    page.locator(".pick").first.focus()
    page.keyboard.press("Enter")
    menu = page.locator("#formula-menu")
    assert menu.is_visible()
    assert "index=sample" in menu.locator("[data-do=tree]").get_attribute("href")
    page.keyboard.press("ArrowUp")
    assert page.evaluate(FOCUSED, "[data-do=tree]")
    page.locator("a.brand").focus()
    assert not menu.is_visible()


def test_recent_questions_keep_the_index(opened: Open) -> None:
    page = opened("/?index=sample")
    page.wait_for_selector("#q:focus")
    page.keyboard.type("series")
    page.keyboard.press("Enter")
    page.wait_for_selector(".card")
    page.goto(page.url.split("/search")[0] + "/?index=sample")
    assert page.locator("#recent a").get_attribute("href") == "/search?q=series&index=sample"


def test_the_box_shows_its_focus_where_colours_are_the_readers(opened: Open) -> None:
    page = opened("/", forced_colors="active")
    page.locator("#q").focus()
    assert page.locator(".field").evaluate("one => getComputedStyle(one).outline").startswith("rgb")
    assert page.locator(".field").evaluate("one => getComputedStyle(one).outlineWidth") == "2px"


def test_what_is_wrong_with_a_question_is_told_once(opened: Open) -> None:
    page = opened("/search?q=foo:bar", fails=True)
    page.wait_for_timeout(500)
    assert page.locator("#preview").inner_text() == ""
    page.locator("#q").fill("bar:foo")
    page.locator("#preview .note").wait_for()
    assert page.locator("#preview").inner_text().startswith("The index has no field 'bar'.")


def test_all_of_a_search_works_without_scripts(opened: Open) -> None:
    page = opened("/", java_script_enabled=False)
    page.locator("#q").fill("series")
    page.keyboard.press("Enter")
    page.get_by_role("link", name="Next").click()
    assert "Page 2 of" in page.locator(".pages").inner_text()
    page.locator(".facets").get_by_role("link", name="theorem").click()
    assert page.locator(".facets .chosen").inner_text().startswith("Type: theorem")
    page.locator(".modes label", has_text="Formulas").click()
    page.locator("#q").fill("$x^2+y^2$")
    page.locator(".go").click()
    page.locator(".row a.why").first.click()
    assert page.locator(".why-panel .reasons").first.is_visible()
    page.go_back()
    page.locator(".row").get_by_role("link", name="tree").first.click()
    assert page.locator("h1").inner_text() == "How a formula is read"
    page.get_by_label("LaTeX or MathML").fill(r"\frac{a}{b}")
    page.get_by_role("button", name="Show").click()
    assert page.locator("figcaption mfrac").count() == 1
    page.get_by_role("link", name="Find this formula").click()
    assert page.locator(".hits.formulas .card").count() > 0
    page.goto(page.url.split("/search")[0] + f"/compare?left=sum-of-squares&right={quote('square-pyramid')}")
    assert page.locator(".links tbody tr").count() > 0
