"""What each member adds to a fusion: the fusion without it, and fusions of one member of each cluster."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from porism.lab.evaluate.ablation import Fuse, LeaveOneOut, OnePerCluster, leave_one_out, one_per_cluster
from porism.lab.evaluate.comparison import Test
from porism.lab.evaluate.diversity import Clustering, Documents, cluster_runs, spearman
from porism.lab.evaluate.evaluation import Missing
from porism.lab.evaluate.judgments import Qrels
from porism.lab.evaluate.measures import Measure
from porism.lab.reports.words import number, p_value, signed
from porism.runs.run import Run

DRAWS = 20
"""So many choices of one member of each cluster are fused, or all where there are no more."""


@dataclass(frozen=True, slots=True)
class Ablation:
    """The ablations of one fusion.

    :param fused: what it is called.
    :param without: the fusion without each member.
    :param clustering: of the members, by Spearman's ρ; None for fewer than three, and no ``clusters`` then.
    :param clusters: fusions of one member of each cluster.
    """

    fused: str
    without: LeaveOneOut
    clustering: Clustering | None = None
    clusters: OnePerCluster | None = None

    @property
    def groups(self) -> tuple[tuple[str, ...], ...]:
        """The names of the members in each cluster."""
        places = self.clustering.clusters if self.clustering else ()
        return tuple(tuple(self.without.names[place] for place in cluster) for cluster in places)

    @property
    def said(self) -> str:
        """The clusters and how many choices of one member of each were fused, in a sentence; empty without clusters."""
        if self.clusters is None:
            return ""
        count = len(self.clusters.draws)
        which = f"{'all' if self.clusters.every else 'random'} choices: {count:,}"
        listed = "; ".join(", ".join(names) for names in self.groups)
        return f"Clusters by Spearman's ρ: {listed}. One member of each is fused, in {which}."

    def table(self) -> list[list[str]]:
        """Rows of cells, the head first: what was fused, its value, and how it differs from the fusion of all."""
        comparison = self.without.comparison
        measure = comparison.measures[0]
        rows = [[f"{self.fused}: fused", measure, "difference", "wins/ties/losses", f"{comparison.corrected} p"]]
        for evaluation in comparison.evaluations:
            result = comparison.tests[measure].get(evaluation.run_name)
            mark = " †" if evaluation.tuned_on else ""
            rows.append([
                f"{evaluation.run_name}{mark}", number(evaluation.aggregated[measure], 4),
                *([
                    f"{signed(result.difference, 4)}{result.stars}", f"{result.wins}/{result.ties}/{result.losses}",
                    p_value(result.adjusted),
                ] if result else ["", "", ""]),
            ])
        if self.clusters is not None:
            mark = " †" if comparison.evaluations[0].tuned_on else ""
            statistics = {"mean": self.clusters.mean, "worst": self.clusters.worst, "best": self.clusters.best}
            rows += [
                [
                    f"one of each of {len(self.groups)} clusters, {statistic}{mark}", number(value, 4),
                    signed(value - self.clusters.full, 4), "", "",
                ]
                for statistic, value in statistics.items()
            ]
        return rows

    def notes(self) -> list[str]:
        """What belongs below the table, in sentences."""
        tuned: dict[str, list[str]] = {}
        for evaluation in self.without.comparison.evaluations:
            if evaluation.tuned_on:
                tuned.setdefault(evaluation.tuned_note, []).append(evaluation.run_name)
        said = [self.said] if self.said else []
        return [*said, *(f"† {', '.join(names)}: {note}." for note, names in tuned.items())]

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON: those of leaving one out, and ``one_per_cluster`` with the ``clustering``."""
        plain = self.without.to_dict()
        if self.clusters is not None and self.clustering is not None:
            plain["one_per_cluster"] = {
                **self.clusters.to_dict(), "clustering": self.clustering.to_dict(self.without.names)
            }
        return plain


def make_ablation(
    fused: str, members: Sequence[Run], fuse: Fuse, qrels: Qrels, measure: Measure | str = "nDCG'", *,
    test: Test = "t-test", missing: Missing = "zero", depth: int | None = 1000, seed: int = 0, draws: int = DRAWS,
    documents: Documents = "pool",
) -> Ablation:
    """Leaves out each member of a fusion in turn, and keeps one of each cluster of them, as section 4 of the Masaryk
    group's paper at ARQMath 2021 does.

    The clusters are those of :func:`~porism.lab.evaluate.diversity.cluster_runs` by Spearman's ρ on the judged topics.

    :param fuse: makes the fusion of some of the members.
    :raises QueryError: there are fewer than two members, or one and the judgments have no topic in common.
    :raises ConfigError: the measure does not exist, or an option has a wrong value.
    :raises MissingExtra: SciPy is not installed, which clusters need.
    """
    without = leave_one_out(members, fuse, qrels, measure, test=test, missing=missing, depth=depth, seed=seed)
    if len(members) < 3:  # then one of each cluster are all
        return Ablation(fused, without)
    clustering = cluster_runs(spearman(members, list(qrels), documents=documents, depth=depth))
    clusters = one_per_cluster(
        members, clustering, fuse, qrels, measure, seed=seed, draws=draws, missing=missing, depth=depth
    )
    return Ablation(fused, without, clustering, clusters)
