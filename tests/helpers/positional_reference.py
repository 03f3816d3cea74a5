"""Positional CBOW in plain Python, one word after the other, with the random numbers of the kernel."""

from __future__ import annotations

import math

import numpy as np

MASK = (1 << 64) - 1


class Random:
    """xorshift64*."""

    def __init__(self, state):
        self.state = state & MASK

    def bits(self):
        x = self.state
        x ^= x >> 12
        x = (x ^ (x << 25)) & MASK
        x ^= x >> 27
        self.state = x
        return (x * 0x2545F4914F6CDD1D) & MASK

    def below(self, bound):
        return ((self.bits() >> 32) * bound) >> 32


def train(
    texts, inputs, outputs, positions, *, seed, window, negative, rate, last_rate, kept, alias, share, scale
):
    """Trains float64 matrices (terms × dimensions; 2 · window × positional features) in place; the sum of losses."""
    random = Random(seed)
    positional = positions.shape[1]
    total = sum(map(len, texts))
    read = 0
    loss = 0.0
    for text in texts:
        sentence = [
            word for word in text if not (kept[word] < 1 and (random.bits() >> 32) / 2**32 >= float(kept[word]))
        ]
        alpha = rate + (last_rate - rate) * read / total
        read += len(text)
        if len(sentence) < 2:
            continue
        for centre, word in enumerate(sentence):
            reach = 1 + random.below(window)
            around = range(max(0, centre - reach), min(len(sentence), centre + reach + 1))
            places = [at for at in around if at != centre]
            rows = [at - centre + window - (at > centre) for at in places]
            weighted = []
            for at, row in zip(places, rows, strict=True):
                vector = inputs[sentence[at]].copy()
                vector[:positional] *= positions[row]
                weighted.append(vector)
            hidden = np.mean(weighted, axis=0)
            error = np.zeros_like(hidden)
            for sample in range(negative + 1):
                target = word
                if sample:
                    bits = random.bits()
                    target = ((bits >> 32) * len(outputs)) >> 32
                    if (bits & 0xFFFFFFFF) / 2**32 >= float(share[target]):
                        target = int(alias[target])
                    if target == word:
                        continue
                chance = 1 / (1 + math.exp(-float(hidden @ outputs[target])))
                loss -= math.log(chance if sample == 0 else 1 - chance)
                step = ((sample == 0) - chance) * alpha
                error += step * outputs[target]
                outputs[target] += step * hidden
            for at, row in zip(places, rows, strict=True):
                value, weight = inputs[sentence[at]].copy(), positions[row].copy()
                inputs[sentence[at]][:positional] += error[:positional] * weight
                inputs[sentence[at]][positional:] += error[positional:]
                positions[row] += scale * error[:positional] * value[:positional]
    return loss
