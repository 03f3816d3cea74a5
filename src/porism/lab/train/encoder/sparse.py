"""Training of sparse encoders: the network, and its losses."""

from __future__ import annotations

import logging
import math
import os
from collections import Counter
from collections.abc import Sequence
from typing import Any

from porism.errors import ConfigError
from porism.extras import need
from porism.lab.train.encoder.settings import EncoderTraining
from porism.lab.train.trainers import check_length
from porism.vectors.neural.loading import (
    AS_FLOAT32,
    EXTRA,
    load_torch,
    load_transformers,
    loading,
    quiet,
)
from porism.vectors.neural.networks import longest_input
from porism.vectors.neural.sparse_encoder import check_sparse_model

_PURPOSE = "training a sparse encoder"


_TABLE = r"sub_modules\.query\.0\.weight$"
"""The parameter that is the table of weights of an inference-free model."""


def open_sparse(
    folder: str | os.PathLike[str], device: Any, settings: EncoderTraining, texts: Sequence[str] = ()
) -> Any:
    """A ``SparseEncoder`` from the folder of one, or of a masked language model, which gets SPLADE's pooling.

    The table of queries of an inference-free model begins with the inverse document frequencies of tokens in ``texts``.

    :raises ConfigError: the model cannot be loaded, is of another kind, or reads fewer tokens.
    :raises MissingExtra: sentence-transformers is not installed.
    """
    # The trainer warns that weights of FLOPS rise from 0, which is what we want.
    logging.getLogger("sentence_transformers.sparse_encoder.trainer").setLevel(logging.ERROR)
    check_sparse_model(folder, os.fspath(folder))
    transformers = load_transformers(_PURPOSE)
    library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
    with loading(folder, "model"), quiet(transformers):
        model = library.SparseEncoder(
            os.fspath(folder), device=str(device), local_files_only=True, model_kwargs=AS_FLOAT32
        )
    routes = getattr(model[0], "sub_modules", None)
    if routes is not None:
        kinds = {name: [type(module).__name__ for module in modules] for name, modules in routes.items()}
        if kinds.get("query") != ["SparseStaticEmbedding"] or "document" not in kinds:
            raise ConfigError(
                "the model has a router of another kind than inference-free models", where=os.fspath(folder),
                hint="Train one whose queries a table weighs, or one without a router.",
            )
        model[0].default_route = "document"
    reads = model[0] if routes is None else routes["document"][0]
    able, length = longest_input(reads.tokenizer, reads.auto_model), settings.length
    check_length(length, able, folder)
    length = length or min(able, reads.max_seq_length or able)
    if settings.inference_free and routes is None:
        model = _without_inference(model, texts)
    if type(model[0]).__name__ == "Router":
        model.own_rates = {_TABLE: settings.table_rate}
    model.max_seq_length = length
    return model


def _without_inference(model: Any, texts: Sequence[str]) -> Any:
    """A model that reads documents as ``model`` does, and queries by a table."""
    torch = load_torch(_PURPOSE)
    library: Any = need("sentence_transformers", EXTRA, _PURPOSE)
    modules: Any = need("sentence_transformers.sparse_encoder.modules", EXTRA, _PURPOSE)
    router: Any = need("sentence_transformers.base.modules", EXTRA, _PURPOSE).Router
    known = token_weights(model.tokenizer, texts)
    known += [0.0] * (model[0].config.vocab_size - len(known))  # some models weigh more terms than there are
    weights = torch.tensor(known, device=model.device)
    table = modules.SparseStaticEmbedding(model.tokenizer, weights)
    routes = router.for_query_document([table], list(model.children()), default_route="document")
    return library.SparseEncoder(modules=[routes], device=str(model.device))


def token_weights(tokenizer: Any, texts: Sequence[str]) -> list[float]:
    """The inverse document frequency of each token of a vocabulary in texts, 1 for one that no text has, 0 for special
    ones."""
    counts: Counter[int] = Counter()
    for tokens in tokenizer(list(texts), add_special_tokens=False, verbose=False)["input_ids"] if texts else ():
        counts.update(set(tokens))
    count = len(texts)
    most = math.log(1 + 2 * (count + 0.5))  # that of a token in no text, in the form of BM25 that is never negative
    special = set(tokenizer.all_special_ids)
    return [
        0.0 if token in special
        else math.log(1 + (count - counts[token] + 0.5) / (counts[token] + 0.5)) / most
        for token in range(len(tokenizer.get_vocab()))
    ]


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
        inner = losses.SparseMultipleNegativesRankingLoss(model, **settings.ranking_options)
    weights = {"document_regularizer_weight": settings.document_flops, "query_regularizer_weight": settings.query_flops}
    if part is not None:
        weights |= {"mini_batch_size": part}
    base = losses.SpladeLoss if part is None else losses.CachedSpladeLoss
    return (_routed(base) if type(model[0]).__name__ == "Router" else base)(model, inner, **weights)


def _routed(base: Any) -> Any:
    """A loss for an inference-free model: its table reads the first column, without special tokens, as it does later,
    and has no weight below 0."""
    torch = load_torch(_PURPOSE)

    class Routed(base):  # type: ignore[misc]  # the base is known when it is imported
        def forward(self, sentence_features: Any, labels: Any = None) -> Any:
            columns = [features | {"task": "document"} for features in map(dict, sentence_features)]
            table = self.model[0].sub_modules["query"][0]
            with torch.no_grad():
                table.weight.clamp_(min=0)
            tokens = columns[0]["input_ids"]
            special = torch.tensor(table.tokenizer.all_special_ids, device=tokens.device)
            words = columns[0]["attention_mask"] * ~torch.isin(tokens, special)
            columns[0] |= {"task": "query", "attention_mask": words}
            return super().forward(columns, labels)

    return Routed
