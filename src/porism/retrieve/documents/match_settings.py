"""The settings of what the formulas of documents add to their scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from porism.errors import ConfigError
from porism.retrieve.weightings.base import HEAVIEST
from porism.settings import Settings


@dataclass(frozen=True, slots=True)
class Matches(Settings):
    """How the formulas of a document count beside its terms; weight 0 is off
    (:mod:`porism.retrieve.documents.matched_formulas`).

    Each query formula gives ``weight · √n · mass^mass_power · ((s − least) / (1 − least))²`` where s is the similarity
    of the best formula of the document, n how often the query has the formula (by the weights of its fields) and its
    mass the sum of the inverse document frequencies of its terms: its size and rarity. A document gains the sum of
    what query formulas give or, if ``combine`` is ``best``, the largest. Only the first ``candidates`` formulas that a
    query formula finds are compared, only those more similar than ``least`` (0 to 1) count, and only the ``formulas``
    of largest mass count. Query formulas of a single symbol never count.

    With ``equal`` above 0 (to 10), formulas that have the value of the query formula or hold it, variables renamed, are
    matches too, wherever they rank by their terms: full ones where they are the query formula or equal to it, else with
    the share ``renamed`` where variables must be renamed, and ``part`` where they hold the formula. Their documents are
    found whatever terms they have. To their score is added what their terms lack beside those of a document that holds
    the query formula itself, times that share, times ``equal``, and times ``2 − 3 · ln D / ln N`` (from 0 to 1) where
    D of N documents hold such a formula: to hold what many hold says little; and times ``beside_words`` where the query
    has words as well.

    :raises ConfigError: a number is out of its range.
    """

    weight: float = 0.045
    least: float = 0.75
    candidates: int = 100
    formulas: int = 24
    mass_power: float = 1.0
    combine: Literal["sum", "best"] = "sum"
    equal: float = 0.0
    renamed: float = 0.9
    part: float = 0.8
    beside_words: float = 0.3

    def __post_init__(self) -> None:
        shares = (self.renamed, self.part, self.beside_words)
        if not (0 <= self.equal <= 10 and all(0 <= share <= 1 for share in shares)):
            raise ConfigError(
                f"matches cannot have 'equal' {self.equal}, 'renamed' {self.renamed}, 'part' {self.part} and "
                f"'beside_words' {self.beside_words}",
                hint="Use 0 to 10 for 'equal', and shares from 0 to 1.",
            )
        if self.combine not in ("sum", "best") or not 0 <= self.mass_power <= 10:
            raise ConfigError(
                f"matches cannot be combined by {self.combine!r} with a mass power of {self.mass_power}",
                hint="Combine them by 'sum' or 'best'; the power is from 0 to 10.",
            )
        if not (0 <= self.weight <= HEAVIEST and 0 <= self.least < 1 and self.candidates >= 1 and self.formulas >= 1):
            raise ConfigError(
                f"matches cannot have the weight {self.weight}, the least similarity {self.least}, {self.candidates} "
                f"candidates and {self.formulas} formulas",
                hint="Use a weight ≥ 0, a similarity from 0 to below 1, and at least one candidate and one formula.",
            )
