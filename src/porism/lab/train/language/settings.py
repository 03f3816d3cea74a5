"""How a language model is trained further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from porism.errors import ConfigError
from porism.lab.train.settings import TrainerSettings

Objective = Literal["mlm", "mlm-nsp"]
"""What is learnt: masked tokens of packed text (Liu et al., *RoBERTa*, 2019), or these and whether the second part of a
sequence follows the first (Devlin et al., *BERT*, 2019; Zhong et al. 2022 pretrain so on mathematics)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageTraining(TrainerSettings):
    """All settings of further pretraining.

    A sequence has ``length`` tokens, special ones among them. A share ``masked`` of its tokens is to be found, others
    each time that it is read. With ``mlm-nsp`` half of the sequences have a second part from another document, and a
    share ``short`` is shorter than it could be. A share ``held_out`` of the documents is not trained on: on them
    perplexity is measured before and after. The other settings are those of every training.

    :raises ConfigError: a number is out of its range.
    """

    objective: Objective = "mlm"
    length: int = 256
    masked: float = 0.15
    short: float = 0.1
    held_out: float = 0.05
    warmup: float = 0.06

    def __post_init__(self) -> None:
        self.check_trainer()
        self.check_choice("objective", get_args(Objective))
        if self.length < 8:
            raise ConfigError(f"sequences of {self.length} tokens are too short", hint="Use 8 or more.")
        if not 0 < self.masked < 1 or not 0 <= self.short <= 1:
            raise ConfigError("masked and short are shares", hint="Try 0.15 and 0.1.")
        if not 0 < self.held_out < 1:
            raise ConfigError("held_out is a share between 0 and 1", hint="Try 0.05.")
