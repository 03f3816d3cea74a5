"""Merging vocabularies as runs of sorted, front-coded strings.

A dictionary on disk is a few sorted runs of front-coded strings, which are merged without being decoded. So merging the
vocabularies of segments takes little more memory than the ranks of their strings, four bytes each, and the size of the
new dictionary on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.container_writer import ContainerWriter
from porism.index.strings import BUCKETS, FRONT_BLOCK, Dictionary, Names, Packed, offsets


class StringRun(NamedTuple):
    """``size`` distinct strings in code-point order, front-coded in ``data`` (uint8)."""

    data: NDArray[np.uint8]
    size: int


class StringRuns(NamedTuple):
    """Distinct numbered strings as runs.

    ``order`` has the number of each string, run after run; None if they are numbered in that order. ``dictionary`` is
    the one they are read from, if any.
    """

    runs: Sequence[StringRun]
    order: NDArray[np.integer] | None = None
    dictionary: Dictionary | None = None

    @classmethod
    def of_strings(cls, strings: Packed) -> StringRuns:
        """Distinct strings, numbered by their positions."""
        from porism.index.string_kernels import front_encode, sort_order

        order = sort_order(strings.blob, strings.starts)
        data, _ = front_encode(strings.blob, strings.starts, order, np.array([0, len(order)], np.int64))
        return cls([StringRun(data, len(order))], order)

    @classmethod
    def of_dictionary(cls, dictionary: Dictionary) -> StringRuns:
        """The strings of a dictionary with their numbers."""
        return cls([StringRun(data, count) for data, count in dictionary.groups()], None, dictionary)

    @classmethod
    def of_names(cls, names: Names) -> StringRuns:
        """Names, numbered by their positions."""
        return cls(cls.of_dictionary(names.dictionary).runs, names.at_rank, names.dictionary)


class MergedStrings(NamedTuple):
    """The distinct strings of several vocabularies as one run.

    ``ranks`` (int32) has for each vocabulary the ranks of its strings in the run, by number.
    """

    run: StringRun
    ranks: list[NDArray[np.int32]]

    def write(
        self, writer: ContainerWriter, name: str, frequencies: NDArray[np.integer], buckets: Sequence[int] = BUCKETS
    ) -> NDArray[np.int32]:
        """Writes the strings as a :class:`~porism.index.strings.Dictionary`, without those of frequency 0.

        ``frequencies`` has one element a rank; ``buckets`` are the lowest frequencies of the first bucket, the second
        and so on. Returns the number (int32) of the string of each rank, -1 for those left out.
        """
        from porism.index.run_kernels import group_run

        groups = np.zeros(len(frequencies), np.int8)
        for limit in buckets:
            groups += frequencies < limit
        groups[frequencies == 0] = -1
        first = offsets(np.array([np.count_nonzero(groups == group) for group in range(len(buckets) + 1)]))
        numbers = np.full(len(frequencies), -1, np.int32)
        for group in range(len(buckets) + 1):
            numbers[groups == group] = np.arange(first[group], first[group + 1], dtype=np.int32)
        blocks = offsets(-(-np.diff(first) // FRONT_BLOCK))
        nothing, sizes = np.zeros(0, np.uint8), np.zeros(len(buckets) + 1, np.int64)
        group_run(self.run.data, groups, nothing, sizes, nothing.astype(np.int64), nothing.astype(np.int64))
        begins = offsets(sizes)
        data, starts = np.empty(begins[-1], np.uint8), np.empty(blocks[-1] + 1, np.int64)
        starts[-1] = begins[-1]
        group_run(self.run.data, groups, data, begins[:-1].copy(), blocks[:-1].copy(), starts)
        writer.add(f"{name}:strings", data)
        writer.add(f"{name}:blocks", starts)
        writer.add(f"{name}:buckets", first)
        return numbers


def merge_vocabularies(vocabularies: Sequence[StringRuns]) -> MergedStrings:
    """The distinct strings of all ``vocabularies``."""
    from porism.index.run_kernels import merge_runs
    from porism.system.compiled.kernels import address

    runs = [run for vocabulary in vocabularies for run in vocabulary.runs]
    table = np.array([(address(run.data), len(run.data), run.size) for run in runs], np.int64).reshape(-1, 3)
    ids = np.empty(table[:, 2].sum(), np.int32)
    data = np.empty(table[:, 1].sum(), np.uint8)  # pages that are never written take no memory
    count, written, broken = merge_runs(table, ids, data)
    ranks: list[NDArray[np.int32]] = []
    begin = 0
    for vocabulary in vocabularies:
        size = sum(run.size for run in vocabulary.runs)
        if 0 <= broken < len(vocabulary.runs) and vocabulary.dictionary is not None:
            raise vocabulary.dictionary.damaged()
        broken -= len(vocabulary.runs)
        own_ranks = ids[begin : begin + size]
        begin += size
        if vocabulary.order is not None:
            by_number = np.empty(size, np.int32)
            by_number[vocabulary.order] = own_ranks
            own_ranks = by_number
        ranks.append(own_ranks)
    return MergedStrings(StringRun(data[:written], count), ranks)
