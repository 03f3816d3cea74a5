"""Pairwise scores of candidates, what they say about the model that gave them, and one ranking of them.

::

    from porism.lab.pairwise import aggregate, count_flips, read_pairwise, write_pairwise

    pairs = read_pairwise("duo.tsv")
    run = aggregate(pairs, "sym-sum-log")
    rates = [count_flips(one).rate for one in pairs.queries]
"""

from __future__ import annotations

from porism.lab.pairwise.aggregation.methods import Aggregation
from porism.lab.pairwise.aggregation.registry import AGGREGATIONS, aggregate, aggregated_scores, make_aggregation
from porism.lab.pairwise.files import read_pairwise, write_pairwise
from porism.lab.pairwise.first_stage import ranked_by
from porism.lab.pairwise.scores import Flips, Holes, PairwiseRun, PairwiseScores, count_flips, flipped, flips_at

__all__ = [
    "AGGREGATIONS",
    "Aggregation",
    "Flips",
    "Holes",
    "PairwiseRun",
    "PairwiseScores",
    "aggregate",
    "aggregated_scores",
    "count_flips",
    "flipped",
    "flips_at",
    "make_aggregation",
    "ranked_by",
    "read_pairwise",
    "write_pairwise",
]
