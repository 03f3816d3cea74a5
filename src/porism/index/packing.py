"""Packed sections of containers: small arrays, compressed as a whole.

An array of numbers is packed as the differences of neighbours, the lowest bytes of all of them first, so that
increasing numbers and small ones are mostly zeros; then by zstd.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import zstandard
from numpy.typing import NDArray

MAX_PACKED_BYTES = 4 << 20
"""Larger sections are stored as they are: searches read parts of them, from memory that processes share."""

_LEVEL = 9
_WORTH = 7 / 8
"""A packed section takes at most this part of its bytes; others are not packed."""


def pack(chunks: Sequence[NDArray[Any]], dtype: np.dtype[Any]) -> bytes | None:
    """The packed form of the numbers in ``chunks``; None where it would hardly be smaller."""
    raw = np.concatenate([np.ascontiguousarray(chunk, dtype).reshape(-1).view(np.uint8) for chunk in chunks])
    if dtype.itemsize > 1:
        numbers = raw.view(f"<u{dtype.itemsize}")
        differences = np.diff(numbers, prepend=numbers.dtype.type(0))
        raw = np.ascontiguousarray(differences.view(np.uint8).reshape(-1, dtype.itemsize).T).reshape(-1)
    packed = zstandard.ZstdCompressor(_LEVEL).compress(raw.data)
    return packed if len(packed) <= _WORTH * raw.nbytes else None


def unpack(data: NDArray[np.uint8], dtype: np.dtype[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    """The array (read-only) that :func:`pack` packed.

    :raises ValueError: these are not the bytes of an array of this type and shape.
    """
    size = dtype.itemsize * math.prod(shape)
    try:
        if zstandard.frame_content_size(data.data) != size:
            raise ValueError("the packed array has another size")
        raw = np.frombuffer(zstandard.ZstdDecompressor().decompress(data.data), np.uint8)
    except zstandard.ZstdError as error:
        raise ValueError(f"cannot be unpacked: {error}") from error
    if dtype.itemsize > 1:
        differences = np.ascontiguousarray(raw.reshape(dtype.itemsize, -1).T).view(f"<u{dtype.itemsize}").reshape(-1)
        raw = np.cumsum(differences, dtype=differences.dtype)
        raw.flags.writeable = False
    array: NDArray[Any] = raw.view(dtype).reshape(shape)
    return array
