"""A server of the bundled sample, called without a network."""

from __future__ import annotations

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
