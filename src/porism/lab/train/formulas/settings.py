"""How an encoder of formulas is trained."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.errors import ConfigError
from porism.lab.train.settings import Precision, TrainerSettings
from porism.vectors.neural.formula_encoder import FormulaNetwork


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaTraining(TrainerSettings):
    """All settings of a training.

    ``network`` is what is trained; it knows labels that occur in ``least`` formulas or more. ``most`` formulas are
    trained on at most, drawn by chance where there are more; all if None. Of each formula
    ``variants`` equal ones and as many that are nearly equal are made; of each pair of equal ones the second has its
    variables renamed. Cosines are divided by ``temperature``. A nearly equal formula counts ``hard`` times as much as
    another formula of the batch; with 0 there are none. ``identical`` is the share of positives that are the formula
    itself. ``held_out`` formulas measure what was learnt, and are not trained on.

    :raises ConfigError: a number is out of its range.
    """

    network: FormulaNetwork = field(default_factory=FormulaNetwork)
    least: int = 3
    most: int | None = None
    variants: int = 2
    temperature: float = 0.1
    hard: float = 0.3
    identical: float = 0.0
    held_out: int = 500
    batch: int = 192
    rate: float = 1e-3
    precision: Precision = "float32"

    def __post_init__(self) -> None:
        self.check_trainer(least_batch=2)
        self.check_counts("least", "most", "variants")
        if self.temperature <= 0:
            raise ConfigError("the temperature is above 0", hint="Try 0.1.")
        if self.hard < 0 or self.held_out < 0:
            raise ConfigError("hard and held_out are 0 or more", hint="Try 0.3 and 500.")
        if not 0 <= self.identical < 1:
            raise ConfigError("identical is a share from 0 to below 1", hint="Try 0.")
