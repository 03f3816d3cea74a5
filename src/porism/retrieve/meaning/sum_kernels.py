"""Compiled sums and products of rows in whole numbers, which do not depend on the order in which terms come; and the
bags of each term."""

from __future__ import annotations

from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f32_at, f64_at, i8_at, i32_at, i64_at

WEIGHT_UNIT = 1024
"""Weights are counted in parts of one."""

QUERY_UNIT = 16_384
"""So are the numbers in vectors of queries."""


@compiled("void(int64, int64, int64, int64, int64, int64, int64)")
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


@compiled("void(int64, int64, int64, int64, int64, int64, int64, int64)")
def nearest_rows(
    count: Any, units_at: Any, offsets_at: Any, rows_at: Any, scales_at: Any, width: Any, query_at: Any,
    products_at: Any,
) -> None:
    """The largest product of a query with a row of each unit; 0 of a unit without rows.

    By address: ``units`` int64; ``offsets`` int64, where the rows of each unit begin and the last end; ``rows`` int8,
    ``width`` a row; ``scales`` float32; ``query`` int32, in parts of :data:`QUERY_UNIT`; ``products`` float64: results.
    """
    units, offsets, scales = i64_at(units_at), i64_at(offsets_at), f32_at(scales_at)
    query, products = i32_at(query_at), f64_at(products_at)
    for place in range(count):
        best = 0.0
        for number in range(offsets[units[place]], offsets[units[place] + 1]):
            row = i8_at(rows_at + number * width)
            total = np.int32(0)
            for at in range(width):
                total += np.int32(row[at]) * query[at]
            product = np.float64(total) * np.float64(scales[number]) / QUERY_UNIT
            if number == offsets[units[place]] or product > best:
                best = product
        products[place] = best


@compiled("int64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)")
def turn_bags(
    bags: Any, starts_at: Any, terms_at: Any, weights_at: Any, slots_at: Any, distinct_at: Any, slot_of_at: Any,
    bounds_at: Any, bag_of_at: Any, turned_at: Any,
) -> int:
    """The bags of each term of some bags, with the weights that it has in them; returns the number of distinct terms.

    By address: ``starts`` int64, ``terms`` int32 and ``weights`` float32 of bags; ``slots`` int32, one for each term
    there can be, all 0, as they are afterwards; results: ``distinct`` int32, the terms in order of their first entries;
    ``slot_of`` int32, the position in it of each entry's term; ``bounds`` int64, where the bags of each term begin and
    the last end; ``bag_of`` int32 and ``turned`` float32, bags and weights in the order of the entries of a term.
    """
    starts, terms, weights, slots = i64_at(starts_at), i32_at(terms_at), f32_at(weights_at), i32_at(slots_at)
    distinct, slot_of, bounds = i32_at(distinct_at), i32_at(slot_of_at), i64_at(bounds_at)
    bag_of, turned = i32_at(bag_of_at), f32_at(turned_at)
    count = 0
    bounds[0] = 0
    for entry in range(starts[0], starts[bags]):
        term = terms[entry]
        if slots[term] == 0:
            distinct[count] = term
            bounds[count + 1] = 0
            count += 1
            slots[term] = count
        bounds[slots[term]] += 1
        slot_of[entry] = slots[term] - 1
    total = np.int64(0)
    for slot in range(count):  # where its bags begin is kept one place later, and moves to where they end
        size = bounds[slot + 1]
        bounds[slot + 1] = total
        total += size
        slots[distinct[slot]] = 0
    for bag in range(bags):
        for entry in range(starts[bag], starts[bag + 1]):
            slot = slot_of[entry] + 1
            place = bounds[slot]
            bag_of[place], turned[place] = bag, weights[entry]
            bounds[slot] = place + 1
    return count
