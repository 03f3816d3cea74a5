"""How a language model is trained further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from porism.errors import ConfigError
from porism.lab.train.settings import TrainerSettings
from porism.settings import setting

Objective = Literal["mlm", "mlm-nsp"]
"""What is learnt: masked tokens of packed text (Liu et al., *RoBERTa*, 2019), or these and whether the second part of a
sequence follows the first (Devlin et al., *BERT*, 2019; Zhong et al. 2022 pretrain so on mathematics)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class LanguageTraining(TrainerSettings):
    """All settings of further pretraining.

    Of ``mlm-nsp`` half of the sequences have a second part from another document. Perplexity is measured before and
    after on the documents that are held out.

    :raises ConfigError: a number is out of its range.
    """

    objective: Objective = setting("mlm", "Masked tokens of packed text, or these and which sentence follows.")
    length: int = setting(256, "Tokens of a sequence, special ones among them.")
    masked: float = setting(0.15, "The share of tokens to be found, others each time that a sequence is read.")
    short: float = setting(0.1, "The share of pairs of sentences that are shorter than they could be.")
    held_out: float = setting(
        0.05, "The share of documents that perplexity is measured on, and that are not trained on."
    )
    warmup: float = setting(0.06, "The share of the steps before the highest learning rate is reached.")

    def __post_init__(self) -> None:
        self.check_trainer()
        self.check_choice("objective", get_args(Objective))
        if self.length < 8:
            raise ConfigError(f"sequences of {self.length} tokens are too short", hint="Use 8 or more.")
        if not 0 < self.masked < 1 or not 0 <= self.short <= 1:
            raise ConfigError("masked and short are shares", hint="Try 0.15 and 0.1.")
        if not 0 < self.held_out < 1:
            raise ConfigError("held_out is a share between 0 and 1", hint="Try 0.05.")
