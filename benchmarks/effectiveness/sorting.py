"""What sorting with few comparisons loses: nDCG@10 against what a model reads, beside all pairs.

::

    python -m benchmarks effectiveness sorting
    python -m benchmarks effectiveness sorting --pairs duo.npz --run first.run --qrels qrels.txt --depth 50

Without files pairwise scores are made up from a seed: documents have gains from 0 to 3, the first stage ranks them by
gain and noise, and the score of a pair is the logistic function of the difference of two gains with noise of its own in
each order, so that a share of pairs flips and preferences can be circular. Printed are, for each sorting, nDCG@10, the
ordered pairs that the model reads for a query, and the batches one after the other.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np

from porism import Run, read_qrels
from porism.lab.evaluate import evaluate_run
from porism.lab.pairwise import PairwiseRun, PairwiseScores, flips_at, ranked_by, read_pairwise
from porism.lab.pairwise.sorting.base import by_scores, sort_together
from porism.lab.pairwise.sorting.registry import make_sorting

SORTINGS: tuple[tuple[str, dict[str, Any]], ...] = (
    ("all-pairs", {}), ("all-pairs", {"both": False}),
    ("heap", {"top": 10}), ("heap", {"top": 10, "both": False}),
    ("sliding", {"passes": 1}), ("sliding", {"passes": 10}), ("sliding", {"passes": 10, "both": False}),
    ("active", {"budget": 2.0}), ("active", {"budget": 5.0}), ("active", {"budget": 10.0}),
    ("active", {"budget": 5.0, "both": False}),
)


def made_up(queries: int, candidates: int, noise: float, seed: int) -> tuple[PairwiseRun, dict[str, dict[str, int]]]:
    """Pairwise scores with judgments of all documents."""
    rng = np.random.default_rng(seed)
    found, qrels = [], {}
    for query in range(queries):
        gains = rng.choice(4, candidates, p=(0.7, 0.15, 0.1, 0.05))
        order = np.argsort(-(gains + 1.5 * rng.normal(size=candidates)))
        gains = gains[order]
        seen = gains + 0.5 * rng.normal(size=candidates)
        logits = 2.0 * (np.subtract.outer(seen, seen) + noise * rng.normal(size=(candidates, candidates)))
        ids = tuple(f"d{number}" for number in rng.permutation(candidates).tolist())  # ties say nothing
        found.append(PairwiseScores(f"q{query}", ids, 1.0 / (1.0 + np.exp(-logits)), ranked=True))
        qrels[f"q{query}"] = dict(zip(ids, gains.tolist(), strict=True))
    return PairwiseRun(tuple(found)), qrels


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--pairs", type=Path)
    parser.add_argument("--run", type=Path)
    parser.add_argument("--qrels", type=Path)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--queries", type=int, default=100)
    parser.add_argument("--noise", type=float, default=1.0)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    if options.pairs:
        pairs = ranked_by(read_pairwise(options.pairs), Run.read(options.run), depth=options.depth)
        qrels = read_qrels(options.qrels)
    else:
        pairs, qrels = made_up(options.queries, options.depth, options.noise, options.seed)
    (flips,) = flips_at(pairs, [options.depth]).values()
    print(f"{len(pairs)} queries, {options.depth} candidates, {np.mean([one.rate for one in flips]):.1%} of pairs flip")
    print(f"{'':46}  nDCG@10    pairs  batches")

    def show(name: str, orders: list[list[str]], read: float, batches: float) -> None:
        results = {
            one.query_id: [(doc_id, float(len(order) - place)) for place, doc_id in enumerate(order)]
            for one, order in zip(pairs.queries, orders, strict=True)
        }
        value = evaluate_run(Run(results), qrels, ["nDCG@10"]).aggregated["nDCG@10"]
        print(f"{name:46}  {value:7.4f}  {read:7,.0f}  {batches:7,.0f}")

    show("first stage", [list(one.doc_ids) for one in pairs.queries], 0, 0)
    for method, parameters in SORTINGS:
        found = sort_together(
            make_sorting(method, parameters), [len(one) for one in pairs.queries], by_scores(pairs.queries)
        )
        orders = [
            [one.doc_ids[place] for place in of_one.order.tolist()]
            for one, of_one in zip(pairs.queries, found, strict=True)
        ]
        name = " ".join([method, *(f"{key}={value}" for key, value in parameters.items())])
        show(name, orders, np.mean([one.comparisons for one in found]), max(one.rounds for one in found))


if __name__ == "__main__":
    main()
