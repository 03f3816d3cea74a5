"""Compiled inner products of a query with every vector of a segment, as they are stored: float32, float16 or int8.

Each vector is read once, from the memory map, and widened to float32 in registers, so that an exact search costs about
what reading the vectors costs. Sums are in single precision, in the order that vector instructions give; whoever ranks
by them computes the best again (:mod:`porism.retrieve.vectors.nearest`).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from porism.system.compiled.kernels import compiled, f32_at, i8_at, i64_at, inlined, intrinsic, types, u8_at, u16_at


def _widen_half(typing_context: Any, bits: Any) -> Any:
    """The number (float32) that 16 bits stand for (IEEE binary16), of those that are finite.

    Exponent and fraction are put where float32 has them, and what the exponents' biases differ by is multiplied: 2^112.
    It is written as instructions that every processor has, where LLVM would call a library for a conversion.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word = ir.IntType(32)
        wide = builder.zext(arguments[0], word)
        magnitude = builder.shl(builder.and_(wide, word(0x7FFF)), word(13))
        sign = builder.shl(builder.and_(wide, word(0x8000)), word(16))
        number = builder.bitcast(builder.or_(magnitude, sign), ir.FloatType())
        return builder.fmul(number, ir.Constant(ir.FloatType(), 2.0**112))

    return types.float32(types.uint16), generate


_half = intrinsic(_widen_half)


@inlined(fast_math=True)
def _of_float32(row_at: Any, query: Any, width: Any) -> Any:
    row, total = f32_at(row_at), np.float32(0.0)
    for place in range(width):
        total += row[place] * query[place]
    return total


@inlined(fast_math=True)
def _of_float16(row_at: Any, query: Any, width: Any) -> Any:
    row, total = u16_at(row_at), np.float32(0.0)
    for place in range(width):
        total += _half(row[place]) * query[place]
    return total


@inlined(fast_math=True)
def _of_int8(row_at: Any, query: Any, width: Any) -> Any:
    row, total = i8_at(row_at), np.float32(0.0)
    for place in range(width):
        total += np.float32(row[place]) * query[place]
    return total


_SIGNATURE = "void(int64, int64, int64, int64, int64, int64, int64, int64)"


@compiled(_SIGNATURE, eager=False, fast_math=True)
def best_of_float32(
    first: Any, last: Any, able_at: Any, offsets_at: Any, rows_at: Any, width: Any, query_at: Any, near_at: Any
) -> None:
    """The largest inner product of a query with a row of each thing from ``first`` to before ``last``.

    By address: ``able`` bool, one a thing; ``offsets`` int64, where rows of things begin and the last end; ``rows``
    float32, ``width`` a row; ``query`` float32; ``near`` float32, one a thing: results, nothing is written for things
    that are not able or have no row.
    """
    able, offsets, query, near = u8_at(able_at), i64_at(offsets_at), f32_at(query_at), f32_at(near_at)
    for thing in range(first, last):
        start, stop = offsets[thing], offsets[thing + 1]
        if able[thing] != 0 and start < stop:
            best = _of_float32(rows_at + 4 * start * width, query, width)
            for row in range(start + 1, stop):
                best = max(best, _of_float32(rows_at + 4 * row * width, query, width))
            near[thing] = best


@compiled(_SIGNATURE, eager=False, fast_math=True)
def best_of_float16(
    first: Any, last: Any, able_at: Any, offsets_at: Any, rows_at: Any, width: Any, query_at: Any, near_at: Any
) -> None:
    """As :func:`best_of_float32`, of rows that are float16."""
    able, offsets, query, near = u8_at(able_at), i64_at(offsets_at), f32_at(query_at), f32_at(near_at)
    for thing in range(first, last):
        start, stop = offsets[thing], offsets[thing + 1]
        if able[thing] != 0 and start < stop:
            best = _of_float16(rows_at + 2 * start * width, query, width)
            for row in range(start + 1, stop):
                best = max(best, _of_float16(rows_at + 2 * row * width, query, width))
            near[thing] = best


@compiled("void(int64, int64, int64, int64, int64, int64, int64, int64, int64)", eager=False, fast_math=True)
def best_of_int8(
    first: Any, last: Any, able_at: Any, offsets_at: Any, rows_at: Any, scales_at: Any, width: Any, query_at: Any,
    near_at: Any,
) -> None:
    """As :func:`best_of_float32`, of rows that are int8, each with a scale (``scales``, float32)."""
    able, offsets, query, near = u8_at(able_at), i64_at(offsets_at), f32_at(query_at), f32_at(near_at)
    scales = f32_at(scales_at)
    for thing in range(first, last):
        start, stop = offsets[thing], offsets[thing + 1]
        if able[thing] != 0 and start < stop:
            best = scales[start] * _of_int8(rows_at + start * width, query, width)
            for row in range(start + 1, stop):
                best = max(best, scales[row] * _of_int8(rows_at + row * width, query, width))
            near[thing] = best


@compiled("void(int64, int64, int64)", eager=False)
def widen_float16(rows_at: Any, count: Any, wide_at: Any) -> None:
    """Writes ``count`` float16 numbers as float32."""
    rows, wide = u16_at(rows_at), f32_at(wide_at)
    for place in range(count):
        wide[place] = _half(rows[place])
