"""Compiled passes over blocks of similarities: which are the best of each token, and which of these are kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f32_at, f64_at, i32_at, i64_at, inlined, u8_at

MIN_COUNT = 1e-7
"""Similarities below this are not kept; sums of larger ones, of 24 bits each, are exact in whatever order."""

ALMOST = 1.0 - 5e-7
"""Cosines above this are 1: unit vectors in float32 do not tell them apart."""


@inlined()
def _keep_best(heap: Any, size: Any, most: Any, value: Any) -> Any:
    """Puts a value into a heap of the ``most`` largest (the smallest first); returns the new size."""
    if size < most:
        at = size
        while at > 0 and heap[(at - 1) // 2] > value:
            heap[at] = heap[(at - 1) // 2]
            at = (at - 1) // 2
        heap[at] = value
        return size + 1
    if value <= heap[0]:
        return size
    at = 0
    while True:
        child = 2 * at + 1
        if child >= most:
            break
        if child + 1 < most and heap[child + 1] < heap[child]:
            child += 1
        if heap[child] >= value:
            break
        heap[at] = heap[child]
        at = child
    heap[at] = value
    return size


@inlined()
def _after(values: Any, numbers: Any, first: Any, second: Any) -> Any:
    """Whether the candidate at ``first`` comes after the one at ``second``: a smaller value, or a larger number."""
    if values[first] != values[second]:
        return values[first] < values[second]
    return numbers[first] > numbers[second]


@inlined()
def _swap(values: Any, numbers: Any, first: Any, second: Any) -> None:
    values[first], values[second] = values[second], values[first]
    numbers[first], numbers[second] = numbers[second], numbers[first]


@inlined()
def _sink(values: Any, numbers: Any, at: Any, size: Any) -> None:
    """Restores a heap with the last candidate on top below ``at``."""
    while True:
        child = 2 * at + 1
        if child >= size:
            return
        if child + 1 < size and _after(values, numbers, child + 1, child):
            child += 1
        if not _after(values, numbers, child, at):
            return
        _swap(values, numbers, at, child)
        at = child


@inlined()
def _sort_best(values: Any, numbers: Any, count: Any, most: Any) -> Any:
    """Moves the best ``most`` candidates to the front, best first; ties by number. Returns how many there are."""
    kept = min(count, most)
    for at in range(kept // 2 - 1, -1, -1):
        _sink(values, numbers, at, kept)
    for at in range(kept, count):
        if _after(values, numbers, 0, at):
            _swap(values, numbers, 0, at)
            _sink(values, numbers, 0, kept)
    for end in range(kept - 1, 0, -1):
        _swap(values, numbers, 0, end)
        _sink(values, numbers, 0, end)
    return kept


@inlined()
def _power(cosine: Any, threshold: Any, exponent: Any) -> Any:
    """The semantic similarity of a cosine."""
    if cosine <= threshold:
        return 0.0
    bounded = 1.0 if cosine > ALMOST else cosine
    if exponent == 4.0:
        return bounded * bounded * bounded * bounded
    if exponent == 2.0:
        return bounded * bounded
    return bounded**exponent


@compiled(
    "void(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, "
    "int64, float64, float64, float64, float64, int64, int64, int64)"
)
def select_rows(
    low: Any, high: Any, first: Any, terms: Any, dimensions: Any, band: Any, band_size: Any, top: Any, farthest: Any,
    distances_at: Any, cosines_at: Any, vectors_at: Any, known_at: Any, lengths_at: Any, numbers_at: Any,
    lexical_at: Any, alpha: Any, threshold: Any, exponent: Any, slack: Any, counts_at: Any,
    columns_at: Any, values_at: Any,
) -> None:
    """The best ``top`` similarities of each of the tokens ``first + low`` to ``first + high`` (exclusive) of a block.

    Tokens are in order of their length. Of the block, ``distances`` (uint8, tokens × band_size; address 0 without
    lexical similarity) are those to the tokens from ``band`` on, and ``cosines`` (float32, tokens × terms; address 0
    without semantic similarity) approximate those to all, to within ``slack``. ``vectors`` (float32, terms ×
    dimensions) are of length 1, or 0 where ``known`` (uint8) is 0; ``lengths`` (int32) and ``numbers`` (int32) one a
    token; ``lexical`` (float64) has the lexical similarity of a length and a distance below ``farthest`` at ``length ·
    farthest + distance``.

    ``counts`` (int64, tokens of the block) gets how many there are; ``columns`` (int32) and ``values`` (float64), both
    tokens × top, the numbers and similarities, best first, ties by number. They are exact: what can be among the best
    is found by the approximate cosines, and then computed in float64, in one order.
    """
    distances, cosines, vectors, known = u8_at(distances_at), f32_at(cosines_at), f32_at(vectors_at), u8_at(known_at)
    lengths, numbers, lexical = i32_at(lengths_at), i32_at(numbers_at), f64_at(lexical_at)
    counts, columns, values = i64_at(counts_at), i32_at(columns_at), f64_at(values_at)
    heap = np.empty(top, np.float64)
    places = np.empty(terms, np.int32)
    words = np.empty(terms, np.float64)  # the lexical part
    most = np.empty(terms, np.float64)  # an upper bound of the whole
    for row in range(low, high):
        own = first + row
        # The cosine that a token needs without lexical similarity.
        size = 0
        needed = 2.0
        meant = cosines_at != 0 and known[own] != 0
        if meant:
            for j in range(terms):
                if j != own and known[j] != 0:
                    size = _keep_best(heap, size, top, np.float64(cosines[row * terms + j]))
            needed = threshold - slack
            if size == top:
                needed = max(needed, heap[0] - 2.0 * slack)
        # All that have some, or such a cosine; and the similarity that is certainly reached by enough of them.
        count = 0
        size = 0
        for j in range(0 if meant else band, terms if meant else band + band_size):
            if j == own:
                continue
            word = 0.0
            if distances_at != 0 and band <= j < band + band_size:
                distance = np.int64(distances[row * band_size + j - band])
                if distance < farthest:
                    word = alpha * lexical[np.int64(max(lengths[own], lengths[j])) * farthest + distance]
            pair = meant and known[j] != 0
            cosine = 0.0
            if pair:
                cosine = np.float64(cosines[row * terms + j])
            if word == 0.0 and (not pair or cosine < needed):
                continue
            least = word
            upper = word
            if pair:
                least += (1.0 - alpha) * _power(cosine - slack, threshold, exponent)
                upper += (1.0 - alpha) * _power(cosine + slack, threshold, exponent)
            size = _keep_best(heap, size, top, least)
            places[count] = j
            words[count] = word
            most[count] = upper
            count += 1
        floor = heap[0] if size == top else 0.0
        kept: Any = 0
        for c in range(count):
            if most[c] < floor:
                continue
            other = np.int64(places[c])
            value = words[c]
            if meant and known[other] != 0:
                product = 0.0
                for d in range(dimensions):
                    product += np.float64(vectors[own * dimensions + d]) * np.float64(vectors[other * dimensions + d])
                value += (1.0 - alpha) * _power(product, threshold, exponent)
            if value >= MIN_COUNT:
                words[kept] = value
                places[kept] = numbers[other]
                kept += 1
        kept = _sort_best(words, places, kept, top)
        counts[row] = kept
        for c in range(kept):
            columns[row * top + c] = places[c]
            values[row * top + c] = words[c]


@compiled(
    "void(int64[::1], int32[::1], float32[::1], int64[::1], int64[::1], int64, int64, boolean, boolean, int64[::1], "
    "int32[::1], float32[::1])"
)
def keep_greedily(
    indptr: Any, columns: Any, values: Any, order: Any, rank: Any, top: Any, room: Any, symmetric: Any, dominant: Any,
    size: Any, kept: Any, similarities: Any,
) -> None:
    """Which of the best similarities of each token are kept, token after token in ``order``.

    ``indptr``, ``columns`` and ``values`` are the best of each token, best first. A token with m similarities so far
    looks at its best ``top`` − m; those are taken by ``rank`` (a position in ``order``). One is kept while the row
    (with ``symmetric`` the rows of both tokens) has room, with ``dominant`` also while their sum stays below 1.
    ``size`` gets how many each token has; ``kept`` and ``similarities`` have ``room`` for so many of each: ``top``, or
    all others where these are fewer.
    """
    terms = len(order)
    total = np.zeros(terms, np.float64)
    seen = np.full(terms, -1, np.int64)
    turn = np.empty(room, np.int64)
    for token in order:
        for c in range(token * room, token * room + size[token]):
            seen[kept[c]] = token
        count = min(top - size[token], indptr[token + 1] - indptr[token])
        for c in range(count):  # by insertion: there are few
            entry = indptr[token] + c
            at = c
            while at > 0 and rank[columns[turn[at - 1]]] > rank[columns[entry]]:
                turn[at] = turn[at - 1]
                at -= 1
            turn[at] = entry
        for c in range(count):
            other = np.int64(columns[turn[c]])
            value = values[turn[c]]
            if size[token] == top or (dominant and total[token] + value >= 1.0):
                continue
            if symmetric:
                if seen[other] == token or size[other] == top or (dominant and total[other] + value >= 1.0):
                    continue
                kept[other * room + size[other]] = token
                similarities[other * room + size[other]] = value
                size[other] += 1
                total[other] += value
            kept[token * room + size[token]] = other
            similarities[token * room + size[token]] = value
            size[token] += 1
            total[token] += value


@compiled("void(int64[::1], int64[::1], int32[::1], boolean[::1], int64, int32[::1], int64[::1])")
def count_documents(starts: Any, rows: Any, terms: Any, live: Any, first: Any, last_seen: Any, df: Any) -> None:
    """Adds to ``df`` (int64, one a term) in how many live documents each term occurs.

    ``starts`` bounds the entries of each of some documents, the first of which has the number ``first``; the entries
    are rows, those bounded by ``rows``, of ``terms``. ``last_seen`` (int32, one a term) begins with −1.
    """
    for d in range(len(starts) - 1):
        if not live[first + d]:
            continue
        for e in range(starts[d], starts[d + 1]):
            for c in range(rows[e], rows[e + 1]):
                t = terms[c]
                if last_seen[t] != first + d:
                    last_seen[t] = first + d
                    df[t] += 1
