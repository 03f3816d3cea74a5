"""The bundled sample in one index, and in two that are searched as one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from porism.search.index import Index, open_index
from porism.serve.shards.shard import IndexShard


@pytest.fixture(scope="module")
def whole(sample_index: Path) -> Iterator[Index]:
    with open_index(sample_index) as index:
        yield index


@pytest.fixture(scope="module")
def shards(sample_shards: list[Path]) -> list[IndexShard]:
    return [IndexShard(path.stem, open_index(path)) for path in sample_shards]
