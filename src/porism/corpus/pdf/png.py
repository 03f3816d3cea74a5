"""PNG files of pages: black on white with a few colours, so that a palette of sixteen shades of each is enough."""

from __future__ import annotations

import struct
import zlib
from typing import Any

import numpy as np


def png(pixels: Any) -> bytes:
    """A picture as PNG.

    :param pixels: uint8, height × width × 3 or 4: blue, green, red, of which a fourth is left out.
    """
    shades = np.asarray(pixels)[:, :, 2::-1] >> 4
    height, width = shades.shape[:2]
    codes = shades.astype(np.uint16) @ np.array([256, 16, 1], np.uint16)
    used = np.flatnonzero(np.bincount(codes.ravel(), minlength=4096))
    numbers = np.zeros(4096, np.uint8)
    numbers[used[:256]] = np.arange(len(used[:256]))
    colours = b"".join(bytes(((code >> 8) * 17, (code >> 4 & 15) * 17, (code & 15) * 17)) for code in used.tolist())
    if len(used) <= 16:
        even = numbers[np.pad(codes, ((0, 0), (0, width % 2)), mode="edge")]
        depth, kind, rows = 4, 3, (even[:, ::2] << 4 | even[:, 1::2]).astype(np.uint8)
    elif len(used) <= 256:
        depth, kind, rows = 8, 3, numbers[codes]
    else:
        depth, kind, rows = 8, 2, (shades * 17).astype(np.uint8).reshape(height, width * 3)
    lines = np.zeros((height, rows.shape[1] + 1), np.uint8)  # each row begins with the number of its filter
    lines[:, 1:] = rows
    chunks = (
        (b"IHDR", struct.pack(">IIBBBBB", width, height, depth, kind, 0, 0, 0)),
        *([(b"PLTE", colours)] if kind == 3 else []), (b"IDAT", zlib.compress(lines.tobytes(), 8)), (b"IEND", b""),
    )
    return b"\x89PNG\r\n\x1a\n" + b"".join(
        struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data)) for name, data in chunks
    )
