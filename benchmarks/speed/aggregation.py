"""How fast pairwise scores are aggregated, and read: every method on 54 queries of 300 candidates.

::

    python -m benchmarks speed aggregation
    python -m benchmarks speed aggregation --queries 54 --candidates 300 --rounds 3 --scale 3 --text

The scores are made up from a seed: candidates have hidden merits, and the score of a pair is the logistic function of
``--scale`` times their difference, with noise, in 32 bits as models give them; with a large scale nearly all are 0 or
1. Printed is the least wall and processor time of the rounds for the whole run, and for writing and reading an archive;
with ``--text`` also those of a file of columns.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from porism.lab.pairwise import (
    AGGREGATIONS,
    PairwiseRun,
    PairwiseScores,
    aggregate,
    flips_at,
    read_pairwise,
    write_pairwise,
)


def made_up(queries: int, candidates: int, scale: float, seed: int) -> PairwiseRun:
    """Pairwise scores of candidates with hidden merits."""
    rng = np.random.default_rng(seed)
    found = []
    for query in range(queries):
        merit = np.sort(rng.normal(size=candidates))[::-1] + 0.5 * rng.normal(size=candidates)
        logits = scale * (np.subtract.outer(merit, merit) + rng.normal(size=(candidates, candidates)))
        matrix = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32)
        ids = tuple(str(number) for number in rng.choice(9_000_000, candidates, replace=False))
        found.append(PairwiseScores(str(query), ids, matrix.astype(np.float64), ranked=True))
    return PairwiseRun(tuple(found))


def timed(work: Callable[[], Any], rounds: int) -> tuple[float, float]:
    """The least wall and processor seconds."""
    walls, processors = [], []
    for _ in range(rounds):
        wall, processor = time.perf_counter(), time.process_time()
        work()
        walls.append(time.perf_counter() - wall)
        processors.append(time.process_time() - processor)
    return min(walls), min(processors)


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--queries", type=int, default=54)
    parser.add_argument("--candidates", type=int, default=300)
    parser.add_argument("--scale", type=float, default=3.0)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--text", action="store_true")
    options = parser.parse_args()
    run = made_up(options.queries, options.candidates, options.scale, options.seed)
    print(f"{run.pairs:,} pairs, scale {options.scale:g}")
    works: dict[str, Callable[[], Any]] = {
        method: (lambda method=method: aggregate(run, method)) for method in AGGREGATIONS
    }
    works["flips"] = lambda: flips_at(run, [30, 50, 100, 300])
    with tempfile.TemporaryDirectory() as folder:
        for name in ("pairs.npz", *(["pairs.tsv"] if options.text else [])):
            path = Path(folder) / name
            works[f"write {name}"] = lambda path=path: write_pairwise(path, run)
            works[f"read {name}"] = lambda path=path: read_pairwise(path)
        print(f"{'':16}  {'wall s':>7}  {'cpu s':>7}")
        for name, work in works.items():
            wall, processor = timed(work, 1 if name.endswith(".tsv") else options.rounds)
            print(f"{name:16}  {wall:7.3f}  {processor:7.3f}")


if __name__ == "__main__":
    main()
