"""All fusions of the runs that teams sent to ARQMath 2020, scored and tested against the best of them.

::

    python -m benchmarks effectiveness ensembles --data ../shared/data
    python -m benchmarks effectiveness ensembles --data ../shared/data --ranks position --measures "nDCG' MAP'"

The runs of five systems (DPRL, MIRMU, MathDowsers, zbMATH, Approach Zero) are there without their unjudged results;
the rank column keeps the gaps, so that ``--ranks file`` (the default) fuses by the ranks of the whole runs. Methods
have their default parameters, nothing is tuned; RBC and WIBC are cross-validated over topics. IBC draws numbers: its
figures are also given over ``--seeds`` of them.

At the end IBC is put beside what the paper of 2021 reports for the whole runs. Of those the unjudged results are not
known, and they take places among the first 1,000: once none is there, and once each gap is filled with a document of
its own, which no other run has. The whole runs, which share some, lie between.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import RESULTS
from porism import PorismError, Run, read_qrels
from porism.lab.evaluate import compare_runs, evaluate_run
from porism.lab.fusion import RBC, WIBC, FusionTable, cross_validate_fusion, make_fusion

FILES = {
    "DPRL": "DPRL_task1_auto_both_A3.tsv",
    "MIRMU": "prim_MIRMU-task1-Ensemble-auto-both-A.tsv",
    "MathDowsers": "prim_MathDowsers-task1-alpha05noReRank-auto-both-A.tsv",
    "zbMATH": "prim_zbMATH-task1-auto-both-P.tsv",
    "Approach0": "prim_Approach0.tsv",
}
BASELINES = ("Approach0",)
"""Systems that the organisers ran, which the paper's ensemble leaves out."""

METHODS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("rrf", {}), ("borda", {}), ("combsum", {}), ("combsum", {"norm": "z-score"}), ("combsum", {"norm": "rank"}),
    ("combsum", {"norm": "sum"}), ("combmnz", {}), ("combanz", {}), ("combmin", {}), ("combmax", {}), ("combmed", {}),
    ("isr", {}), ("log-isr", {}), ("linear", {}), ("linear", {"norm": "z-score"}), ("condorcet", {}),
    ("ibc", {"ties": "majority"}), ("ibc", {"ties": "majority", "median": "lower"}),
)
DRAWING: tuple[dict[str, Any], ...] = ({}, {"median": "lower"})

Qrels = dict[str, dict[str, int]]


def label(method: str, parameters: dict[str, Any]) -> str:
    """A fusion as it is called in the table."""
    return " ".join([method, *map(str, parameters.values())])


def filled(run: Run, topics: Sequence[str], depth: int, single: bool) -> Run:
    """A run of full depth: where a rank is not there, a document that no other run has and nobody judged.

    ``single`` systems answered with one document; where it is not there it was another.
    """
    columns: tuple[list[str], list[float], list[int], list[int]] = ([], [], [], [0])
    ids, scores, ranks, offsets = columns
    for topic in topics:
        at = run.query_ids.index(topic) if topic in run else None
        places = [] if at is None else range(run.offsets[at], run.offsets[at + 1])
        known = [(int(run.ranks[place]), run.doc_ids[place]) for place in places]
        taken = {rank for rank, _ in known}
        last = 1 if single else depth
        known += [(rank, f"{run.name}-{rank}") for rank in range(1, last + 1) if rank not in taken]
        for rank, doc in sorted(known):
            ids.append(doc)
            ranks.append(rank)
            scores.append(float(-rank))
        offsets.append(len(ids))
    return Run.from_columns(topics, offsets, ids, scores, run.name, ranks=ranks)


def over_seeds(
    table: FusionTable, parameters: dict[str, Any], qrels: Qrels, measures: Sequence[str], seeds: int
) -> Any:
    """Mean and spread of IBC's measures over seeds."""
    values = []
    for seed in range(seeds):
        evaluation = evaluate_run(make_fusion("ibc", {**parameters, "seed": seed}).fuse(table), qrels, measures)
        values.append([evaluation[measure] for measure in measures])
    return np.mean(values, axis=0), np.std(values, axis=0)


def main() -> None:
    """Prints the tables and writes them as JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, required=True, help="folder with arqmath-runs-2020 and arqmath-topics")
    parser.add_argument("--ranks", choices=["file", "position"], default="file")
    parser.add_argument("--measures", default="nDCG' MAP' P'@10")
    parser.add_argument("--test", choices=["t-test", "wilcoxon", "permutation"], default="t-test")
    parser.add_argument("--folds", type=int, default=5)
    parser.add_argument("--seeds", type=int, default=10)
    options = parser.parse_args()
    measures = options.measures.split()
    qrels = {topic: dict(gains) for topic, gains in
             read_qrels(options.data / "arqmath-topics" / "2020" / "qrel_task1_2020.tsv").items()}
    runs = [Run.read(options.data / "arqmath-runs-2020" / path, ranks=options.ranks).renamed(name)
            for name, path in FILES.items()]
    table = FusionTable(runs)
    fused = [make_fusion(method, parameters).fuse(table, name=label(method, parameters))
             for method, parameters in METHODS]
    fused += [make_fusion("ibc", given).fuse(table, name=f"{label('ibc', given)} (one seed)") for given in DRAWING]
    for learner in (WIBC(), RBC(model="linear"), RBC(model="sgd"), RBC(model="pls"), RBC(model="mlp"),
                    RBC(model="linear", features="reciprocal")):
        name = learner.name if isinstance(learner, WIBC) else label(
            "rbc", {"model": learner.model, **({} if learner.features == "rating" else {"features": learner.features})})
        fused.append(cross_validate_fusion(learner, runs, qrels, folds=options.folds, name=f"{name} (held out)"))
    singles = {run.name: evaluate_run(run, qrels, measures)[measures[0]] for run in runs}
    best = max(singles, key=singles.__getitem__)
    comparison = compare_runs([*runs, *fused], qrels, measures, baseline=best, test=options.test)
    print(comparison.table())
    print(f"\nIBC over {options.seeds} seeds, mean ± standard deviation")
    spread: dict[str, Any] = {}
    for given in DRAWING:
        mean, deviation = over_seeds(table, given, qrels, measures, options.seeds)
        shown = "  ".join(f"{m} {v:.4f} ± {d:.4f}" for m, v, d in zip(measures, mean, deviation, strict=True))
        spread[label("ibc", given)] = {"mean": mean.tolist(), "deviation": deviation.tolist()}
        print(f"{label('ibc', given):20}{shown}")
    print(f"\nIBC of the teams' systems ({', '.join(name for name in FILES if name not in BASELINES)}), {measures[0]}; "
          "the paper has 0.419 for all five teams")
    whole = [Run.read(options.data / "arqmath-runs-2020" / path, ranks="file").renamed(name)
             for name, path in FILES.items() if name not in BASELINES]
    full = [filled(run, list(qrels), 1000, run.name == "zbMATH") for run in whole]
    papers: dict[str, float] = {}
    for name, given_runs in (("as they are here", whole), ("each gap filled with a document of its own", full)):
        for given in DRAWING:
            mean, _ = over_seeds(FusionTable(given_runs), given, qrels, measures, options.seeds)
            papers[f"{name}, {label('ibc', given)}"] = float(mean[0])
            print(f"{name + ', ' + label('ibc', given):60}{mean[0]:.4f}")
    for run, given_run in zip(full, whole, strict=True):
        one, other = (evaluate_run(given, qrels, measures)[measures[0]] for given in (run, given_run))
        print(f"{run.name}: {other:.4f} as it is here, {one:.4f} with its gaps filled")
    RESULTS.mkdir(parents=True, exist_ok=True)
    (RESULTS / f"ensembles-{options.ranks}.json").write_text(json.dumps(
        {"options": {**vars(options), "data": str(options.data)}, "comparison": comparison.to_dict(), "ibc": spread,
         "whole runs": papers}, indent=1))


if __name__ == "__main__":
    try:
        main()
    except PorismError as error:
        sys.exit(f"Error: {error}")
