"""Rows of numbers, several for one item, and the file in which new rows wait until their segment is complete.

Types are float32, float16 and int8. With int8 each row has a scale, its largest absolute value divided by 127. A number
is stored as the nearest multiple of the scale, so its error is at most half the scale. The error of float16 is at most
0.05 % of a number (2⁻¹¹), or 2⁻²⁵ where that is more.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.index.strings import offsets
from porism.system.files.durable import make_folder, storage_errors, sync_file

NumberType = Literal["float32", "float16", "int8"]
"""The type of the numbers in stored vectors."""

Packed = NDArray[np.float32] | NDArray[np.float16] | NDArray[np.int8] | NDArray[np.uint8]
"""Rows of numbers as they are stored (rows × dimensions)."""

RowType = Literal[NumberType, "uint8"]
"""The type of the numbers in rows; uint8 are plain bytes, such as compressed vectors."""

PARTS_FOLDER = "encoding"
"""The folder of an index for rows that were computed and not stored with a segment yet."""

_HEADER = struct.Struct("<8sIIIIQ")
_MAGIC = b"PORVEC\x01\n"


class VectorRows(NamedTuple):
    """The rows of several items; those of item ``i`` are ``offsets[i]`` to ``offsets[i + 1] - 1`` (int64).

    Only int8 rows have ``scales`` (float32, one a row).
    """

    vectors: Packed
    offsets: NDArray[np.int64]
    scales: NDArray[np.float32] | None = None

    @property
    def dimensions(self) -> int:
        """Numbers in a row."""
        return int(self.vectors.shape[1])

    def decode(self, start: int, stop: int) -> NDArray[np.float32]:
        """The rows ``start`` to ``stop - 1`` as float32."""
        return unpack(self.vectors[start:stop], None if self.scales is None else self.scales[start:stop])

    def take(self, rows: NDArray[np.integer]) -> NDArray[np.float32]:
        """The rows at these positions as float32."""
        return unpack(self.vectors[rows], None if self.scales is None else self.scales[rows])


def check_type(name: str) -> NumberType:
    """The number type of this name.

    :raises ConfigError: vectors cannot be stored in it.
    """
    for known in get_args(NumberType):
        if name == known:
            return known  # type: ignore[no-any-return]
    raise ConfigError(f"vectors cannot be stored as {name!r}", hint=f"Choose from {', '.join(get_args(NumberType))}.")


def pack(vectors: NDArray[Any], numbers: RowType) -> tuple[Packed, NDArray[np.float32] | None]:
    """Converts rows (float32; uint8 stays) to a type; with int8 returns the scale of each row too."""
    if numbers == "uint8":
        return np.ascontiguousarray(vectors, np.uint8), None
    if numbers == "float32":
        return np.ascontiguousarray(vectors, np.float32), None
    if numbers == "float16":
        return vectors.astype(np.float16), None
    scales = np.abs(vectors).max(axis=1, initial=0.0).astype(np.float32) / np.float32(127)
    divisors = np.where(scales > 0, scales, np.float32(1))[:, None]
    return np.rint(vectors / divisors).astype(np.int8), scales


def unpack(vectors: Packed, scales: NDArray[np.float32] | None) -> NDArray[np.float32]:
    """The inverse of :func:`pack`, up to rounding."""
    wide: NDArray[np.float32] = vectors.astype(np.float32, copy=False)
    return wide if scales is None else wide * scales[:, None]


class PartFile:
    """A file to which computed rows are appended, block by block, each durable and with a checksum.

    What an interruption left incomplete at the end is cut off by the next one that writes.
    """

    def __init__(self, index_path: Path, name: str, dimensions: int, numbers: RowType) -> None:
        self.path = index_path / PARTS_FOLDER / f"{name}.part"
        self._dimensions, self._numbers = dimensions, numbers
        self._type = np.dtype(numbers)
        self._end = 0

    def read(self) -> tuple[NDArray[np.uint64], VectorRows] | None:
        """Digests and rows of everything in it; None where there is nothing."""
        blocks = list(self._blocks())
        if not blocks:
            return None
        digests = np.concatenate([block[0] for block in blocks])
        counts = np.concatenate([block[1] for block in blocks]).astype(np.int64)
        vectors = np.concatenate([block[2] for block in blocks])
        scales = np.concatenate([block[3] for block in blocks]) if self._numbers == "int8" else None
        return digests, VectorRows(vectors, offsets(counts), scales)

    def append(self, digests: NDArray[np.uint64], counts: NDArray[np.int64], vectors: NDArray[Any]) -> None:
        """Adds the rows (float32, or bytes as they come) of things, durably.

        :raises StorageError: the disk is full or the folder cannot be written.
        """
        packed, scales = pack(vectors, self._numbers)
        parts = [digests.tobytes(), counts.astype(np.uint32).tobytes(), packed.tobytes()]
        if scales is not None:
            parts.append(scales.tobytes())
        payload = b"".join(parts)
        header = _HEADER.pack(
            _MAGIC, len(digests), len(packed), self._dimensions, self._type.itemsize, xxhash.xxh3_64_intdigest(payload)
        )
        make_folder(self.path.parent)
        with storage_errors(self.path), open(self.path, "r+b" if self.path.exists() else "x+b") as file:
            file.truncate(self._end)
            file.seek(self._end)
            file.write(header + payload)
            file.flush()
            sync_file(file.fileno())
            self._end = file.tell()

    def remove(self) -> None:
        """Removes the file if it exists."""
        with storage_errors(self.path):
            self.path.unlink(missing_ok=True)

    def _blocks(
        self,
    ) -> Iterator[tuple[NDArray[np.uint64], NDArray[np.uint32], NDArray[np.generic], NDArray[np.float32]]]:
        self._end = 0
        if not self.path.exists():
            return
        data = np.memmap(self.path, np.uint8, "r") if os.path.getsize(self.path) else np.empty(0, np.uint8)
        place = 0
        while place + _HEADER.size <= len(data):
            head = data[place : place + _HEADER.size].tobytes()
            magic, things, rows, dimensions, size, digest = _HEADER.unpack(head)
            if (magic, dimensions, size) != (_MAGIC, self._dimensions, self._type.itemsize):
                return
            sizes = [things * 8, things * 4, rows * dimensions * size, rows * 4 if self._numbers == "int8" else 0]
            start = place + _HEADER.size
            payload = data[start : start + sum(sizes)]
            if len(payload) < sum(sizes) or xxhash.xxh3_64_intdigest(payload.tobytes()) != digest:
                return
            bounds = np.cumsum([0, *sizes])
            digests, counts, packed, scales = (payload[bounds[part] : bounds[part + 1]].tobytes() for part in range(4))
            yield (
                np.frombuffer(digests, np.uint64), np.frombuffer(counts, np.uint32),
                np.frombuffer(packed, self._type).reshape(rows, dimensions), np.frombuffer(scales, np.float32),
            )
            place = self._end = start + sum(sizes)
