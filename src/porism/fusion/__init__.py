"""Several ranked lists become one: fusions of ranks and of scores, elections, and regression.

::

    from porism.fusion import fuse

    best = fuse([words, formulas, paths], "rrf", k=60)

Each method is a frozen dataclass whose fields are its parameters; ``FUSIONS`` has them by name. A
:class:`FusionTable` aligns runs once for several fusions.
"""

from __future__ import annotations

from porism.fusion.base import FittedFusion, Fusion, LearnedFusion
from porism.fusion.combinations import CombANZ, CombMAX, CombMED, CombMIN, CombMNZ, CombSUM, Linear, Norm
from porism.fusion.condorcet import Condorcet
from porism.fusion.estimators import LINEAR, MODELS
from porism.fusion.learning import cross_validate_fusion
from porism.fusion.majority import IBC
from porism.fusion.ranks import ISR, RRF, Borda, LogISR
from porism.fusion.registry import FUSIONS, LEARNED, fuse, make_fusion
from porism.fusion.regression import RBC, FittedRBC
from porism.fusion.table import FusionTable
from porism.fusion.weighted_majority import WIBC, FittedWIBC, fit_wibc, weighted_by

__all__ = [
    "FUSIONS",
    "IBC",
    "ISR",
    "LEARNED",
    "LINEAR",
    "MODELS",
    "RBC",
    "RRF",
    "WIBC",
    "Borda",
    "CombANZ",
    "CombMAX",
    "CombMED",
    "CombMIN",
    "CombMNZ",
    "CombSUM",
    "Condorcet",
    "FittedFusion",
    "FittedRBC",
    "FittedWIBC",
    "Fusion",
    "FusionTable",
    "LearnedFusion",
    "Linear",
    "LogISR",
    "Norm",
    "cross_validate_fusion",
    "fit_wibc",
    "fuse",
    "make_fusion",
    "weighted_by",
]
