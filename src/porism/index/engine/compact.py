"""The compact form of postings on disk, which is expanded when they are opened.

In memory (:class:`porism.index.engine.postings.Postings`) documents and codes of lengths are int32, for kernels. On
disk each array takes as few bytes as its numbers allow, and constant arrays are left out. Opening expands them in one
vectorised pass, after their checksums. Arrays above :data:`NARROWED_BYTES` are stored as kernels read them, so that a
search reads only the parts of its terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.columns import within

NARROWED_BYTES = 64 << 20
"""Arrays of postings up to this size are stored in narrower integers if their numbers fit."""

STORED = (
    "list_lengths", "docs", "sparse_codes", "sparse_escapes", "sparse_values", "dense_terms", "dense_codes",
    "dense_escapes", "dense_values", "tf_table", "length_codes", "length_table",
)
"""The names of the stored arrays.

``list_lengths`` (uint8 to uint32, V) and ``dense_terms`` (int32, D, increasing) are those of
:class:`~porism.index.engine.term_lists.TermLists`; ``docs`` and ``length_codes`` are int32 or narrower.
``sparse_codes`` is empty if all codes are 1. The others are the same as in memory.
"""

SPARED = ("list_starts", "dense_df", "length_counts")
"""The names of stored arrays that save a pass over others when postings are opened; older files lack them.

``list_starts`` (int64) are those of the term lists, ``dense_df`` (int32, D) the document frequencies of dense terms,
and ``length_counts`` (int64) the numbers of documents of each length.
"""


def compact(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The stored form of arrays in memory; :func:`expand` is the inverse."""
    stored = {name: arrays[name] for name in (*STORED, *SPARED)}
    stored["length_codes"] = narrowed(arrays["length_codes"])
    if arrays["docs"].nbytes <= NARROWED_BYTES:
        stored["docs"] = narrowed(arrays["docs"])
    if arrays["sparse_codes"].nbytes <= NARROWED_BYTES and bool((arrays["sparse_codes"] == 1).all()):
        stored["sparse_codes"] = arrays["sparse_codes"][:0]
    return stored


def expand(stored: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays in memory of stored ones."""
    if missing := [name for name in STORED if name not in stored]:
        raise IndexCorrupt(f"the postings lack {', '.join(missing)}")
    arrays = {name: stored[name].reshape(-1) for name in (*STORED, *SPARED) if name in stored}
    for name in ("docs", "length_codes"):
        if arrays[name].dtype in (np.uint8, np.uint16):
            arrays[name] = arrays[name].astype(np.int32)
    if not len(arrays["sparse_codes"]):
        arrays["sparse_codes"] = np.ones(len(arrays["docs"]), np.uint8)
    return arrays


def narrowed(numbers: NDArray[Any]) -> NDArray[Any]:
    """Numbers ≥ 0 as uint8 or uint16 if all fit, else unchanged."""
    most = int(numbers.max(initial=0))
    for dtype in (np.uint8, np.uint16):
        if most <= np.iinfo(dtype).max:
            return numbers.astype(dtype)
    return numbers


def are_counts(counts: NDArray[np.integer] | None, size: int, documents: int) -> bool:
    """Whether counts are absent, or ``size`` numbers of at most ``documents``."""
    return counts is None or (len(counts) == size and within(counts, 0, documents + 1))
