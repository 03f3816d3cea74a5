"""Postings as they lie on disk: smaller than kernels read them, and made larger again when they are opened.

The arrays in memory (:class:`porism.engine.postings.Postings`) suit kernels: positions are int64, documents int32. On
disk each array takes as few bytes as its numbers allow, and what follows from other arrays is left out. Opening makes
them larger in one vectorised pass over bytes that were just compared with their checksums. Arrays of postings above
:data:`porism.index.container.CHECKED_BYTES` are stored as kernels read them: of these a search reads no more than the
parts of its terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index import container
from porism.index.strings import offsets

STORED = (
    "list_lengths", "docs", "sparse_codes", "sparse_escapes", "sparse_values", "dense_terms", "dense_codes",
    "dense_escapes", "dense_values", "tf_table", "length_codes", "length_table",
)
"""The names of the stored arrays.

``list_lengths`` (uint8 to uint32, V) are the differences of ``indptr``; ``dense_terms`` (int32, D, increasing) are the
terms that ``dense_of_term`` gives a row; ``docs`` and ``length_codes`` are int32 or of fewer bytes. ``sparse_codes`` is
empty where all codes are 1. The others are those of the same names in memory.
"""


def compact(arrays: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The stored arrays of those in memory; :func:`expand` is the inverse."""
    stored = {name: array for name, array in arrays.items() if name in STORED}
    stored["list_lengths"] = narrowed(np.diff(arrays["indptr"]).astype(np.uint32))
    stored["dense_terms"] = np.flatnonzero(arrays["dense_of_term"] >= 0).astype(np.int32)
    stored["length_codes"] = narrowed(arrays["length_codes"])
    if arrays["docs"].nbytes <= container.CHECKED_BYTES:
        stored["docs"] = narrowed(arrays["docs"])
    if arrays["sparse_codes"].nbytes <= container.CHECKED_BYTES and bool((arrays["sparse_codes"] == 1).all()):
        stored["sparse_codes"] = arrays["sparse_codes"][:0]
    return {name: stored[name] for name in STORED}


def expand(stored: Mapping[str, NDArray[Any]]) -> dict[str, NDArray[Any]]:
    """The arrays in memory of the stored ones.

    :raises IndexCorrupt: some are missing, or cannot be made larger.
    """
    if missing := [name for name in STORED if name not in stored]:
        raise IndexCorrupt(f"the postings lack {', '.join(missing)}")
    arrays = {name: array.reshape(-1) for name, array in stored.items() if name in STORED}
    lengths, dense_terms = arrays.pop("list_lengths"), arrays.pop("dense_terms")
    if lengths.dtype not in (np.uint8, np.uint16, np.uint32) or dense_terms.dtype != np.int32:
        raise IndexCorrupt("the postings' arrays are of other types")
    if len(dense_terms) and not (
        dense_terms[0] >= 0 and dense_terms[-1] < len(lengths) and bool((dense_terms[1:] > dense_terms[:-1]).all())
    ):
        raise IndexCorrupt("the postings name terms that are not there")
    arrays["indptr"] = offsets(lengths)
    arrays["dense_of_term"] = np.full(len(lengths), -1, np.int32)
    arrays["dense_of_term"][dense_terms] = np.arange(len(dense_terms), dtype=np.int32)
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
