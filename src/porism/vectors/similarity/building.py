"""Sparse similarities of given tokens: block by block, the best of each token, then the choice among these."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.index.strings import offsets
from porism.system.compiled.kernels import address
from porism.vectors.similarity import kernels
from porism.vectors.similarity.settings import SimilaritySettings

BLOCK_BYTES = 96 << 20
"""A block of similarities takes at most so much memory, if it is more than one token's."""

_MAX_ROWS = 2_048
_CHUNK = 1 << 14

Progress = Callable[[int, int], None]
"""Receives how many tokens are done, and how many there are."""


class Similarities(NamedTuple):
    """Similarities of n tokens by rows: ``indptr`` int64 (n + 1), ``columns`` int32 (increasing within a row),
    ``values`` float32 (above 0; 1 on the diagonal). Numbers of tokens are positions in what was given."""

    indptr: NDArray[np.int64]
    columns: NDArray[np.int32]
    values: NDArray[np.float32]


def token_similarities(
    terms: Sequence[str], vectors: NDArray[np.floating[Any]] | None = None, settings: SimilaritySettings | None = None,
    *, frequencies: NDArray[np.integer[Any]] | None = None, workers: int | None = None, block_bytes: int = BLOCK_BYTES,
    on_progress: Progress = lambda done, total: None,
) -> Similarities:
    """The sparse similarity matrix of distinct tokens; the same for any number of ``workers`` and size of blocks.

    ``vectors`` is tokens × dimensions; the vector 0 stands for none. The whole of ``α · lexical + (1 − α) · semantic``
    is computed for every pair, and then the best ``top`` of a token are selected. So no pair lacks a part. Among these,
    tokens choose in turn, rare ones first (``frequencies``, one a token; in the order given without), each in that same
    order, as in gensim's ``SparseTermSimilarityMatrix``, whose columns are the rows here. What a token takes when
    ``dominant`` depends on that order. Similarities below 1e-7 are not kept.

    ``workers`` threads (all processors if None) compare; ``settings.channel``, ``embeddings``, ``vocabulary`` and
    ``min_df`` mean nothing here.

    :raises ConfigError: there is no token, one occurs twice, α is below 1 without vectors, or vectors are not one a
        token, or not finite.
    :raises MissingExtra: rapidfuzz is not installed and α is above 0.
    """
    settings = settings or SimilaritySettings()
    _check(terms, frequencies)
    units = None
    if settings.needs_vectors:
        if vectors is None:
            raise ConfigError(
                f"similarities with alpha {settings.alpha:g} need vectors",
                hint="Name embeddings, or use alpha 1, which is lexical similarity alone.",
            )
        units = unit_vectors(terms, vectors)
    processors = workers or os.cpu_count() or 1
    if settings.apart and settings.needs_vectors and settings.needs_distances:
        total = 2 * len(terms)
        lexical = replace(settings, alpha=1.0, dominant=False)
        semantic = replace(settings, alpha=0.0)
        first = _choose(
            terms, None, lexical, frequencies, processors, block_bytes, lambda done, _: on_progress(done, total)
        )
        second = _choose(
            terms, units, semantic, frequencies, processors, block_bytes,
            lambda done, _: on_progress(len(terms) + done, total),
        )
        return add_similarities(first, second, settings.alpha)
    return _choose(terms, units, settings, frequencies, processors, block_bytes, on_progress)


def add_similarities(first: Similarities, second: Similarities, share: float) -> Similarities:
    """``share · first + (1 − share) · second`` of two matrices of the same tokens; what neither has stays out.

    :raises ConfigError: they are of different numbers of tokens, or the share is not between 0 and 1.
    """
    count = len(first.indptr) - 1
    if len(second.indptr) - 1 != count:
        raise ConfigError(f"similarities of {count:,} and of {len(second.indptr) - 1:,} tokens cannot be added")
    if not 0 <= share <= 1:
        raise ConfigError(f"the share of a similarity matrix cannot be {share}", hint="Use a number from 0 to 1.")
    cells = [
        np.repeat(np.arange(count, dtype=np.int64), np.diff(matrix.indptr)) * count + matrix.columns
        for matrix in (first, second)
    ]
    parts = [share * first.values.astype(np.float64), (1.0 - share) * second.values.astype(np.float64)]
    distinct, places = np.unique(np.concatenate(cells), return_inverse=True)
    values = np.bincount(places.reshape(-1), np.concatenate(parts), minlength=len(distinct))
    rows, columns = np.divmod(distinct, max(count, 1))
    values[rows == columns] = 1.0
    some = values >= kernels.MIN_COUNT
    return Similarities(
        offsets(np.bincount(rows[some], minlength=count)), columns[some].astype(np.int32),
        values[some].astype(np.float32),
    )


def _choose(
    terms: Sequence[str], units: NDArray[np.float32] | None, settings: SimilaritySettings,
    frequencies: NDArray[np.integer[Any]] | None, workers: int, block_bytes: int, on_progress: Progress,
) -> Similarities:
    """The best similarities of each token, and of these what the tokens choose in turn."""
    best = _best(terms, units, settings, workers, block_bytes, on_progress)
    count = len(terms)
    order = np.arange(count)
    if frequencies is not None:
        order = np.lexsort((order, np.asarray(frequencies)))
    rank = np.empty(count, np.int64)
    rank[order] = np.arange(count)
    room = _most(settings, count)
    size = np.zeros(count, np.int64)
    kept = np.empty(count * room, np.int32)
    values = np.empty(count * room, np.float32)
    kernels.keep_greedily(
        best.indptr, best.columns, best.values, order, rank, settings.top, room, settings.symmetric, settings.dominant,
        size, kept, values,
    )
    return _rows(size, kept, values, room)


def _most(settings: SimilaritySettings, count: int) -> int:
    """How many other tokens one of so many can be similar to; room for one is always made."""
    return min(settings.top, max(count - 1, 1))


def _check(terms: Sequence[str], frequencies: NDArray[np.integer[Any]] | None) -> None:
    if not len(terms):
        raise ConfigError("there are no terms to compare", hint="Index documents first, or lower the minimum df.")
    if len(terms) >= 2**31:
        raise ConfigError(f"{len(terms):,} terms are too many to compare")
    if len(set(terms)) != len(terms):
        raise ConfigError("a term occurs twice among those to compare")
    if frequencies is not None and np.shape(frequencies) != (len(terms),):
        raise ConfigError(f"{len(terms):,} terms cannot have frequencies of shape {np.shape(frequencies)}")


def unit_vectors(terms: Sequence[str], vectors: NDArray[np.floating[Any]]) -> NDArray[np.float32]:
    """Vectors (one a term) brought to length 1 (float32, terms × dimensions); the vector 0 stays 0.

    :raises ConfigError: they are not one a term, have no dimension, or are not finite.
    """
    if vectors.ndim != 2 or len(vectors) != len(terms) or not vectors.shape[1]:
        raise ConfigError(f"{len(terms):,} terms cannot have vectors of shape {vectors.shape}")
    unit = np.empty(vectors.shape, np.float32)
    for start in range(0, len(vectors), _CHUNK):
        wide = np.asarray(vectors[start : start + _CHUNK], np.float64)
        finite = np.isfinite(wide).all(axis=1)
        if not finite.all():
            term = terms[start + int(np.argmin(finite))]
            raise ConfigError(
                f"the vector of {term[:60]!r} has a number that is not finite", hint="Train the embeddings again."
            )
        largest = np.abs(wide).max(axis=1, keepdims=True)  # squares of what is left neither overflow nor vanish
        wide = wide / np.where(largest > 0, largest, 1.0)
        lengths = np.sqrt((wide * wide).sum(axis=1, keepdims=True))
        unit[start : start + _CHUNK] = wide / np.where(lengths > 0, lengths, 1.0)
    return unit


def lexical_table(longest: int, settings: SimilaritySettings) -> NDArray[np.float64]:
    """Lexical similarity by the length of the longer token (rows, 0 to ``longest``) and distance (columns, 0 to
    ``max_distance``): float64."""
    lengths = np.arange(longest + 1, dtype=np.float64)[:, None]
    distances = np.arange(settings.max_distance + 1, dtype=np.float64)[None, :]
    shares = np.maximum(1.0 - distances / np.maximum(lengths, 1.0), 0.0)
    table: NDArray[np.float64] = settings.lexical_factor * shares**settings.lexical_power
    if settings.capped:
        table = np.minimum(table, 1.0)
    table[table <= settings.lexical_threshold] = 0.0
    return table


class _Bands:
    """Which tokens can be near to those of a block; ``lengths`` of tokens do not decrease."""

    def __init__(self, lengths: NDArray[np.int32], table: NDArray[np.float64]) -> None:
        self._lengths = lengths
        self._table = table
        self._reach = np.count_nonzero(table[:, 1:] > 0, axis=1)  # the largest distance that counts, by length

    def of(self, start: int, stop: int) -> tuple[int, int, int]:
        """The first token of the band, the one after its last, and the largest distance that counts in it."""
        shortest, longest = int(self._lengths[start]), int(self._lengths[stop - 1])
        farther = np.arange(longest, len(self._reach))
        reached = farther[farther - self._reach[longest:] <= longest]
        upper = int(reached[-1]) if len(reached) else longest
        lower = shortest - int(self._reach[shortest])
        low = int(np.searchsorted(self._lengths, lower, side="left"))
        high = int(np.searchsorted(self._lengths, upper, side="right"))
        return low, high, int(self._reach[upper])


def _best(
    terms: Sequence[str], units: NDArray[np.float32] | None, settings: SimilaritySettings, workers: int,
    block_bytes: int, on_progress: Progress,
) -> Similarities:
    """The best ``top`` similarities of each token to others, best first; ties by number."""
    count = len(terms)
    lengths = np.fromiter(map(len, terms), np.int32, count=count)
    order = np.argsort(lengths, kind="stable")
    lengths = lengths[order]
    numbers = order.astype(np.int32)
    words = [terms[number] for number in order.tolist()]
    table = np.zeros((1, 1))
    bands = None
    if settings.needs_distances:
        process = need("rapidfuzz.process", "embeddings", "the lexical similarity of tokens")
        scorer = need("rapidfuzz.distance", "embeddings", "the lexical similarity of tokens").Levenshtein.distance
        table = lexical_table(int(lengths[-1]), settings)
        bands = _Bands(lengths, table)
    placed = np.zeros((0, 1), np.float32) if units is None else units[order]
    known = np.zeros(count, np.uint8)
    known[: len(placed)] = placed.any(axis=1)
    slack = placed.shape[1] * 1.2e-7 + 1e-6  # what BLAS rounds in a sum of so many products of unit vectors
    cell = (1 if bands else 0) + (4 if units is not None else 0)
    top = _most(settings, count)
    rows = int(np.clip(block_bytes // (cell * count + 12 * top), 1, _MAX_ROWS))
    sizes = np.zeros(count, np.int64)
    pieces: list[tuple[NDArray[np.int32], NDArray[np.float32]]] = []
    kernels.select_rows.prepare()
    with ThreadPoolExecutor(workers) as threads:
        for start in range(0, count, rows):
            on_progress(start, count)
            stop = min(start + rows, count)
            low, high, distances, cosines = 0, 0, None, None
            if bands is not None:
                low, high, reach = bands.of(start, stop)
                if reach:
                    distances = process.cdist(
                        words[start:stop], words[low:high], scorer=scorer, score_cutoff=reach, dtype=np.uint8,
                        workers=workers,
                    )
            if units is not None:
                cosines = np.ascontiguousarray(placed[start:stop] @ placed.T)
            counts = np.zeros(stop - start, np.int64)
            columns = np.empty((stop - start, top), np.int32)
            values = np.empty((stop - start, top), np.float64)

            def select(part: tuple[int, int], block: tuple[Any, ...]) -> None:
                first, low, high, distances, cosines, counts, columns, values = block
                kernels.select_rows(
                    part[0], part[1], first, count, placed.shape[1], low, high - low, top, table.shape[1],
                    address(distances), address(cosines), address(placed), address(known), address(lengths),
                    address(numbers), address(table), settings.alpha, settings.threshold, settings.exponent, slack,
                    address(counts), address(columns), address(values),
                )

            if distances is not None or cosines is not None:
                block = (start, low, high, distances, cosines, counts, columns, values)
                list(threads.map(select, _parts(stop - start, workers), [block] * workers))
            sizes[start:stop] = counts
            some = np.arange(top) < counts[:, None]
            pieces.append((columns[some], values[some].astype(np.float32)))
    on_progress(count, count)
    return _in_order(sizes, pieces, numbers)


def _parts(rows: int, workers: int) -> Iterator[tuple[int, int]]:
    """Bounds of ``workers`` parts of so many rows."""
    bounds = np.linspace(0, rows, workers + 1).astype(int).tolist()
    return pairwise(bounds)


def _in_order(
    sizes: NDArray[np.int64], pieces: list[tuple[NDArray[np.int32], NDArray[np.float32]]], numbers: NDArray[np.int32]
) -> Similarities:
    """Rows in order of length, brought into the order of their numbers."""
    columns = np.concatenate([part for part, _ in pieces])
    values = np.concatenate([part for _, part in pieces])
    pieces.clear()
    starts = offsets(sizes)[:-1]
    place = np.empty(len(sizes), np.int64)
    place[numbers] = np.arange(len(sizes))
    indptr = offsets(sizes[place])
    source = np.repeat(starts[place] - indptr[:-1], sizes[place]) + np.arange(indptr[-1])
    return Similarities(indptr, columns[source], values[source])


def _rows(size: NDArray[np.int64], kept: NDArray[np.int32], values: NDArray[np.float32], top: int) -> Similarities:
    """What was kept (``top`` places a token) with the diagonal, by increasing columns."""
    count = len(size)
    some = (np.arange(top) < size[:, None]).reshape(-1)
    own = np.arange(count, dtype=np.int64)
    tokens = np.concatenate([own, np.repeat(own, size)])
    columns = np.concatenate([own.astype(np.int32), kept[some]])
    similarities = np.concatenate([np.ones(count, np.float32), values[some]])
    order = np.argsort(tokens * count + columns, kind="stable")
    return Similarities(offsets(size + 1), columns[order], similarities[order])
