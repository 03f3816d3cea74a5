"""What tests of PyTerrier begin with; those who import it are skipped where PyTerrier is missing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from porism.retrieve import ChannelSettings, SearchModel
from porism.types import Query

REASON = "needs PyTerrier: pip install 'porism[pyterrier]'"

pt = pytest.importorskip("pyterrier", reason=REASON)
pd = pytest.importorskip("pandas", reason=REASON)

WORDS = SearchModel({"words": ChannelSettings()})
Topics = list[Query]


@pytest.fixture(autouse=True)
def no_java() -> Iterator[None]:
    """No test starts Java."""
    yield
    assert not pt.java.started()


def columns(frame: Any) -> dict[str, str]:
    """The columns of a table, with the kind of their values."""
    return {name: frame[name].dtype.kind for name in frame.columns}
