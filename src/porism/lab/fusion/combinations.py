"""Fusions of normalised scores: CombSUM and its kin, and linear interpolation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal

from porism.lab.fusion.base import Fusion, check_weights, weights_for
from porism.lab.fusion.table import Floats, FusionTable

Norm = Literal["min-max", "z-score", "rank", "sum", "none"]
"""How the scores of one run for one topic are normalised before they are combined.

- ``min-max``: (s - min) / (max - min); equal scores (or a single one) are 1 each: the run did find them;
- ``z-score``: (s - mean) / standard deviation (of the list, not estimated from it); equal scores are 0 each;
- ``rank``: 1 - (rank - 1) / n, with n the length of the list, or its largest rank where ranks have gaps;
- ``sum``: (s - min) / the sum of all s - min; equal scores are 1 / length each;
- ``none``: the scores as they are.
"""

_KINDS: dict[str, int] = {"none": 0, "min-max": 1, "z-score": 2, "rank": 3, "sum": 4}  # as in kernels


@dataclass(frozen=True, slots=True)
class _Comb(Fusion):
    """What the combinations of Fox and Shaw (TREC-2, 1993) share; only runs that have the document count.

    :param norm: see :data:`Norm`.
    """

    _kind: ClassVar[int]
    norm: Norm = "min-max"

    def scores(self, table: FusionTable) -> Floats:
        return table.combined(self._kind, table.normalised(_KINDS[self.norm]))


@dataclass(frozen=True, slots=True)
class CombSUM(_Comb):
    """The sum of the document's normalised scores (Fox and Shaw 1993)."""

    name: ClassVar[str] = "combsum"
    _kind: ClassVar[int] = 0


@dataclass(frozen=True, slots=True)
class CombMNZ(_Comb):
    """The sum of the document's normalised scores, times how many runs have it (Fox and Shaw 1993)."""

    name: ClassVar[str] = "combmnz"
    _kind: ClassVar[int] = 1


@dataclass(frozen=True, slots=True)
class CombANZ(_Comb):
    """The mean of the document's normalised scores over the runs that have it (Fox and Shaw 1993)."""

    name: ClassVar[str] = "combanz"
    _kind: ClassVar[int] = 2


@dataclass(frozen=True, slots=True)
class CombMIN(_Comb):
    """The least of the document's normalised scores (Fox and Shaw 1993)."""

    name: ClassVar[str] = "combmin"
    _kind: ClassVar[int] = 3


@dataclass(frozen=True, slots=True)
class CombMAX(_Comb):
    """The largest of the document's normalised scores (Fox and Shaw 1993)."""

    name: ClassVar[str] = "combmax"
    _kind: ClassVar[int] = 4


@dataclass(frozen=True, slots=True)
class CombMED(_Comb):
    """The median of the document's normalised scores; of an even number the mean of the two in the middle."""

    name: ClassVar[str] = "combmed"
    _kind: ClassVar[int] = 5


@dataclass(frozen=True, slots=True)
class Linear(Fusion):
    """Linear interpolation: the weighted sum of normalised scores, where a missing document scores zero.

    Zhong, Yang and Lin (2022), section 3.4, have two runs, weights α and 1 - α, and min-max. By z-score zero is the
    run's mean, so that a missing document ranks above those with scores below it.

    :param weights: one a run, any finite numbers; 1 / how many runs if not given.
    :param norm: see :data:`Norm`.
    """

    name: ClassVar[str] = "linear"
    weights: tuple[float, ...] | None = None
    norm: Norm = "min-max"

    def __post_init__(self) -> None:
        check_weights(self.weights, negative=True)

    def scores(self, table: FusionTable) -> Floats:
        weights = weights_for(self.weights, table, 1.0 / len(table.runs))
        return table.combined(0, weights[table.systems] * table.normalised(_KINDS[self.norm]))
