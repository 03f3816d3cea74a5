"""Byte strings on disk with random access, compressed in blocks, and the occurrences of formulas, which have some."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate, pairwise

import numpy as np
import zstandard
from numpy.typing import NDArray

from porism.index.columns import CheckedColumn, byte_section, column, damaged, starts
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.strings import decode

LEVEL = 9
"""Compression level of Zstandard; higher levels save a few per cent and slow indexing down."""


class Records:
    """Byte strings in the sections that :func:`write_records` wrote under ``name``.

    The last block stays decompressed, so reading neighbours is free.
    """

    def __init__(self, container: Container, name: str, count: int | None = None) -> None:
        """``count`` is the expected number of records, if known."""
        self._container = container
        self._name = name
        self._data = byte_section(container, f"{name}:data")
        self._lengths: NDArray[np.unsignedinteger] = column(
            container, f"{name}:lengths", (np.uint8, np.uint16, np.uint32, np.uint64), count
        )
        self._block_starts: NDArray[np.int64] = starts(container, f"{name}:blocks", np.int64, len(self._data.array))
        self._block_first: NDArray[np.int64] = starts(
            container, f"{name}:first", np.int64, len(self._lengths), len(self._block_starts) - 1
        )
        self._last: tuple[int, bytes, list[int]] | None = None

    def __len__(self) -> int:
        return len(self._lengths)

    def any(self) -> bool:
        """Whether any record is not empty."""
        return bool(self._lengths.any())

    def _block(self, block: int) -> tuple[int, bytes, list[int]]:
        """The number, the content and the bounds of the records of a block."""
        last = self._last
        if last is not None and last[0] == block:
            return last
        self._data.require(self._block_starts[block : block + 1], self._block_starts[block + 1 : block + 2])
        packed = self._data.array[self._block_starts[block] : self._block_starts[block + 1]].tobytes()
        lengths = self._lengths[self._block_first[block] : self._block_first[block + 1]].tolist()
        try:
            if zstandard.frame_content_size(packed) != sum(lengths):  # a malicious frame can claim any size
                raise damaged(self._container, f"{self._name}:lengths", "not those of the data")
            content = zstandard.ZstdDecompressor().decompress(packed)
        except zstandard.ZstdError as error:
            raise damaged(self._container, f"{self._name}:data", str(error)) from error
        bounds = [0, *accumulate(lengths)]
        if bounds[-1] != len(content):
            raise damaged(self._container, f"{self._name}:lengths", "not those of the data")
        # One assignment, so that other threads never see half a block.
        self._last = (block, content, bounds)
        return self._last

    def __getitem__(self, position: int) -> bytes:
        if not 0 <= position < len(self):
            raise IndexError(f"record {position} of {len(self)}")
        block = int(np.searchsorted(self._block_first, position, side="right")) - 1
        _, content, bounds = self._block(block)
        place = position - int(self._block_first[block])
        return content[bounds[place] : bounds[place + 1]]

    def take(self, positions: NDArray[np.integer]) -> Iterator[bytes]:
        """The records at ``positions``; fast if they do not decrease."""
        blocks = np.searchsorted(self._block_first, positions, side="right") - 1
        places = positions - self._block_first[blocks]
        for block, place in zip(blocks.tolist(), places.tolist(), strict=True):
            _, content, bounds = self._block(block)
            yield content[bounds[place] : bounds[place + 1]]

    def __iter__(self) -> Iterator[bytes]:
        for block in range(len(self._block_first) - 1):
            _, content, bounds = self._block(block)
            for low, high in pairwise(bounds):
                yield content[low:high]


def write_records(
    writer: ContainerWriter, name: str, records: Iterable[bytes], block_bytes: int, level: int = LEVEL
) -> int:
    """Writes byte strings as :class:`Records`, in blocks of about ``block_bytes`` before compression.

    Returns their number. A record never spans blocks; a large one has a block of its own.
    """
    lengths: list[int] = []
    block_first = [0]
    block_starts = [0]
    compressor = zstandard.ZstdCompressor(level=level)

    def blocks() -> Iterator[NDArray[np.uint8]]:
        waiting: list[bytes] = []
        size = 0
        for record in records:
            if waiting and size + len(record) > block_bytes:
                yield close(waiting)
                waiting, size = [], 0
            waiting.append(record)
            lengths.append(len(record))
            size += len(record)
        if waiting:
            yield close(waiting)

    def close(waiting: Sequence[bytes]) -> NDArray[np.uint8]:
        packed = compressor.compress(b"".join(waiting))
        block_starts.append(block_starts[-1] + len(packed))
        block_first.append(block_first[-1] + len(waiting))
        return np.frombuffer(packed, np.uint8)

    writer.add_chunks(f"{name}:data", np.uint8, blocks())
    writer.add(f"{name}:blocks", np.asarray(block_starts, np.int64))
    writer.add(f"{name}:first", np.asarray(block_first, np.int64))
    writer.add(f"{name}:lengths", np.asarray(lengths, np.min_scalar_type(max(lengths, default=0))))
    return len(lengths)


class Occurrences:
    """The occurrences of formulas, ordered by document, field and place in the field.

    ``indptr`` (int64, documents + 1) bounds the occurrences of each document. ``field`` (uint16) is a position in the
    segment's fields, ``formula`` (int32) an ordinal of the segment, and ``number`` (int32) counts the formulas of a
    field. These three are compared with their checksums as they are read.
    """

    def __init__(self, container: Container, documents: int, fields: int, formulas: int) -> None:
        """Takes the numbers of documents, fields and formulas of the segment."""
        self.formula = CheckedColumn(container, "occurrences:formula", np.int32, low=0, end=formulas)
        count = len(self.formula)
        self.indptr: NDArray[np.int64] = starts(container, "occurrences:indptr", np.int64, count, documents)
        self.field = CheckedColumn(container, "occurrences:field", np.uint16, count, end=fields)
        self.number = CheckedColumn(container, "occurrences:number", np.int32, count)
        self._ids = Records(container, "occurrences:id", count)
        self._visual_ids = Records(container, "occurrences:visual", count)

    def __len__(self) -> int:
        return len(self.formula)

    @property
    def has_visual_ids(self) -> bool:
        """Whether any occurrence has a visual id."""
        return self._visual_ids.any()

    @property
    def has_ids(self) -> bool:
        """Whether any occurrence has an id."""
        return self._ids.any()

    def id(self, occurrence: int) -> str:
        """The collection's id of an occurrence, empty if it has none."""
        return decode(self._ids[occurrence])

    def visual_id(self, occurrence: int) -> str:
        """The collection's id of all formulas that look like this one, empty if it has none."""
        return decode(self._visual_ids[occurrence])

    def ids(self, occurrences: NDArray[np.integer] | None = None) -> list[str]:
        """:meth:`id` of several occurrences (all by default); fast if they do not decrease."""
        return _strings(self._ids, occurrences)

    def visual_ids(self, occurrences: NDArray[np.integer] | None = None) -> list[str]:
        """:meth:`visual_id` of several occurrences (all by default); fast if they do not decrease."""
        return _strings(self._visual_ids, occurrences)


def _strings(records: Records, positions: NDArray[np.integer] | None) -> list[str]:
    return [decode(record) for record in (records if positions is None else records.take(positions))]
