"""Numbers of variable length in kernels (LEB128): seven bits a byte, low bits first, the high bit on all but the last.

The kernels of other files have this code in them once they are compiled and cached: what is written here is the format
on disk, which does not change.
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
