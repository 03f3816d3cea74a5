"""What each member of an ensemble adds: fusions of some of its runs beside the fusion of all."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from math import prod
from typing import Any

import numpy as np

from porism.errors import ConfigError, QueryError, pluralise
from porism.lab.evaluate.comparison import RunComparison, Test, compare_runs, unique_names
from porism.lab.evaluate.diversity import Clustering
from porism.lab.evaluate.evaluation import Missing, evaluate_run, shared_topics
from porism.lab.evaluate.judgments import Qrels
from porism.lab.evaluate.measures import Measure, parse_measure
from porism.lab.evaluate.tables import aligned, shown
from porism.runs.run import Run

Fuse = Callable[[Sequence[Run]], Run]
"""Makes one run of several, e.g. ``lambda runs: fuse(runs, "rrf")``."""


@dataclass(frozen=True, slots=True)
class LeaveOneOut:
    """The fusion of all runs, and for each run the fusion of the others, tested against that of all.

    ``comparison`` has them in the order of ``names``, the fusion of all first, as its baseline.
    """

    names: tuple[str, ...]
    comparison: RunComparison

    def contribution(self, name: str) -> float:
        """What a run adds: the fusion of all minus that of the others, by the (first) measure.

        :raises ConfigError: there is no such run.
        """
        measure = self.comparison.measures[0]
        return self.comparison.evaluations[0].aggregated[measure] - self.comparison[f"without {name}"][measure]

    def table(self) -> str:
        """The ablation as text."""
        return self.comparison.table()

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "contributions": {name: self.contribution(name) for name in self.names},
            "comparison": self.comparison.to_dict(),
        }


def leave_one_out(
    runs: Sequence[Run], fuse: Fuse, qrels: Qrels, measure: Measure | str = "nDCG'", *, test: Test = "t-test",
    missing: Missing = "zero", depth: int | None = 1000, seed: int = 0,
) -> LeaveOneOut:
    """Fuses all runs, and all but each; every fusion is scored on the same topics.

    :raises QueryError: there are fewer than two runs, or a run and the judgments have no topic in common.
    :raises ConfigError: the measure does not exist, or an option has a wrong value.
    """
    names = _checked(runs, qrels)
    chosen = parse_measure(measure)
    fusions = [fuse(runs).renamed("all")]
    fusions += [
        fuse([*runs[:number], *runs[number + 1 :]]).renamed(f"without {name}") for number, name in enumerate(names)
    ]
    return LeaveOneOut(
        names, compare_runs(fusions, qrels, [chosen], test=test, missing=missing, depth=depth, seed=seed)
    )


@dataclass(frozen=True, slots=True)
class OnePerCluster:
    """Fusions of one run from each cluster, beside the fusion of all runs, by one measure.

    ``draws`` are the names fused and what their fusion scored; ``every`` says that these are all choices there are.
    """

    measure: str
    full: float
    draws: tuple[tuple[tuple[str, ...], float], ...]
    every: bool

    @property
    def mean(self) -> float:
        """The mean over the draws."""
        return float(np.mean([value for _, value in self.draws]))

    @property
    def worst(self) -> float:
        """The lowest value of a draw."""
        return min(value for _, value in self.draws)

    @property
    def best(self) -> float:
        """The highest value of a draw."""
        return max(value for _, value in self.draws)

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return {
            "measure": self.measure,
            "full": self.full,
            "draws": [{"runs": list(names), "value": value} for names, value in self.draws],
            "every": self.every,
            "mean": self.mean,
        }

    def table(self) -> str:
        """The ablation as text."""
        size = len(self.draws[0][0])
        label = f"one run from each of {size} clusters"
        rows = [
            ["fused", self.measure], ["all runs", shown(self.full)], [f"{label}, mean", shown(self.mean)],
            ["worst", shown(self.worst)], ["best", shown(self.best)],
        ]
        count = len(self.draws)
        note = "all choices" if self.every else "random choices"
        return "\n".join([*aligned(rows), f"{note}: {count:,}"])


def one_per_cluster(
    runs: Sequence[Run], clustering: Clustering, fuse: Fuse, qrels: Qrels, measure: Measure | str = "nDCG'", *,
    seed: int = 0, draws: int = 20, missing: Missing = "zero", depth: int | None = 1000,
) -> OnePerCluster:
    """Fuses one run of each cluster, drawn at random: whether it is diversity that wins, or numbers.

    No choice is drawn twice; where there are no more than ``draws``, each is made once.

    :raises QueryError: there are fewer than two runs, or a run and the judgments have no topic in common.
    :raises ConfigError: the clustering is of another number of runs, there are no draws, or the measure does not exist.
    """
    names = _checked(runs, qrels)
    if len(clustering.labels) != len(runs):
        raise ConfigError(f"a clustering of {len(clustering.labels)} runs cannot be used for {len(runs)}")
    if draws < 1:
        raise ConfigError(f"{draws} draws", hint="It takes 1 or more.")
    chosen = parse_measure(measure)
    every = prod(len(cluster) for cluster in clustering.clusters) <= draws

    def score(members: Sequence[Run]) -> float:
        return evaluate_run(fuse(members), qrels, [chosen], missing=missing, depth=depth)[chosen]

    results = tuple(
        (tuple(names[place] for place in choice), score([runs[place] for place in choice]))
        for choice in _choices(clustering, draws, seed)
    )
    return OnePerCluster(repr(chosen), score(runs), results, every)


def _choices(clustering: Clustering, draws: int, seed: int) -> list[tuple[int, ...]]:
    clusters = clustering.clusters
    if prod(map(len, clusters)) <= draws:
        return [tuple(sorted(choice)) for choice in product(*clusters)]
    random = np.random.default_rng(seed)
    drawn: dict[tuple[int, ...], None] = {}
    while len(drawn) < draws:
        drawn[tuple(sorted(cluster[int(random.integers(len(cluster)))] for cluster in clusters))] = None
    return list(drawn)


def _checked(runs: Sequence[Run], qrels: Qrels) -> tuple[str, ...]:
    """The runs' names, each once, when all can be fused and scored."""
    if len(runs) < 2:
        raise QueryError(f"an ablation of {pluralise(len(runs), 'run')}", hint="It takes two or more.")
    names, _ = unique_names([run.name for run in runs])
    for run, name in zip(runs, names, strict=True):
        shared_topics(run.renamed(name), qrels)
    return names
