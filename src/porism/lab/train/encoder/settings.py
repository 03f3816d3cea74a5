"""How an encoder is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Literal, get_args

from porism.analysis.model_text import Cut
from porism.errors import ConfigError
from porism.lab.train.settings import TrainerSettings
from porism.vectors.neural.encoder_settings import Pooling

Kind = Literal["dense", "colbert", "splade"]
"""What a trained model gives: one vector of a text, one of each token, for late interaction, or weights of
the terms of its vocabulary."""

Loss = Literal["ranking", "collection", "pairwise", "triplet", "margin-mse"]
"""What is minimised: the cross-entropy of the positive among all texts of the batch (InfoNCE, multiple negatives
ranking), among all texts of a collection, whose vectors stay (:mod:`porism.lab.train.encoder.collection`), or among it
and the negatives of its own pair (ColBERT's pairwise softmax, for late interaction), the margin by which a negative is
farther than the positive, or the squared difference to the margins of a teacher (Hofstätter et al. 2020)."""

_LOSSES: Mapping[Kind, tuple[Loss, ...]] = MappingProxyType({
    "dense": ("ranking", "collection", "triplet", "margin-mse"),
    "colbert": ("ranking", "pairwise"),
    "splade": ("ranking", "triplet", "margin-mse"),
})


_MOST_KEPT = 8
"""Kept questions of a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderTraining(TrainerSettings):
    """All settings of a training; the defaults are those that were measured.

    What a batch teaches does not depend on ``part``: gradients are cached (Gao et al. 2021). Similarities are divided
    by ``temperature`` (None: 0.05, and 1 for the inner products of the kind splade); ``symmetric`` asks the positive
    for its anchor, too. ``margin`` is that of triplets. ``negatives`` of each pair are used at most. The loss
    ``collection`` compares with up to ``rivals`` texts beside the positives, and trains only how questions are read:
    documents keep the vectors that the model gives them. With it, other questions may keep theirs, too: each batch has
    ``keep_share`` times as many of them as pairs, and ``keep_weight`` weighs one minus the cosine of a vector with that
    before training. ``matryoshka`` lists numbers of dimensions whose vectors shall do alone. ``original`` is the share
    of the weights before training in the model at the end (Wortsman et al. 2022): some of it keeps what the model knew.
    A model of the ``kind`` colbert gives tokens of ``dimensions``, learns by ``ranking`` or ``pairwise``, and compares
    by the mean cosine over the tokens of a query; ``symmetric`` does not apply to it.
    Of the ``kind`` splade a masked language model becomes a sparse encoder, or one is trained further: inner products
    are compared, and ``document_flops`` and ``query_flops`` weigh the sums over terms of squared mean weights that keep
    texts at few terms (Formal et al. 2021, equation 4). With ``inference_free`` queries need no model: a table gives
    each token a weight, which begins as its inverse document frequency and learns at the rate ``table_rate`` (Geng et
    al. 2024).
    ``length`` tokens of a text are read in training, and later ``reads``, or as many if that is None; that, ``cut`` and
    the prefixes belong to the model from then on.

    :raises ConfigError: a number is out of its range.
    """

    kind: Kind = "dense"
    dimensions: int = 128
    loss: Loss = "ranking"
    batch: int = 64
    temperature: float | None = None
    symmetric: bool = True
    margin: float = 0.2
    negatives: int = 1
    rivals: int = 20_000
    keep_weight: float = 40.0
    keep_share: float = 0.5
    matryoshka: tuple[int, ...] = ()
    original: float = 0.0
    length: int | None = 128
    reads: int | None = None
    cut: Cut = "head"
    pooling: Pooling = "model"
    query_prefix: str = ""
    document_prefix: str = ""
    document_flops: float = 3e-5
    query_flops: float = 5e-5
    inference_free: bool = False
    table_rate: float = 1e-2

    def __post_init__(self) -> None:
        self.check_trainer(least_batch=2)
        for name, known in (("kind", Kind), ("loss", Loss), ("cut", Cut), ("pooling", Pooling)):
            self.check_choice(name, get_args(known))
        self.check_counts("length", "reads", "rivals")
        self._check_kind()
        if self.table_rate <= 0 or 1 / self.scale <= 0:
            raise ConfigError("learning rates and the temperature are above 0", hint="Try 5e-5 and 0.05.")
        if not 0 <= self.original < 1:
            raise ConfigError("original is a share from 0 to below 1", hint="Try 0.")
        if self.negatives < 0 or self.margin < 0:
            raise ConfigError("negatives and margin are 0 or more", hint="Try 1 and 0.2.")
        if self.keep_weight < 0 or not 0 < self.keep_share <= _MOST_KEPT:
            raise ConfigError(
                f"keep_weight is 0 or more, and keep_share above 0 and at most {_MOST_KEPT}", hint="Try 40 and 0.5."
            )
        if self.document_flops < 0 or self.query_flops < 0:
            raise ConfigError("the weights of FLOPS are 0 or more", hint="Try 3e-5 for documents and 5e-5 for queries.")
        if self.kind == "splade" and (self.matryoshka or self.pooling != "model"):
            raise ConfigError(
                "a sparse encoder has no pooling of its own choice and no Matryoshka dimensions",
                hint="Leave pooling and matryoshka out.",
            )
        if any(size < 1 for size in self.matryoshka):
            raise ConfigError("numbers of dimensions are 1 or more", hint="For example: 384, 192, 96.")

    @property
    def scale(self) -> float:
        """What similarities are multiplied by: one over the temperature."""
        if self.temperature is None:
            return 1.0 if self.kind == "splade" else 20.0
        return 1 / self.temperature if self.temperature else math.inf

    def _check_kind(self) -> None:
        late = self.kind == "colbert"
        if self.inference_free and self.kind != "splade":
            raise ConfigError(
                f"queries of models of the kind {self.kind} need the model", hint="Take inference_free for splade only."
            )
        if self.loss not in _LOSSES[self.kind]:
            raise ConfigError(
                f"models of the kind {self.kind} do not learn by the loss {self.loss}",
                hint=f"Choose from {', '.join(_LOSSES[self.kind])}.",
            )
        if late and (self.matryoshka or self.pooling != "model"):
            raise ConfigError("matryoshka and pooling are for vectors of texts, not of tokens", hint="Leave them out.")
        if self.dimensions < 8 or self.dimensions % 8:
            raise ConfigError(
                f"tokens cannot have {self.dimensions} dimensions", hint="Use a multiple of 8, such as 128."
            )
