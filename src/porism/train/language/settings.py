"""How a language model is trained further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from porism.errors import ConfigError
from porism.settings import Settings
from porism.train.trainers import Precision

Objective = Literal["mlm", "mlm-nsp"]
"""What is learnt: masked tokens of packed text (Liu et al., *RoBERTa*, 2019), or these and whether the second part of a
sequence follows the first (Devlin et al., *BERT*, 2019; Zhong et al. 2022 pretrain so on mathematics)."""


@dataclass(frozen=True, slots=True)
class LanguageTraining(Settings):
    """All settings of further pretraining.

    A sequence has ``length`` tokens, special ones among them. A share ``masked`` of its tokens is to be found, others
    each time that it is read. With ``mlm-nsp`` half of the sequences have a second part from another document, and a
    share ``short`` is shorter than it could be. A share ``held_out`` of the documents is not trained on: on them
    perplexity is measured before and after. The other settings are those of
    :class:`porism.train.encoder.settings.EncoderTraining`; ``part`` is how many sequences are in memory at once.

    :raises ConfigError: a number is out of its range.
    """

    objective: Objective = "mlm"
    length: int = 256
    masked: float = 0.15
    short: float = 0.1
    held_out: float = 0.05
    epochs: int = 1
    steps: int | None = None
    batch: int = 32
    part: int | None = None
    accumulate: int = 1
    rate: float = 5e-5
    warmup: float = 0.06
    decay: float = 0.01
    precision: Precision = "auto"
    seed: int = 1

    def __post_init__(self) -> None:
        for name, value, known in (
            ("objective", self.objective, get_args(Objective)), ("precision", self.precision, get_args(Precision)),
        ):
            if value not in known:
                raise ConfigError(f"{name} cannot be {value!r}", hint=f"Choose from {', '.join(known)}.")
        for name, number in (
            ("epochs", self.epochs), ("steps", self.steps), ("part", self.part), ("accumulate", self.accumulate),
            ("batch", self.batch),
        ):
            if number is not None and number < 1:
                raise ConfigError(f"{name} cannot be {number}", hint="Use a whole number from 1.")
        if self.length < 8:
            raise ConfigError(f"sequences of {self.length} tokens are too short", hint="Use 8 or more.")
        if not 0 < self.masked < 1 or not 0 <= self.warmup < 1 or not 0 <= self.short <= 1:
            raise ConfigError("masked, warmup and short are shares", hint="Try 0.15, 0.06 and 0.1.")
        if not 0 < self.held_out < 1:
            raise ConfigError("held_out is a share between 0 and 1", hint="Try 0.05.")
        if self.rate <= 0 or self.decay < 0:
            raise ConfigError("the learning rate is above 0, and decay not below", hint="Try 5e-5 and 0.01.")
