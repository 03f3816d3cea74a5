"""Compiled steps of a training: vectors of bags, and the gradients that move rows.

Each row is written by one thread, and what adds up to it does so in one order. So results do not depend on the number
of threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f32_at, i32_at, i64_at


@compiled("void(int64, int64, int64, int64, int64, int64, int64, int64)", eager=False, fast_math=True)
def add_up_bags(
    first: Any, last: Any, starts_at: Any, terms_at: Any, weights_at: Any, table_at: Any, width: Any, vectors_at: Any
) -> None:
    """The sum of weighted rows of ``table`` for each bag from ``first`` to before ``last``.

    By address: ``starts`` int64, where bags begin and the last ends; ``terms`` int32 and ``weights`` float32 of bags;
    ``table`` float32, ``width`` a row; ``vectors`` float32, ``width`` a bag: results.
    """
    starts, terms, weights = i64_at(starts_at), i32_at(terms_at), f32_at(weights_at)
    for bag in range(first, last):
        vector = f32_at(vectors_at + 4 * bag * width)
        for place in range(width):
            vector[place] = np.float32(0.0)
        for entry in range(starts[bag], starts[bag + 1]):
            row, weight = f32_at(table_at + 4 * np.int64(terms[entry]) * width), weights[entry]
            for place in range(width):
                vector[place] += weight * row[place]


@compiled(
    "void(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, float64, float64,"
    " float64, float64)",
    eager=False, fast_math=True,
)
def move_rows(
    first: Any, last: Any, distinct_at: Any, bounds_at: Any, bag_of_at: Any, turned_at: Any, gradients_at: Any,
    width: Any, scratch_at: Any, table_at: Any, means_at: Any, squares_at: Any, step: Any, mean_decay: Any,
    square_decay: Any, epsilon: Any,
) -> None:
    """Moves the rows of the terms from ``first`` to before ``last`` against their gradients, by Adam.

    By address: the results of :func:`turn_bags`; ``gradients`` float32, ``width`` a bag; ``scratch`` float32,
    ``width``; ``table``, and the running ``means`` and ``squares`` of gradients (float32, ``width`` a row).
    """
    distinct, bounds, bag_of, turned = i32_at(distinct_at), i64_at(bounds_at), i32_at(bag_of_at), f32_at(turned_at)
    gradient = f32_at(scratch_at)
    stride = np.float32(step)
    kept, kept_squares, least = np.float32(mean_decay), np.float32(square_decay), np.float32(epsilon)
    added, added_squares = np.float32(1.0 - mean_decay), np.float32(1.0 - square_decay)
    for slot in range(first, last):
        for place in range(width):
            gradient[place] = np.float32(0.0)
        for entry in range(bounds[slot], bounds[slot + 1]):
            bag, weight = f32_at(gradients_at + 4 * np.int64(bag_of[entry]) * width), turned[entry]
            for place in range(width):
                gradient[place] += weight * bag[place]
        offset = 4 * np.int64(distinct[slot]) * width
        row, means, squares = f32_at(table_at + offset), f32_at(means_at + offset), f32_at(squares_at + offset)
        for place in range(width):
            slope = gradient[place]
            mean = kept * means[place] + added * slope
            square = kept_squares * squares[place] + added_squares * slope * slope
            means[place], squares[place] = mean, square
            row[place] -= stride * mean / (np.sqrt(square) + least)
