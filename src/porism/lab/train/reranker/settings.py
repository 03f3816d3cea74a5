"""How a reranker is trained."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from porism.errors import ConfigError
from porism.lab.train.settings import TrainerSettings

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

    An example is an anchor with its positive and up to ``negatives`` of its negatives, others in each epoch as far as
    it has more; ``batch`` counts examples. ``loss`` is by default ``listwise`` for models that read one document, and
    ``binary`` for those that compare two: these read the positive with each negative in both orders, and learn which
    is the positive, or, where a teacher has scored them, with which probability each is (the logistic function of the
    difference of scores). ``length`` tokens are read of query and documents together in training, and later ``reads``,
    or as many if that is None. The head of a cross-encoder learns at the rate ``head_rate``. ``true`` and ``false`` are
    the answers of the kinds of T5.

    :raises ConfigError: a number is out of its range, or the kind does not have the loss.
    """

    kind: Kind = "cross-encoder"
    loss: Loss = "auto"
    negatives: int = 4
    length: int = 128
    reads: int | None = None
    true: str = "true"
    false: str = "false"
    batch: int = 8
    rate: float = 1.5e-4
    head_rate: float = 1e-3

    def __post_init__(self) -> None:
        self.check_trainer()
        self.check_choice("kind", get_args(Kind))
        self.check_choice("loss", ("auto", *_LOSSES[self.documents]))
        self.check_counts("negatives", "length", "reads")
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
