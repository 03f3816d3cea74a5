"""Several ranked lists become one: fusions of ranks and of scores, elections, and regression.

::

    from porism.lab.fusion import fuse

    best = fuse([words, formulas, paths], "rrf", k=60)

Each method is a frozen dataclass whose fields are its parameters; ``FUSIONS`` has them by name. A
:class:`FusionTable` aligns runs once for several fusions.
"""

from __future__ import annotations

from porism.lab.fusion.base import FittedFusion, Fusion, LearnedFusion
from porism.lab.fusion.combinations import CombANZ, CombMAX, CombMED, CombMIN, CombMNZ, CombSUM, Linear, Norm
from porism.lab.fusion.estimators import LINEAR, MODELS
from porism.lab.fusion.learning import cross_validate_fusion
from porism.lab.fusion.majority import IBC, WIBC, FittedWIBC, fit_wibc, weighted_by
from porism.lab.fusion.ranks import ISR, RRF, Borda, Condorcet, LogISR
from porism.lab.fusion.registry import FUSIONS, LEARNED, fuse, make_fusion
from porism.lab.fusion.regression import RBC, FittedRBC
from porism.lab.fusion.table import FusionTable

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
