"""Compiled sums of rows in whole numbers, whose results do not depend on the order in which terms come."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f32_at, i32_at, i64_at

WEIGHT_UNIT = 1024
"""Weights are counted in parts of one."""


@compiled("void(int64, int64, int64, int64, int64, int64, int64)", eager=False)
def add_up_whole(
    bags: Any, starts_at: Any, terms_at: Any, weights_at: Any, table_at: Any, width: Any, sums_at: Any
) -> None:
    """The sum of the rows of ``table`` for each bag, times their weights in parts of :data:`WEIGHT_UNIT`.

    By address: ``starts`` int64, where bags begin and the last ends; ``terms`` int32 and ``weights`` float32 of bags;
    ``table`` int32, ``width`` a row; ``sums`` int64, ``width`` a bag: results.
    """
    starts, terms, weights = i64_at(starts_at), i32_at(terms_at), f32_at(weights_at)
    for bag in range(bags):
        total = i64_at(sums_at + 8 * bag * width)
        for place in range(width):
            total[place] = 0
        for entry in range(starts[bag], starts[bag + 1]):
            row = i32_at(table_at + 4 * np.int64(terms[entry]) * width)
            weight = np.int64(np.rint(np.float64(weights[entry]) * WEIGHT_UNIT))
            for place in range(width):
                total[place] += weight * np.int64(row[place])
