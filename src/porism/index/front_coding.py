"""Numbers of variable length and front-coded strings in kernels: the formats on disk, which do not change.

A number (LEB128) has seven bits a byte, low bits first, the high bit on all but the last. A front-coded string is one
byte, high half the length shared with the string before and low half the length of the rest (15: a number follows with
what is beyond), then the rest. The kernels of other files have this code in them once they are compiled and cached.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import inlined


@inlined()
def put(out: Any, at: Any, value: Any) -> Any:
    """Writes a number at ``at``; returns the position after it."""
    while value >= 128:
        out[at] = (value & 127) | 128
        value >>= 7
        at += 1
    out[at] = value
    return at + 1


@inlined()
def get(data: Any, at: Any, end: Any) -> Any:
    """Reads a number at ``at``; returns it and the position after it.

    Nothing is read from ``end`` on. Of a number that is not whole before it, or has more than eight bytes, the value is
    0 and the position ``end + 1``. So it stays whatever is read next.
    """
    if at >= end:
        return np.int64(0), end + 1
    value = np.int64(data[at])
    at += 1
    if value < 128:
        return value, at
    value &= 127
    shift = 7
    while at < end and shift < 56:
        byte = np.int64(data[at])
        at += 1
        value |= (byte & 127) << shift
        if byte < 128:
            return value, at
        shift += 7
    return np.int64(0), end + 1


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
