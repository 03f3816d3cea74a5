"""Vocabularies as runs of sorted strings, and many of them as one: without a string in memory that is not needed there.

A dictionary lies on disk as a few sorted runs of front-coded strings. Runs are united as they are, from the first
string to the last, by a merge; so uniting the vocabularies of segments takes little more memory than the ranks of their
strings, four bytes each, and what the new dictionary takes on disk.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.index.container_writer import ContainerWriter
from porism.index.strings import BUCKETS, FRONT_BLOCK, Dictionary, Names, Packed, offsets


class Run(NamedTuple):
    """``size`` distinct strings in code-point order, front-coded in ``data`` (uint8)."""

    data: NDArray[np.uint8]
    size: int


class Vocabulary(NamedTuple):
    """Distinct strings, numbered from 0, as runs.

    ``order`` has the number of each string, run after run; None where they are numbered as they come. ``dictionary`` is
    the one that they are read from, if any.
    """

    runs: Sequence[Run]
    order: NDArray[np.integer] | None = None
    dictionary: Dictionary | None = None

    @classmethod
    def of_strings(cls, strings: Packed) -> Vocabulary:
        """Distinct strings, numbered by their positions."""
        from porism.index.string_kernels import front_encode, sort_order

        order = sort_order(strings.blob, strings.starts)
        data, _ = front_encode(strings.blob, strings.starts, order, np.array([0, len(order)], np.int64))
        return cls([Run(data, len(order))], order)

    @classmethod
    def of_dictionary(cls, dictionary: Dictionary) -> Vocabulary:
        """The strings of a dictionary with their numbers."""
        return cls([Run(data, count) for data, count in dictionary.groups()], None, dictionary)

    @classmethod
    def of_names(cls, names: Names) -> Vocabulary:
        """Names, numbered by their positions."""
        return cls(cls.of_dictionary(names.dictionary).runs, names.at_rank, names.dictionary)


class United(NamedTuple):
    """The distinct strings of several vocabularies: as one run, and ``ranks`` (int32), which has for each vocabulary
    the rank in that run of each of its strings, by number."""

    run: Run
    ranks: list[NDArray[np.int32]]

    def write(
        self, writer: ContainerWriter, name: str, frequencies: NDArray[np.integer], buckets: Sequence[int] = BUCKETS
    ) -> NDArray[np.int32]:
        """Writes the strings as a :class:`~porism.index.strings.Dictionary`, without those of frequency 0.

        ``frequencies`` has that of each rank; ``buckets`` the least of those that are written first, second and so on.
        Returns the number (int32) that the string of each rank gets, -1 where it is left out.
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


def unite(vocabularies: Sequence[Vocabulary]) -> United:
    """The distinct strings of all ``vocabularies``.

    :raises IndexCorrupt: a dictionary has no sorted strings.
    """
    from porism.index.run_kernels import merge_runs
    from porism.system.compiled.kernels import address

    runs = [run for vocabulary in vocabularies for run in vocabulary.runs]
    table = np.array([(address(run.data), len(run.data), run.size) for run in runs], np.int64).reshape(-1, 3)
    ids = np.empty(table[:, 2].sum(), np.int32)
    data = np.empty(table[:, 1].sum(), np.uint8)  # what is not written to takes no memory
    count, written, broken = merge_runs(table, ids, data)
    ranks: list[NDArray[np.int32]] = []
    begin = 0
    for vocabulary in vocabularies:
        size = sum(run.size for run in vocabulary.runs)
        if 0 <= broken < len(vocabulary.runs) and vocabulary.dictionary is not None:
            raise vocabulary.dictionary.damaged()
        broken -= len(vocabulary.runs)
        found = ids[begin : begin + size]
        begin += size
        if vocabulary.order is not None:
            ordered = np.empty(size, np.int32)
            ordered[vocabulary.order] = found
            found = ordered
        ranks.append(found)
    return United(Run(data[:written], count), ranks)
