"""An index of texts that refer to one another."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest


@pytest.fixture(scope="session")
def reading(reading_index: Path) -> Any:
    """The index, opened."""
    from porism.search.index import open_index

    return open_index(reading_index)
