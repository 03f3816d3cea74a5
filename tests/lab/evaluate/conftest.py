"""Runs and judgments that several tests make."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from porism.runs.provenance import Provenance
from porism.runs.run import Run


@pytest.fixture
def ranked() -> Callable[..., Run]:
    """``ranked("name", t="ab", s="c")``: a run of one-letter documents, best first."""

    def make(name: str = "porism", provenance: Provenance | None = None, **rankings: str) -> Run:
        return Run(
            {topic: [(doc, -float(place)) for place, doc in enumerate(docs)] for topic, docs in rankings.items()},
            name, provenance=provenance,
        )

    return make
