"""Cross-validation of fusions that learn from judgments: no topic is ranked by what it taught."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Any

from porism.errors import ConfigError
from porism.lab.fusion.base import LearnedFusion, Qrels
from porism.lab.fusion.regression import judged_topics
from porism.lab.fusion.table import FusionTable, joined_runs
from porism.runs.provenance import Provenance
from porism.runs.run import Run


def cross_validate_fusion(
    method: LearnedFusion, runs: Sequence[Run], qrels: Qrels, topics: Iterable[str] | None = None, *,
    folds: int = 5, seed: int = 0, depth: int = 1000, name: str | None = None,
) -> Run:
    """Fuses each topic by a model that was fitted without it.

    The judged topics are divided into ``folds`` parts of sizes that differ by one at most, by the seed and not by their
    order. Each part is fused by a model of the others. Topics of the runs that are not among them are fused by a model
    of all. What is fused so is not tuned on its topics; the folds are in the evidence.

    :param topics: those to divide; all judged ones if not given.
    :raises ConfigError: there are fewer topics than folds, or fewer than 2 folds; and as :meth:`LearnedFusion.fit`.
    """
    training = judged_topics(qrels, qrels if topics is None else topics)
    if not 2 <= folds <= len(training):
        raise ConfigError(f"{len(training)} topics cannot be divided into {folds} folds",
                          hint="There are 2 folds or more, and no more than topics.")
    present = {topic for run in runs for topic in run.query_ids}
    shuffled = sorted(training)
    random.Random(seed).shuffle(shuffled)
    parts = [shuffled[fold::folds] for fold in range(folds)]
    table = FusionTable(runs)
    fused: list[Run] = []
    records: list[dict[str, Any]] = []
    for part in parts:
        others = [topic for topic in training if topic not in set(part)]
        fitted = method.fit(table, qrels, others)
        records.append({"held_out": sorted(part), **fitted.evidence()})
        fused.append(fitted.fuse([run.only(part) for run in runs], depth=depth))
    if rest := present - set(training):
        fused.append(method.fit(table, qrels, training).fuse([run.only(rest) for run in runs], depth=depth))
    known = method.provenance(table, depth)
    made_by = {**known.made_by, "cross_validation": {"folds": folds, "seed": seed}}
    evidence = (*known.evidence, {"kind": "cross-validated regression", "folds": records})
    # A model of all is tuned on the topics that it learnt from, but ranks others only.
    provenance = Provenance(made_by, known.tuned_on, evidence, known.seconds)
    return joined_runs(table.query_ids, fused, name or method.name, provenance)
