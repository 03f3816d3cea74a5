"""The real MathLive in its frame. A copy is at hand where PORISM_MATHLIVE names the folder of the npm package."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("fastapi", reason="needs the extra: pip install 'porism[web-test]'")

from web_servers import Open, serving

MATHLIVE = Path(os.environ.get("PORISM_MATHLIVE", "/nowhere"))

pytestmark = pytest.mark.skipif(
    not (MATHLIVE / "mathlive.min.js").is_file(),
    reason="needs MathLive: npm pack mathlive, unpack it, set PORISM_MATHLIVE to the folder package",
)


@pytest.fixture(scope="module")
def url(sample_index: Path) -> Iterator[str]:
    with serving({"sample": sample_index}, editor=MATHLIVE) as address:
        yield address


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_what_is_written_in_the_editor_arrives_in_the_box_and_is_found(opened: Open, scheme: str) -> None:
    page = opened("/", color_scheme=scheme)
    fetched: list[tuple[str, int]] = []
    page.on("response", lambda response: fetched.append((response.url.rpartition("/")[2], response.status)))
    page.click("#editor-button")
    frame = page.frame_locator("#editor iframe")
    frame.locator("math-field").wait_for()
    frame.locator("math-field").click()
    page.keyboard.type("1/n^2")
    frame.locator("#take").click()
    page.locator("#editor").wait_for(state="hidden")
    assert page.locator("#q").input_value() == r"$\frac{1}{n^2}$"
    assert ("KaTeX_Math-Italic.woff2", 200) in fetched
    assert {status for _, status in fetched} <= {200, 304}
    page.wait_for_selector("#preview .part.formula mfrac")
    page.locator("#q").press("Enter")
    page.wait_for_selector(".card .f.hit")
    assert page.locator(".problem").count() == 0


def test_the_editors_own_keyboard_opens_in_its_frame(opened: Open) -> None:
    page = opened("/")
    page.click("#editor-button")
    frame = page.frame_locator("#editor iframe")
    frame.locator("[part=virtual-keyboard-toggle]").click()
    frame.locator(".MLK__layer.is-visible [data-keycap-value='7']").click()
    frame.locator("#take").click()
    page.locator("#editor").wait_for(state="hidden")
    assert page.locator("#q").input_value() == "$7$"


def test_a_touch_screen_gets_the_keyboard_with_the_field(opened: Open) -> None:
    page = opened("/", viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    page.tap("#editor-button")
    frame = page.frame_locator("#editor iframe")
    frame.locator("math-field").tap()
    frame.locator(".MLK__layer.is-visible [data-keycap-value='8']").tap()
    frame.locator("#take").tap()
    page.locator("#editor").wait_for(state="hidden")
    assert page.locator("#q").input_value() == "$8$"
