"""Strings on disk: packed strings in memory, dictionaries of sorted strings, and names with a rank each.

A *dictionary* numbers distinct strings. They are front-coded in sorted blocks, so a dictionary opens at once, is read
from the memory map, and finds a string by binary search. Strings are grouped into a few *buckets* by document
frequency: frequent terms have small numbers, which keeps rows of terms short. Within a bucket strings are in code-point
order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.columns import byte_section, column, damaged
from porism.index.columns import starts as bounds
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.system.concurrency.caching import cached_property

BUCKETS = (512, 32, 3)
"""The lowest document frequencies of the first, second and third bucket; other terms are in the fourth."""

FRONT_BLOCK = 16
"""Strings in a front-coded block: the first is whole, each other one omits the prefix it shares with the one before."""
_MAX_STRINGS = 2**31 - 1
_COPIED_BYTES = 1 << 24


class Packed(NamedTuple):
    """n strings as UTF-8: ``blob`` (uint8) and ``starts`` (int64, n + 1)."""

    blob: NDArray[np.uint8]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def strings(self) -> list[str]:
        """The strings as a list."""
        blob = self.blob.tobytes()
        bounds = self.starts.tolist()
        if blob.isascii():  # then places in bytes are places in characters
            text = blob.decode("ascii")
            return [text[low:high] for low, high in pairwise(bounds)]
        return [decode(blob[low:high]) for low, high in pairwise(bounds)]

    def take(self, positions: NDArray[np.integer]) -> Packed:
        """The strings at ``positions``, in that order."""
        first = self.starts[:-1][positions]
        lengths = self.starts[1:][positions] - first
        starts = offsets(lengths)
        blob = np.empty(starts[-1], np.uint8)
        # copying takes eight times the memory of the bytes, so it is done in parts
        cuts = np.searchsorted(starts, np.arange(0, starts[-1], _COPIED_BYTES))
        for low, high in pairwise(np.unique(np.append(cuts, len(lengths))).tolist()):
            part = slice(low, high)
            source = np.repeat(first[part] - starts[part], lengths[part])
            source += np.arange(starts[low], starts[high])
            blob[starts[low] : starts[high]] = self.blob[source]
        return Packed(blob, starts)

    @classmethod
    def of(cls, strings: Sequence[str]) -> Packed:
        """Packs strings, lone surrogates included."""
        starts = offsets(np.fromiter(map(len, strings), np.int64, count=len(strings)))
        joined = "".join(strings)
        blob = np.frombuffer(encode(joined), np.uint8)
        if len(blob) != len(joined):
            # Bytes 10xxxxxx continue a character; the others begin one.
            begins = np.flatnonzero((blob & 0xC0) != 0x80)
            starts = np.append(begins, len(blob))[starts]
        return cls(blob, starts)

    @classmethod
    def join(cls, parts: Sequence[Packed]) -> Packed:
        """All strings of ``parts``, in order."""
        if len(parts) == 1:
            return parts[0]
        lengths = [part.starts[1:] - part.starts[:-1] for part in parts]
        blobs = [part.blob[part.starts[0] : part.starts[-1]] for part in parts]
        empty = np.zeros(0, np.uint8)
        return cls(np.concatenate([empty, *blobs]), offsets(np.concatenate([np.zeros(0, np.int64), *lengths])))


def encode(string: str) -> bytes:
    """UTF-8, lone surrogates included."""
    return string.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The inverse of :func:`encode`."""
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise IndexCorrupt(
            f"a string of the index cannot be read ({error.reason})", hint="Find the file with: porism check."
        ) from error


def offsets(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """The starts of runs of these lengths, and the end of the last (int64, one longer)."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


def ranges(starts: NDArray[np.integer], lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """The numbers of runs that begin at ``starts`` and have these lengths, one run after another (int64)."""
    ends = np.cumsum(lengths, dtype=np.int64)
    return np.repeat(starts - (ends - lengths), lengths) + np.arange(ends[-1] if len(ends) else 0, dtype=np.int64)


class Dictionary:
    """Distinct strings, numbered from 0, in the sections that :func:`write_dictionary` wrote under ``name``."""

    def __init__(self, container: Container, name: str) -> None:
        self._container, self._name = container, name
        self._strings = byte_section(container, f"{name}:strings")
        self._data: NDArray[np.uint8] = self._strings.array
        self._block_starts: NDArray[np.int64] = bounds(container, f"{name}:blocks", np.int64, len(self._data))
        first = column(container, f"{name}:buckets", np.int64)
        self._first: NDArray[np.int64] = bounds(
            container, f"{name}:buckets", np.int64, min(int(first.max(initial=0)), _MAX_STRINGS)
        )
        if int((-(-np.diff(self._first) // FRONT_BLOCK)).sum()) != len(self._block_starts) - 1:
            raise damaged(container, f"{name}:blocks", f"not those of {len(self)} strings")

    def __len__(self) -> int:
        return int(self._first[-1])

    @cached_property
    def _bucket_block(self) -> NDArray[np.int64]:
        """The first block of each bucket, and the number of blocks."""
        return offsets(-(-(self._first[1:] - self._first[:-1]) // FRONT_BLOCK))

    def lookup(self, terms: Sequence[str]) -> NDArray[np.int32]:
        """The number of each string, -1 for unknown ones."""
        return self.lookup_packed(Packed.of(terms))

    def lookup_packed(self, packed: Packed) -> NDArray[np.int32]:
        """:meth:`lookup` for packed strings."""
        from porism.index.string_kernels import front_lookup

        if not len(packed) or not len(self):
            return np.full(len(packed), -1, np.int32)
        probed = np.zeros(0 if self._strings.complete else len(self._block_starts) - 1, np.uint8)
        ranks = front_lookup(
            self._data, self._block_starts, self._first, self._bucket_block, packed.blob, packed.starts, probed
        )
        self._require(np.flatnonzero(probed))  # the kernel says which blocks it read; they are checked before use
        return cast("NDArray[np.int32]", ranks)

    def _require(self, blocks: NDArray[np.int64]) -> None:
        """Compares front-coded blocks with their checksums."""
        self._strings.require(self._block_starts[blocks], self._block_starts[blocks + 1])

    def term(self, number: int) -> str:
        """The string with this number.

        :raises IndexError: there is no such number.
        """
        return self.select(np.array([number], np.int64)).strings()[0]

    def select(self, numbers: NDArray[np.integer]) -> Packed:
        """The strings with these numbers, in the order given.

        :raises IndexError: there is no such number.
        """
        from porism.index.string_kernels import front_select

        wanted = np.ascontiguousarray(numbers, np.int64)
        if len(wanted) and not 0 <= int(wanted.min()) <= int(wanted.max()) < len(self):
            raise IndexError(f"strings {wanted.min()} to {wanted.max()} of {len(self)}")
        if not self._strings.complete:
            bucket = np.searchsorted(self._first, wanted, side="right") - 1
            self._require(self._bucket_block[bucket] + (wanted - self._first[bucket]) // FRONT_BLOCK)
        return self._sound(front_select(self._data, self._block_starts, self._first, self._bucket_block, wanted))

    def packed(self) -> Packed:
        """All strings by number."""
        from porism.index.string_kernels import front_decode

        blocks = len(self._block_starts) - 1
        return self._sound(front_decode(
            self._strings.all(), self._block_starts, 0, blocks, np.array([len(self), 3 * len(self._data)], np.int64)
        ))

    def groups(self) -> list[tuple[NDArray[np.uint8], int]]:
        """The sorted, front-coded strings of each bucket, and their number."""
        begins = self._block_starts[self._bucket_block].tolist()
        sizes = (self._first[1:] - self._first[:-1]).tolist()
        data = self._strings.all()
        return [(data[low:high], size) for (low, high), size in zip(pairwise(begins), sizes, strict=True)]

    def damaged(self) -> Exception:
        """The error for strings that cannot be decoded."""
        return damaged(self._container, f"{self._name}:strings", "no front-coded strings")

    def _sound(self, decoded: tuple[NDArray[np.uint8], NDArray[np.int64]]) -> Packed:
        packed = Packed(*decoded)
        if packed.starts[0] < 0:
            raise self.damaged()
        return packed

    def __iter__(self) -> Iterator[str]:
        return iter(self.packed().strings())


def write_dictionary(
    writer: ContainerWriter, name: str, strings: Packed, frequencies: NDArray[np.integer] | None = None
) -> NDArray[np.int64]:
    """Writes distinct strings as a :class:`Dictionary`; returns the number of each string (int64).

    With ``frequencies`` (one a string) frequent strings come first; without, numbers are ranks in code-point order.
    """
    from porism.index.string_kernels import front_encode, sort_order

    count = len(strings)
    blob, starts = strings.blob, strings.starts
    order = cast("NDArray[np.int64]", sort_order(blob, starts))
    if frequencies is None:
        first = np.array([0, count], np.int64)
    else:
        bucket = np.zeros(count, np.int8)
        for limit in BUCKETS:
            bucket += frequencies < limit
        bucket = bucket[order]
        first = offsets(np.bincount(bucket, minlength=len(BUCKETS) + 1))
        order = order[np.argsort(bucket, kind="stable")]
    data, block_starts = front_encode(blob, starts, order, first)
    writer.add(f"{name}:strings", data)
    writer.add(f"{name}:blocks", block_starts)
    writer.add(f"{name}:buckets", first)
    numbers = np.empty(count, np.int64)
    numbers[order] = np.arange(count)
    return numbers


class Names:
    """Distinct names of documents or formulas, looked up by name or by position.

    ``rank`` (int32) is the rank of each name in code-point order.
    """

    def __init__(self, container: Container, name: str) -> None:
        self.dictionary = Dictionary(container, name)
        count = len(self.dictionary)
        self.rank: NDArray[np.int32] = column(container, f"{name}:rank", np.int32, count, low=0, end=count)

    def __len__(self) -> int:
        return len(self.rank)

    @cached_property
    def at_rank(self) -> NDArray[np.int32]:
        """The position of the name at each rank; -1 where a damaged file has none."""
        positions = np.full(len(self.rank), -1, np.int32)
        positions[self.rank] = np.arange(len(self.rank), dtype=np.int32)
        return positions

    def name(self, position: int) -> str:
        """:raises IndexError: there is no such position."""
        return self.dictionary.term(int(self.rank[position]))

    def names(self, positions: NDArray[np.integer]) -> list[str]:
        """The names at these positions, in the order given."""
        return self.dictionary.select(self.rank[positions]).strings()

    def find(self, names: Sequence[str]) -> NDArray[np.int32]:
        """The position of each name, -1 for unknown ones."""
        return self.find_packed(Packed.of(names))

    def find_packed(self, names: Packed) -> NDArray[np.int32]:
        """:meth:`find` for packed names."""
        ranks = self.dictionary.lookup_packed(names)
        if not len(self.rank):
            return ranks
        return np.where(ranks >= 0, self.at_rank[ranks], np.int32(-1))

    def packed(self) -> Packed:
        """All names by position."""
        return self.dictionary.packed().take(self.rank)


def write_names(writer: ContainerWriter, name: str, strings: Packed) -> None:
    """Writes distinct strings, in the order given, as :class:`Names`."""
    ranks = write_dictionary(writer, name, strings)
    writer.add(f"{name}:rank", ranks.astype(np.int32))
