"""How good a run is: the field's measures over relevance judgments, per topic and aggregated.

Computed by ir_measures (trec_eval's own code wherever it has the measure), with what that leaves open decided here: the
tie rule, topics that a run lacks, unjudged documents, and the gain from which a document counts as relevant.
"""

from __future__ import annotations

from porism.evaluate.bootstrap import confidence_interval, evaluation_intervals
from porism.evaluate.breakdown import Breakdown, breakdown, groups_by, length_groups, math_share_groups
from porism.evaluate.comparison import Comparison, TestResult, compare_runs
from porism.evaluate.evaluation import Evaluation, Missing, evaluate_run
from porism.evaluate.judgments import Qrels, restrict_qrels
from porism.evaluate.measures import DEFAULT_MEASURES, Measure, parse_measure, parse_measures
from porism.evaluate.query_features import QueryFeatures, query_features
from porism.evaluate.splits import arqmath_2021_split, k_fold, stratified_split

__all__ = [
    "DEFAULT_MEASURES",
    "Breakdown",
    "Comparison",
    "Evaluation",
    "Measure",
    "Missing",
    "Qrels",
    "QueryFeatures",
    "TestResult",
    "arqmath_2021_split",
    "breakdown",
    "compare_runs",
    "confidence_interval",
    "evaluate_run",
    "evaluation_intervals",
    "groups_by",
    "k_fold",
    "length_groups",
    "math_share_groups",
    "parse_measure",
    "parse_measures",
    "query_features",
    "restrict_qrels",
    "stratified_split",
]
