"""Which pairs stand together in a batch: where the others' texts are negatives, those of one miner, none of which
answers the anchor of another one."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence

from porism.lab.train.pairs.base import Pair

_OPEN = 8
"""Batches that are filled side by side, so that pairs that cannot stand together go into different ones."""

_SMALLEST = 0.25
"""A batch with a smaller share of the wanted pairs is left out: it has too little to compare with."""


class Known:
    """Which texts each anchor is known to find: the positives of all pairs with this anchor, and the anchor itself."""

    def __init__(self, pairs: Sequence[Pair]) -> None:
        self._of: dict[str, set[str]] = defaultdict(set)
        for pair in pairs:
            self._of[pair.anchor].update((pair.anchor, pair.positive))

    def of(self, anchor: str) -> set[str]:
        """The texts of an anchor."""
        return self._of[anchor]


class _Batch:
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
        return [batch for batch in whole if len(batch) >= min(size * _SMALLEST, len(order))]
    full: list[list[int]] = []
    filling = [_Batch() for _ in range(_OPEN)]
    for number in order:
        pair = pairs[number]
        # Fuller ones first: so that one is full soon, and few are left over at the end.
        for batch in sorted(filling, key=lambda one: -len(one.pairs)):
            if batch.takes(pair, known):
                batch.add(number, pair, known)
                if len(batch.pairs) == size:
                    full.append(batch.pairs)
                    filling[filling.index(batch)] = _Batch()
                break
    rest = [batch.pairs for batch in filling if len(batch.pairs) >= max(2, size * _SMALLEST)]
    return full + rest
