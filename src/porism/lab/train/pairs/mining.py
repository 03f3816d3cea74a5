"""Mining the pairs of a collection by several miners, without repetitions and without what is excluded."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair
from porism.lab.train.pairs.exclusion import Exclusion
from porism.types import Documents


@dataclass(frozen=True, slots=True)
class MinerCounts:
    """What became of the pairs of one miner: how many it found, how many were left out as excluded, as repetitions,
    and because there were more than wanted, how many were kept. ``reason`` says why a miner found none."""

    miner: str
    found: int
    excluded: int
    repeated: int
    surplus: int
    kept: int
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Mined:
    """The pairs, and the counts of each miner."""

    pairs: list[Pair]
    counts: list[MinerCounts]


def mine_pairs(
    documents: Documents,
    miners: Sequence[Miner],
    text: ModelText | None = None,
    *,
    exclude: Exclusion | None = None,
    most: int | None = None,
    seed: int = 1,
    strict: bool = True,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> Mined:
    """The pairs that miners find, in their order.

    :param text: how documents are written for the model.
    :param most: how many pairs of each miner are kept at most, drawn by the seed.
    :param strict: whether a miner that finds nothing is an error; else its counts say why.
    :param on_progress: receives how many miners are done of how many.
    :raises ConfigError: no pair is left, or ``strict`` and a miner finds nothing to work with.
    """
    text, exclude = text or ModelText(), exclude or Exclusion()
    seen: set[tuple[str, str]] = set()
    kept: list[Pair] = []
    counts: list[MinerCounts] = []
    for number, miner in enumerate(miners):
        found, reason = _mine(miner, documents, text, strict)
        allowed = [found[at] for at in np.flatnonzero(~exclude.applies(found)).tolist()]
        fresh: list[Pair] = []
        for pair in allowed:
            if (key := (pair.anchor, pair.positive)) not in seen and pair.anchor != pair.positive:
                seen.add(key)
                fresh.append(pair)
        chosen = fresh
        if most is not None and len(fresh) > most:
            chosen = [fresh[at] for at in sorted(random.Random(seed).sample(range(len(fresh)), most))]
        kept += chosen
        counts.append(MinerCounts(
            miner.name, len(found), len(found) - len(allowed), len(allowed) - len(fresh), len(fresh) - len(chosen),
            len(chosen), reason,
        ))
        on_progress(number + 1, len(miners))
    if not kept:
        told = "; ".join(
            f"{one.miner}: {one.reason or f'{one.found:,} found, {one.excluded:,} excluded'}" for one in counts
        )
        raise ConfigError(f"there are no pairs to train on ({told})", hint="Take other miners, or exclude less.")
    return Mined(kept, counts)


def _mine(miner: Miner, documents: Documents, text: ModelText, strict: bool) -> tuple[list[Pair], str]:
    try:
        return list(miner.mine(documents, text)), ""
    except ConfigError as error:
        if strict:
            raise
        return [], error.what
