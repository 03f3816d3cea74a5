"""Compiled kernels for rows of term counts: to bytes and back.

Importing this module loads Numba; modules that only read sizes and names import it where they need it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.index.front_coding import get, put
from porism.system.compiled.kernels import compiled, u32_at, u64_at

_BYTES = "Array(uint8, 1, 'C', readonly=True)"
_NUMBERS = "Array(int64, 1, 'C', readonly=True)"
_TERMS = "Array(int32, 1, 'C', readonly=True)"
_COUNTS = "Array(uint16, 1, 'C', readonly=True)"


@compiled(f"Tuple((uint8[::1], int64[::1], int64))({_NUMBERS}, {_TERMS}, {_COUNTS}, {_TERMS})")
def encode_rows(indptr: Any, terms: Any, counts: Any, numbers: Any) -> Any:
    """Rows of term counts as bytes; term ``t`` is written as ``numbers[t]``.

    A row with postings begins with their number. For each term in increasing order follows twice the gap from the term
    before (from -1) less one. Where the count is above 1, one is added, and the count less two follows. A row without
    postings has no bytes. Terms with the same number become one posting. Returns the bytes, the length of each row
    (int64) and the number of postings.
    """
    rows = len(indptr) - 1
    out = np.empty(8 * len(terms) + 5 * rows, np.uint8)
    lengths = np.zeros(rows, np.int64)
    longest = np.int64(0)
    for row in range(rows):
        longest = max(longest, indptr[row + 1] - indptr[row])
    pairs = np.empty(longest, np.int64)
    at = np.int64(0)
    postings = 0
    for row in range(rows):
        size = indptr[row + 1] - indptr[row]
        if size == 0:
            continue
        begin = at
        for step in range(size):
            posting = indptr[row] + step
            pairs[step] = (np.int64(numbers[terms[posting]]) << 16) | np.int64(counts[posting])
        gap = 1  # a Shell sort: Numba's own would take longer to compile than all the rest
        if size > 48:
            while gap < size // 9:
                gap = 3 * gap + 1
        while gap > 0:
            for step in range(gap, size):
                pair = pairs[step]
                place = step
                while place >= gap and pairs[place - gap] > pair:
                    pairs[place] = pairs[place - gap]
                    place -= gap
                pairs[place] = pair
            gap //= 3
        last = 0
        for step in range(1, size):
            if pairs[step] >> 16 == pairs[last] >> 16:
                count = min((pairs[step] & 65535) + (pairs[last] & 65535), 65535)
                pairs[last] = ((pairs[last] >> 16) << 16) | count
            else:
                last += 1
                pairs[last] = pairs[step]
        size = last + 1
        postings += size
        at = put(out, at, size)
        before = -1
        for step in range(size):
            term, count = pairs[step] >> 16, pairs[step] & 65535
            gap = (term - before - 1) << 1
            before = term
            if count > 1:
                at = put(out, at, gap | 1)
                at = put(out, at, count - 2)
            else:
                at = put(out, at, gap)
        lengths[row] = at - begin
    return out[:at].copy(), lengths, postings


@compiled(f"Tuple((int64[::1], int32[::1], uint16[::1]))({_BYTES}, int64, boolean, {_NUMBERS}, int64)")
def decode_rows(data: Any, starts_at: Any, wide: Any, rows: Any, limit: Any) -> Any:
    """The rows numbered ``rows`` (int64; -1 is an empty row) as indptr (int64), terms (int32) and counts (uint16).

    ``starts_at`` is the address of where the rows begin in ``data``: uint64 if ``wide``, as in channels of more than
    4 GiB, else uint32. Where the bytes are not what :func:`encode_rows` wrote, or a term is not below ``limit``, the
    first number of indptr is -1 and nothing else counts: whoever uses the terms as positions need not check them again.
    ``rows`` are below the number of rows, and the starts anything.
    """
    near, far = u32_at(starts_at), u64_at(starts_at)
    indptr = np.zeros(len(rows) + 1, np.int64)
    begins = np.empty(len(rows), np.int64)
    ends = np.empty(len(rows), np.int64)
    for place in range(len(rows)):
        row = rows[place]
        size = np.int64(0)
        if row >= 0:
            first = far[row] if wide else np.uint64(near[row])
            last = far[row + 1] if wide else np.uint64(near[row + 1])
            if last > first:
                begin, end = np.int64(first), np.int64(last)
                broken = begin < 0 or end > len(data)
                if not broken:
                    size, begins[place] = get(data, begin, end)
                    broken = begins[place] > end or size >= end - begin
                    ends[place] = end
                if broken:
                    indptr[0] = -1
                    return indptr, np.empty(0, np.int32), np.empty(0, np.uint16)
        indptr[place + 1] = indptr[place] + size
    terms = np.empty(indptr[-1], np.int32)
    counts = np.empty(indptr[-1], np.uint16)
    for place in range(len(rows)):
        first, last = indptr[place], indptr[place + 1]
        if first == last:
            continue
        at, end = begins[place], ends[place]
        term = np.int64(-1)
        for posting in range(first, last):
            gap, at = get(data, at, end)
            term = min(term + (gap >> 1) + 1, limit)
            terms[posting] = term
            count = np.int64(1)
            if gap & 1:
                count, at = get(data, at, end)
                count = min(count + 2, np.int64(65535))  # never 0, which would mean that the term does not occur
            counts[posting] = count
        if term >= limit or at != end:
            indptr[0] = -1
            break
    return indptr, terms, counts
