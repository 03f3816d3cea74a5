"""The losses of sentence-transformers for the settings of a training."""

from __future__ import annotations

from typing import Any

from porism.extras import need
from porism.lab.train.encoder.late import make_late_loss
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.encoder.sparse import make_sparse_loss
from porism.vectors.neural.loading import EXTRA


def make_loss(settings: EncoderTraining, model: Any, part: int | None) -> Any:
    """The loss of a training; with ``part`` the ranking loss has so many texts in memory at once.

    :raises MissingExtra: sentence-transformers is not installed.
    """
    if settings.kind == "colbert":
        return make_late_loss(model, settings, part)
    if settings.kind == "splade":
        return make_sparse_loss(model, settings, part)
    losses: Any = need("sentence_transformers.sentence_transformer.losses", EXTRA, "training an encoder")
    if settings.loss == "triplet":
        loss = losses.TripletLoss(
            model, distance_metric=losses.TripletDistanceMetric.COSINE, triplet_margin=settings.margin
        )
    elif settings.loss == "margin-mse":
        loss = losses.MarginMSELoss(model)
    else:
        options: dict[str, Any] = {"scale": settings.scale}
        if settings.symmetric:
            options |= {"directions": ("query_to_doc", "doc_to_query"), "partition_mode": "per_direction"}
        if part is None:
            loss = losses.MultipleNegativesRankingLoss(model, **options)
        else:
            loss = losses.CachedMultipleNegativesRankingLoss(model, mini_batch_size=part, **options)
    if settings.matryoshka:
        return losses.MatryoshkaLoss(model, loss, list(settings.matryoshka))
    return loss


def is_row_wise(settings: EncoderTraining) -> bool:
    """Whether the loss of a batch is the mean of those of its pairs, so that a part of it can be computed alone."""
    return settings.loss != "ranking" and settings.kind != "splade"
