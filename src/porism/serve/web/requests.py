"""What searches are asked: a question, filters and a page; for documents also an order, for formulas how to match."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from porism.errors import QueryError
from porism.serve.web.parts import check_filters
from porism.serve.web.settings import Limits


@dataclass(frozen=True)
class PageRequest:
    """A page of what answers a question."""

    question: str
    filters: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    page: int = 1
    per_page: int = 10

    @property
    def first(self) -> int:
        """The results before the page."""
        return (self.page - 1) * self.per_page

    def check(self, limits: Limits) -> None:
        """Refuses pages that do not exist or are too large, and too many filters.

        :raises QueryError: with what is allowed.
        """
        check_page(self.page, self.per_page, limits)
        check_filters(self.filters, limits)


@dataclass(frozen=True)
class Request(PageRequest):
    """A page of documents, their order, and whether each is explained."""

    sort: str = "relevance"
    explain: bool = False


@dataclass(frozen=True)
class FormulaRequest(PageRequest):
    """A page of formulas, which of them count, and whether each is shown with its alignment."""

    match: str = "any"
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
