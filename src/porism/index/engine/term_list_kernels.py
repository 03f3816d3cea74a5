"""The compiled look-up of where the postings of a query's terms are."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, i32_at, i64_at, u8_at, u16_at, u32_at

GROUP = 64
"""Terms for which one position is stored."""

# Columns of a channel's description: addresses and sizes.
TERMS, LENGTHS, ITEMSIZE, STARTS, POSTINGS, DENSE_TERMS, DENSE_COUNT, TABLE_WIDTH = range(8)


@compiled("boolean(int64[:, ::1], int32[::1], int32[::1], int64[::1], int32[::1], int32[::1])")
def locate(table: Any, channel_of: Any, term_of: Any, bounds: Any, dense: Any, places: Any) -> Any:
    """Writes where the list of the i-th term is to ``bounds[2 i]`` and ``bounds[2 i + 1]``, and its dense row or -1
    to ``dense[2 i]``; ``places[i]`` is 2 i. Of a channel without lists (ITEMSIZE 0) it is the term's own number.

    ``table`` has a row a channel. False where a term or a list is outside what there is.
    """
    for i in range(len(term_of)):
        c = channel_of[i]
        t = np.int64(term_of[i])
        size = table[c, ITEMSIZE]
        bounds[2 * i], bounds[2 * i + 1] = 0, 0
        dense[2 * i], dense[2 * i + 1] = -1, -1
        places[i] = 2 * i
        if size == 0:
            places[i] = term_of[i]
            continue
        if t < 0 or t >= table[c, TERMS]:
            return False
        dense_terms = i32_at(table[c, DENSE_TERMS])
        low, high = np.int64(0), table[c, DENSE_COUNT]
        while low < high:
            middle = (low + high) >> 1
            if dense_terms[middle] < t:
                low = middle + 1
            else:
                high = middle
        if low < table[c, DENSE_COUNT] and dense_terms[low] == t:
            dense[2 * i] = np.int32(low)
            continue
        group = t // GROUP
        start = i64_at(table[c, STARTS])[group]
        length = np.int64(0)
        if size == 1:
            narrow = u8_at(table[c, LENGTHS])
            for p in range(group * GROUP, t):
                start += np.int64(narrow[p])
            length = np.int64(narrow[t])
        elif size == 2:
            wide = u16_at(table[c, LENGTHS])
            for p in range(group * GROUP, t):
                start += np.int64(wide[p])
            length = np.int64(wide[t])
        else:
            widest = u32_at(table[c, LENGTHS])
            for p in range(group * GROUP, t):
                start += np.int64(widest[p])
            length = np.int64(widest[t])
        if start < 0 or start + length > table[c, POSTINGS]:
            return False
        bounds[2 * i], bounds[2 * i + 1] = start, start + length
    return True
