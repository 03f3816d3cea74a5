"""How pages lie in a real browser: nothing cut off, wide things scrolled by keyboard, phones, paper."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pytest
from long_forms import LONG_ONLY

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_pages import PAGES, QUESTION, RUN_PAGES, WIDE_FORMULA, scrolls_by_keys, serving_all_pages
from web_servers import Open

PHONE = {"width": 390, "height": 844}
LONG = quote(r"evaluate $\sum_{k=1}^n k^2$ and $\lim_{n \to \infty} \frac{1}{n}$")

CUT_OFF = """elements => elements.filter(one => one.scrollHeight > one.clientHeight + 1).map(one => one.outerHTML)"""


@pytest.fixture(scope="module")
def url(sample_index: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with serving_all_pages(sample_index, tmp_path_factory.mktemp("pages")) as address:
        yield address


@LONG_ONLY
@pytest.mark.parametrize("path", [
    PAGES[1], PAGES[2], PAGES[3], PAGES[4], PAGES[5], f"/search?q={LONG}", WIDE_FORMULA,
    "/formula?formula=" + quote(r"\sum_{i=1}^n i^2 = \frac{n(n+1)(2n+1)}{6}"),
])
def test_what_reaches_under_a_line_is_not_cut_off(opened: Open, path: str) -> None:
    shown = opened(path).locator(".snippet, .text p, .found, .tree-figure figcaption")
    assert shown.count() > 0
    assert shown.evaluate_all(CUT_OFF) == []


@LONG_ONLY
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_no_page_of_a_phone_has_a_violation_of_accessibility(opened: Open, scheme: str) -> None:
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="needs pip install 'porism[web-test]'")
    checker = axe.Axe()
    page = opened("/judge", fails=True, color_scheme=scheme, viewport=PHONE)
    root = page.url.removesuffix("/judge")
    paths = (*PAGES, "/judge", f"/beside?q={quote(QUESTION)}", *RUN_PAGES, WIDE_FORMULA)
    for path in paths if scheme == "light" else (PAGES[1], PAGES[2], RUN_PAGES[1], WIDE_FORMULA):
        page.goto(root + path)
        page.wait_for_timeout(150)
        found = [
            (one["id"], [node["html"][:150] for node in one["nodes"]][:3])
            for one in checker.run(page).response["violations"]
        ]
        assert found == [], path


def test_a_formula_that_is_too_wide_is_scrolled_by_keys(opened: Open) -> None:
    page = opened(WIDE_FORMULA, viewport=PHONE)
    assert scrolls_by_keys(page, page.locator("figcaption[tabindex='0']"))
    page.set_viewport_size({"width": 1900, "height": 900})
    page.goto(page.url.split("/formula")[0] + PAGES[6])
    assert page.locator("figcaption[tabindex]").count() == 0


def test_a_small_tree_fits_a_phone_and_a_wide_one_begins_at_its_root(opened: Open) -> None:
    page = opened("/formula?formula=" + quote(r"\sum_{i=1}^n i^2 = n(n+1)(2n+1)"), viewport=PHONE)
    assert page.locator("svg.tree").evaluate("tree => tree.viewBox.baseVal.width") > 390
    assert page.locator(".tree-figure .scroll").evaluate("one => one.scrollWidth <= one.clientWidth")
    page = opened(WIDE_FORMULA, viewport=PHONE)
    page.wait_for_timeout(300)
    root = page.locator("svg.tree g").first.bounding_box()
    assert abs(root["x"] + root["width"] / 2 - 390 / 2) < 4


def test_the_tray_uses_the_width_of_a_phone(opened: Open) -> None:
    page = opened(PAGES[1], viewport=PHONE)
    page.locator("button.compare").first.click()
    tray = page.locator(".tray").bounding_box()
    assert tray["x"] >= 16
    assert tray["x"] + tray["width"] <= 390 - 16
    assert tray["width"] > 300


PRINTED = (*PAGES, *RUN_PAGES, "/judge", f"/beside?q={quote(QUESTION)}", WIDE_FORMULA.replace("dx", "+1")[:120])


@LONG_ONLY
@pytest.mark.parametrize("path", PRINTED)
def test_nothing_that_is_pressed_is_printed_and_all_fits_the_paper(opened: Open, path: str) -> None:
    page = opened(path, fails=True, viewport={"width": 700, "height": 1000})
    page.emulate_media(media="print")
    pressed = "elements => elements.filter(one => one.checkVisibility()).map(one => one.outerHTML.slice(0, 90))"
    assert page.locator("button, input, select").evaluate_all(pressed) == []
    assert page.evaluate("document.documentElement.scrollWidth") <= 700


def test_a_wide_tree_is_printed_whole(opened: Open) -> None:
    page = opened(WIDE_FORMULA, viewport={"width": 700, "height": 1000})
    assert page.locator("svg.tree").bounding_box()["width"] > 700
    page.emulate_media(media="print")
    assert page.locator("svg.tree").bounding_box()["width"] <= 700


def test_a_run_with_many_columns_fits_the_paper(opened: Open) -> None:
    measures = quote("nDCG', AP', P'@10, bpref, judged@10, num_rel_ret")
    page = opened(f"/run?name=two&against=one&measures={measures}", viewport={"width": 640, "height": 1000})
    page.emulate_media(media="print")
    assert page.locator(".measured tfoot").is_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 640
    page = opened("/run/topic?name=many&topic=A", viewport={"width": 700, "height": 1000})
    assert page.locator(".strip").bounding_box()["width"] > 700
    page.emulate_media(media="print")
    assert page.evaluate("document.documentElement.scrollWidth") <= 700


@LONG_ONLY
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_typed_has_the_colour_of_the_text(opened: Open, scheme: str) -> None:
    page = opened(f"/beside?q={quote(QUESTION)}", color_scheme=scheme)
    colour = "one => getComputedStyle(one).color"
    ink = page.locator("body").evaluate(colour)
    assert {page.locator(one).first.evaluate(colour) for one in ("#question", ".judging select", "#q")} == {ink}
