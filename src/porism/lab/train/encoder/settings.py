"""How an encoder is trained."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal, get_args

from porism.analysis.model_text import Cut
from porism.errors import ConfigError
from porism.lab.train.settings import TrainerSettings
from porism.settings import setting
from porism.vectors.neural.encoder_settings import Pooling, Similarity

Kind = Literal["dense", "colbert", "splade"]
"""What a trained model gives: one vector of a text, one of each token, for late interaction, or weights of
the terms of its vocabulary."""

Loss = Literal["ranking", "collection", "pairwise", "triplet", "margin-mse"]
"""What is minimised: the cross-entropy of the positive among texts, a margin between it and a negative (triplet), or
the squared difference to the margins of a teacher (margin-mse: Hofstätter et al. 2020). The texts are those of the
batch (ranking: InfoNCE), of a collection, or the negatives of the pair (pairwise: ColBERT's softmax)."""

_LOSSES: Mapping[Kind, tuple[Loss, ...]] = MappingProxyType({
    "dense": ("ranking", "collection", "triplet", "margin-mse"),
    "colbert": ("ranking", "pairwise"),
    "splade": ("ranking", "triplet", "margin-mse"),
})

_MAX_KEPT = 8
"""Kept questions of a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderTraining(TrainerSettings):
    """All settings of a training; the defaults are those that were measured.

    What a batch teaches does not depend on ``micro_batch``: gradients are cached (Gao et al. 2021). The loss
    ``collection`` trains only how questions are read: documents keep the vectors that the model gives them. The
    kind colbert compares by the cosines of a query's tokens: their mean, or with the loss ``pairwise`` their sum.
    The kind splade compares by inner products. It begins with a masked language model or a sparse encoder, and its
    FLOPS are the sums over terms of squared mean weights (Formal et al. 2021, equation 4). The table of
    ``inference_free`` begins with inverse document frequencies (Geng et al. 2024). What the model reads later,
    ``cut`` and the prefixes belong to the model from then on.

    :raises ConfigError: a number is out of its range.
    """

    kind: Kind = setting(
        "dense", "What the model gives: a vector of a text, one of each token (late interaction), or weights of terms."
    )
    dimensions: int = setting(128, "Dimensions of a token, for late interaction.")
    loss: Loss = setting(
        "ranking",
        "What is minimised; collection trains only how questions are read, against all documents of the index.",
    )
    batch: int = setting(64, "Pairs of a batch.")
    micro_batch: int | None = setting(
        None, "Pairs of a batch in memory at once; the gradients of others are cached.", unset="all"
    )
    similarity: Similarity = setting(
        "cos", "What compares two vectors, in training and later: their cosine (cos) or their inner product (dot)."
    )
    temperature: float | None = setting(
        None, "What similarities are divided by.", unset="0.05; 1 for splade, pairwise and inner products"
    )
    symmetric: bool = setting(True, "Whether a positive shall find its anchor, too; not for late interaction.")
    margin: float = setting(0.2, "The margin of the loss triplet.")
    negatives: int = setting(1, "Negatives of a pair that are used.")
    candidates: int = setting(20_000, "Of the loss collection: documents to compare with, drawn where there are more.")
    keep_weight: float = setting(40.0, "Of --keep: how much it costs that a question is read in another way.")
    keep_share: float = setting(0.5, "Of --keep: kept questions for each pair of a batch.")
    matryoshka: tuple[int, ...] = setting((), "Numbers of dimensions that shall do alone.")
    original: float = setting(
        0.0, "The share of the weights before training in the model at the end (Wortsman et al. 2022)."
    )
    layers: int | None = setting(
        None, "The last layers of the transformer, which alone are trained; with 0 a linear layer behind it.",
        unset="all, and its embeddings",
    )
    length: int | None = setting(128, "Tokens of a text in training.")
    max_tokens: int | None = setting(None, "Tokens of a text that the model reads later.", unset="as in training")
    cut: Cut = setting("head", "What it reads of a longer text.")
    pooling: Pooling = setting("model", "How the vectors of tokens become one.")
    query_prefix: str = setting("", "Stands before queries.")
    document_prefix: str = setting("", "Stands before documents.")
    document_flops: float = setting(3e-5, "Of splade: how much few terms in documents are worth.")
    query_flops: float = setting(5e-5, "Of splade: how much few terms in queries are worth.")
    inference_free: bool = setting(False, "Of splade: queries need no model; a table weighs their tokens.")
    table_rate: float = setting(1e-2, "With inference_free: the highest learning rate of the table.")

    def __post_init__(self) -> None:
        self.check_trainer(min_batch=2)
        choices = {"kind": Kind, "loss": Loss, "cut": Cut, "pooling": Pooling, "similarity": Similarity}
        for name, known in choices.items():
            self.check_choice(name, get_args(known))
        self.check_counts("length", "max_tokens", "candidates")
        self._check_kind()
        least_layers = 0 if self.kind == "dense" else 1
        if self.layers is not None and self.layers < least_layers:
            raise ConfigError(
                f"layers cannot be {self.layers} for the kind {self.kind}",
                hint=f"Use a whole number from {least_layers}, or leave it out.",
            )
        if self.table_rate <= 0 or 1 / self.scale <= 0:
            raise ConfigError("learning rates and the temperature are above 0", hint="Try 5e-5 and 0.05.")
        if not 0 <= self.original < 1:
            raise ConfigError("original is a share from 0 to below 1", hint="Try 0.")
        if self.negatives < 0 or self.margin < 0:
            raise ConfigError("negatives and margin are 0 or more", hint="Try 1 and 0.2.")
        if self.keep_weight < 0 or not 0 < self.keep_share <= _MAX_KEPT:
            raise ConfigError(
                f"keep_weight is 0 or more, and keep_share above 0 and at most {_MAX_KEPT}", hint="Try 40 and 0.5."
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
            sums = self.kind == "splade" or self.similarity == "dot" or self.loss == "pairwise"
            return 1.0 if sums else 20.0
        return 1 / self.temperature if self.temperature else math.inf

    @property
    def ranking_options(self) -> dict[str, Any]:
        """The options of the losses of sentence-transformers that rank the texts of a batch."""
        both = {"directions": ("query_to_doc", "doc_to_query"), "partition_mode": "per_direction"}
        return {"scale": self.scale, **(both if self.symmetric else {})}

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
        if self.similarity == "dot" and (self.kind != "dense" or self.loss != "ranking"):
            raise ConfigError(
                "inner products compare vectors of texts, by the loss ranking", hint="Leave similarity out."
            )
        if late and (self.matryoshka or self.pooling != "model"):
            raise ConfigError("matryoshka and pooling are for vectors of texts, not of tokens", hint="Leave them out.")
        if self.dimensions < 8 or self.dimensions % 8:
            raise ConfigError(
                f"tokens cannot have {self.dimensions} dimensions", hint="Use a multiple of 8, such as 128."
            )
