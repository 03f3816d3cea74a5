"""Fixtures that all tests share."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The real collections that lie beside the project; skips the test where they are missing."""
    folder = Path(__file__).resolve().parents[2] / "shared" / "data"
    if not folder.is_dir():
        pytest.skip("needs the real collections in ../shared/data")
    return folder


@pytest.fixture(scope="session")
def sample_index(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An index of the bundled sample with all channels; tests must not change it."""
    from porism.indexing import index_sources
    from porism.sample import ENTRIES

    path = tmp_path_factory.mktemp("sample") / "index"
    index_sources([ENTRIES], path, jobs=1)
    return path
