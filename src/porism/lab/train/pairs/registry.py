"""Miners of training pairs by name, and mining by several of them, without repetitions and without what is excluded."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any

import numpy as np

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError
from porism.lab.train.pairs.base import Miner, Pair
from porism.lab.train.pairs.exclusion import Exclusion
from porism.lab.train.pairs.judgments import JudgmentsMiner
from porism.lab.train.pairs.posts import AnswersMiner, LinksMiner
from porism.lab.train.pairs.statements import Citations, References
from porism.lab.train.pairs.texts import Halves, Openings, Titles
from porism.settings import parse_assignments, read_named
from porism.types import Documents

MINERS: Mapping[str, type[Miner]] = MappingProxyType({
    miner.name: miner
    for miner in (AnswersMiner, LinksMiner, Citations, References, Titles, Openings, Halves, JudgmentsMiner)
})
"""The miners. A new one is a module of this folder and a name here."""


def make_miner(name: str, settings: Mapping[str, Any] | None = None) -> Miner:
    """A miner with settings as plain values.

    :raises ConfigError: there is no such miner, or a setting does not exist or fit.
    """
    return read_named(MINERS, name, settings, "miner of pairs")


def parse_miner(written: str) -> Miner:
    """A miner as a command has it: ``answers`` or ``answers:accepted=true;votes=7``.

    :raises ConfigError: there is no such miner, or a setting does not exist or fit.
    """
    name, _, rest = written.partition(":")
    name = name.strip()
    return make_miner(name, parse_assignments(part for part in rest.split(";") if part.strip()))


def usual_miners(metadata: Iterable[str], fields: Iterable[str]) -> list[Miner]:
    """The miners that fit a collection, by the keys of its metadata and its fields.

    Questions with answers give ``answers`` and ``links``, labels give ``references``, titles ``titles``; ``halves`` is
    taken where the collection has neither questions nor titles.
    """
    keys, names = set(metadata), set(fields)
    miners: list[Miner] = []
    if "question" in names or "answers" in names:
        miners.append(AnswersMiner())
    if "duplicates" in keys:
        miners.append(LinksMiner())
    if "labels" in keys:
        miners.append(References())
    if "title" in names and "question" not in names and "answers" not in names:
        miners.append(Titles())
    return miners or [Halves()]


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
        mined, reason = _mine(miner, documents, text, strict)
        allowed = [mined[at] for at in np.flatnonzero(~exclude.applies(mined)).tolist()]
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
            miner.name, len(mined), len(mined) - len(allowed), len(allowed) - len(fresh), len(fresh) - len(chosen),
            len(chosen), reason,
        ))
        on_progress(number + 1, len(miners))
    if not kept:
        told = "; ".join(
            f"{its.miner}: {its.reason or f'{its.found:,} found, {its.excluded:,} excluded'}" for its in counts
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
