"""The settings of formula search by an encoder of formulas."""

from __future__ import annotations

from dataclasses import dataclass

from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings


@dataclass(frozen=True, slots=True)
class FormulaEncoderModel(RetrieverSettings):
    """How formulas are ranked by the vectors of an encoder: those whose cosine with the query's is above ``least``
    (from 0 to below 1) are results. ``encoder`` is the name of an encoder of formulas of the index; empty where it has
    one only.

    :raises ConfigError: ``least`` is out of its range.
    """

    encoder: str = ""
    least: float = 0.0
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        if not 0 <= self.least < 1:
            raise ConfigError(f"the least cosine cannot be {self.least}", hint="Use a number from 0 to below 1.")
