"""A server of the bundled sample, called without a network."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def library(sample_index: Path) -> Any:
    """The sample, opened once, with what it completes questions with."""
    from porism.serve.web.served import Library
    from porism.serve.web.vocabulary import CompletionVocabulary

    found = Library({"sample": sample_index})
    view = found.view()
    view.vocabulary = CompletionVocabulary(view.index.snapshot)
    return found


@pytest.fixture(scope="session")
def sample_view(library: Any) -> Any:
    """The commit of the sample that is served."""
    return library.view()


@pytest.fixture(scope="session")
def client(library: Any, sample_index: Path) -> Iterator[Any]:
    """An HTTP client of the application."""
    from fastapi.testclient import TestClient

    from porism.serve.web.app import create_app
    from porism.serve.web.settings import WebSettings

    app = create_app(WebSettings({"sample": sample_index}, logs=False), library)
    with TestClient(app, base_url="http://localhost") as made:
        yield made


@pytest.fixture(scope="session")
def address(sample_shards: list[Path]) -> Iterator[str]:
    """A server of the second of the sample's two indexes, as another than its first one."""
    from web_servers import serving

    with serving({"other": sample_shards[0], "many": sample_shards[1]}) as url:
        yield f"{url}/?index=many"


@pytest.fixture(scope="session")
def beside(sample_shards: list[Path], address: str) -> Iterator[Any]:
    """A server of the first of the sample's indexes, which searches the second one's server too."""
    from fastapi.testclient import TestClient

    from porism.serve.web.app import create_app
    from porism.serve.web.settings import WebSettings

    app = create_app(WebSettings({"few": sample_shards[0]}, servers=(address,), logs=False))
    with TestClient(app, base_url="http://localhost") as made:
        yield made


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
