"""Postings as they lie on disk: smaller than kernels read them, and made larger again when they are opened.

The arrays in memory (:class:`porism.index.engine.postings.Postings`) suit kernels: documents are int32, codes of
lengths
too. On disk each array takes as few bytes as its numbers allow, and what is the same everywhere is left out. Opening
makes them larger in one vectorised pass over bytes that were just compared with their checksums. Arrays of postings
above :data:`NARROWED_BYTES` are stored as kernels read them: of these a search reads no more than the parts of its
terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt

NARROWED_BYTES = 64 << 20
"""Arrays of postings up to this size are stored in fewer bytes where these have room for their numbers."""

STORED = (
    "list_lengths", "docs", "sparse_codes", "sparse_escapes", "sparse_values", "dense_terms", "dense_codes",
    "dense_escapes", "dense_values", "tf_table", "length_codes", "length_table",
)
"""The names of the stored arrays.

``list_lengths`` (uint8 to uint32, V) and ``dense_terms`` (int32, D, increasing) are those of
:class:`~porism.index.engine.term_lists.TermLists`; ``docs`` and ``length_codes`` are int32 or of fewer bytes.
``sparse_codes`` is empty where all codes are 1. The others are those of the same names in memory.
"""

SPARED = ("list_starts", "dense_df", "length_counts")
"""The names of stored arrays that spare opening a pass over others; files of older versions lack them.

``list_starts`` (int64) are those of the term lists; ``dense_df`` (int32, D) says in how many documents each dense term
occurs, ``length_counts`` (int64) how many have each length.
"""


def compact(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The stored arrays of those in memory; :func:`expand` is the inverse."""
    stored = {name: arrays[name] for name in (*STORED, *SPARED)}
    stored["length_codes"] = narrowed(arrays["length_codes"])
    if arrays["docs"].nbytes <= NARROWED_BYTES:
        stored["docs"] = narrowed(arrays["docs"])
    if arrays["sparse_codes"].nbytes <= NARROWED_BYTES and bool((arrays["sparse_codes"] == 1).all()):
        stored["sparse_codes"] = arrays["sparse_codes"][:0]
    return stored


def expand(stored: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays in memory of the stored ones.

    :raises IndexCorrupt: some are missing, or cannot be made larger.
    """
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
    """Numbers ≥ 0 in one byte or two each where these have room for all of them, else as they are."""
    most = int(numbers.max(initial=0))
    for dtype in (np.uint8, np.uint16):
        if most <= np.iinfo(dtype).max:
            return numbers.astype(dtype)
    return numbers


def are_counts(counts: NDArray[np.integer] | None, size: int, documents: int) -> bool:
    """Whether counts of documents, if there are some, are of ``size`` things, and none is of more than there are."""
    return counts is None or (len(counts) == size and within(counts, documents + 1))


def within(values: NDArray[np.integer], end: int) -> bool:
    """Whether all values are from 0 to below ``end``."""
    return not len(values) or bool(values.min() >= 0 and values.max() < end)
