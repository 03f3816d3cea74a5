"""Compiled parts of fusion: everything that looks at each result or each candidate.

An *entry* is one result of one run. Entries are in the order of the runs, as these have them, or by candidate, where
those of candidate ``c`` are ``starts[c]:starts[c + 1]`` in the order of the runs. Sums over the entries of a candidate
are taken over sorted values, so that no rounding depends on the order of the runs and equal documents stay equal.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, inlined

# How a list's scores are normalised.
NONE, MIN_MAX, Z_SCORE, RANK, SUM = range(5)

# How the values of a candidate are combined.
TOTAL, MNZ, ANZ, MIN, MAX, MEDIAN, LOG_MNZ = range(7)


@compiled("void(int64[::1], int64[::1], int64[::1])")
def group_by_candidate(candidate: Any, starts: Any, order: Any) -> None:
    """Sorts entries by candidate, stably: ``order`` gets the numbers of the entries, ``starts`` where each begins.

    ``candidate`` is [N], ``order`` [N], ``starts`` [C + 1].
    """
    starts[:] = 0
    for at in range(len(candidate)):
        starts[candidate[at] + 1] += 1
    for c in range(1, len(starts)):
        starts[c] += starts[c - 1]
    place = starts[:-1].copy()
    for at in range(len(candidate)):
        c = candidate[at]
        order[place[c]] = at
        place[c] += 1


@compiled("void(int64, int64[::1], float64[::1], int64[::1], float64[::1])")
def normalise(kind: Any, bounds: Any, scores: Any, ranks: Any, out: Any) -> None:
    """Writes the normalised scores of each list to ``out`` [N]; list ``i`` is at ``bounds[i]:bounds[i + 1]``.

    Lists of equal scores: 1 each by min-max, 0 by z-score, 1 / length by sum.
    """
    for i in range(len(bounds) - 1):
        start, stop = bounds[i], bounds[i + 1]
        size = stop - start
        if size == 0:
            continue
        if kind == RANK:
            last = size
            for at in range(start, stop):
                last = max(last, ranks[at])
            for at in range(start, stop):
                out[at] = 1.0 - (ranks[at] - 1) / last
            continue
        if kind == NONE:
            for at in range(start, stop):
                out[at] = scores[at]
            continue
        low, high, largest = scores[start], scores[start], 0.0
        for at in range(start, stop):
            low, high = min(low, scores[at]), max(high, scores[at])
            largest = max(largest, abs(scores[at]))
        # A power of two brings all near 1: no bit changes, and squares and differences stay within float64.
        scale = math.ldexp(1.0, -math.frexp(largest)[1]) if 1e-300 < largest < 1e300 else 1.0 / largest
        if math.isfinite(scale):
            low *= scale
            high *= scale
        if low == high or not math.isfinite(scale):
            each = 1.0 if kind == MIN_MAX else (0.0 if kind == Z_SCORE else 1.0 / size)
            for at in range(start, stop):
                out[at] = each
            continue
        if kind == MIN_MAX:
            for at in range(start, stop):
                out[at] = (scores[at] * scale - low) / (high - low)
            continue
        total = 0.0
        for at in range(start, stop):
            total += scores[at] * scale - low
        if kind == SUM:
            for at in range(start, stop):
                out[at] = (scores[at] * scale - low) / total
            continue
        mean = total / size
        squares = 0.0
        for at in range(start, stop):
            squares += (scores[at] * scale - low - mean) ** 2
        deviation = math.sqrt(squares / size)
        for at in range(start, stop):
            out[at] = (scores[at] * scale - low - mean) / deviation if deviation > 0.0 else 0.0


@inlined()
def _sort(values: Any, size: Any) -> None:
    """Sorts the first ``size`` values, of which there are few."""
    for i in range(1, size):
        value = values[i]
        j = i - 1
        while j >= 0 and values[j] > value:
            values[j + 1] = values[j]
            j -= 1
        values[j + 1] = value


@compiled("void(int64, float64, int64[::1], float64[::1], float64[::1])")
def combine(kind: Any, sigma: Any, starts: Any, values: Any, out: Any) -> None:
    """Combines the values of each candidate, ``values`` [N] by candidate, to ``out`` [C].

    ``sigma`` is added to the number of values before its logarithm is taken (``LOG_MNZ``).
    """
    most = 1
    for c in range(len(out)):
        most = max(most, starts[c + 1] - starts[c])
    ordered = np.empty(most, np.float64)
    for c in range(len(out)):
        start = starts[c]
        size = starts[c + 1] - start
        for i in range(size):
            ordered[i] = values[start + i]
        _sort(ordered, size)
        if kind == MIN:
            out[c] = ordered[0]
        elif kind == MAX:
            out[c] = ordered[size - 1]
        elif kind == MEDIAN:
            out[c] = 0.5 * ordered[(size - 1) // 2] + 0.5 * ordered[size // 2]
        else:
            total = 0.0
            for i in range(size):
                total += ordered[i]
            if kind == MNZ:
                total *= size
            elif kind == ANZ:
                total /= size
            elif kind == LOG_MNZ:
                total *= math.log(size + sigma)
            out[c] = total


@compiled(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1], float64[::1], float64[::1])"
)
def borda_points(
    topics: Any, starts: Any, systems: Any, ranks: Any, candidates: Any, shared: Any, weights: Any, out: Any
) -> None:
    """Writes what each entry has over a candidate that its run lacks, to ``out`` [N].

    The first of ``candidates`` [topics] has as many points; candidates that a run lacks have ``shared`` [topics,
    systems]; ``weights`` are [systems].
    """
    for t in range(len(topics) - 1):
        for at in range(starts[topics[t]], starts[topics[t + 1]]):
            s = systems[at]
            out[at] = weights[s] * (candidates[t] - ranks[at] + 1 - shared[t, s])


@compiled(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], int64, float64[::1], int64[::1], float64[::1])",
    fast_math=True,
)
def elect_by_pairs(
    topics: Any, starts: Any, systems: Any, ranks: Any, count: Any, weights: Any, first: Any, out: Any
) -> None:
    """Sorts the candidates of each topic by pairwise majority and writes how many are left to each (c, c - 1, … 1).

    Topic ``t`` has the candidates ``topics[t]:topics[t + 1]``; ``systems`` and ``ranks`` are [N], by candidate, of
    ``count`` systems with ``weights`` >= 0. The sort is a stable merge sort of the order ``first`` [C] (the topic's
    candidates within its bounds), which so decides where votes are equal.
    """
    widest = 0
    for t in range(len(topics) - 1):
        widest = max(widest, topics[t + 1] - topics[t])
    whole = 0.0
    for s in range(count):
        whole += weights[s]
    near = -1e-9 * whole  # votes are equal though their sums are rounded
    table = np.empty((widest, count), np.int32)
    source, target = np.empty(widest, np.int64), np.empty(widest, np.int64)
    unranked = np.int32(2**31 - 1)
    for t in range(len(topics) - 1):
        base = topics[t]
        size = topics[t + 1] - base
        table[:size] = unranked
        for c in range(size):
            for at in range(starts[base + c], starts[base + c + 1]):
                table[c, systems[at]] = min(ranks[at], unranked - 1)
            source[c] = first[base + c] - base
        width = 1
        while width < size:
            for low in range(0, size, 2 * width):
                middle, high = min(low + width, size), min(low + 2 * width, size)
                i, j = low, middle
                for place in range(low, high):
                    take = j >= high
                    if not take and i < middle:
                        a, b = table[source[i]], table[source[j]]
                        balance = 0.0
                        for s in range(count):
                            balance += weights[s] * ((a[s] < b[s]) - np.float64(a[s] > b[s]))
                        take = balance >= near
                    if take:
                        target[place] = source[i]
                        i += 1
                    else:
                        target[place] = source[j]
                        j += 1
            source, target = target, source
            width *= 2
        for place in range(size):
            out[base + source[place]] = size - place


@compiled(
    "void(int64[::1], int64[::1], int64[::1], int64[::1], float64[:, ::1], int64, boolean, float64[::1], int64[::1], "
    "int64[::1])"
)
def judge(
    topics: Any, starts: Any, systems: Any, ranks: Any, weights: Any, deepest: Any, averaged: Any, chance: Any,
    median: Any, drawn: Any,
) -> None:
    """Writes the weighted median and one drawn rating of each candidate: ``median`` twice its value, both [C].

    A rating is ``deepest - rank``, at least 0; systems that lack the document rate it 0. ``weights`` [topics, systems]
    are those of the votes, 0 where a system does not vote; ``chance`` [C] in [0, 1) says which rating is drawn, each
    with the probability of its share of the weight.
    """
    count = weights.shape[1]
    rating, weight = np.empty(count, np.int64), np.empty(count, np.float64)
    votes = np.empty(count, np.float64)
    for t in range(len(topics) - 1):
        for s in range(count):
            votes[s] = weights[t, s]
        _sort(votes, count)
        whole = 0.0
        for s in range(count):
            whole += votes[s]
        near = whole * 1e-12  # two halves of the weight are equal though their sums are rounded
        for c in range(topics[t], topics[t + 1]):
            size = 0
            for at in range(starts[c], starts[c + 1]):
                value = deepest - ranks[at]
                vote = weights[t, systems[at]]
                if value <= 0 or vote <= 0.0:
                    continue
                place = size
                while place > 0 and (
                    rating[place - 1] > value or (rating[place - 1] == value and weight[place - 1] > vote)
                ):
                    rating[place], weight[place] = rating[place - 1], weight[place - 1]
                    place -= 1
                rating[place], weight[place] = value, vote
                size += 1
            given = 0.0
            for i in range(size):
                given += weight[i]
            below = max(0.0, whole - given)  # the weight of the ratings of 0
            if below < near:
                below = 0.0
            target = chance[c] * whole
            lower: Any = np.int64(-1)
            upper: Any = np.int64(-1)
            drawn_rating: Any = np.int64(-1)
            if below > 0.0:
                lower = 0 if below >= 0.5 * whole - near else lower
                upper = 0 if below > 0.5 * whole + near else upper
                drawn_rating = 0 if below > target else drawn_rating
            for i in range(size):
                below += weight[i]
                if lower < 0 and below >= 0.5 * whole - near:
                    lower = rating[i]
                if upper < 0 and below > 0.5 * whole + near:
                    upper = rating[i]
                if drawn_rating < 0 and below > target:
                    drawn_rating = rating[i]
            highest = rating[size - 1] if size > 0 else 0
            lower = highest if lower < 0 else lower
            upper = highest if upper < 0 else upper
            median[c] = lower + upper if averaged else 2 * lower
            drawn[c] = highest if drawn_rating < 0 else drawn_rating


@compiled("void(int64[::1], int64[::1], int64[::1], int64[::1], int64, int64[:, ::1])")
def majority_values(topics: Any, starts: Any, ranks: Any, voters: Any, deepest: Any, out: Any) -> None:
    """Writes the grades of each candidate in the order in which removing medians takes them, to ``out`` [C, systems].

    The lower middlemost grade is taken first, then that of the rest, and so on; ``voters`` [topics] is how many systems
    vote on a topic, and what comes after as many grades is 0.
    """
    grades = np.empty(out.shape[1], np.int64)
    for t in range(len(topics) - 1):
        count = voters[t]
        for c in range(topics[t], topics[t + 1]):
            size = starts[c + 1] - starts[c]
            grades[: count - size] = 0
            for i in range(size):
                grades[count - size + i] = max(0, deepest - ranks[starts[c] + i])
            _sort(grades, count)
            low = (count - 1) // 2  # those up to here are left on the one side …
            high = low + 1  # … and those from here on the other
            out[c] = 0
            for place in range(count):
                if (count - place - 1) // 2 <= low:
                    out[c, place] = grades[low]
                    low -= 1
                else:
                    out[c, place] = grades[high]
                    high += 1
