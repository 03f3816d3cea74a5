"""A server of the bundled sample, called without a network."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def library(sample_index: Path) -> Any:
    """The sample, opened once, with what it completes questions with."""
    from porism.web.served import Library
    from porism.web.vocabulary import Vocabulary

    found = Library({"sample": sample_index})
    view = found.view()
    view.vocabulary = Vocabulary(view.index.snapshot)
    return found


@pytest.fixture(scope="session")
def sample_view(library: Any) -> Any:
    """The commit of the sample that is served."""
    return library.view()


@pytest.fixture(scope="session")
def client(library: Any, sample_index: Path) -> Iterator[Any]:
    """An HTTP client of the application."""
    from fastapi.testclient import TestClient

    from porism.web.app import create_app
    from porism.web.settings import WebSettings

    app = create_app(WebSettings({"sample": sample_index}, logs=False), library)
    with TestClient(app, base_url="http://localhost") as made:
        yield made
