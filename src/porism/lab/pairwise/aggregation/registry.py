"""Loop truncation, which repeats an aggregation; all aggregations by their names, and runs made by them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, OnProblem
from porism.lab.pairwise.aggregation.methods import REPEATABLE, Aggregation
from porism.lab.pairwise.scores import Floats, Holes, PairwiseRun, PairwiseScores
from porism.runs.provenance import Provenance
from porism.runs.run import Run
from porism.settings import SettingError, nearest, read_named, read_settings


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


AGGREGATIONS: Mapping[str, type[Aggregation]] = {**REPEATABLE, LoopTruncation.name: LoopTruncation}
"""Method name → its class."""

DEFAULT = "sym-sum"
"""The aggregation where none is named: that of duoT5."""


def make_aggregation(method: str, parameters: Mapping[str, Any] | None = None) -> Aggregation:
    """The aggregation of this name, with parameters as plain values.

    :raises ConfigError: there is no such method; as :class:`SettingError`, it has no such parameter, or not with such a
        value.
    """
    return read_named(AGGREGATIONS, method, parameters, "aggregation")


def aggregated_scores(
    pairs: PairwiseScores, aggregation: Aggregation, *, holes: Holes = "complement",
    on_problem: OnProblem | None = None,
) -> Floats:
    """The score of each candidate (float64 [k]); holes are filled first, unless the aggregation takes them.

    :raises ConfigError: there are holes that may not be filled, or the aggregation needs an order that is not known.
    """
    complete = pairs if aggregation.takes_holes else pairs.without_holes(holes, on_problem)
    return aggregation.scores(complete) + 0.0  # a -0.0 becomes 0.0, so that equal scores are also written alike


def aggregate(
    pairs: PairwiseRun, method: str | Aggregation = DEFAULT, *, name: str | None = None, holes: Holes = "complement",
    on_problem: OnProblem | None = None, **parameters: Any,
) -> Run:
    """A run of pairwise scores: ``aggregate(pairs, "loop-truncation", cuts=[100, 50])``.

    :param method: a name of :data:`AGGREGATIONS`, with its parameters; or an aggregation that has them.
    :param name: of the run; that of the method if not given.
    :raises ConfigError: the method or a parameter does not exist or fit, or holes may not be filled.
    """
    if isinstance(method, Aggregation):
        if parameters:
            raise ConfigError(f"{next(iter(parameters))!r} is given beside an aggregation that has its parameters")
        aggregation = method
    else:
        aggregation = make_aggregation(method, parameters)
    results: dict[str, Iterable[tuple[str, float]]] = {}
    for query in pairs.queries:
        scores = aggregated_scores(query, aggregation, holes=holes, on_problem=on_problem)
        results[query.query_id] = zip(query.doc_ids, scores.tolist(), strict=True)
    return Run(results, name or aggregation.name, provenance=Provenance(made_by(pairs, aggregation, holes)))


def made_by(pairs: PairwiseRun, aggregation: Aggregation, holes: Holes) -> dict[str, Any]:
    """How a run of pairwise scores is made, as plain values."""
    return {
        "kind": "aggregation of pairwise scores", **aggregation.described(), "holes": holes, "of": dict(pairs.made_by),
        "candidates": int(np.max([len(query) for query in pairs.queries], initial=0)),
    }
