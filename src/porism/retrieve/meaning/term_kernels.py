"""Compiled numbering of terms: the rows of a table that a term has by its hash, and by the hashes of its pieces."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f32_at, i32_at, i64_at, inlined, u8_at

SHORTEST_PIECE, LONGEST_PIECE = 3, 5
"""Characters of a piece, the marks of a word's beginning and end included."""

MAX_TERM_BYTES = 256
"""Pieces are made of so much of a term."""

_BEGIN, _END = 60, 62  # < and >


@inlined()
def _hash(text: Any, start: Any, end: Any, seed: Any) -> Any:
    """FNV-1a with a seed, mixed so that short texts spread over all bits."""
    key = np.uint64(14695981039346656037) ^ seed
    for at in range(start, end):
        key = (key ^ np.uint64(text[at])) * np.uint64(1099511628211)
    key = (key ^ (key >> np.uint64(32))) * np.uint64(0x9E3779B97F4A7C15)
    return key ^ (key >> np.uint64(29))


@compiled("int64(int64, int64, int64, uint64, uint64, uint64, float64, int64, int64, int64, int64)")
def hash_terms(
    count: Any, blob_at: Any, starts_at: Any, seed: Any, piece_seed: Any, rows: Any, pieces: Any, marked_at: Any,
    bounds_at: Any, numbers_at: Any, weights_at: Any,
) -> int:
    """The rows of each term and their weights; returns their number.

    A term has the row of its hash with the weight 1 - ``pieces``. Its n pieces, if ``pieces`` is above 0, have that
    weight divided by √n each, so that they add up to about as much where they are independent.

    By address: ``blob`` uint8 and ``starts`` int64, strings in UTF-8; ``marked`` uint8, :data:`MAX_TERM_BYTES` + 2 to
    work with; results: ``bounds`` int64, where the rows of a term begin and the last end; ``numbers`` int32 and
    ``weights`` float32.
    """
    blob, starts, marked = u8_at(blob_at), i64_at(starts_at), u8_at(marked_at)
    bounds, numbers, weights = i64_at(bounds_at), i32_at(numbers_at), f32_at(weights_at)
    total = np.int64(0)
    bounds[0] = 0
    for term in range(count):
        start, end = starts[term], starts[term + 1]
        numbers[total] = np.int32(_hash(blob, start, end, seed) % rows)
        weights[total] = np.float32(1.0 - pieces)
        total += 1
        if pieces > 0.0:
            first, size = total, min(end - start, MAX_TERM_BYTES)
            marked[0] = _BEGIN
            for at in range(size):
                marked[at + 1] = blob[start + at]
            marked[size + 1] = _END
            for begin in range(size + 2):
                if marked[begin] & 0xC0 == 0x80:  # a byte within a character
                    continue
                characters = 0
                stop = begin
                while stop < size + 2 and characters < LONGEST_PIECE:
                    stop += 1
                    while stop < size + 2 and marked[stop] & 0xC0 == 0x80:
                        stop += 1
                    characters += 1
                    if characters >= SHORTEST_PIECE:
                        numbers[total] = np.int32(_hash(marked, begin, stop, piece_seed) % rows)
                        total += 1
            if total > first:
                weight = np.float32(pieces / np.sqrt(np.float64(total - first)))
                for place in range(first, total):
                    weights[place] = weight
            else:
                weights[first - 1] = np.float32(1.0)
        bounds[term + 1] = total
    return int(total)
