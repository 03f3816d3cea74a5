"""The state of a search as an address, so that every page can be linked to, and back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any
from urllib.parse import urlencode

from porism.search.index import filters_from_strings

DEFAULTS = {
    "mode": "documents", "sort": "relevance", "match": "any", "group_by": "question", "group": "", "page": 1, "k": 10,
    "rerank": "", "model": "", "index": "", "exact": "",
}


@dataclass(frozen=True)
class SearchState:
    """All that a page of results depends on. :meth:`url` is its address; what has its default value is left out."""

    q: str = ""
    mode: str = "documents"
    index: str = ""
    filters: tuple[str, ...] = field(default=())
    sort: str = "relevance"
    match: str = "any"
    page: int = 1
    k: int = 10
    rerank: str = ""
    group_by: str = "question"
    group: str = ""
    exact: str = ""
    model: str = ""

    @property
    def chosen(self) -> Mapping[str, tuple[str, ...]]:
        """The filters by key.

        :raises QueryError: one is not of the form ``key=value``.
        """
        return filters_from_strings(self.filters)

    def url(self, **changes: Any) -> str:
        """The address of this search with some changes; page 1 unless the page is changed."""
        state = replace(self, **{"page": 1, **changes})
        pairs: list[tuple[str, str]] = [("q", state.q)]
        for name, default in DEFAULTS.items():
            value = getattr(state, name)
            if value != default:
                pairs.append((name, str(value)))
        pairs += [("filter", pair) for pair in state.filters]
        return f"/search?{urlencode(pairs)}"

    def export(self, form: str) -> str:
        """The address of the results as a file."""
        return address(
            "/export", q=self.q, format=form, index=self.index, filter=self.filters, sort=self.sort,
            rerank=self.rerank, model=self.model, group=self.group,
            group_by=self.group_by if self.group_by != "none" else "",
        )

    def with_filter(self, key: str, value: str) -> str:
        """The address with a filter more."""
        return self.url(filters=(*self.filters, f"{key}={value}"))

    def with_tag(self, tag: str) -> str:
        """The address with only documents of a tag; without a question the tag's words are it."""
        question = self.q or tag.replace("-", " ")
        kept = tuple(pair for pair in self.filters if pair != f"tags={tag}")
        return replace(self, q=question, mode="documents").url(filters=(*kept, f"tags={tag}"))

    def without_filter(self, key: str, value: str) -> str:
        """The address without a filter."""
        return self.url(filters=tuple(pair for pair in self.filters if pair != f"{key}={value}"))


def address(path: str, **parameters: str | int | Sequence[str]) -> str:
    """An address with parameters, each value of a list by itself; empty ones are left out."""
    pairs = [(name, value) for name, value in parameters.items() if value]
    return f"{path}?{urlencode(pairs, doseq=True)}" if pairs else path


def formula_search(latex: str, index: str = "") -> str:
    """The address of the search for a formula."""
    return SearchState(f"${latex}$" if "<math" not in latex else latex, "formulas", index).url()
