"""Compiled passes over operator trees of many formulas: splitting packed ones, checking flat ones, finding places."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, i32_at, i64_at, u16_at

_BYTES = "Array(uint8, 1, 'C', readonly=True)"
_LINE_FEED = 10


@compiled(f"int64({_BYTES}, int64[::1], int32[::1], uint16[::1], uint16[::1], uint8[::1], int64[::1])")
def split_trees(blob: Any, indptr: Any, stack: Any, sizes: Any, arities: Any, text: Any, starts: Any) -> Any:
    """Splits packed trees that follow one another; returns the number of their nodes, -1 where they are broken.

    ``blob`` holds len(indptr) - 1 trees as :mod:`porism.formula.packed` describes them. Written are where each tree
    begins (``indptr``), of each node the size of its subtree and its number of children, and its label, as packed
    strings (``text`` and ``starts``). The others need a third as many elements as ``blob``, and one more.
    """
    end = len(blob)
    at: Any = 0
    nodes: Any = 0
    length = 0
    indptr[0] = 0
    starts[0] = 0
    for tree in range(len(indptr) - 1):
        if at + 2 > end:
            return -1
        count = np.int64(blob[at]) | (np.int64(blob[at + 1]) << 8)
        at += 2
        if count == 0 or at + 3 * count > end:  # of each node there is at least the end of its label
            return -1
        waiting = 0  # subtrees to the right that have no parent yet; the leftmost is last
        for node in range(count - 1, -1, -1):
            arity = np.int64(blob[at + 2 * node]) | (np.int64(blob[at + 2 * node + 1]) << 8)
            if arity > waiting:
                return -1
            size: Any = 1
            for _ in range(arity):
                waiting -= 1
                size += stack[waiting]
            stack[waiting] = size
            waiting += 1
            sizes[nodes + node] = size
            arities[nodes + node] = arity
        if waiting != 1:
            return -1
        at += 2 * count
        for node in range(count):
            while at < end and blob[at] != _LINE_FEED:
                text[length] = blob[at]
                length += 1
                at += 1
            if at == end:
                return -1
            at += 1
            starts[nodes + node + 1] = length
        nodes += count
        indptr[tree + 1] = nodes
    return nodes if at == end else -1


@compiled("boolean(int32[::1], int64, int64, int64, int64, int64)")
def sound_trees(formulas: Any, known: Any, indptr_at: Any, labels_at: Any, sizes_at: Any, arities_at: Any) -> Any:
    """Whether labels are below ``known``, and sizes and numbers of children make the part of each of the ``formulas``
    one tree."""
    indptr = i64_at(indptr_at)
    labels = i32_at(labels_at)
    sizes = u16_at(sizes_at)
    arities = u16_at(arities_at)
    for tree in formulas:
        start, stop = indptr[tree], indptr[tree + 1]
        if start == stop or np.int64(sizes[start]) != stop - start:
            return False
        for node in range(start, stop):
            if labels[node] < 0 or labels[node] >= known:
                return False
            end = node + np.int64(sizes[node])
            if end > stop:
                return False
            child: Any = node + 1
            for _ in range(np.int64(arities[node])):
                if child >= end or sizes[child] == 0:
                    return False
                child += np.int64(sizes[child])
            if child != end:
                return False
    return True


@compiled("Tuple((int64[::1], int32[::1]))(int64, int64, int64, int64, int64)")
def find_places(documents: Any, formulas: Any, occurrences: Any, indptr_at: Any, formula_at: Any) -> Any:
    """For each formula the distinct documents that hold it, increasing: (indptr, documents).

    ``indptr_at`` bounds the formulas of each document in the array at ``formula_at``. Both are empty where one of the
    numbers in there is of no formula.
    """
    indptr = i64_at(indptr_at)
    formula = i32_at(formula_at)
    for at in range(occurrences):
        if formula[at] < 0 or formula[at] >= formulas:
            return np.zeros(0, np.int64), np.zeros(0, np.int32)
    last = np.full(formulas, -1, np.int32)
    starts = np.zeros(formulas + 1, np.int64)
    for doc in range(documents):
        for at in range(indptr[doc], indptr[doc + 1]):
            f = formula[at]
            if last[f] != doc:
                last[f] = doc
                starts[f + 1] += 1
    for f in range(formulas):
        starts[f + 1] += starts[f]
        last[f] = -1
    cursor = starts[:-1].copy()
    docs = np.empty(starts[formulas], np.int32)
    for doc in range(documents):
        for at in range(indptr[doc], indptr[doc + 1]):
            f = formula[at]
            if last[f] != doc:
                last[f] = doc
                docs[cursor[f]] = doc
                cursor[f] += 1
    return starts, docs
