"""The settings of formula search by an encoder of formulas."""

from __future__ import annotations

from dataclasses import dataclass

from porism.vectors.formula_vectors.nearest_formulas import NearestModel


@dataclass(frozen=True, slots=True)
class FormulaEncoderModel(NearestModel):
    """How formulas are ranked by the vectors of an encoder. ``encoder`` is the name of an encoder of formulas of the
    index; empty where it has one only.

    :raises ConfigError: ``least`` is out of its range.
    """

    encoder: str = ""
