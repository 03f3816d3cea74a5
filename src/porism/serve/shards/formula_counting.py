"""Which formulas count in which shard, and what the shards have of them together.

Each distinct formula counts in the first shard that has it, so that statistics add up. Which do is found out once for
the commits that are open: shards give digests of their formulas, and are told by marks which count.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, QueryError
from porism.index.engine.units import first_of_equal
from porism.retrieve.formulas.model import FormulaModel
from porism.search.formula_occurrences import Naming
from porism.search.models.models import model_from
from porism.serve.shards.fan_out import ShardCalls
from porism.serve.shards.formula_requests import (
    MARKS_BATCH_SIZE,
    FormulaCollection,
    FormulaCollectionRequest,
    FormulaDigestsRequest,
)
from porism.serve.shards.formula_shard import name_of_marks
from porism.serve.shards.merging import totals_of
from porism.serve.shards.requests import Shard
from porism.serve.shards.shard_group import ShardGroup


@dataclass(frozen=True, slots=True)
class Counting:
    """Which formulas count in which shard, and what they have together."""

    names: Mapping[Shard, str]
    formulas: int
    channels: tuple[tuple[str, str, int, float], ...]
    model: FormulaModel
    naming: Naming


class FormulaCountings:
    """What counts where, of the commits that were asked last; safe to share between threads."""

    def __init__(self, group: ShardGroup) -> None:
        self._group = group
        self._digests: dict[tuple[Shard, int], NDArray[np.uint64]] = {}
        self._last: tuple[Any, Counting] | None = None

    def of(self, calls: ShardCalls) -> Counting:
        """Which formulas count in which of the shards that answer; of the same commits it is remembered."""
        group = self._group
        while True:
            generations = {shard: group.collections[shard].generation for shard in calls.shards}
            key = (group.moves, tuple(generations.items()))
            last = self._last
            if last is not None and last[0] == key:
                return last[1]
            calls.some({shard: partial(self._fetch, generation=number) for shard, number in generations.items()})
            counting = self._count(generations, calls)
            if len(calls.shards) == len(generations):  # else what counts in those that failed counts in others
                self._last = (key, counting)
                return counting

    def _count(self, generations: Mapping[Shard, int], calls: ShardCalls) -> Counting:
        """Says to each shard which formulas count there."""
        digests = {shard: self._digests[shard, generations[shard]] for shard in calls.shards}
        having = [shard for shard, own in digests.items() if len(own)]
        firsts = first_of_equal(np.concatenate([np.zeros((0, 2), np.uint64), *(digests[shard] for shard in having)]))
        ends = np.cumsum([len(digests[shard]) for shard in having])
        marks = dict(zip(having, np.split(firsts, ends[:-1]), strict=True)) if having else {}
        counted = calls.some({
            shard: partial(_send_marks, marks=own, generation=generations[shard]) for shard, own in marks.items()
        })
        model, naming = _agreeing(counted)
        return Counting(
            {shard: name_of_marks(marks[shard]) for shard in counted},
            sum(int(np.count_nonzero(marks[shard])) for shard in counted),
            totals_of(answer.channels for answer in counted.values()), model, naming,
        )

    def _fetch(self, shard: Shard, generation: int) -> None:
        """Learns the digests of a shard; what comes too late is there for the next question."""
        if (shard, generation) in self._digests:
            return
        parts: list[NDArray[np.uint64]] = []
        while True:
            first = sum(map(len, parts))
            answer = shard.ask(FormulaDigestsRequest(generation, first))
            parts.append(answer.array())
            if not len(parts[-1]) and first < answer.count:
                raise QueryError(f"{shard.name} gave {first:,} of {answer.count:,} digests")
            if first + len(parts[-1]) >= answer.count:
                break
        for known in [known for known in self._digests if known[0] is shard]:
            del self._digests[known]
        self._digests[shard, generation] = np.concatenate(parts)


def _send_marks(shard: Shard, marks: NDArray[np.bool_], generation: int) -> FormulaCollection:
    """Says which formulas count in a shard."""
    name, bits = name_of_marks(marks), np.packbits(marks).tobytes()
    step = MARKS_BATCH_SIZE // 8
    for first in range(0, len(bits), step):
        part = base64.b64encode(bits[first : first + step]).decode("ascii")
        collection = shard.ask(FormulaCollectionRequest(generation, name, 8 * first, part))
        if collection.complete:
            return collection
    raise QueryError(f"{shard.name} does not take the marks of its formulas")


def _agreeing(counted: Mapping[Shard, FormulaCollection]) -> tuple[FormulaModel, Naming]:
    """The model by which all search, and what runs call formulas.

    :raises ConfigError: they are searched by different models.
    """
    shard_collections = list(counted.items())
    if not shard_collections:
        return FormulaModel.from_dict({}), "places"
    first, known = shard_collections[0]
    for shard, collection in shard_collections:
        if collection.model != known.model:
            raise ConfigError(
                f"formulas are searched by another model than in {first.name}", where=shard.name,
                hint="Start its server with the same model: porism serve --formula-model NAME",
            )
    model = model_from(known.model, formulas=True)
    if not isinstance(model, FormulaModel):
        raise ConfigError("formulas are not searched by their structure", where=first.name)
    names = {answer.names for answer in counted.values()}
    return model, "visual ids" if "visual ids" in names else "ids" if "ids" in names else "places"
