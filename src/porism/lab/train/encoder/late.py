"""Training of models for late interaction: the network, and its losses."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from porism.extras import need
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.trainers import check_length
from porism.vectors.neural.loading import EXTRA, load_torch
from porism.vectors.neural.networks import positions_of
from porism.vectors.neural.token_model import TokenModelSettings, make_token_model

_PURPOSE = "training a model for late interaction"
_SAMPLE = 256
_EXPANSION = 32


def open_late_encoder(
    folder: str | os.PathLike[str], device: Any, settings: EncoderTraining, texts: Sequence[str]
) -> Any:
    """A ``MultiVectorEncoder`` from the folder of one, or of an encoder or transformer, which gets a linear layer that
    begins with the principal directions of some ``texts``.

    :raises ConfigError: the model cannot be loaded, or reads fewer tokens than wanted.
    :raises MissingExtra: sentence-transformers is not installed.
    """
    length = settings.length
    expansion = _EXPANSION if length is None else min(_EXPANSION, length)
    made = TokenModelSettings(
        dimensions=settings.dimensions, query_length=max(8, length or 4 * _EXPANSION), expansion=expansion,
        seed=settings.seed,
    )
    step = max(1, len(texts) // _SAMPLE)
    network = make_token_model(folder, made, texts=list(texts)[::step][:_SAMPLE], device=str(device))
    if length is not None:
        check_length(length, positions_of(network[0].auto_model), folder)
        network.max_seq_length = length
    return network


def make_late_loss(model: Any, settings: EncoderTraining, part: int | None) -> Any:
    """The loss of a training; with ``part`` the ranking loss has so many texts in memory at once.

    The ranking loss compares by means over the tokens of a query, so that a temperature is worth the same for queries
    of any length; the pairwise one by the sums that search ranks by.

    :raises MissingExtra: sentence-transformers is not installed.
    """
    if settings.loss == "pairwise":
        return _pairwise(model, settings.scale)
    losses: Any = need("sentence_transformers.multi_vector_encoder.losses", EXTRA, _PURPOSE)
    scoring: Any = need("sentence_transformers.multi_vector_encoder.scoring", EXTRA, _PURPOSE)
    options = {"scale": settings.scale, "similarity_fct": scoring.mean_colbert_scores}
    if part is None:
        return losses.MultiVectorMultipleNegativesRankingLoss(model, **options)
    return losses.CachedMultiVectorMultipleNegativesRankingLoss(model, mini_batch_size=part, **options)


def _pairwise(model: Any, scale: float) -> Any:
    """The cross-entropy of the positive among it and the negatives of its own query (Khattab and Zaharia, *ColBERT*,
    SIGIR 2020, section 3.3: the pairwise softmax)."""
    torch = load_torch(_PURPOSE)
    merged: Any = need("sentence_transformers.base.losses.merged_forward", EXTRA, _PURPOSE)
    scoring: Any = need("sentence_transformers.multi_vector_encoder.scoring", EXTRA, _PURPOSE)
    util: Any = need("sentence_transformers.util", EXTRA, _PURPOSE)

    base: Any = torch.nn.Module

    class PairwiseSoftmax(base):  # type: ignore[misc]  # the base is known when torch is imported
        def __init__(self) -> None:
            super().__init__()
            self.model = model

        def forward(self, sentence_features: Any, labels: Any = None) -> Any:
            columns = [dict(features) for features in sentence_features]
            queries = self.model(columns[0], task="query")
            texts, masks = merged.embed_columns_padded(self.model, columns[1:], None, task_default="document")
            texts, masks = util.stack_padded_token_embeddings(texts, masks)
            scores = scoring.colbert_kd_scores(
                queries["token_embeddings"], texts, queries_mask=queries["attention_mask"].bool(), documents_mask=masks
            )
            first = torch.zeros(len(scores), dtype=torch.long, device=scores.device)
            return torch.nn.functional.cross_entropy(scores * scale, first)

    return PairwiseSoftmax()
