"""What an encoder learns from: pairs that fit the loss, their batches, and what the model reads of a batch."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from porism.errors import ConfigError
from porism.lab.train.encoder.model import PURPOSE, as_read
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.pairs.base import Pair, scored
from porism.vectors.neural.loading import load_torch

_OPEN = 8
"""Batches that are filled side by side, so that pairs that cannot stand together go into different ones."""

_MIN_SHARE = 0.25
"""A batch with a smaller share of the wanted pairs is left out: it has too little to compare with."""


def usable(pairs: Sequence[Pair], settings: EncoderTraining) -> list[Pair]:
    """The pairs as the loss needs them.

    :raises ConfigError: there are too few, or they have no negatives or scores that it needs.
    """
    most = {"ranking": settings.negatives, "collection": 0}.get(settings.loss, 1)
    examples = [replace(pair, negatives=pair.negatives[:most], scores=pair.scores[: most + 1]) for pair in pairs]
    if settings.loss not in ("ranking", "collection"):
        examples = [pair for pair in examples if pair.negatives]
        if not examples:
            raise ConfigError(
                f"the loss {settings.loss!r} needs pairs with negatives",
                hint="Mine negatives, or take the loss ranking.",
            )
    if settings.loss == "margin-mse":
        examples = scored(examples)
    if len(examples) < 2:
        raise ConfigError("one pair is too little to train on", hint="Mine more pairs.")
    return examples


class Known:
    """Which texts each anchor is known to find: the positives of all pairs with this anchor, and the anchor itself."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._of: dict[str, set[str]] = defaultdict(set)
        for pair in pairs:
            self._of[pair.anchor].update((pair.anchor, pair.positive))

    def of(self, anchor: str) -> set[str]:
        """The texts of an anchor."""
        return self._of[anchor]


class _OpenBatch:
    """A batch that is being filled."""

    def __init__(self) -> None:
        self.pairs: list[int] = []
        self.anchors: set[str] = set()
        self.texts: set[str] = set()
        self.known: set[str] = set()

    def takes(self, pair: Pair, known: Known) -> bool:
        """Whether no text of the pair answers an anchor of the batch, and none of the batch the anchor of the pair."""
        texts = {pair.positive, *pair.negatives}
        return (
            pair.anchor not in self.anchors and self.known.isdisjoint(texts)
            and known.of(pair.anchor).isdisjoint(self.texts)
        )

    def add(self, number: int, pair: Pair, known: Known) -> None:
        """Adds a pair."""
        self.pairs.append(number)
        self.anchors.add(pair.anchor)
        self.texts.update((pair.positive, *pair.negatives))
        self.known.update(known.of(pair.anchor))


def plan_batches(pairs: Sequence[Pair], size: int, epochs: int, seed: int, *, apart: bool = True) -> list[list[int]]:
    """The batches of a training in their order, as numbers of pairs.

    Each epoch has each pair once, in another order, except for those that are left over with too few others. Within a
    batch longer texts come last, so that parts of it have texts of about the same length.

    :param apart: whether other pairs of a batch are negatives: then those of a batch are of one miner, and none answers
        another one's anchor.
    """
    known = Known(pairs)
    groups: dict[tuple[str, int], list[int]] = defaultdict(list)
    for number, pair in enumerate(pairs):
        groups[pair.miner if apart else "", len(pair.negatives)].append(number)
    draw = random.Random(seed)
    planned: list[list[int]] = []
    for _ in range(epochs):
        batches = [batch for group in groups.values() for batch in _filled(group, pairs, size, draw, known, apart)]
        draw.shuffle(batches)
        planned += batches
    if not planned and pairs:  # fewer than the smallest batch: all that there are
        planned = [list(range(len(pairs)))] * epochs
    return [sorted(batch, key=lambda number: len(pairs[number].positive)) for batch in planned]


def _filled(
    group: Sequence[int], pairs: Sequence[Pair], size: int, draw: random.Random, known: Known, apart: bool
) -> list[list[int]]:
    order = list(group)
    draw.shuffle(order)
    if not apart:
        whole = [order[start : start + size] for start in range(0, len(order), size)]
        return [batch for batch in whole if len(batch) >= min(size * _MIN_SHARE, len(order))]
    full: list[list[int]] = []
    filling = [_OpenBatch() for _ in range(_OPEN)]
    for number in order:
        pair = pairs[number]
        # Fuller ones first: so that one is full soon, and few are left over at the end.
        for batch in sorted(filling, key=lambda open_batch: -len(open_batch.pairs)):
            if batch.takes(pair, known):
                batch.add(number, pair, known)
                if len(batch.pairs) == size:
                    full.append(batch.pairs)
                    filling[filling.index(batch)] = _OpenBatch()
                break
    rest = [batch.pairs for batch in filling if len(batch.pairs) >= max(2, size * _MIN_SHARE)]
    return full + rest


class PairCollator:
    """From numbers of pairs to what the model reads: a column each of anchors, positives and negatives."""

    valid_label_columns: tuple[str, ...] = ("label",)

    def __init__(self, network: Any, pairs: Sequence[Pair], kept: Sequence[str], settings: EncoderTraining) -> None:
        self.network, self.settings = network, settings
        self.pairs = [*pairs, *(Pair(text, text) for text in kept)]

    def __call__(self, rows: Sequence[Any]) -> dict[str, Any]:
        pairs = [self.pairs[row["number"]] for row in rows]
        columns: dict[str, Sequence[str]] = {"anchor": [pair.anchor for pair in pairs]}
        found_texts = [(pair.positive, *pair.negatives) for pair in pairs]
        if self.settings.loss == "collection":
            found_texts = []  # they have their vectors
        for number, texts in enumerate(zip(*found_texts, strict=True)):
            columns["positive" if number == 0 else f"negative_{number}"] = texts
        batch: dict[str, Any] = {}
        for name, given in columns.items():
            prefix = self.settings.query_prefix if name == "anchor" else self.settings.document_prefix
            column = as_read(given, self.network, self.settings.cut, prefix)
            task: dict[str, Any] = {}
            if self.settings.kind == "colbert":
                side = "query" if name == "anchor" else "document"
                task = {"task": side, "prompt": self.network.prompts[side]}
            for key, value in self.network.preprocess(column, **task).items():
                if hasattr(value, "shape"):
                    batch[f"{name}_{key}"] = value
        torch = load_torch(PURPOSE)
        if self.settings.loss == "collection":
            batch["label"] = torch.tensor([row["number"] for row in rows])
        if self.settings.loss == "margin-mse":
            batch["label"] = torch.tensor([pair.scores[0] - pair.scores[1] for pair in pairs])
        return batch


def without_padding(inputs: dict[str, Any]) -> dict[str, Any]:
    """Rows of tokens as far as the longest of each column reaches: those of a part may all be shorter than the batch.
    """
    shorter = dict(inputs)
    for name, mask in inputs.items():
        if name.endswith("_attention_mask"):
            longest = int(mask.sum(dim=1).max())
            column = name.removesuffix("attention_mask")
            for other, value in inputs.items():
                if other.startswith(column) and getattr(value, "shape", None) == mask.shape:
                    shorter[other] = value[:, :longest]
    return shorter
