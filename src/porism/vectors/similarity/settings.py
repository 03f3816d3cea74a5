"""How a token similarity matrix is made: what counts as similar, and which similarities are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

from porism.errors import ConfigError
from porism.settings import Settings

MOST_DISTANCE = 254
"""Distances are held in a byte, in which the largest number says "farther than that"."""


@dataclass(frozen=True, slots=True)
class SimilaritySettings(Settings):
    """The similarity of two different tokens is ``α · lexical + (1 − α) · semantic``.

    *Lexical* is ``factor · (1 − distance / length) ** power`` with the Levenshtein distance and the length of the
    longer token, both in characters: ``lexical_factor``, ``lexical_power``; 0 where the distance is above
    ``max_distance``, or the value not above ``lexical_threshold``. With a factor above 1 long tokens that differ in one
    character can be more similar than 1; ``capped`` takes the value 1 for these. Charlet and Damnati, *SimBow at
    SemEval-2017 Task 3*, section 2.2.

    *Semantic* is ``cosine ** exponent`` of the tokens' vectors where the cosine is above ``threshold``, else 0, and 0
    where one has no vector: the same, section 2.1.

    ``alpha`` (α) from 0 (semantic alone) to 1 (lexical alone) is that of Novotný and Štefánik (CLEF 2022). Of these
    similarities at most ``top`` of a token are kept (C), with ``symmetric`` the same both ways (Sym), with ``dominant``
    only as long as those of a token sum up to less than 1 (Dom: strict diagonal dominance): Novotný, *Implementation
    Notes for the Soft Cosine Measure* (CIKM 2018), section 3.

    With ``apart`` both parts are selected by themselves, at most ``top`` each, and what is left of them is added, so a
    pair that one of them dropped lacks that part; ``dominant`` then holds for the semantic part alone. The system of
    Novotný and Štefánik (2022) did both.

    The vocabulary is that of ``channel``: its most frequent ``vocabulary`` terms by document frequency, of those in at
    least ``min_df`` documents. ``embeddings`` names the vectors; α = 1 needs none.

    :raises ConfigError: a number is out of its range.
    """

    channel: str = "words"
    embeddings: str = ""
    alpha: float = 0.6
    top: int = 100
    symmetric: bool = True
    dominant: bool = False
    threshold: float = 0.0
    exponent: float = 4.0
    max_distance: int = 3
    lexical_factor: float = 1.8
    lexical_power: float = 5.0
    lexical_threshold: float = 0.0
    capped: bool = False
    apart: bool = False
    vocabulary: int = 50_000
    min_df: int = 1

    def __post_init__(self) -> None:
        ranges: dict[str, tuple[float, float]] = {
            "alpha": (0, 1), "top": (1, 1_000), "threshold": (0, 1), "exponent": (0.01, 100),
            "max_distance": (1, MOST_DISTANCE), "lexical_factor": (1e-6, 1_000), "lexical_power": (0.01, 1_000),
            "lexical_threshold": (0, 1_000), "vocabulary": (1, 2**31 - 1), "min_df": (1, 2**31 - 1),
        }
        for name, (least, most) in ranges.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and least <= value <= most):
                raise ConfigError(
                    f"{name} of token similarities cannot be {value}",
                    hint=f"Use a {'whole ' if isinstance(least, int) and name not in _REAL else ''}number "
                    f"from {least:,} to {most:,}.",
                )

    @property
    def needs_vectors(self) -> bool:
        """Whether the vectors of tokens count."""
        return self.alpha < 1

    @property
    def needs_distances(self) -> bool:
        """Whether the distances of tokens count."""
        return self.alpha > 0


_REAL = ("alpha", "threshold", "lexical_threshold")
