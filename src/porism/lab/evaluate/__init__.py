"""How good runs are, how they differ, and by how much more than chance.

The field's measures over relevance judgments, per topic and aggregated, are computed by ir_measures (trec_eval's own
code wherever it has the measure). What that leaves open is decided here: the tie rule, topics that a run lacks,
unjudged documents, and the gain from which a document counts as relevant. Beside them are comparisons with
significance tests, confidence intervals, breakdowns by groups of topics, curves, times, how alike runs are, and what
each adds to an ensemble.
"""

from __future__ import annotations

from porism.lab.evaluate.ablation import LeaveOneOut, OnePerCluster, leave_one_out, one_per_cluster
from porism.lab.evaluate.bootstrap import confidence_interval, evaluation_intervals
from porism.lab.evaluate.breakdown import (
    Breakdown,
    GroupDifference,
    QueryFeatures,
    breakdown,
    groups_by,
    length_groups,
    math_share_groups,
    query_features,
    value_groups,
)
from porism.lab.evaluate.comparison import RunComparison, TestResult, compare_runs
from porism.lab.evaluate.depths import (
    RECALL_LEVELS,
    DepthTable,
    evaluate_at_depths,
    judged_per_mille,
    precision_recall,
    rank_positions,
)
from porism.lab.evaluate.diversity import Clustering, cluster_runs, rank_biased_overlap, spearman
from porism.lab.evaluate.evaluation import Evaluation, Missing, evaluate_run
from porism.lab.evaluate.judgments import Qrels, restrict_qrels
from porism.lab.evaluate.measures import DEFAULT_MEASURES, Measure, parse_measure, parse_measures
from porism.lab.evaluate.significance import PairedTest, holm, paired_t_test, permutation_test, wilcoxon
from porism.lab.evaluate.splits import arqmath_2021_split, k_fold, published_2021_split, stratified_split
from porism.lab.evaluate.times import TimeStatistics, time_statistics

__all__ = [
    "DEFAULT_MEASURES",
    "RECALL_LEVELS",
    "Breakdown",
    "Clustering",
    "DepthTable",
    "Evaluation",
    "GroupDifference",
    "LeaveOneOut",
    "Measure",
    "Missing",
    "OnePerCluster",
    "PairedTest",
    "Qrels",
    "QueryFeatures",
    "RunComparison",
    "TestResult",
    "TimeStatistics",
    "arqmath_2021_split",
    "breakdown",
    "cluster_runs",
    "compare_runs",
    "confidence_interval",
    "evaluate_at_depths",
    "evaluate_run",
    "evaluation_intervals",
    "groups_by",
    "holm",
    "judged_per_mille",
    "k_fold",
    "leave_one_out",
    "length_groups",
    "math_share_groups",
    "one_per_cluster",
    "paired_t_test",
    "parse_measure",
    "parse_measures",
    "permutation_test",
    "precision_recall",
    "published_2021_split",
    "query_features",
    "rank_biased_overlap",
    "rank_positions",
    "restrict_qrels",
    "spearman",
    "stratified_split",
    "time_statistics",
    "value_groups",
    "wilcoxon",
]
