"""A real browser, for tests of pages."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from typing import Any

import pytest


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """Chromium, for as long as one file of tests needs it."""
    playwright = pytest.importorskip("playwright.sync_api", reason="needs the extra: pip install 'porism[web-test]'")
    chromium = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if chromium is None:
        pytest.skip("needs chromium, e.g. apt-get install chromium")
    with playwright.sync_playwright() as started:
        launched = started.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
        yield launched
        launched.close()


@pytest.fixture
def opened(browser: Any, url: str) -> Iterator[Any]:
    """Opens a page of ``url``; whatever a browser reports as an error, a violated policy too, fails the test."""
    contexts: list[Any] = []
    errors: list[str] = []

    def open_page(path: str, fails: bool = False, **options: Any) -> Any:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        contexts.append(context)
        context.set_default_timeout(15_000)
        page = context.new_page()
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda message: message.type == "error" and not fails and errors.append(message.text))
        page.goto(url + path)
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert errors == []
