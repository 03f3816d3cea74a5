"""What a reranker learns from: an anchor with its positive and negatives, as rows that the model reads."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.lab.train.pairs.base import Pair, scored
from porism.lab.train.reranker.settings import RerankerTraining
from porism.lab.train.trainers import Batch
from porism.vectors.neural.loading import EXTRA
from porism.vectors.neural.scoring.base import LogitScorer, ModelTokens

PURPOSE = "training a reranker"

_CHUNK = 32
"""Batches are made by length among so many batches of examples."""


class RankingExample(NamedTuple):
    """Rows that a model reads, and of each its target: whether it is the positive, or the score of a teacher. With two
    documents the probability that the first is better."""

    rows: list[ModelTokens]
    targets: list[float]


def usable(pairs: Sequence[Pair], settings: RerankerTraining) -> list[Pair]:
    """The pairs that a reranker can learn from: those with negatives, and for ``margin-mse`` with scores.

    :raises ConfigError: there is none.
    """
    usable_pairs = [pair for pair in pairs if pair.negatives]
    if not usable_pairs:
        raise ConfigError(
            "a reranker learns from pairs with negatives, and none has any",
            hint="Mine them: --negatives search --negative-count 20 --negative-depth 100.",
        )
    return scored(usable_pairs) if settings.minimised == "margin-mse" else usable_pairs


def drawn(pair: Pair, epoch: int, most: int) -> Pair:
    """The pair with up to ``most`` of its negatives: in each epoch those that follow the ones of the epoch before."""
    count = len(pair.negatives)
    chosen = [(epoch * most + step) % count for step in range(min(most, count))]
    scores = (pair.scores[0], *(pair.scores[1 + at] for at in chosen)) if pair.scores else ()
    return replace(pair, negatives=tuple(pair.negatives[at] for at in chosen), scores=scores)


def planned(lengths: Sequence[int], settings: RerankerTraining) -> NDArray[np.int64]:
    """The numbers of examples of all epochs: drawn by the seed, then brought together by length, so that little is
    padded, in batches whose order is drawn too."""
    draw = np.random.default_rng(settings.seed)
    sizes = np.asarray(lengths, np.int64)
    order_of_all: list[NDArray[np.int64]] = []
    for _ in range(settings.epochs):
        order = draw.permutation(len(sizes))
        whole, chunk = len(order) - len(order) % settings.batch, settings.batch * _CHUNK
        pieces: list[NDArray[np.int64]] = []
        for start in range(0, whole, chunk):
            some = order[start : min(start + chunk, whole)]
            some = some[np.argsort(-sizes[some], kind="stable")]
            pieces += [some[at : at + settings.batch] for at in range(0, len(some), settings.batch)]
        order_of_all += [pieces[at] for at in draw.permutation(len(pieces)).tolist()]
        order_of_all.append(order[whole:])  # what fills no batch comes last, so that all others stay whole
    return np.concatenate(order_of_all)


class RankingExamples:
    """Pairs as examples; each text is tokenised once."""

    def __init__(self, pairs: Sequence[Pair], scorer: LogitScorer, settings: RerankerTraining) -> None:
        self._pairs, self._scorer, self._settings = pairs, scorer, settings
        texts = list(dict.fromkeys(text for pair in pairs for text in (pair.anchor, pair.positive, *pair.negatives)))
        self._tokens = dict(zip(texts, scorer.tokenised(texts), strict=True))

    @property
    def lengths(self) -> list[int]:
        """About how many tokens the longest row of each pair has."""
        return [
            sum(self._scorer.shares([
                len(self._tokens[pair.anchor]),
                *[max(len(self._tokens[text]) for text in (pair.positive, *pair.negatives))] * self._scorer.documents,
            ]))
            for pair in self._pairs
        ]

    def __call__(self, number: int, place: int) -> RankingExample:
        """The example of a pair at a place in the order of all epochs."""
        pair = drawn(self._pairs[number], place // len(self._pairs), self._settings.negatives)
        if self._settings.documents == 2:
            return self._compared(pair)
        rows = [self._row(pair.anchor, text) for text in (pair.positive, *pair.negatives)]
        return RankingExample(rows, list(pair.scores) or [1.0, *[0.0] * len(pair.negatives)])

    def _compared(self, pair: Pair) -> RankingExample:
        rows: list[ModelTokens] = []
        targets: list[float] = []
        for at, negative in enumerate(pair.negatives):
            better = 1.0
            if pair.scores:
                better = float(1 / (1 + np.exp(np.clip(pair.scores[1 + at] - pair.scores[0], -700, 700))))
            rows += [self._row(pair.anchor, pair.positive, negative), self._row(pair.anchor, negative, pair.positive)]
            targets += [better, 1 - better]
        return RankingExample(rows, targets)

    def _row(self, *texts: str) -> ModelTokens:
        return self._scorer.together([self._tokens[text] for text in texts])


class ExampleCollator:
    """Makes a batch of examples: of each tensor a row an example, filled up where one has fewer rows than others."""

    def __init__(self, scorer: LogitScorer) -> None:
        self._scorer = scorer

    def __call__(self, examples: Sequence[RankingExample]) -> Batch:
        torch: Any = need("torch", EXTRA, PURPOSE)
        most = max(len(example.rows) for example in examples)
        rows = [example.rows[min(at, len(example.rows) - 1)] for example in examples for at in range(most)]
        inputs = self._scorer.inputs(rows)
        batch: Batch = {name: value.reshape(len(examples), most, -1) for name, value in inputs.items()}
        targets, there = np.zeros((2, len(examples), most), np.float32)
        for number, example in enumerate(examples):
            targets[number, : len(example.targets)] = example.targets
            there[number, : len(example.targets)] = 1
        return batch | {"targets": torch.from_numpy(targets), "there": torch.from_numpy(there) > 0}
