"""Filters by metadata: which documents of each segment a search may find."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from porism.errors import QueryError
from porism.index.segment import Segment

Filters = Mapping[str, str | Sequence[str]]
"""Metadata key → the value that a document must have, or several of which it must have one."""

Masks = Sequence[NDArray[np.bool_]]
"""One mask for each segment: the documents that may be results (bool, one a document)."""


class FilteredMasks(list[NDArray[np.bool_]]):
    """:data:`Masks` with the filters they were made of, for engines that filter by metadata themselves."""

    def __init__(self, masks: Iterable[NDArray[np.bool_]], filters: Filters) -> None:
        super().__init__(masks)
        self.filters = dict(filters)


def filter_segments(segments: Sequence[Segment], filters: Filters) -> FilteredMasks:
    """The documents of each segment that match all filters (bool, one a document), deleted ones included.

    :raises QueryError: a filter names a key that no document has.
    """
    masks: list[NDArray[np.bool_]] = []
    for segment in segments:
        mask = np.ones(segment.doc_count, np.bool_)
        for key, values in filters.items():
            allowed = (values,) if isinstance(values, str) else values
            mask &= np.logical_or.reduce([segment.filter(key, value) for value in allowed])
        masks.append(mask)
    if not any(mask.any() for mask in masks):
        _check_keys(segments, filters)
    return FilteredMasks(masks, filters)


def _check_keys(segments: Sequence[Segment], filters: Filters) -> None:
    """Distinguishes a filter by an unknown key from one that matches no document."""
    keys = {key for segment in segments for key in segment.metadata_counts()}
    for key in filters:
        if key not in keys:
            raise QueryError(
                f"no document has the metadata {key!r}", where="filter",
                hint=f"There is {', '.join(sorted(keys))}." if keys else "The documents have no metadata.",
            )
