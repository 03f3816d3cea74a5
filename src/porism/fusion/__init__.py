"""Several ranked lists become one: fusions of ranks and of scores, elections, and regression.

::

    from porism.fusion import fuse

    best = fuse([words, formulas, paths], "rrf", k=60)

Each method is a frozen dataclass whose fields are its parameters; ``FUSIONS`` has them by name. A
:class:`FusionTable` aligns runs once for several fusions.
"""

from __future__ import annotations

from porism.fusion.base import Fusion
from porism.fusion.combinations import CombANZ, CombMAX, CombMED, CombMIN, CombMNZ, CombSUM, Linear, Norm
from porism.fusion.condorcet import Condorcet
from porism.fusion.estimators import LINEAR, MODELS
from porism.fusion.learning import FittedWIBC, cross_validate_fusion, fit, fit_wibc, weighted_by
from porism.fusion.majority import IBC, WIBC
from porism.fusion.ranks import ISR, RRF, Borda, LogISR
from porism.fusion.registry import FUSIONS, fuse, make_fusion
from porism.fusion.regression import RBC, FittedRBC
from porism.fusion.table import FusionTable

__all__ = [
    "FUSIONS",
    "IBC",
    "ISR",
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
    "FittedRBC",
    "FittedWIBC",
    "Fusion",
    "FusionTable",
    "Linear",
    "LogISR",
    "Norm",
    "cross_validate_fusion",
    "fit",
    "fit_wibc",
    "fuse",
    "make_fusion",
    "weighted_by",
]
