"""Training of sparse encoders: the network, and its losses."""

from __future__ import annotations

import logging
import os
from typing import Any

from porism.errors import ConfigError
from porism.extras import need
from porism.neural.loading import EXTRA, load_transformers, loading, longest_input, quiet
from porism.neural.sparse_encoder import check_sparse_model
from porism.train.encoder.settings import EncoderTraining

_PURPOSE = "training a sparse encoder"


def open_sparse(folder: str | os.PathLike[str], device: Any, length: int | None = None) -> Any:
    """A ``SparseEncoder`` from the folder of one, or of a masked language model, which gets SPLADE's pooling.

    :param length: how many tokens it reads at most; as many as it can if None.
    :raises ConfigError: the model cannot be loaded, is of another kind, or reads fewer tokens.
    :raises MissingExtra: sentence-transformers is not installed.
    """
    # The trainer warns that weights of FLOPS rise from 0, which is what we want.
    logging.getLogger("sentence_transformers.sparse_encoder.trainer").setLevel(logging.ERROR)
    check_sparse_model(folder, os.fspath(folder))
    transformers = load_transformers(_PURPOSE)
    library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
    with loading(folder, "model"), quiet(transformers):
        model = library.SparseEncoder(os.fspath(folder), device=str(device), local_files_only=True)
    if type(model[0]).__name__ == "Router":
        raise ConfigError(
            "sparse encoders whose queries need no model cannot be trained here", where=os.fspath(folder),
            hint="Train one that reads queries itself, from a masked language model.",
        )
    able = longest_input(model.tokenizer, model[0].config)
    if length is not None and length > able:
        raise ConfigError(
            f"the model reads {able} tokens at most, not {length}", where=os.fspath(folder),
            hint="Use a smaller length.",
        )
    model.max_seq_length = length or min(able, model.max_seq_length or able)
    return model


def make_sparse_loss(model: Any, settings: EncoderTraining, part: int | None) -> Any:
    """The loss of a training: that of the settings with the FLOPS of documents and queries; with ``part`` so many texts
    are in memory at once.

    :raises MissingExtra: sentence-transformers is not installed.
    """
    losses: Any = need("sentence_transformers.sparse_encoder.losses", EXTRA, _PURPOSE)
    if settings.loss == "triplet":
        inner = losses.SparseTripletLoss(model, triplet_margin=settings.margin)
    elif settings.loss == "margin-mse":
        inner = losses.SparseMarginMSELoss(model)
    else:
        options: dict[str, Any] = {"scale": 1 / settings.temperature}
        if settings.symmetric:
            options |= {"directions": ("query_to_doc", "doc_to_query"), "partition_mode": "per_direction"}
        inner = losses.SparseMultipleNegativesRankingLoss(model, **options)
    weights = {
        "document_regularizer_weight": settings.document_flops, "query_regularizer_weight": settings.query_flops,
    }
    if part is None:
        return losses.SpladeLoss(model, inner, **weights)
    return losses.CachedSpladeLoss(model, inner, mini_batch_size=part, **weights)
