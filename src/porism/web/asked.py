"""What is asked of an index."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True)
class Request:
    """What is asked for: a question, filters, the page and the order of results."""

    question: str
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    page: int = 1
    per_page: int = 10
    sort: str = "relevance"
    explain: bool = False
