"""How an encoder of formulas is trained."""

from __future__ import annotations

from dataclasses import dataclass, field

from porism.errors import ConfigError
from porism.neural.formula_encoder import FormulaNetwork
from porism.settings import Settings
from porism.train.trainers import Precision


@dataclass(frozen=True, slots=True)
class FormulaTraining(Settings):
    """All settings of a training.

    ``network`` is what is trained; it knows labels that occur in ``least`` formulas or more. ``most`` formulas are
    trained on at most, drawn by chance where there are more; all if None. Of each formula
    ``variants`` equal ones and as many that are nearly equal are made; of each pair of equal ones the second has its
    variables renamed. ``epochs`` is how often each formula is seen, ``steps`` ends the training earlier. A step has
    ``batch`` formulas times ``accumulate``, of which ``part`` are in memory at once. ``rate`` is the highest learning
    rate, reached after a share ``warmup`` of the steps, then falling linearly; ``decay`` that of AdamW. Cosines are
    divided by ``temperature``. A nearly equal formula counts ``hard`` times as much as another formula of the batch;
    with 0 there are none. ``identical`` is the share of positives that are the formula itself. ``held_out`` formulas
    measure what was learnt, and are not trained on.

    :raises ConfigError: a number is out of its range.
    """

    network: FormulaNetwork = field(default_factory=FormulaNetwork)
    least: int = 3
    most: int | None = None
    variants: int = 2
    epochs: int = 1
    steps: int | None = None
    batch: int = 192
    part: int | None = None
    accumulate: int = 1
    rate: float = 1e-3
    warmup: float = 0.1
    decay: float = 0.01
    temperature: float = 0.1
    hard: float = 0.3
    identical: float = 0.0
    held_out: int = 500
    precision: Precision = "float32"
    seed: int = 1

    def __post_init__(self) -> None:
        for name, number in (
            ("least", self.least), ("most", self.most), ("variants", self.variants), ("epochs", self.epochs),
            ("steps", self.steps), ("part", self.part), ("accumulate", self.accumulate),
        ):
            if number is not None and number < 1:
                raise ConfigError(f"{name} cannot be {number}", hint="Use a whole number from 1.")
        if self.batch < 2:
            raise ConfigError(f"batches of {self.batch} have nothing to compare with", hint="Use 2 or more.")
        if self.rate <= 0 or self.temperature <= 0:
            raise ConfigError("the learning rate and the temperature are above 0", hint="Try 1e-3 and 0.1.")
        if self.hard < 0 or self.decay < 0 or self.held_out < 0:
            raise ConfigError("hard, decay and held_out are 0 or more", hint="Try 0.3, 0.01 and 500.")
        if not 0 <= self.identical < 1 or not 0 <= self.warmup < 1:
            raise ConfigError("identical and warmup are shares from 0 to below 1", hint="Try 0 and 0.1.")
