"""Compiled late interaction: scores of documents by their compressed tokens, and by the centroids of these.

A token is a centroid and a residual of which each half byte (one to four dimensions) is one of sixteen. So the product
with a query token is that of its centroid and a number for each half byte, all of which are looked up; nothing is
decompressed. Sums are in single precision and in one order. The largest cosines of a query's tokens are summed up in
double precision, in the order of the tokens.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from llvmlite import ir

from porism.system.compiled.kernels import compiled, f32_at, f64_at, i32_at, i64_at, intrinsic, types, u8_at, u32_at
from porism.system.compiled.numba_internals import cgutils

LANES = 16
"""Query tokens that are handled at once; their number is padded to a multiple of it."""


def _take_token(
    typing_context: Any, near: Any, table: Any, residual: Any, width: Any, stride: Any, scale: Any, top: Any
) -> Any:
    """Raises :data:`LANES` numbers at ``top`` to the cosines of a token, where these are larger.

    The cosine is ``scale`` times the sum of a number at ``near`` and, for each of the ``width`` bytes at ``residual``,
    those that its two halves have in ``table``. All are float32, and rows of the table ``stride`` bytes apart, so that
    the row of half byte ``h`` with value ``v`` is the one numbered 16 ``h`` + ``v``. It is written as instructions on
    vectors, since what compilers make of a loop over numbers whose places may overlap is ten times slower.
    """

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        near_at, table_at, residual_at, count, step, factor, top_at = arguments
        vector, number = ir.VectorType(ir.FloatType(), LANES), near_at.type

        def load(at: Any) -> Any:
            return builder.load(builder.inttoptr(at, vector.as_pointer()), align=4)

        sums = cgutils.alloca_once_value(builder, load(near_at))
        with cgutils.for_range(builder, count) as loop:
            byte = builder.load(builder.inttoptr(builder.add(residual_at, loop.index), ir.IntType(8).as_pointer()))
            first = builder.shl(loop.index, number(5))  # sixteen rows for each half
            low = builder.add(first, builder.zext(builder.and_(byte, byte.type(15)), number))
            high = builder.add(first, builder.add(builder.zext(builder.lshr(byte, byte.type(4)), number), number(16)))
            halves = [load(builder.add(table_at, builder.mul(row, step))) for row in (low, high)]
            builder.store(builder.fadd(builder.load(sums), builder.fadd(*halves)), sums)
        spread = ir.Constant(vector, ir.Undefined)
        for lane in range(LANES):
            spread = builder.insert_element(spread, factor, ir.IntType(32)(lane))
        cosines, before = builder.fmul(builder.load(sums), spread), load(top_at)
        larger = builder.select(builder.fcmp_ordered(">", cosines, before), cosines, before)
        builder.store(larger, builder.inttoptr(top_at, vector.as_pointer()), align=4)
        return context.get_dummy_value()

    whole = types.int64
    return types.void(whole, whole, whole, whole, whole, types.float32, whole), generate


_take = intrinsic(_take_token)


@compiled(
    "void(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)", eager=False
)
def max_sims(
    docs_at: Any, count: Any, offsets_at: Any, heads_at: Any, residuals_at: Any, width: Any, factors_at: Any,
    near_at: Any, table_at: Any, lanes: Any, tokens: Any, best_at: Any, scores_at: Any,
) -> None:
    """The MaxSim of a query with each of ``count`` documents: the sum over the query's tokens of the largest cosine
    with a token of the document (Khattab and Zaharia 2020, equation 3); 0 for one without tokens.

    Arrays are given by address:

    - ``docs``: int32.
    - ``offsets``: int64, one more than documents.
    - ``heads``: uint32; of each token its centroid in the lower 24 bits and its scale in the upper 8, which stand for
      one of 256 ``factors`` (float32).
    - ``residuals``: uint8, ``width`` a token.
    - ``near``: float32, the products of each centroid with the query's tokens; centroids × ``lanes``, of which the
      first ``tokens`` count.
    - ``table``: float32, the products of what half bytes stand for; 2 · ``width`` × 16 × ``lanes``.

    Results are ``best``, the largest cosine of each query token (float32, ``count`` × ``lanes``), and ``scores``
    (float64).
    """
    docs, offsets = i32_at(docs_at), i64_at(offsets_at)
    heads, factors, scores = u32_at(heads_at), f32_at(factors_at), f64_at(scores_at)
    for number in range(count):
        start, stop = offsets[docs[number]], offsets[docs[number] + 1]
        row_at = best_at + 4 * number * lanes
        best = f32_at(row_at)
        for lane in range(lanes):
            best[lane] = np.float32(-4.0)
        for row in range(start, stop):
            head = np.int64(heads[row])
            code, factor = head & 0xFFFFFF, factors[head >> 24]
            for lane in range(0, lanes, 16):
                _take(
                    near_at + 4 * (code * lanes + lane), table_at + 4 * lane, residuals_at + row * width, width,
                    4 * lanes, factor, row_at + 4 * lane,
                )
        score = 0.0
        if stop > start:
            for token in range(tokens):
                score += np.float64(best[token])
        scores[number] = score


@compiled("void(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64)", eager=False)
def centroid_sims(
    docs_at: Any, count: Any, offsets_at: Any, heads_at: Any, near_at: Any, strong_at: Any, lanes: Any,
    tokens: Any, room_at: Any, scores_at: Any,
) -> None:
    """The MaxSim of a query with documents whose tokens are taken for their centroids (PLAID's centroid interaction:
    Santhanam et al. 2022, section 3.2); tokens of centroids that are not ``strong`` are left out (its section 3.3).

    By address as for :func:`max_sims`, and ``strong`` uint8, one a centroid; ``room`` float32, ``lanes``; ``scores``
    float64. A query token that meets no token scores 0.
    """
    docs, offsets = i32_at(docs_at), i64_at(offsets_at)
    heads, strong, scores, top = u32_at(heads_at), u8_at(strong_at), f64_at(scores_at), f32_at(room_at)
    for number in range(count):
        doc = docs[number]
        for lane in range(lanes):
            top[lane] = np.float32(0.0)
        for row in range(offsets[doc], offsets[doc + 1]):
            code = np.int64(heads[row]) & 0xFFFFFF
            if strong[code] != 0:
                near = f32_at(near_at + 4 * code * lanes)
                for lane in range(lanes):
                    value = near[lane]
                    top[lane] = value if value > top[lane] else top[lane]
        score = 0.0
        for token in range(tokens):
            score += np.float64(top[token])
        scores[number] = score
