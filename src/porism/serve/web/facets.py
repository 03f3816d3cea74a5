"""Facets: how often the values of metadata are among the documents that a question finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.analysis.document_languages import LANGUAGE_ORIGIN
from porism.index.segment import split_filter_term
from porism.serve.web.schema import Facet, FacetValue
from porism.serve.web.served import View

SHOWN_VALUES = 12
MAX_FACETS = 6
NO_FACETS = frozenset({
    "line", "id", "url", "link", "href", "file", "path", "title", "question_id", "parent_id", LANGUAGE_ORIGIN,
})
"""Keys that name single documents, or say where another value is from; they stay filters."""

PREFERRED = ("type", "tags", "source", "year", "section")


class _Pairs(NamedTuple):
    """Key and value of each filter of a segment that belongs to a facet, and pairs of filter and document (int64)."""

    keys: list[str]
    values: list[str]
    terms: NDArray[np.int64]
    docs: NDArray[np.int64]


def facet_keys(served: View) -> list[str]:
    """The keys of the metadata by which results are worth dividing: of several values, that documents share.

    Numbers are left out, apart from years: they are ids of other documents, or votes.
    """
    keys = [
        key for key, values in served.metadata_counts.items()
        if key not in NO_FACETS and len(values) > 1 and sum(values.values()) >= 2 * len(values)
        and (key == "year" or not all(value.isdigit() for value in values))
    ]
    order = {key: number for number, key in enumerate(PREFERRED)}
    return sorted(keys, key=lambda key: (order.get(key, len(order)), key))[:MAX_FACETS]


def facets_of(served: View, doc_ids: Sequence[str], chosen: Mapping[str, Sequence[str]]) -> tuple[Facet, ...]:
    """For each facet its most frequent values among the documents found, and those that are chosen."""
    counts: dict[str, dict[str, int]] = {key: {} for key in _facet_keys(served)}
    for number, segment in enumerate(served.index.snapshot.segments):
        keys, values, terms, docs = _pairs(served, number)
        mask = np.zeros(segment.doc_count, np.bool_)
        mask[segment.find_all(doc_ids)] = True
        totals = np.bincount(terms[mask[docs]], minlength=len(keys))
        held = np.flatnonzero(totals)
        for term, count in zip(held.tolist(), totals[held].tolist(), strict=True):
            own = counts[keys[term]]
            own[values[term]] = own.get(values[term], 0) + count
    return tuple(_facet(key, own, chosen.get(key, ())) for key, own in counts.items() if own or chosen.get(key))


def _facet_keys(served: View) -> list[str]:
    """:func:`facet_keys`, which are found once."""
    keys: list[str] = served.rankings.get("facets", lambda: facet_keys(served))
    return keys


def _pairs(served: View, number: int) -> _Pairs:
    """The filters of a segment that belong to facets, which are read once."""

    def read() -> _Pairs:
        segment = served.index.snapshot.segments[number]
        facets = set(_facet_keys(served))
        split = [split_filter_term(term) for term in segment.filters]
        terms, docs = segment.filter_pairs()
        shown = np.array([key in facets for key, _ in split], np.bool_)
        renumbered = np.cumsum(shown) - 1
        kept = shown[terms]
        return _Pairs(
            [key for key, _ in split if key in facets], [value for key, value in split if key in facets],
            renumbered[terms[kept]], docs[kept],
        )

    pairs: _Pairs = served.rankings.get(("filters", number), read)
    return pairs


def _facet(key: str, counts: Mapping[str, int], chosen: Sequence[str]) -> Facet:
    most = nsmallest(SHOWN_VALUES, ((-count, value) for value, count in counts.items()))
    shown = list(dict.fromkeys([*chosen, *(value for _, value in most)]))
    values = [FacetValue(value=value, count=counts.get(value, 0), chosen=value in chosen) for value in shown]
    return Facet(key=key, values=tuple(values), distinct=len(counts))
