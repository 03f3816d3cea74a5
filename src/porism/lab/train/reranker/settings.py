"""How a reranker is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from porism.errors import ConfigError
from porism.lab.train.settings import TrainerSettings
from porism.settings import setting

Kind = Literal["cross-encoder", "pairwise-cross-encoder", "mono-t5", "duo-t5"]
"""What is trained, by the kind of reranker that uses it."""

Loss = Literal["auto", "listwise", "binary", "margin-mse"]
"""What is minimised: the cross-entropy of the positive among it and its negatives (listwise softmax, Cao et al. 2007),
that of each score by itself, or the squared differences to the margins of a teacher (Hofstätter et al. 2020)."""

_PAIRWISE = ("pairwise-cross-encoder", "duo-t5")
_LOSSES: Mapping[int, tuple[Loss, ...]] = MappingProxyType({1: ("listwise", "binary", "margin-mse"), 2: ("binary",)})


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerTraining(TrainerSettings):
    """All settings of a training; the defaults are those that were measured.

    The loss ``auto`` is ``listwise`` for models that read one document, and ``binary`` for those that compare two.
    These read the positive with each negative in both orders, and learn which is the positive. Where a teacher has
    scored them, they learn with which probability each is: the logistic function of the difference of scores.

    :raises ConfigError: a number is out of its range, or the kind does not have the loss.
    """

    kind: Kind = setting("cross-encoder", "The kind of reranker that uses the model.")
    loss: Loss = setting("auto", "What is minimised; auto is listwise for one document, binary for two.")
    negatives: int = setting(4, "Negatives of a pair in an epoch; others in the next where it has more.")
    batch: int = setting(8, "Pairs of a batch, each with its negatives.")
    learning_rate: float = setting(1.5e-4, "The highest learning rate; from there it falls linearly.")
    head_rate: float = setting(1e-3, "That of the head of a cross-encoder.")
    length: int = setting(128, "Tokens of query and documents together in training.")
    max_tokens: int | None = setting(None, "Tokens that the model reads later.", unset="as in training")
    true: str = setting("true", "Of the kinds of T5: the answer that says yes.")
    false: str = setting("false", "Of the kinds of T5: the answer that says no.")

    def __post_init__(self) -> None:
        self.check_trainer()
        self.check_choice("kind", get_args(Kind))
        self.check_choice("loss", ("auto", *_LOSSES[self.documents]))
        self.check_counts("negatives", "length", "max_tokens")
        if self.head_rate <= 0:
            raise ConfigError(f"a learning rate is above 0, not {self.head_rate:g}", hint="Try 0.001.")
        if self.length < 16:
            raise ConfigError(f"{self.length} tokens leave no room for texts", hint="Use a length of 16 or more.")

    @property
    def documents(self) -> int:
        """How many documents the model reads with a query."""
        return 2 if self.kind in _PAIRWISE else 1

    @property
    def minimised(self) -> Loss:
        """The loss, that of the kind where none is chosen."""
        return _LOSSES[self.documents][0] if self.loss == "auto" else self.loss
