"""How a token similarity matrix is made: what counts as similar, and which similarities are kept."""

from __future__ import annotations

import math
from dataclasses import dataclass

from porism.errors import ConfigError
from porism.settings import Settings, setting

MAX_DISTANCE = 254
"""Distances are held in a byte, in which the largest number says "farther than that"."""


@dataclass(frozen=True, slots=True)
class SimilaritySettings(Settings):
    """The similarity of two different tokens is ``α · lexical + (1 − α) · semantic``.

    *Lexical* is ``factor · (1 − distance / length) ** power`` with the Levenshtein distance and the length of the
    longer token, both in characters. With a factor above 1 long tokens that differ in one character can be more similar
    than 1. Charlet and Damnati, *SimBow at SemEval-2017 Task 3*, section 2.2.

    *Semantic* is ``cosine ** exponent`` of the tokens' vectors, and 0 where one has no vector: the same, section 2.1.

    α is that of Novotný and Štefánik (CLEF 2022), who also selected both parts ``apart``: a pair that one of them
    dropped lacks that part, and ``dominant`` holds for the semantic part alone. ``top``, ``symmetric`` and ``dominant``
    are C, Sym and Dom of Novotný, *Implementation Notes for the Soft Cosine Measure* (CIKM 2018), section 3.

    :raises ConfigError: a number is out of its range.
    """

    channel: str = setting("words", "The channel whose terms are compared.")
    embeddings: str = setting("", "Embeddings of the index, for semantic similarity.")
    alpha: float = setting(0.6, "The share of lexical similarity, from 0 to 1; 1 needs no embeddings.")
    top: int = setting(100, "Similarities of a term that are kept at most; of each part with --apart.")
    symmetric: bool = setting(True, "Whether a similarity is kept both ways or not at all.")
    dominant: bool = setting(False, "Keep similarities of a term only as long as they sum up to less than 1.")
    threshold: float = setting(0.0, "Cosines that are not above count 0.")
    exponent: float = setting(4.0, "The power of cosines.")
    max_distance: int = setting(3, "Terms with a larger edit distance have no lexical similarity.")
    lexical_factor: float = setting(1.8, "What lexical similarities are multiplied by.")
    lexical_power: float = setting(5.0, "The power of the share of equal characters.")
    lexical_threshold: float = setting(0.0, "Lexical similarities that are not above count 0.")
    capped: bool = setting(False, "Count lexical similarities above 1 as 1.")
    apart: bool = setting(False, "Select lexical and semantic similarities separately, and add what is left.")
    vocabulary: int = setting(50_000, "Terms that are compared: those in the most documents.")
    min_df: int = setting(1, "Documents that a term must be in.")

    def __post_init__(self) -> None:
        ranges: dict[str, tuple[float, float]] = {
            "alpha": (0, 1), "top": (1, 1_000), "threshold": (0, 1), "exponent": (0.01, 100),
            "max_distance": (1, MAX_DISTANCE), "lexical_factor": (1e-6, 1_000), "lexical_power": (0.01, 1_000),
            "lexical_threshold": (0, 1_000), "vocabulary": (1, 2**31 - 1), "min_df": (1, 2**31 - 1),
        }
        for name, (minimum, maximum) in ranges.items():
            value = getattr(self, name)
            if not (math.isfinite(value) and minimum <= value <= maximum):
                raise ConfigError(
                    f"{name} of token similarities cannot be {value}",
                    hint=f"Use a {'whole ' if isinstance(minimum, int) and name not in _REAL else ''}number "
                    f"from {minimum:,} to {maximum:,}.",
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
