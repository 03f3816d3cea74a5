"""Strings on disk: packed strings in memory, dictionaries of sorted strings, and names with a rank each.

A *dictionary* numbers distinct strings. They lie front-coded in sorted blocks, so it opens at once, is read where it is
mapped, and finds a string by binary search. Strings are grouped in a few *buckets* by how frequent they are (document
frequency), so frequent terms have small numbers, which is what keeps rows of terms short; within a bucket they are in
code-point order.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt
from porism.index.columns import column, damaged
from porism.index.columns import starts as bounds
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.system.concurrency.caching import cached_property

BUCKETS = (512, 32, 3)
"""Document frequencies from which a term is in the first, second and third bucket; the others are in the fourth."""


FRONT_BLOCK = 16
"""Strings in a front-coded block: the first one whole, the others as what differs from the one before."""
_MOST_STRINGS = 2**31 - 1
_COPIED_BYTES = 1 << 24


class Packed(NamedTuple):
    """n strings as UTF-8: ``blob`` uint8, and ``starts`` int64 of length n + 1."""

    blob: NDArray[np.uint8]
    starts: NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.starts) - 1

    def strings(self) -> list[str]:
        """The strings themselves."""
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
        # a byte takes eight while it is copied: so many at once that this is little beside millions of strings
        cuts = np.searchsorted(starts, np.arange(0, starts[-1], _COPIED_BYTES))
        for low, high in pairwise(np.unique(np.append(cuts, len(lengths))).tolist()):
            part = slice(low, high)
            source = np.repeat(first[part] - starts[part], lengths[part])
            source += np.arange(starts[low], starts[high])
            blob[starts[low] : starts[high]] = self.blob[source]
        return Packed(blob, starts)

    @classmethod
    def of(cls, strings: Sequence[str]) -> Packed:
        """Packs strings; lone surrogates are kept."""
        starts = offsets(np.fromiter(map(len, strings), np.int64, count=len(strings)))
        joined = "".join(strings)
        blob = np.frombuffer(encode(joined), np.uint8)
        if len(blob) != len(joined):
            # Bytes 10xxxxxx continue a character: the others are where characters begin.
            begins = np.flatnonzero((blob & 0xC0) != 0x80)
            starts = np.append(begins, len(blob))[starts]
        return cls(blob, starts)

    @classmethod
    def join(cls, parts: Sequence[Packed]) -> Packed:
        """All strings of ``parts``, one part after the other."""
        if len(parts) == 1:
            return parts[0]
        lengths = [part.starts[1:] - part.starts[:-1] for part in parts]
        blobs = [part.blob[part.starts[0] : part.starts[-1]] for part in parts]
        empty = np.zeros(0, np.uint8)
        return cls(np.concatenate([empty, *blobs]), offsets(np.concatenate([np.zeros(0, np.int64), *lengths])))


def encode(string: str) -> bytes:
    """UTF-8 that carries lone surrogates too."""
    return string.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The inverse of :func:`encode`.

    :raises IndexCorrupt: these are bytes of no string.
    """
    try:
        return data.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        raise IndexCorrupt(
            f"a string of the index cannot be read ({error.reason})", hint="Find the file with: porism check."
        ) from error


def offsets(lengths: NDArray[np.integer]) -> NDArray[np.int64]:
    """Where runs of these lengths begin, and the end of the last (int64, one longer)."""
    out = np.zeros(len(lengths) + 1, np.int64)
    np.cumsum(lengths, out=out[1:])
    return out


class Dictionary:
    """Distinct strings, numbered from 0; a view of sections that :func:`write_dictionary` wrote under ``name``."""

    def __init__(self, container: Container, name: str) -> None:
        self._container, self._name = container, name
        self._strings = container.section(f"{name}:strings")
        self._data: NDArray[np.uint8] = self._strings.array
        if self._data.ndim != 1 or self._data.dtype != np.uint8:
            raise damaged(container, f"{name}:strings", f"{self._data.ndim} dimensions of {self._data.dtype}")
        self._block_starts: NDArray[np.int64] = bounds(container, f"{name}:blocks", np.int64, len(self._data))
        first = column(container, f"{name}:buckets", np.int64)
        self._first: NDArray[np.int64] = bounds(
            container, f"{name}:buckets", np.int64, min(int(first.max(initial=0)), _MOST_STRINGS)
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
        """The number of each string, -1 where the dictionary does not have it."""
        return self.lookup_packed(Packed.of(terms))

    def lookup_packed(self, packed: Packed) -> NDArray[np.int32]:
        """:meth:`lookup` for packed strings."""
        from porism.index.string_kernels import front_lookup

        if not len(packed) or not len(self):
            return np.full(len(packed), -1, np.int32)
        probed = np.zeros(0 if self._strings.complete else len(self._block_starts) - 1, np.uint8)
        found = front_lookup(
            self._data, self._block_starts, self._first, self._bucket_block, packed.blob, packed.starts, probed
        )
        self._require(np.flatnonzero(probed))  # what was read is known afterwards, and nothing was believed before
        return cast("NDArray[np.int32]", found)

    def _require(self, blocks: NDArray[np.int64]) -> None:
        """Compares front-coded blocks with their checksums, where they were not yet.

        :raises IndexCorrupt: one was changed.
        """
        self._strings.require(self._block_starts[blocks], self._block_starts[blocks + 1])

    def term(self, number: int) -> str:
        """The string with a number.

        :raises IndexError: there is none.
        """
        return self.select(np.array([number], np.int64)).strings()[0]

    def select(self, numbers: NDArray[np.integer]) -> Packed:
        """The strings with these numbers, in that order.

        :raises IndexError: there is none with one of them.
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
        """By bucket, the bytes of its front-coded strings, which are sorted, and how many these are."""
        begins = self._block_starts[self._bucket_block].tolist()
        sizes = (self._first[1:] - self._first[:-1]).tolist()
        data = self._strings.all()
        return [(data[low:high], size) for (low, high), size in zip(pairwise(begins), sizes, strict=True)]

    def damaged(self) -> Exception:
        """The error that says that the strings are none."""
        return damaged(self._container, f"{self._name}:strings", "no front-coded strings")

    def _sound(self, found: tuple[NDArray[np.uint8], NDArray[np.int64]]) -> Packed:
        packed = Packed(*found)
        if packed.starts[0] < 0:
            raise self.damaged()
        return packed

    def __iter__(self) -> Iterator[str]:
        return iter(self.packed().strings())


def write_dictionary(
    writer: ContainerWriter, name: str, strings: Packed, frequencies: NDArray[np.integer] | None = None
) -> NDArray[np.int64]:
    """Writes distinct strings as a :class:`Dictionary`; returns the number that each string gets (int64).

    With ``frequencies`` (one a string) the strings are grouped by them, frequent ones first; without, the numbers are
    the ranks in code-point order.
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
    """Distinct names of things in an order of their own (documents, formulas), found by name and named by position.

    ``rank`` (int32) is the position of each name in code-point order.
    """

    def __init__(self, container: Container, name: str) -> None:
        self.dictionary = Dictionary(container, name)
        count = len(self.dictionary)
        self.rank: NDArray[np.int32] = column(container, f"{name}:rank", np.int32, count, low=0, end=count)

    def __len__(self) -> int:
        return len(self.rank)

    @cached_property
    def at_rank(self) -> NDArray[np.int32]:
        """The position of each name, names in code-point order; -1 where a damaged file has none."""
        positions = np.full(len(self.rank), -1, np.int32)
        positions[self.rank] = np.arange(len(self.rank), dtype=np.int32)
        return positions

    def name(self, position: int) -> str:
        """The name of the thing at a position.

        :raises IndexError: there is none.
        """
        return self.dictionary.term(int(self.rank[position]))

    def names(self, positions: NDArray[np.integer]) -> list[str]:
        """The names of the things at ``positions``, in that order."""
        return self.dictionary.select(self.rank[positions]).strings()

    def find(self, names: Sequence[str]) -> NDArray[np.int32]:
        """The position of each name, -1 where there is none."""
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
    """Writes distinct strings, in their order, as :class:`Names`."""
    ranks = write_dictionary(writer, name, strings)
    writer.add(f"{name}:rank", ranks.astype(np.int32))
