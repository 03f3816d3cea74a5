"""Compiled passes over the rows of a channel: what each document holds, and its factors by term."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.index.engine.postings_kernels import ESCAPE
from porism.system.compiled.kernels import compiled, f32_at, f64_at, i32_at, i64_at, u8_at


@compiled(
    "boolean(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, "
    "int64, int64[::1], int32[::1], float64[::1], int32[::1])",
    eager=False,
)
def transpose(
    documents: Any, vocabulary: Any, dense_count: Any, indptr_at: Any, docs_at: Any, sparse_codes_at: Any,
    sparse_escape_count: Any, sparse_escapes_at: Any, sparse_values_at: Any, dense_of_term_at: Any,
    dense_codes_at: Any, dense_escape_count: Any, dense_escapes_at: Any, dense_values_at: Any, tf_table_at: Any,
    table_size: Any, starts: Any, terms: Any, frequencies: Any, order: Any,
) -> Any:
    """The rows of documents from postings: first call with no room in ``terms``, which fills ``starts`` only.

    ``starts`` (documents + 1) then bounds the rows; the second call fills them, with the terms in the order in which
    ``order`` lists them, each once. False where postings name documents or frequencies that are not there;
    ``table_size`` is at least 256.
    """
    indptr = i64_at(indptr_at)
    docs = i32_at(docs_at)
    sparse_codes = u8_at(sparse_codes_at)
    sparse_escapes = i64_at(sparse_escapes_at)
    sparse_values = i32_at(sparse_values_at)
    dense_of_term = i32_at(dense_of_term_at)
    dense_codes = u8_at(dense_codes_at)
    dense_escapes = i64_at(dense_escapes_at)
    dense_values = i32_at(dense_values_at)
    tf_table = f64_at(tf_table_at)
    if len(terms) == 0:
        starts[:] = 0
        for p in range(indptr[vocabulary]):
            doc = np.int64(docs[p])
            if doc < 0 or doc >= documents:
                return False
            starts[doc + 1] += 1
        for d in range(documents):
            for row in range(dense_count):
                starts[d + 1] += dense_codes[d * dense_count + row] != 0
        for d in range(documents):
            starts[d + 1] += starts[d]
        return True
    cursor = starts[:-1].copy()
    for i in range(vocabulary):
        t = order[i]
        row = dense_of_term[t]
        if row >= 0:
            for d in range(documents):
                place = np.int64(d) * dense_count + row
                code = np.int64(dense_codes[place])
                if code == 0:
                    continue
                if code == ESCAPE:
                    low, high = 0, dense_escape_count
                    while low < high:
                        middle = (low + high) >> 1
                        if dense_escapes[middle] < place:
                            low = middle + 1
                        else:
                            high = middle
                    if low == dense_escape_count:
                        return False
                    code = np.int64(dense_values[low])
                    if code < 0 or code >= table_size:
                        return False
                c = cursor[d]
                terms[c] = t
                frequencies[c] = tf_table[code]
                cursor[d] = c + 1
            continue
        low, high = 0, sparse_escape_count
        while low < high:
            middle = (low + high) >> 1
            if sparse_escapes[middle] < indptr[t]:
                low = middle + 1
            else:
                high = middle
        for p in range(indptr[t], indptr[t + 1]):
            code = np.int64(sparse_codes[p])
            if code == ESCAPE:
                if low >= sparse_escape_count:
                    return False
                code = np.int64(sparse_values[low])
                if code < 0 or code >= table_size:
                    return False
                low += 1
            c = cursor[docs[p]]
            terms[c] = t
            frequencies[c] = tf_table[code]
            cursor[docs[p]] = c + 1
    return True


@compiled(
    "void(int64[::1], int32[::1], float64[::1], float64, int64[::1], int64[::1], int32[::1], float32[::1], "
    "float64[::1])",
    eager=False,
)
def invert(
    starts: Any, terms: Any, factors: Any, least: Any, indptr: Any, cursor: Any, docs: Any, impacts: Any, lowest: Any
) -> None:
    """Postings by term from rows: first call with no room in ``docs``, which fills ``indptr`` and ``lowest`` only.

    Impacts are factors, those below ``least`` (> 0) as ``least``; ``lowest`` says of each term how far below that its
    least factor is. ``cursor`` has an element a term.
    """
    if len(docs) == 0:
        indptr[:] = 0
        for p in range(len(terms)):
            indptr[terms[p] + 1] += 1
            lowest[terms[p]] = max(lowest[terms[p]], least - factors[p])
        for t in range(len(indptr) - 1):
            indptr[t + 1] += indptr[t]
        return
    for t in range(len(cursor)):
        cursor[t] = indptr[t]
    for d in range(len(starts) - 1):
        for p in range(starts[d], starts[d + 1]):
            t = terms[p]
            c = cursor[t]
            docs[c] = d
            impacts[c] = np.float32(max(factors[p], least))
            cursor[t] = c + 1


@compiled(
    "void(int64[::1], int32[::1], float64[::1], int64, int64, int64, int64, int32[::1], float64, float64[::1])",
    eager=False,
)
def soft_norms(
    starts: Any, terms: Any, weights: Any, similar_starts_at: Any, similar_terms_at: Any, similarities_at: Any,
    rows: Any, row_of: Any, softness: Any, norms: Any,
) -> None:
    """``√(v S v)`` of each row v: ``weights`` beside ``terms``.

    ``row_of`` is the row of S of each term, -1 for one that is similar to itself only; S (``rows`` rows) is given by
    addresses of its starts (int64), columns (int32) and values (float32). Its values count ``softness`` times, but for
    those of the diagonal, which are 1.
    """
    similar_starts = i64_at(similar_starts_at)
    similar_terms = i32_at(similar_terms_at)
    similarities = f32_at(similarities_at)
    dense = np.zeros(rows, np.float64)
    for d in range(len(starts) - 1):
        total = 0.0
        for p in range(starts[d], starts[d + 1]):
            row = row_of[terms[p]]
            if row >= 0:
                dense[row] = weights[p]
        for p in range(starts[d], starts[d + 1]):
            row = row_of[terms[p]]
            if row < 0:
                total += weights[p] * weights[p]
                continue
            part = 0.0
            for q in range(similar_starts[row], similar_starts[row + 1]):
                part += np.float64(similarities[q]) * dense[similar_terms[q]]
            total += weights[p] * (softness * part + (1.0 - softness) * weights[p])
        for p in range(starts[d], starts[d + 1]):
            row = row_of[terms[p]]
            if row >= 0:
                dense[row] = 0.0
        norms[d] = np.sqrt(max(total, 0.0))


@compiled(
    "int64(int64[::1], float64[::1], int64, int64, int64, float64[::1], uint64[::1], int64[::1], float64[::1])",
    eager=False,
)
def expand(
    query_terms: Any, weights: Any, similar_starts_at: Any, similar_terms_at: Any, similarities_at: Any, sums: Any,
    bits: Any, columns: Any, total: Any,
) -> Any:
    """``q S`` of a query: rows ``query_terms`` of S with ``weights``; writes the columns, increasing, and what each
    gets.

    ``sums`` (an element a column) and ``bits`` (a bit a column) are zero and left so; returns how many were found, or
    minus that many where ``columns`` has no room for them: then nothing else was written, and ``sums`` and ``bits`` are
    zero too.
    """
    similar_starts = i64_at(similar_starts_at)
    similar_terms = i32_at(similar_terms_at)
    similarities = f32_at(similarities_at)
    for i in range(len(query_terms)):
        row = query_terms[i]
        for q in range(similar_starts[row], similar_starts[row + 1]):
            t: Any = np.uint64(similar_terms[q])
            sums[t] += weights[i] * np.float64(similarities[q])
            bits[t >> np.uint64(6)] |= np.uint64(1) << (t & np.uint64(63))
    count = 0
    for word in range(len(bits)):
        left = bits[word]
        while left != np.uint64(0):
            left &= left - np.uint64(1)
            count += 1
    fits = count <= len(columns)
    place = 0
    for word in range(len(bits)):
        if bits[word] == np.uint64(0):
            continue
        for bit in range(64):
            if (bits[word] >> np.uint64(bit)) & np.uint64(1):
                t = word * 64 + bit
                if fits:
                    columns[place] = t
                    total[place] = sums[t]
                    place += 1
                sums[t] = 0.0
        bits[word] = np.uint64(0)
    return count if fits else -count
