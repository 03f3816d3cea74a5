"""The compiled search of one segment: sum impacts to find candidates, then score the candidates exactly.

The first pass goes over blocks of documents whose sums stay in the fastest cache. It keeps every document that can be
among the best k: its approximate score is within the error bound of the k-th best so far, which a histogram gives. The
second pass adds exact contributions in the order of the query's terms, which is all that an exact score depends on.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.index.engine.postings_kernels import ESCAPE
from porism.system.compiled.kernels import compiled, f32_at, f64_at, i32_at, i64_at, inlined, u8_at

BLOCK = 8192
"""Documents a block: their sums (float32) fill the first-level cache."""

GROUP = 64
"""Documents that are looked at together for one above the threshold."""

PART = 512
"""Documents after which the threshold is raised."""

BUCKETS = 4096
"""Buckets of the histogram of approximate scores."""

CHUNK = 2048
"""Candidates that are scored exactly at a time."""

# Columns of a channel's description: addresses and sizes.
(
    VOCABULARY, DENSE_OF_TERM, INDPTR, DOCS, SPARSE_CODES, IMPACTS, POSTINGS, SPARSE_ESCAPES, SPARSE_VALUES,
    SPARSE_EXCEPTIONS, DENSE_COUNT, DENSE_CODES, DENSE_IMPACTS, STRIDE, DENSE_ESCAPES, DENSE_VALUES, DENSE_EXCEPTIONS,
    LENGTH_CODES, LENGTHS, LENGTH_VALUES, FREQUENCIES, TF_VALUES, SATURATING,
    X_INDPTR, X_DOCS, X_IMPACTS, X_LOWEST, ROW_STARTS, ROW_TERMS, FACTORS, WIDTH,
) = range(31)


@inlined(fast_math=True)
def _add_rows(sums: Any, size: Any, row: Any, weight: Any, count: Any) -> None:
    """Adds ``weight`` times each of ``count`` dense rows, given by their addresses, eight in a pass."""
    i = 0
    while i + 8 <= count:
        a, b = u8_at(row[i]), u8_at(row[i + 1])
        c, d = u8_at(row[i + 2]), u8_at(row[i + 3])
        e, f = u8_at(row[i + 4]), u8_at(row[i + 5])
        g, h = u8_at(row[i + 6]), u8_at(row[i + 7])
        v0, v1, v2, v3 = weight[i], weight[i + 1], weight[i + 2], weight[i + 3]
        v4, v5, v6, v7 = weight[i + 4], weight[i + 5], weight[i + 6], weight[i + 7]
        for j in range(size):
            sums[j] += (
                (v0 * np.float32(a[j]) + v1 * np.float32(b[j]) + v2 * np.float32(c[j]) + v3 * np.float32(d[j]))
                + (v4 * np.float32(e[j]) + v5 * np.float32(f[j]) + v6 * np.float32(g[j]) + v7 * np.float32(h[j]))
            )
        i += 8
    while i + 2 <= count:
        a, b = u8_at(row[i]), u8_at(row[i + 1])
        v0, v1 = weight[i], weight[i + 1]
        for j in range(size):
            sums[j] += v0 * np.float32(a[j]) + v1 * np.float32(b[j])
        i += 2
    if i < count:
        a = u8_at(row[i])
        v0 = weight[i]
        for j in range(size):
            sums[j] += v0 * np.float32(a[j])


@inlined()
def _best(sums: Any, start: Any) -> Any:
    """The largest of :data:`GROUP` sums from ``start``, all as bits: of floats ≥ 0 these are in the same order.

    The largest of integers is found with vector instructions, that of floats is not.
    """
    best = np.int32(0)
    for j in range(np.uint64(start), np.uint64(start + GROUP)):
        value = sums[j]
        best = value if value > best else best
    return best


@compiled(
    "int64(int64, int64[:, ::1], float64[::1], float64[::1], int32[::1], int32[::1], float64[::1], float64[::1], "
    "int64, int64, int64, float64, float64, int64, float64, float32[::1], int32[::1], float32[::1], int32[::1], "
    "int64[::1])",
    fast_math=True,
)
def find_candidates(
    documents: Any, channels: Any, steps: Any, peaks: Any, channel_of: Any, term_of: Any, weights: Any, errors: Any,
    k: Any, mask_at: Any, prior_at: Any, largest_prior: Any, floor: Any, together: Any, at_most: Any, sums: Any,
    bits: Any, kept_score: Any, kept: Any, histogram: Any,
) -> Any:
    """Writes to ``kept`` the documents that can be among the best k, in increasing order; returns how many.

    ``weights`` of the query's terms are > 0; by channel, ``peaks`` are the largest impacts and ``errors`` how far an
    impact times its step can be from the exact factor; ``floor`` is a score that the k-th best is known to reach;
    ``mask_at`` the address of one byte a document, 0 for those that must not be found, or 0 where all may.
    ``prior_at`` is the address of what each found document gets beside (float32, from 0 to ``largest_prior``), or 0. No
    document has more than ``together`` of the terms, and none gets more than ``at_most`` from them.
    ``bits`` are the ``sums`` seen as int32.
    """
    count = len(term_of)
    row, row_weight = np.empty(count, np.int64), np.empty(count, np.float32)
    doc_at, impact_at, length = np.empty(count, np.int64), np.empty(count, np.int64), np.empty(count, np.int64)
    weight = np.empty(count, np.float32)
    stored_doc, stored_at = np.empty(count, np.int64), np.empty(count, np.int64)
    stored_length, stored_weight = np.empty(count, np.int64), np.empty(count, np.float32)
    rows = 0
    lists = 0
    stored = 0
    most = 0.0
    slack = 0.0
    heaviest = 0.0
    for i in range(count):
        heaviest = max(heaviest, weights[i] * steps[channel_of[i]])
    for i in range(count):
        c = channel_of[i]
        t = term_of[i]
        # a weight that float32 would lose beside the others still has to make its documents be found
        w = max(weights[i] * steps[c], heaviest * 1e-30)
        if channels[c, ROW_STARTS] != 0:
            indptr = i64_at(channels[c, X_INDPTR])
            if indptr[t] == indptr[t + 1]:
                continue
            stored_doc[stored] = channels[c, X_DOCS] + 4 * indptr[t]
            stored_at[stored] = channels[c, X_IMPACTS] + 4 * indptr[t]
            stored_length[stored] = indptr[t + 1] - indptr[t]
            stored_weight[stored] = np.float32(w / heaviest)
            stored += 1
            most += peaks[c] * w / heaviest
            slack += weights[i] * errors[c] / heaviest
            if channels[c, X_LOWEST] != 0:
                slack += weights[i] * f64_at(channels[c, X_LOWEST])[t] / heaviest
            continue
        dense = i32_at(channels[c, DENSE_OF_TERM])[t]
        if dense >= 0:
            row[rows] = channels[c, DENSE_IMPACTS] + dense * channels[c, STRIDE]
            row_weight[rows] = np.float32(w / heaviest)
            rows += 1
        else:
            indptr = i64_at(channels[c, INDPTR])
            if indptr[t] == indptr[t + 1]:
                continue
            doc_at[lists] = channels[c, DOCS] + 4 * indptr[t]
            impact_at[lists] = channels[c, IMPACTS] + indptr[t]
            length[lists] = indptr[t + 1] - indptr[t]
            weight[lists] = np.float32(w / heaviest)
            lists += 1
        most += peaks[c] * w / heaviest
        slack += weights[i] * errors[c] / heaviest
    if rows + lists + stored == 0:
        return 0
    most = min(most, at_most / heaviest) + largest_prior / heaviest
    # the second part is the rounding of the approximate sums themselves
    slack = slack * (1.0 + 1e-6) + most * (min(count, together) + 16) * 1.2e-7
    most *= 1.0 + 1e-4
    scale = np.float32(BUCKETS / most)
    histogram[:] = 0
    threshold = np.float32(max(0.0, floor / heaviest - slack) * (1.0 - 1e-6))
    bucket = 0  # the k-th best so far is in this bucket or above …
    above = 0  # … where there are so many candidates
    kept_count: Any = 0
    cursor = np.zeros(lists, np.int64)
    stored_cursor = np.zeros(stored, np.int64)
    prior_weight = np.float32(1.0 / heaviest)
    for start in range(0, documents, BLOCK):
        stop = min(start + BLOCK, documents)
        size = -(-(stop - start) // GROUP) * GROUP
        touched = rows > 0
        if not touched:
            for i in range(lists):
                touched |= cursor[i] < length[i] and i32_at(doc_at[i])[cursor[i]] < stop
            for i in range(stored):
                touched |= stored_cursor[i] < stored_length[i] and i32_at(stored_doc[i])[stored_cursor[i]] < stop
            if not touched:
                continue
        sums[:size] = np.float32(0.0)
        width = np.uint64(stop - start)
        for i in range(lists):
            docs = i32_at(doc_at[i])
            impacts = u8_at(impact_at[i])
            p = np.uint64(cursor[i])  # unsigned: no check for indices that count from the end
            end = np.uint64(length[i])
            w = weight[i]
            while p < end:
                slot = np.uint64(docs[p] - start)
                if slot >= width:  # the document is of a later block, or out of order in a file made to do harm
                    break
                sums[slot] += w * np.float32(impacts[p])
                p += np.uint64(1)
            cursor[i] = np.int64(p)
        for i in range(stored):
            docs = i32_at(stored_doc[i])
            exact = f32_at(stored_at[i])
            p = np.uint64(stored_cursor[i])
            end = np.uint64(stored_length[i])
            w = stored_weight[i]
            while p < end and docs[p] < stop:
                sums[np.uint64(docs[p] - start)] += w * exact[p]
                p += np.uint64(1)
            stored_cursor[i] = np.int64(p)
        for i in range(rows):
            row[i] += start
        _add_rows(sums, size, row, row_weight, np.int64(rows))
        for i in range(rows):
            row[i] -= start
        sums[stop - start : size] = np.float32(0.0)  # whatever rows are padded with
        if prior_at != 0:
            prior = f32_at(prior_at + 4 * start)
            for j in range(stop - start):
                sums[j] = sums[j] + prior_weight * prior[j] if sums[j] > np.float32(0.0) else np.float32(0.0)
        if mask_at != 0:
            mask = u8_at(mask_at + start)
            for j in range(stop - start):
                sums[j] = sums[j] if mask[j] != 0 else np.float32(0.0)
        for part in range(0, size, PART):
            first = kept_count
            sums[BLOCK] = threshold  # beyond all blocks: only to read its bits
            limit = bits[BLOCK]
            for group in range(part, min(part + PART, size), GROUP):
                if _best(bits, group) > limit:
                    place = np.uint64(kept_count)
                    for j in range(np.uint64(group), np.uint64(group + GROUP)):
                        kept_score[place] = sums[j]
                        kept[place] = np.uint64(start) + j
                        place += np.uint64(bits[j] > limit)
                    kept_count = np.int64(place)
            for i in range(first, kept_count):
                b: Any = max(min(np.int64(kept_score[i] * scale), BUCKETS - 1), 0)
                histogram[b] += 1
                above += b >= bucket
            if kept_count > first and above >= k:
                while above - histogram[bucket] >= k:
                    above -= histogram[bucket]
                    bucket += 1
                bound = bucket * (most / BUCKETS) * (1.0 - 1e-5) - 2.0 * slack
                threshold = max(threshold, np.float32(max(0.0, bound)))
    total = kept_count
    kept_count = 0
    for i in range(total):
        kept[kept_count] = kept[i]
        kept_count += kept_score[i] > threshold
    return kept_count


@inlined()
def _first_from(numbers: Any, low: Any, high: Any, number: Any) -> Any:
    """The first position in ``low … high`` whose number is not below ``number``."""
    while low < high:
        middle = (low + high) >> np.uint64(1)
        if numbers[middle] < number:
            low = middle + np.uint64(1)
        else:
            high = middle
    return low


@inlined()
def _frequency(position: Any, codes: Any, escapes: Any, count: Any, values: Any, table: Any) -> Any:
    """The frequency of a posting; one whose code is :data:`ESCAPE` is among the exceptions."""
    value = np.int64(codes[position])
    if value == ESCAPE:
        place = _first_from(escapes, np.uint64(0), np.uint64(count), position)
        value = np.int64(values[place]) if place < count else np.int64(0)
    return table[value]


@compiled(
    "void(int64, int64[:, ::1], float64[::1], int32[::1], int32[::1], float64[::1], int32[::1], int64, float64[::1], "
    "int32[::1], uint64[::1], float64[::1])"
)
def score_candidates(
    documents: Any, channels: Any, shifts: Any, channel_of: Any, term_of: Any, weights: Any, kept: Any, kept_count: Any,
    scores: Any, slot: Any, bits: Any, term_weights: Any,
) -> None:
    """Writes the exact scores of the documents ``kept[:kept_count]`` (increasing) to ``scores``.

    A score is the sum over channels, in the order in which they come among the terms. A channel adds the sum of
    ``weight · factor`` over its terms in their order, all in float64; ``shifts`` are what each channel's factors have
    beside x / (x + y) or x / y: adding a shift of 0 changes no bit. Of a channel whose factors are stored the sum is in
    the order of the terms in the document's row. ``slot`` has an element a document and ``bits`` a bit,
    ``term_weights`` an element a term, all zero, and left so.
    """
    count = len(term_of)
    base = np.empty(CHUNK, np.uint64)
    x, y, part = np.empty(CHUNK, np.float64), np.empty(CHUNK, np.float64), np.empty(CHUNK, np.float64)
    for begin in range(0, kept_count, CHUNK):
        size = min(CHUNK, kept_count - begin)
        for j in range(size):
            doc = np.uint64(kept[begin + j])
            slot[doc] = j
            bits[doc >> np.uint64(6)] |= np.uint64(1) << (doc & np.uint64(63))
            scores[begin + j] = 0.0
        last = kept[begin + size - 1]
        i = 0
        while i < count:
            c = channel_of[i]
            if channels[c, ROW_STARTS] != 0:
                begins = i64_at(channels[c, ROW_STARTS])
                terms = i32_at(channels[c, ROW_TERMS])
                factors = f64_at(channels[c, FACTORS])
                first_of_channel = i
                while i < count and channel_of[i] == c:
                    term_weights[term_of[i]] = weights[i]
                    i += 1
                for j in range(size):
                    doc = np.uint64(kept[begin + j])
                    total = 0.0
                    for p in range(np.uint64(begins[doc]), np.uint64(begins[doc + np.uint64(1)])):
                        total += term_weights[np.uint64(terms[p])] * factors[p]
                    scores[begin + j] += total
                for a in range(first_of_channel, i):
                    term_weights[term_of[a]] = 0.0
                continue
            saturating = channels[c, SATURATING] != 0
            shift = shifts[c]
            length_codes = i32_at(channels[c, LENGTH_CODES])
            length_values = f64_at(channels[c, LENGTH_VALUES])
            tf_values = f64_at(channels[c, TF_VALUES])
            dense_of_term = i32_at(channels[c, DENSE_OF_TERM])
            indptr = i64_at(channels[c, INDPTR])
            docs = i32_at(channels[c, DOCS])
            sparse_codes = u8_at(channels[c, SPARSE_CODES])
            sparse_count, escape_count = channels[c, SPARSE_EXCEPTIONS], channels[c, DENSE_EXCEPTIONS]
            sparse_escapes = i64_at(channels[c, SPARSE_ESCAPES])
            sparse_values = i32_at(channels[c, SPARSE_VALUES])
            dense_count = channels[c, DENSE_COUNT]
            dense_codes = u8_at(channels[c, DENSE_CODES])
            dense_escapes = i64_at(channels[c, DENSE_ESCAPES])
            dense_values = i32_at(channels[c, DENSE_VALUES])
            for j in range(size):
                number = np.int64(kept[begin + j])
                y[j] = length_values[length_codes[number]]
                base[j] = np.uint64(number * dense_count)
                part[j] = 0.0
            while i < count and channel_of[i] == c:
                t = term_of[i]
                w = weights[i]
                if dense_of_term[t] >= 0:
                    dense = np.uint64(dense_of_term[t])
                    escaped = False
                    for j in range(size):
                        value = np.int64(dense_codes[base[j] + dense])
                        escaped |= value == ESCAPE
                        x[j] = tf_values[value] if value != ESCAPE else 0.0
                    if escaped:
                        for j in range(size):
                            if dense_codes[base[j] + dense] == ESCAPE:
                                place = base[j] + dense
                                x[j] = _frequency(
                                    place, dense_codes, dense_escapes, escape_count, dense_values, tf_values
                                )
                    if saturating:
                        for j in range(size):
                            part[j] += w * (shift + x[j] / (x[j] + y[j])) if x[j] > 0.0 else 0.0
                    else:
                        for j in range(size):
                            part[j] += w * (shift + x[j] / y[j]) if x[j] > 0.0 else 0.0
                else:
                    low = np.uint64(indptr[t])
                    high = np.uint64(indptr[t + 1])
                    if 16 * size < high - low:  # look each candidate up rather than walk the list
                        for j in range(size):
                            low = _first_from(docs, low, high, kept[begin + j])
                            if low == high:
                                break
                            if docs[low] == kept[begin + j]:
                                v = _frequency(
                                    low, sparse_codes, sparse_escapes, sparse_count, sparse_values, tf_values
                                )
                                part[j] += w * (shift + (v / (v + y[j]) if saturating else v / y[j]))
                        i += 1
                        continue
                    if begin > 0:
                        low = _first_from(docs, low, high, kept[begin])
                    while low < high:
                        doc = np.uint64(docs[low])
                        if doc > np.uint64(last):
                            break
                        if (bits[doc >> np.uint64(6)] >> (doc & np.uint64(63))) & np.uint64(1):
                            s = np.uint64(slot[doc])
                            v = _frequency(low, sparse_codes, sparse_escapes, sparse_count, sparse_values, tf_values)
                            part[s] += w * (shift + (v / (v + y[s]) if saturating else v / y[s]))
                        low += np.uint64(1)
                i += 1
            for j in range(size):
                scores[begin + j] += part[j]
        for j in range(size):
            bits[np.uint64(kept[begin + j]) >> np.uint64(6)] = np.uint64(0)
