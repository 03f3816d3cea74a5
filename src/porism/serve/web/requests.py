"""What searches are asked: a question, filters and a page; for documents also an order, for formulas how to match."""

from __future__ import annotations

import time
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from porism.errors import QueryError
from porism.search.grouping import Grouping
from porism.serve.web.parts import check_filters
from porism.serve.web.settings import Limits
from porism.settings import nearest

Match = Literal["any", "renamed", "identical", "equal"]
"""Which formulas count: all that are similar; those equal to the query up to names; the query itself; those equal to
it, also by value."""


class Body(BaseModel):
    """A body of JSON. Keys that it does not have are refused; so are halves of characters, which JSON can carry and no
    answer can."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def _known_keys(cls, value: Any) -> Any:
        for key in value if isinstance(value, dict) else ():
            if key not in cls.model_fields:
                raise ValueError(f"there is no key {str(key)[:100]!r}. {nearest(str(key), cls.model_fields)}")
        return value

    @model_validator(mode="before")
    @classmethod
    def _whole_characters(cls, value: Any) -> Any:
        waiting = [value]
        while waiting:
            part = waiting.pop()
            if isinstance(part, str):
                if not part.isascii() and any("\ud800" <= character <= "\udfff" for character in part):
                    raise ValueError("a text has half of a character (a lone surrogate)")
            elif isinstance(part, dict):
                waiting += [*part.keys(), *part.values()]
            elif isinstance(part, list):
                waiting += part
        return value


class PageRequest(Body):
    """A page of what answers a question."""

    q: str
    index: str = ""
    filters: dict[str, tuple[str, ...]] = Field(default_factory=dict)
    page: int = 1
    k: int = 10

    @property
    def first(self) -> int:
        """The results before the page."""
        return (self.page - 1) * self.k

    def check(self, limits: Limits) -> None:
        """Refuses pages that do not exist or are too large, and too many filters.

        :raises QueryError: with what is allowed.
        """
        check_page(self.page, self.k, limits)
        check_filters(self.filters, limits)


class SearchRequest(PageRequest):
    """A page of documents, their order, and whether each is explained."""

    sort: str = "relevance"
    correct: bool = False
    group_by: Grouping = ""
    group: str = ""
    rerank: str = ""
    model: str = ""
    explain: bool = False


class FormulaSearchRequest(PageRequest):
    """A page of formulas, which of them count, and whether each is shown with its alignment."""

    match: Match = "any"
    explain: bool = True


def check_page(page: int, per_page: int, limits: Limits) -> None:
    """Refuses pages that do not exist, or are too large.

    :raises QueryError: with what is allowed.
    """
    if not 1 <= per_page <= limits.results:
        raise QueryError(f"k is {per_page}", hint=f"Ask for 1 to {limits.results} results a page.")
    if not 1 <= page <= max(1, limits.depth // per_page):
        raise QueryError(
            f"page {page} does not exist", hint=f"The first {limits.depth:,} results can be paged through."
        )


class Deadline:
    """A moment after which optional work is left out; ``passed`` is remembered, so that the answer can say so."""

    def __init__(self, seconds: float) -> None:
        self._began = time.perf_counter()
        self._end = self._began + seconds
        self.missed = False

    def over(self) -> bool:
        """Whether the time is over; what asks leaves out its work then."""
        if time.perf_counter() < self._end:
            return False
        self.missed = True
        return True

    @property
    def elapsed(self) -> float:
        """Seconds since the beginning."""
        return time.perf_counter() - self._began
