"""Sequences of tokens in batches for a model: by length, so that little is padded, up to so many tokens at once."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

T = TypeVar("T")

BATCH_TOKENS = 4_096
"""Tokens of a batch, padding among them: enough to keep two cores busy, and little to lose when interrupted."""


def batches(lengths: Sequence[int], most: Callable[[], int] = lambda: BATCH_TOKENS) -> Iterator[NDArray[np.int64]]:
    """The numbers of the sequences in batches, the longest first, each of at most ``most()`` tokens with its padding.

    A sequence that is longer is a batch by itself. ``most`` is asked before each batch.
    """
    sizes = np.asarray(lengths, np.int64)
    order = np.argsort(-sizes, kind="stable")
    start = 0
    while start < len(order):
        count = max(1, most() // max(1, int(sizes[order[start]])))
        yield order[start : start + count]
        start += count


def padded(sequences: Sequence[Sequence[int]], filler: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Sequences of one batch as a matrix (int64, sequences × longest), and which of its tokens are not padding (1)."""
    longest = max(map(len, sequences), default=0)
    tokens = np.full((len(sequences), longest), filler, np.int64)
    mask = np.zeros((len(sequences), longest), np.int64)
    for row, sequence in enumerate(sequences):
        tokens[row, : len(sequence)] = sequence
        mask[row, : len(sequence)] = 1
    return tokens, mask


def halving(
    run: Callable[[NDArray[np.int64]], None], numbers: NDArray[np.int64], is_memory_error: Callable[[Exception], bool],
    on_halved: Callable[[NDArray[np.int64]], None],
) -> None:
    """Runs a batch, and where memory does not suffice its halves, and their halves; ``on_halved`` receives a half.

    :raises Exception: what ``run`` raises of a batch of one, and everything that is no lack of memory.
    """
    waiting = [numbers]
    while waiting:
        part = waiting.pop()
        try:
            run(part)
        except Exception as error:
            if len(part) == 1 or not is_memory_error(error):
                raise
            middle = len(part) // 2
            on_halved(part[:middle])
            waiting += [part[middle:], part[:middle]]
