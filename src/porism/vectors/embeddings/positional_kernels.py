"""The compiled part of positional word2vec: one pass of gradient steps over encoded texts.

CBOW with negative sampling (Mikolov et al. 2013), where the vector of a context word is multiplied, feature by feature,
with the vector of its position in the window (Mikolov et al. 2018), in the first features only (Novotný et al. 2022).

Rows of features are padded with zeros to a multiple of :data:`LANES`, so that every loop runs in whole vector
registers; what is padded stays 0, because each of its updates has a factor 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from porism.system.compiled.kernels import compiled, f32_at, i32_at, i64_at, inlined

LANES = 32
"""Float32 numbers that a loop handles in one turn: four registers of eight, or two of sixteen."""

_MAX_PRODUCT = 30.0  # the sigmoid of ±30 is 0 or 1 in float32


@inlined(fast_math=True)
def _next(state: Any) -> Any:
    """The next 64 random bits (xorshift64*, Vigna 2016); ``state[0]`` is never 0."""
    x = np.uint64(state[0])
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = np.int64(x)
    return x * np.uint64(0x2545F4914F6CDD1D)


@inlined(fast_math=True)
def _below(bits: Any, bound: Any) -> Any:
    """A whole number from 0 to ``bound`` − 1 from the upper 32 of random bits."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(bound)) >> np.uint64(32))


@compiled(
    "float64(int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64, int64,"
    " int64, int64, int64, int64, int64, int64, float64, float64)",
    fast_math=True,
)
def train_texts(
    tokens_address: Any, starts_address: Any, first: Any, last: Any, inputs_address: Any, outputs_address: Any,
    positions_address: Any, rates_address: Any, kept_address: Any, alias_address: Any, share_address: Any,
    hidden_address: Any, error_address: Any, sentence_address: Any, state_address: Any, vocabulary: Any, stride: Any,
    positional: Any, window: Any, shrink: Any, negative: Any, rate: Any, last_rate: Any,
) -> Any:
    """Trains on the texts ``first`` to ``last`` − 1; returns the sum of the losses of their words.

    Arrays, by address: tokens int32 and starts int64 (texts + 1) of encoded texts; inputs and outputs float32,
    ``vocabulary`` × ``stride``; positions float32, 2 · ``window`` × ``positional``, where the vector of the word
    p places after (before) the centre is row ``window`` + p − 1 (``window`` − p); rates float32, ``positional``:
    the share of its gradient by which each feature of a position moves; kept float32: the probability by which an
    occurrence of a word is read; alias int32 and share float32: Walker's alias table of negative samples; hidden and
    error float32, ``stride``, and sentence int32, the longest text: room to work in; state int64, 3: random numbers,
    words trained on, words read. ``stride`` and ``positional`` are multiples of :data:`LANES`.

    A step for a centre c with the context words w at positions p (n of them): h = Σ d_p ⊙ v_w / n; for c (label 1) and
    each negative sample (label 0) t: g = (label − σ(h · u_t)) · rate, e += g u_t, u_t += g h; at last d_p += rates ⊙ e
    ⊙ v_w and v_w += e ⊙ d_p, with d_p and v_w as they were. As in word2vec, e is not divided by n. The learning rate
    goes from ``rate`` to ``last_rate`` linearly over the tokens.
    """
    tokens = i32_at(tokens_address)
    starts = i64_at(starts_address)
    inputs = f32_at(inputs_address)
    outputs = f32_at(outputs_address)
    positions = f32_at(positions_address)
    rates = f32_at(rates_address)
    kept = f32_at(kept_address)
    alias = i32_at(alias_address)
    share = f32_at(share_address)
    hidden = f32_at(hidden_address)
    error = f32_at(error_address)
    sentence = i32_at(sentence_address)
    state = i64_at(state_address)
    to_unit = 1.0 / 4294967296.0
    begin = starts[first]
    slope = (last_rate - rate) / max(1, starts[last] - begin)
    loss = 0.0
    for text in range(first, last):
        length = 0
        for at in range(starts[text], starts[text + 1]):
            word = tokens[at]
            if kept[word] < 1.0 and np.float64(_next(state) >> np.uint64(32)) * to_unit >= np.float64(kept[word]):
                continue
            sentence[length] = word
            length += 1
        state[2] += starts[text + 1] - starts[text]
        alpha = rate + slope * (starts[text] - begin)
        if length < 2:
            continue
        for centre in range(length):
            reach = window
            if shrink:
                reach = 1 + _below(_next(state), window)
            low = max(0, centre - reach)
            high = min(length, centre + reach + 1)
            for d in range(stride):
                hidden[d] = np.float32(0.0)
                error[d] = np.float32(0.0)
            for at in range(low, high):
                if at == centre:
                    continue
                row = np.int64(sentence[at]) * stride
                place = (at - centre + window) if at < centre else (at - centre + window - 1)
                weights = place * positional
                for d in range(positional):
                    hidden[d] += inputs[row + d] * positions[weights + d]
                for d in range(positional, stride):
                    hidden[d] += inputs[row + d]
            mean = np.float32(1.0) / np.float32(high - low - 1)
            for d in range(stride):
                hidden[d] *= mean
            own = np.int64(sentence[centre])
            likelihood = 1.0
            for sample in range(negative + 1):
                target = own
                label = 1.0
                if sample > 0:
                    bits = _next(state)
                    target = _below(bits, vocabulary)
                    if np.float64(bits & np.uint64(0xFFFFFFFF)) * to_unit >= np.float64(share[target]):
                        target = np.int64(alias[target])
                    if target == own:
                        continue
                    label = 0.0
                row = target * stride
                product = np.float32(0.0)
                for d in range(stride):
                    product += hidden[d] * outputs[row + d]
                bounded = min(_MAX_PRODUCT, max(-_MAX_PRODUCT, np.float64(product)))
                chance = 1.0 / (1.0 + math.exp(-bounded))
                likelihood *= max(chance if sample == 0 else 1.0 - chance, 1e-13)
                if likelihood < 1e-250:
                    loss -= math.log(likelihood)
                    likelihood = 1.0
                step = np.float32((label - chance) * alpha)
                for d in range(stride):
                    before = outputs[row + d]
                    error[d] += step * before
                    outputs[row + d] = before + step * hidden[d]
            loss -= math.log(likelihood)
            for at in range(low, high):
                if at == centre:
                    continue
                row = np.int64(sentence[at]) * stride
                place = (at - centre + window) if at < centre else (at - centre + window - 1)
                weights = place * positional
                for d in range(positional):
                    value = inputs[row + d]
                    weight = positions[weights + d]
                    inputs[row + d] = value + error[d] * weight
                    positions[weights + d] = weight + rates[d] * error[d] * value
                for d in range(positional, stride):
                    inputs[row + d] += error[d]
        state[1] += length
    return loss
