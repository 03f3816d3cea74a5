"""The settings that all trainings share: how much is read in a step, the learning rate, and the precision."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Literal, get_args

from porism.errors import ConfigError
from porism.settings import Settings

Precision = Literal["auto", "float32", "bfloat16", "float16"]
"""Numbers that training computes with; weights stay float32. ``auto`` takes bfloat16 where the machine has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerSettings(Settings):
    """What a trainer needs to know; a kind of training adds its own settings and its own defaults.

    ``epochs`` is how often each example is seen, ``steps`` ends the training earlier. A step has ``batch`` examples
    times ``accumulate``, of which ``part`` are in memory at once (None for all). ``rate`` is the highest learning rate,
    reached after a share ``warmup`` of the steps, then falling linearly; ``decay`` that of AdamW.
    """

    epochs: int = 1
    steps: int | None = None
    batch: int = 32
    part: int | None = None
    accumulate: int = 1
    rate: float = 5e-5
    warmup: float = 0.1
    decay: float = 0.01
    precision: Precision = "auto"
    seed: int = 1

    def check_trainer(self, *, least_batch: int = 1) -> None:
        """Checks the settings above; ``__post_init__`` of a subclass calls it.

        :param least_batch: 2 where an example is compared with the others of its batch.
        :raises ConfigError: a setting is out of its range.
        """
        self.check_choice("precision", get_args(Precision))
        self.check_counts("epochs", "steps", "part", "accumulate", "batch")
        if self.batch < least_batch:
            raise ConfigError(
                f"batches of {self.batch} have nothing to compare with", hint=f"Use {least_batch} or more."
            )
        usual = {field.name: field.default for field in fields(self)}
        if self.rate <= 0:
            raise ConfigError(f"a learning rate is above 0, not {self.rate:g}", hint=f"Try {usual['rate']}.")
        if self.decay < 0:
            raise ConfigError(f"decay is 0 or more, not {self.decay:g}", hint=f"Try {usual['decay']}.")
        if not 0 <= self.warmup < 1:
            raise ConfigError(
                f"warmup is a share from 0 to below 1, not {self.warmup:g}", hint=f"Try {usual['warmup']}."
            )

    def check_choice(self, name: str, known: Sequence[Any]) -> None:
        """Checks that a setting has one of the known values.

        :raises ConfigError: it has another.
        """
        if (value := getattr(self, name)) not in known:
            raise ConfigError(f"{name} cannot be {value!r}", hint=f"Choose from {', '.join(map(str, known))}.")

    def check_counts(self, *names: str) -> None:
        """Checks that settings are numbers from 1, or None.

        :raises ConfigError: one is not.
        """
        for name in names:
            number = getattr(self, name)
            if number is not None and number < 1:
                raise ConfigError(f"{name} cannot be {number}", hint="Use a whole number from 1.")
