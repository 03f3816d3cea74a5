"""Pairwise scores that tests share."""

from __future__ import annotations

import numpy as np

from porism.lab.pairwise import PairwiseScores

NAN = float("nan")

THREE = PairwiseScores("q", ("a", "b", "c"), np.array([[NAN, 0.9, 0.6], [0.2, NAN, 0.5], [0.7, 0.4, NAN]]), ranked=True)
"""a and c flip: each is preferred where it is first. b and c do not: 0.5 contradicts nothing."""


def made_up(seed: int, count: int, query_id: str = "q", noise: float = 1.0, scale: float = 3.0) -> PairwiseScores:
    """Scores of candidates with hidden merits, the best first on the whole; saturated where merits are far apart."""
    rng = np.random.default_rng(seed)
    merit = np.sort(rng.normal(size=count))[::-1] + 0.3 * rng.normal(size=count)
    logits = scale * np.subtract.outer(merit, merit) + noise * rng.normal(size=(count, count))
    matrix = (1.0 / (1.0 + np.exp(-logits))).astype(np.float32).astype(np.float64)
    return PairwiseScores(query_id, tuple(f"d{number}" for number in range(count)), matrix, ranked=True)
