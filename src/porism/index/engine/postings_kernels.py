"""Compiled passes that turn the term matrix of a segment into postings and their impacts.

A document's *entries* are the matrix rows that it is made of, each with the number of a field: the rows of its fields
for a text channel, the formulas that occur in it for a formula channel. Its weighted frequency of a term is
``Σ_field weight(field) · Σ_entry count``. Fields are added in the order given, whole numbers within a field first, so
that the value depends on nothing else.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f64_at, i32_at, i64_at, inlined, u8_at, u16_at

ESCAPE = 255
"""The frequency code that stands for "look among the exceptions"; 0 stands for "does not occur"."""


@inlined()
def _slot(keys: Any, value: Any) -> Any:
    """Where ``value`` (> 0) is, or would go, in an open-addressing table whose size is a power of two."""
    mask = np.uint64(len(keys) - 1)
    bits = np.uint64(np.float64(value).view(np.int64))
    slot = ((bits * np.uint64(0x9E3779B97F4A7C15)) >> np.uint64(40)) & mask
    while keys[slot] != 0.0 and keys[slot] != value:
        slot = (slot + np.uint64(1)) & mask
    return np.int64(slot)


@inlined()
def _merge(
    d: Any, starts: Any, rows: Any, fields: Any, indptr: Any, terms: Any, bytes_: Any, words: Any, wide: Any,
    order: Any, weights: Any, count: Any, tf: Any, in_field: Any, touched: Any,
) -> Any:
    """Fills ``tf`` for the terms of document ``d``: (how many, listed in ``touched``; the document's length)."""
    term_count = 0
    length = 0.0
    for o in range(len(order)):
        total: Any = 0
        here = 0
        for e in range(starts[d], starts[d + 1]):
            if fields[e] != order[o]:
                continue
            for c in range(indptr[rows[e]], indptr[rows[e] + 1]):
                t = terms[c]
                n = np.int64(words[c]) if wide else np.int64(bytes_[c])
                if count[t] == 0:
                    in_field[here] = t
                    here += 1
                count[t] += n
                total += n
        length += weights[o] * total
        for i in range(here):
            t = in_field[i]
            if tf[t] == 0.0:
                touched[term_count] = t
                term_count += 1
            tf[t] += weights[o] * count[t]
            count[t] = 0
    return term_count, length


@compiled(
    "int64(int64, int64, int64, int64, int64, int64, int64, int64, boolean, int64[::1], float64[::1], "
    "int32[::1], float64[::1], float64[::1], int64[::1])"
)
def count_postings(
    documents: Any, entry_count: Any, starts_at: Any, rows_at: Any, fields_at: Any, indptr_at: Any, terms_at: Any,
    counts_at: Any, wide: Any, order: Any, weights: Any, df: Any, lengths: Any, keys: Any, uses: Any,
) -> Any:
    """First pass: document frequencies, lengths, and a table of the distinct weighted frequencies with their uses.

    Returns the number of distinct frequencies, or -1 when the table is too small: call again with a larger one.
    """
    starts = i64_at(starts_at)
    rows = i64_at(rows_at)
    fields = u16_at(fields_at)
    indptr = i64_at(indptr_at)
    terms = i32_at(terms_at)
    narrow_counts = u8_at(counts_at)
    wide_counts = u16_at(counts_at)
    count = np.zeros(len(df), np.int64)
    tf = np.zeros(len(df), np.float64)
    in_field = np.empty(len(df), np.int32)
    touched = np.empty(len(df), np.int32)
    distinct = 0
    for d in range(documents):
        term_count, lengths[d] = _merge(
            d, starts, rows, fields, indptr, terms, narrow_counts, wide_counts, wide, order, weights, count, tf,
            in_field, touched,
        )
        for i in range(term_count):
            t = touched[i]
            slot = _slot(keys, tf[t])
            if keys[slot] == 0.0:
                if 2 * distinct >= len(keys):
                    return -1
                keys[slot] = tf[t]
                distinct += 1
            uses[slot] += 1
            df[t] += 1
            tf[t] = 0.0
    return distinct


@compiled(
    "UniTuple(int64, 2)(int64, int64, int64, int64, int64, int64, int64, int64, boolean, int64[::1], float64[::1], "
    "float64[::1], int32[::1], int32[::1], int64[::1], int32[::1], uint8[::1], uint8[::1], int64, "
    "int64[::1], int32[::1], int64[::1], int32[::1])"
)
def place_postings(
    documents: Any, entry_count: Any, starts_at: Any, rows_at: Any, fields_at: Any, indptr_at: Any, terms_at: Any,
    counts_at: Any, wide: Any, order: Any, weights: Any, keys: Any, value_of_slot: Any, dense_of_term: Any,
    cursor: Any, docs: Any, sparse_codes: Any, dense_codes: Any, dense_count: Any, sparse_escapes: Any,
    sparse_values: Any, dense_escapes: Any, dense_values: Any,
) -> Any:
    """Second pass: each posting to its place, in document order; returns how many exceptions there are of each kind.

    ``cursor`` holds where the next sparse posting of each term goes, and is moved. ``dense_codes`` is document by
    document, ``dense_count`` bytes each.
    """
    starts = i64_at(starts_at)
    rows = i64_at(rows_at)
    fields = u16_at(fields_at)
    indptr = i64_at(indptr_at)
    terms = i32_at(terms_at)
    narrow_counts = u8_at(counts_at)
    wide_counts = u16_at(counts_at)
    size = len(dense_of_term)
    count = np.zeros(size, np.int64)
    tf = np.zeros(size, np.float64)
    in_field = np.empty(size, np.int32)
    touched = np.empty(size, np.int32)
    sparse_exceptions = 0
    dense_exceptions = 0
    for d in range(documents):
        term_count, _ = _merge(
            d, starts, rows, fields, indptr, terms, narrow_counts, wide_counts, wide, order, weights, count, tf,
            in_field, touched,
        )
        for i in range(term_count):
            t = touched[i]
            value = value_of_slot[_slot(keys, tf[t])]
            tf[t] = 0.0
            code = np.uint8(min(value, ESCAPE))
            row = dense_of_term[t]
            if row >= 0:
                place = np.int64(d) * dense_count + row
                dense_codes[place] = code
                if value >= ESCAPE:
                    dense_escapes[dense_exceptions] = place
                    dense_values[dense_exceptions] = value
                    dense_exceptions += 1
            else:
                place = cursor[t]
                cursor[t] = place + 1
                docs[place] = d
                sparse_codes[place] = code
                if value >= ESCAPE:
                    sparse_escapes[sparse_exceptions] = place
                    sparse_values[sparse_exceptions] = value
                    sparse_exceptions += 1
    return sparse_exceptions, dense_exceptions


@inlined()
def _factor(x: Any, y: Any, saturating: Any, shift: Any) -> Any:
    return shift + (x / (x + y) if saturating else x / y)


@compiled(
    "UniTuple(float64, 2)(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, "
    "int64, int64, int64, int64, boolean, float64, float64, uint8[::1], uint8[:, ::1])"
)
def quantise(
    documents: Any, postings: Any, dense_count: Any, docs_at: Any, sparse_codes_at: Any, sparse_escape_count: Any,
    sparse_escapes_at: Any, sparse_values_at: Any, dense_codes_at: Any, dense_escape_count: Any, dense_escapes_at: Any,
    dense_values_at: Any, length_codes_at: Any, tf_values_at: Any, frequencies: Any, length_values_at: Any, lengths:
    Any, saturating: Any, shift: Any, step: Any, sparse_impacts: Any, dense_impacts: Any,
) -> Any:
    """Impacts as whole multiples of ``step`` (1 to 255, 0 where a term does not occur): (largest factor, largest
    error); the error is -1 where postings name documents or frequencies that are not there.

    With ``step`` 0 nothing is written and only the largest factor is of use. There are at least 256 ``frequencies``.
    """
    docs = i32_at(docs_at)
    sparse_codes = u8_at(sparse_codes_at)
    sparse_values = i32_at(sparse_values_at)
    dense_codes = u8_at(dense_codes_at)
    dense_values = i32_at(dense_values_at)
    length_codes = i32_at(length_codes_at)
    tf_values = f64_at(tf_values_at)
    length_values = f64_at(length_values_at)
    peak = 0.0
    error = 0.0
    escape = 0
    for p in range(postings):
        value = np.int64(sparse_codes[p])
        if value == ESCAPE:  # exceptions are listed in the order of postings
            if escape >= sparse_escape_count:
                return 0.0, -1.0
            value = np.int64(sparse_values[escape])
            escape += 1
        doc = np.int64(docs[p])
        if doc < 0 or doc >= documents or value < 0 or value >= frequencies:
            return 0.0, -1.0
        exact = _factor(tf_values[value], length_values[length_codes[doc]], saturating, shift)
        peak = max(peak, exact)
        if step > 0.0:
            level = min(255.0, max(1.0, np.floor(exact / step + 0.5)))
            error = max(error, abs(exact - level * step))
            sparse_impacts[p] = np.uint8(level)
    escape = 0
    for d in range(documents):
        y = length_values[length_codes[d]]
        start = d * dense_count
        for row in range(dense_count):
            value = np.int64(dense_codes[start + row])
            if value == 0:
                continue
            if value == ESCAPE:
                if escape >= dense_escape_count:
                    return 0.0, -1.0
                value = np.int64(dense_values[escape])
                escape += 1
                if value < 0 or value >= frequencies:
                    return 0.0, -1.0
            exact = _factor(tf_values[value], y, saturating, shift)
            peak = max(peak, exact)
            if step > 0.0:
                level = min(255.0, max(1.0, np.floor(exact / step + 0.5)))
                error = max(error, abs(exact - level * step))
                dense_impacts[row, d] = np.uint8(level)
    return peak, error


@compiled("boolean(int64, int64, int64, int64, int64, int64, int64, int64, int64, int32[::1])")
def count_gone(
    documents: Any, vocabulary: Any, dense_count: Any, indptr_at: Any, docs_at: Any, dense_codes_at: Any,
    term_of_dense_at: Any, postings: Any, live_at: Any, gone: Any,
) -> Any:
    """Adds to ``gone`` how many deleted documents each term occurs in; False where one is named that is not there."""
    indptr = i64_at(indptr_at)
    docs = i32_at(docs_at)
    dense_codes = u8_at(dense_codes_at)
    term_of_dense = i32_at(term_of_dense_at)
    live = u8_at(live_at)
    for t in range(vocabulary):
        for p in range(indptr[t], indptr[t + 1]):
            doc = np.int64(docs[p])
            if doc < 0 or doc >= documents:
                return False
            gone[t] += live[doc] == 0
    for d in range(documents):
        if live[d] == 0:
            for row in range(dense_count):
                gone[term_of_dense[row]] += dense_codes[d * dense_count + row] != 0
    return True

