"""How an encoder of formulas is trained."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.errors import ConfigError
from porism.lab.train.settings import Precision, TrainerSettings
from porism.settings import setting
from porism.vectors.neural.formula_encoder import FormulaNetwork


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaTraining(TrainerSettings):
    """All settings of a training; ``network`` is what is trained.

    Of each pair of equal formulas the second has its variables renamed.

    :raises ConfigError: a number is out of its range.
    """

    network: FormulaNetwork = field(default_factory=FormulaNetwork)
    min_count: int = setting(3, "Labels in fewer formulas are read by their kind alone.")
    most: int | None = setting(
        None, "Formulas that are trained on at most, by chance where there are more.", unset="all"
    )
    variants: int = setting(2, "Equal formulas that are made of each, and nearly equal ones.")
    temperature: float = setting(0.1, "What cosines are divided by.")
    hard: float = setting(0.3, "How much a nearly equal formula counts beside another one of the batch; 0 for none.")
    identical: float = setting(0.0, "The share of equal formulas that are the formula itself.")
    held_out: int = setting(500, "Formulas that measure what was learnt, and are not trained on.")
    batch: int = setting(192, "Formulas of a batch.")
    learning_rate: float = setting(1e-3, "The highest learning rate; from there it falls linearly.")
    precision: Precision = setting("float32", "Numbers that training computes with.")

    def __post_init__(self) -> None:
        self.check_trainer(min_batch=2)
        self.check_counts("min_count", "most", "variants")
        if self.temperature <= 0:
            raise ConfigError("the temperature is above 0", hint="Try 0.1.")
        if self.hard < 0 or self.held_out < 0:
            raise ConfigError("hard and held_out are 0 or more", hint="Try 0.3 and 500.")
        if not 0 <= self.identical < 1:
            raise ConfigError("identical is a share from 0 to below 1", hint="Try 0.")
