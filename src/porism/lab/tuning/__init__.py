"""Parameters chosen by their scores, with the evidence: grid, random and coordinate search, and cross-validation.

::

    from porism.lab.tuning import tune_fusion

    run, found = tune_fusion([words, formulas], "linear", {"weights": {"simplex": 0.1, "least": 0.1}}, qrels, folds=5)
    print(found.summary())

Whatever is tuned, the runs made with it say on which topics, and a report on these says so too.
"""

from __future__ import annotations

from porism.lab.tuning.fusions import FusionObjective, tune_fusion
from porism.lab.tuning.objectives import RunObjective, apply_tuned, model_objective, settings_objective
from porism.lab.tuning.parameters import Choices, Range, Simplex
from porism.lab.tuning.reranking import tune_first_stage
from porism.lab.tuning.search import SEARCHES, CoordinateSearch, GridSearch, RandomSearch, Search, make_search
from porism.lab.tuning.space import Space, with_parameters
from porism.lab.tuning.store import TrialStore
from porism.lab.tuning.trials import Objective, OnProgress, Trial
from porism.lab.tuning.tune import cross_validate, tune
from porism.lab.tuning.tuned import CrossValidated, Fold, Tuned, load_tuned, save_tuned

__all__ = [
    "SEARCHES",
    "Choices",
    "CoordinateSearch",
    "CrossValidated",
    "Fold",
    "FusionObjective",
    "GridSearch",
    "Objective",
    "OnProgress",
    "RandomSearch",
    "Range",
    "RunObjective",
    "Search",
    "Simplex",
    "Space",
    "Trial",
    "TrialStore",
    "Tuned",
    "apply_tuned",
    "cross_validate",
    "load_tuned",
    "make_search",
    "model_objective",
    "save_tuned",
    "settings_objective",
    "tune",
    "tune_first_stage",
    "tune_fusion",
    "with_parameters",
]
