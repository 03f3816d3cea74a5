"""Aggregation again and again, each time over fewer candidates."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from porism.lab.pairwise.aggregation.base import Aggregation
from porism.lab.pairwise.aggregation.repeatable import REPEATABLE
from porism.lab.pairwise.scores import Floats, PairwiseScores
from porism.settings import SettingError, nearest, read_settings


@dataclass(frozen=True, slots=True)
class LoopTruncation(Aggregation):
    """All candidates are aggregated; for each cut, the best so many are aggregated again among themselves
    (LOOP-TRUNCATION-AGGREGATION: Avila and Lourenço 2021, algorithm 1).

    What a cut leaves out comes below the rest, in the order that it had then. Its scores are moved down as a whole: the
    best of them is 1 below the worst of those that were kept. Ties are decided as in runs: later ids first.

    :param cuts: the numbers of candidates that are kept, falling; those that are not below the number of candidates
        change nothing.
    :param of: the aggregation that is repeated, by name, and ``parameters``, its own.
    """

    name: ClassVar[str] = "loop-truncation"
    cuts: tuple[int, ...] = (200, 100, 50)
    of: str = "sym-sum-log"
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not self.cuts or min(self.cuts) < 1 or any(later >= earlier for earlier, later in pairwise(self.cuts)):
            raise SettingError(
                f"cuts cannot be {list(self.cuts)}", path=("cuts",), hint="Falling whole numbers of 1 or more: 200,100."
            )
        if self.of == self.name:
            raise SettingError(f"{self.name} cannot repeat itself", path=("of",), hint="Name what it repeats.")
        self.repeated()

    def repeated(self) -> Aggregation:
        """The aggregation that is repeated.

        :raises SettingError: there is none of this name, or a parameter does not fit.
        """
        if self.of not in REPEATABLE:
            raise SettingError(f"there is no aggregation {self.of!r}", path=("of",), hint=nearest(self.of, REPEATABLE))
        return read_settings(REPEATABLE[self.of], self.parameters, at=("parameters",))

    @property
    def uses_ranks(self) -> bool:
        return self.repeated().uses_ranks

    def scores(self, pairs: PairwiseScores) -> Floats:
        aggregation = self.repeated()
        scores = aggregation.scores(pairs)
        kept = np.arange(len(pairs))
        left_out: list[NDArray[np.int64]] = []
        for cut in (cut for cut in self.cuts if cut < len(pairs)):
            ids = [pairs.doc_ids[at] for at in kept.tolist()]
            best = sorted(sorted(range(len(ids)), key=ids.__getitem__, reverse=True), key=lambda at: -scores[kept[at]])
            stays = np.sort(np.array(best[:cut], np.int64))
            left_out.append(np.delete(kept, stays))
            kept = kept[stays]
            scores[kept] = aggregation.scores(pairs.taken(kept))
        worst = scores[kept].min(initial=np.inf)
        for beneath in reversed(left_out):
            scores[beneath] += worst - 1.0 - scores[beneath].max()
            worst = scores[beneath].min()
        return scores
