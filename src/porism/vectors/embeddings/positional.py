"""Positional word2vec: the matrices, and the threads that train them.

Several threads train on parts of the texts and write to the same matrices without locks (Niu et al., *Hogwild!*, 2011).
The learning rate follows each thread's own part, and random numbers depend on seed, epoch and thread only; so with one
thread the vectors are the same bit by bit, whether training was interrupted between epochs or not.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.system.compiled.kernels import address
from porism.vectors.embeddings.corpus import Corpus, EpochTexts
from porism.vectors.embeddings.positional_kernels import LANES, train_texts
from porism.vectors.embeddings.settings import Positional
from porism.vectors.embeddings.trainers import OnTokens, Trained, check_finite, chosen, rate_at

_BATCH_SIZE = 100_000
"""Terms that a thread reads before it checks whether it should stop: less than a second."""

_ALIGNED = 64
_POWER = 0.75


class PositionalTrainer:
    """Trains ``inputs`` and ``outputs`` (float32, terms × padded dimensions) and ``positions`` (2 · window × padded
    positional features; a row for each place before and after the word, the farthest before it first)."""

    def __init__(self, corpus: Corpus, settings: Positional) -> None:
        self.corpus = corpus
        self.settings = settings
        terms = len(corpus.terms)
        self.stride = _padded(settings.dimensions)
        self.width = _padded(settings.positional)
        self.inputs = _aligned(terms, self.stride)
        self.outputs = _aligned(terms, self.stride)
        self.positions = _aligned(2 * settings.window, self.width)
        self._rates = _aligned(1, self.width)
        # A position moves with every word that is read, so its steps are shorter: one part in all the features.
        self._rates[0, : settings.positional] = 1.0 / settings.dimensions
        self._begin()
        self._kept = keep_probabilities(corpus.counts, settings.sample)
        self._alias, self._share = alias_table(corpus.counts.astype(np.float64) ** _POWER)

    def _begin(self) -> None:
        random = np.random.default_rng(self.settings.seed)
        dimensions, positional = self.settings.dimensions, self.settings.positional
        for row in range(0, len(self.inputs), 1 << 14):
            part = self.inputs[row : row + (1 << 14), :dimensions]
            part[:] = random.random(part.shape, np.float32) - np.float32(0.5)
            part /= np.float32(dimensions)
        self.positions[:] = 1.0
        if self.settings.initial == "product":
            # Uniform numbers from −1/2d to 1/2d have the variance 1/12d², which is that of the product of two normal
            # ones of variance 1/(√12 d) each.
            deviation = np.float32((12**0.5 * dimensions) ** -0.5)
            for matrix in (self.inputs, self.positions):
                shape = (len(matrix), positional)
                matrix[:, :positional] = random.standard_normal(shape, np.float32) * deviation

    def train_epoch(self, number: int, on_tokens: OnTokens) -> float:
        """Reads the texts once; returns the mean loss of a word that was read.

        :raises ConfigError: numbers are not finite any more.
        """
        texts = self.corpus.epoch(number)
        longest = int(np.diff(texts.starts).max())
        workers = self.settings.workers
        stop = threading.Event()
        train_texts.prepare()
        if workers == 1:
            sums = [self._part(texts, 0, len(texts.starts) - 1, number, 0, longest, on_tokens, stop)]
        else:
            bounds = np.searchsorted(texts.starts, np.linspace(0, texts.starts[-1], workers + 1)).tolist()
            bounds[-1] = len(texts.starts) - 1
            with ThreadPoolExecutor(workers) as pool:
                parts = [
                    pool.submit(self._part, texts, bounds[at], bounds[at + 1], number, at, longest, on_tokens, stop)
                    for at in range(workers)
                ]
                try:
                    sums = [part.result() for part in parts]
                except BaseException:
                    stop.set()
                    raise
        check_finite(number, self.inputs, self.outputs, self.positions)
        return float(sum(loss for loss, _ in sums)) / max(1, sum(words for _, words in sums))

    def _part(
        self, texts: EpochTexts, first: int, last: int, epoch: int, worker: int, longest: int, on_tokens: OnTokens,
        stop: threading.Event,
    ) -> tuple[float, int]:
        """What one thread reads; returns the sum of losses and the words it trained on."""
        settings = self.settings
        tokens = np.ascontiguousarray(texts.tokens)
        starts = texts.starts
        bits = np.random.SeedSequence([settings.seed, epoch, worker]).generate_state(1, np.uint64)
        state = np.array([max(1, int(bits[0] >> np.uint64(1))), 0, 0], np.int64)
        hidden, error = _aligned(1, self.stride), _aligned(1, self.stride)
        sentence = np.empty(longest, np.int32)
        begin, end = int(starts[first]), int(starts[last])
        loss = 0.0
        while first < last and not stop.is_set():
            stop_at = int(np.searchsorted(starts, starts[first] + _BATCH_SIZE, side="right")) - 1
            then = min(last, max(first + 1, stop_at))
            done, will_be = ((int(starts[text]) - begin) / max(1, end - begin) for text in (first, then))
            loss += train_texts(
                address(tokens), address(starts), first, then, address(self.inputs), address(self.outputs),
                address(self.positions), address(self._rates), address(self._kept), address(self._alias),
                address(self._share), address(hidden), address(error), address(sentence), address(state),
                len(self.corpus.terms), self.stride, self.width, settings.window, 1, settings.negative,
                rate_at(settings, epoch + done), rate_at(settings, epoch + will_be),
            )
            on_tokens(int(starts[then] - starts[first]))
            first = then
        return loss, int(state[1])

    def state(self) -> dict[str, NDArray[Any]]:
        """All that the next epoch depends on."""
        return {"inputs": self.inputs, "outputs": self.outputs, "positions": self.positions}

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to what :meth:`state` gave."""
        self.inputs[:] = state["inputs"]
        self.outputs[:] = state["outputs"]
        self.positions[:] = state["positions"]

    def result(self) -> Trained:
        """The vectors that are kept; those of positions are not."""
        dimensions = self.settings.dimensions
        return Trained(
            self.corpus.terms,
            chosen(self.inputs[:, :dimensions], self.outputs[:, :dimensions], self.settings.kept),
        )


def keep_probabilities(counts: NDArray[np.int64], sample: float) -> NDArray[np.float32]:
    """The probability by which an occurrence of each term is read (float32, 1 at most): √(t/f) + t/f for the threshold
    t and the share f of the term in all texts, as word2vec's program has it; 1 for all where ``sample`` is 0."""
    if sample == 0:
        return np.ones(len(counts), np.float32)
    ratio = sample * counts.sum() / np.maximum(counts, 1)
    probabilities: NDArray[np.float32] = np.minimum(1.0, np.sqrt(ratio) + ratio).astype(np.float32)
    return probabilities


def alias_table(weights: NDArray[np.float64]) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """Walker's table for drawing numbers by their weights: the number ``i``, drawn evenly, is kept with the probability
    ``share[i]`` (float32) and else becomes ``alias[i]`` (int32). Vose's construction (1991)."""
    count = len(weights)
    scaled = (weights * (count / weights.sum())).tolist()
    alias = np.arange(count, dtype=np.int32)
    share = np.ones(count, np.float32)
    small = [number for number, value in enumerate(scaled) if value < 1.0]
    large = [number for number, value in enumerate(scaled) if value >= 1.0]
    while small and large:
        low, high = small.pop(), large[-1]
        share[low] = scaled[low]
        alias[low] = high
        scaled[high] -= 1.0 - scaled[low]
        if scaled[high] < 1.0:
            small.append(large.pop())
    return alias, share


def _padded(features: int) -> int:
    return -(-features // LANES) * LANES


def _aligned(rows: int, columns: int) -> NDArray[np.float32]:
    """A matrix of zeros that begins on a cache line."""
    size = rows * columns * 4
    raw = np.zeros(size + _ALIGNED, np.uint8)
    skip = -address(raw) % _ALIGNED
    return raw[skip : skip + size].view(np.float32).reshape(rows, columns)
