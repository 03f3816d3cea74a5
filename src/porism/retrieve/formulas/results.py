"""What a search for formulas finds."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class FormulaResults(NamedTuple):
    """The formulas found for one query formula, best first, each distinct one once.

    ``segments`` (int32) are positions in the snapshot's segments, ``formulas`` (int32) ordinals in these, ``scores``
    float64.
    """

    segments: NDArray[np.int32]
    formulas: NDArray[np.int32]
    scores: NDArray[np.float64]
