"""What the tests of adapters share: an open index, its topics and judgments."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import porism
from porism.sample import QRELS, QUERIES


@pytest.fixture(scope="session")
def index(sample_index: Path) -> Iterator[porism.Index]:
    with porism.open_index(sample_index) as opened:
        yield opened


@pytest.fixture(scope="session")
def topics() -> list[porism.Query]:
    return porism.read_topics(QUERIES)


@pytest.fixture(scope="session")
def qrels() -> dict[str, dict[str, int]]:
    return porism.read_qrels(QRELS)
