"""One front-coded string in kernels: what it shares with the string before it, and the rest.

A string is one byte, high half the length shared with the string before and low half the length of the rest (15: a
number follows with what is beyond), then the rest. As with :mod:`porism.index.varint`, this is the format on disk.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.index.varint import get, put
from porism.system.compiled.kernels import inlined


@inlined()
def put_string(out: Any, at: Any, text: Any, start: Any, shared: Any, length: Any) -> Any:
    """Writes the string of ``length`` bytes from ``start`` on in ``text``, which shares ``shared`` bytes with the one
    before; returns the position after it."""
    rest = length - shared
    out[at] = (min(shared, 15) << 4) | min(rest, 15)
    at += 1
    if shared >= 15:
        at = put(out, at, shared - 15)
    if rest >= 15:
        at = put(out, at, rest - 15)
    for step in range(start + shared, start + length):
        out[at] = text[step]
        at += 1
    return at


@inlined()
def get_lengths(data: Any, at: Any, end: Any) -> Any:
    """Reads how much a string shares with the one before and how long the rest is; and the position of the rest, beyond
    ``end`` where no string begins before it."""
    if at >= end:
        return np.int64(0), np.int64(0), end + 1
    head = np.int64(data[at])
    at += 1
    shared, rest = head >> 4, head & 15
    if shared == 15:
        more, at = get(data, at, end)
        shared += more
    if rest == 15:
        more, at = get(data, at, end)
        rest += more
    return shared, rest, at
