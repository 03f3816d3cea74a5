"""How good a run is: the field's measures over relevance judgments, per topic and aggregated.

Computed by ir_measures (trec_eval's own code wherever it has the measure), with what that leaves open decided here: the
tie rule, topics that a run lacks, unjudged documents, and the gain from which a document counts as relevant.
"""

from __future__ import annotations

from porism.evaluate.evaluation import Evaluation, Missing, evaluate_run
from porism.evaluate.judgments import Qrels, restrict_qrels
from porism.evaluate.measures import DEFAULT_MEASURES, Measure, parse_measure, parse_measures
from porism.evaluate.splits import arqmath_2021_split, k_fold, stratified_split

__all__ = [
    "DEFAULT_MEASURES",
    "Evaluation",
    "Measure",
    "Missing",
    "Qrels",
    "arqmath_2021_split",
    "evaluate_run",
    "k_fold",
    "parse_measure",
    "parse_measures",
    "restrict_qrels",
    "stratified_split",
]
