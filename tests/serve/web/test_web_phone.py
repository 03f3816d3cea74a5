"""A phone: filters in a sheet, results in the first screen, keys that leave the question visible."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

PHONE = {"width": 390, "height": 844}
SEARCH = "/search?q=derivative+of+%24x%5En%24"


@pytest.fixture(scope="module")
def url(sample_index: Path) -> Iterator[str]:
    with serving({"sample": sample_index}) as address:
        yield address


@pytest.mark.parametrize("scripts", [True, False])
def test_filters_open_in_a_sheet_and_results_are_in_the_first_screen(opened: Open, scripts: bool) -> None:
    page = opened(SEARCH, viewport=PHONE, java_script_enabled=scripts)
    first, second = (page.locator(".card").nth(number).bounding_box() for number in (0, 1))
    assert first["y"] < 844 / 3
    assert second["y"] < 844 * 2 / 3
    assert not page.locator(".facets").is_visible()
    page.get_by_role("button", name="Filters").click()
    sheet = page.locator(".facets").bounding_box()
    assert sheet["y"] + sheet["height"] == 844
    assert sheet["y"] > 150
    page.get_by_role("button", name="Done").click()
    assert not page.locator(".facets").is_visible()
    page.get_by_role("button", name="Filters").click()
    page.locator(".facets a", has_text="theorem").first.click()
    page.get_by_role("button", name="Filters (1)").wait_for()


def test_filters_are_beside_the_results_where_there_is_room(opened: Open) -> None:
    page = opened(SEARCH)
    assert page.locator(".facets").bounding_box()["y"] < 250
    assert not page.locator(".sheet-button, .sheet-head").first.is_visible()


def test_the_keys_leave_the_question_and_a_result_visible(opened: Open) -> None:
    page = opened(SEARCH, viewport=PHONE)
    page.click("#palette-button")
    keys = page.locator("#palette").bounding_box()
    assert keys["height"] < 844 * 0.35
    assert page.locator("#q").bounding_box()["y"] >= 0
    assert page.locator(".card").first.bounding_box()["y"] < 844 * 0.7
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_the_first_page_is_small_and_other_pages_have_the_font_of_formulas_at_once(client: Any) -> None:
    first = client.get("/").text
    loaded = re.findall(r'<(?:link rel="(?:stylesheet|icon|preload)"|script)[^>]* (?:href|src)="(/[^"]*)"', first)
    assert len(loaded) >= 5
    sizes = [len(gzip.compress(client.get(address).content)) for address in ("/", *loaded)]
    assert sum(sizes) <= 100_000, dict(zip(("/", *loaded), sizes, strict=True))
    assert ".woff2" not in first
    other = client.get("/document?id=chain-rule").text
    assert '<link rel="preload" href="/static/porism-math.woff2" as="font"' in other
