"""The settings of a weighted sum of models."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, get_args

from porism.errors import ConfigError
from porism.retrieve.base import RetrieverSettings
from porism.settings import SettingError, Settings

Normalisation = Literal["min-max", "z-score", "max", "none"]
"""How the scores of a part are made comparable, query by query: the lowest becomes 0 and the highest 1; the mean
becomes 0 and the standard deviation 1; the highest becomes 1; or as they are."""


@dataclass(frozen=True, slots=True)
class Part(Settings):
    """One of the models that are summed: its ``weight``, the name of the ``model`` (that of the part itself if empty),
    and ``settings`` that differ from it, ``kind`` among them.

    :raises ConfigError: the weight is not a number from 0.
    """

    weight: float = 1.0
    model: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not (math.isfinite(self.weight) and self.weight >= 0):
            raise ConfigError(f"a weight cannot be {self.weight}", hint="Use a number from 0.")


@dataclass(frozen=True, slots=True)
class SumModel(RetrieverSettings):
    """A weighted sum of models, end to end: the candidates are the first ``depth`` documents of each part, and every
    part scores all of them. Its scores are normalised over these candidates, query by query.

    So Zhong et al., *Evaluating Token-Level and Passage-Level Dense Retrieval Models for Math Information Retrieval*
    (Findings of EMNLP 2022), combine structure search with dense retrieval, by min-max.

    :raises ConfigError: there is no part with a weight, or a setting is out of its range.
    """

    parts: Mapping[str, Part] = field(default_factory=dict)
    normalisation: Normalisation = "min-max"
    depth: int = 200
    tuned_on: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "tuned_on", tuple(self.tuned_on))
        if not any(part.weight > 0 for part in self.parts.values()):
            raise SettingError("a sum needs a part with a weight", path=("parts",), hint="Add [parts.default].")
        if self.normalisation not in get_args(Normalisation):
            raise ConfigError(
                f"scores cannot be normalised by {self.normalisation!r}",
                hint=f"Choose from {', '.join(get_args(Normalisation))}.",
            )
        if self.depth < 1:
            raise ConfigError(f"the depth cannot be {self.depth}", hint="Use a whole number from 1.")


@dataclass(frozen=True, slots=True)
class FormulaSumModel(SumModel):
    """A weighted sum of models of formulas, as :class:`SumModel` of models of documents: the candidates are the first
    ``depth`` formulas that each part finds for a formula of the query.

    :raises ConfigError: there is no part with a weight, or a setting is out of its range.
    """
