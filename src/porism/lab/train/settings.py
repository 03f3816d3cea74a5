"""The settings that all trainings share: how much is read in a step, the learning rate, and the precision."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any, Literal, get_args

from porism.errors import ConfigError
from porism.settings import Settings, setting

FORMER_NAMES: Mapping[str, str] = MappingProxyType({
    "rate": "learning_rate", "part": "micro_batch", "reads": "max_tokens", "rivals": "candidates", "least": "min_count",
    "beside": "also",
})
"""Names that settings of trainings had, which recipes may still have, and those of today."""

Precision = Literal["auto", "float32", "bfloat16", "float16"]
"""Numbers that training computes with; weights stay float32. ``auto`` takes bfloat16 where the machine has it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerSettings(Settings):
    """What a trainer needs to know; a kind of training adds its own settings and its own defaults."""

    epochs: int = setting(1, "How often each example is seen.")
    steps: int | None = setting(None, "Ends the training earlier.", unset="all")
    batch: int = setting(32, "Examples of a batch.")
    micro_batch: int | None = setting(None, "Examples of a batch in memory at once.", unset="all")
    accumulate: int = setting(1, "Batches of a step.")
    learning_rate: float = setting(5e-5, "The highest learning rate; from there it falls linearly.")
    warmup: float = setting(0.1, "The share of the steps before it is reached.")
    decay: float = setting(0.01, "The weight decay of AdamW.")
    precision: Precision = setting("auto", "Numbers that training computes with.")
    seed: int = setting(1, "Other numbers train other models.")

    def check_trainer(self, *, min_batch: int = 1) -> None:
        """Checks the settings above; ``__post_init__`` of a subclass calls it.

        :param min_batch: 2 where an example is compared with the others of its batch.
        :raises ConfigError: a setting is out of its range.
        """
        self.check_choice("precision", get_args(Precision))
        self.check_counts("epochs", "steps", "micro_batch", "accumulate", "batch")
        if self.batch < min_batch:
            raise ConfigError(f"batches of {self.batch} have nothing to compare with", hint=f"Use {min_batch} or more.")
        usual = {field.name: field.default for field in fields(self)}
        if self.learning_rate <= 0:
            raise ConfigError(
                f"a learning rate is above 0, not {self.learning_rate:g}", hint=f"Try {usual['learning_rate']}."
            )
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
