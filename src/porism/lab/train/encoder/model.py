"""Opening the encoder that training begins with, and cutting texts as it will read them."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from porism.analysis.model_text import Cut
from porism.errors import ConfigError
from porism.extras import need
from porism.lab.train.trainers import check_length
from porism.vectors.neural.encoder import Encoder
from porism.vectors.neural.encoder_files import find_encoder, model_folder
from porism.vectors.neural.encoder_settings import Pooling, Similarity
from porism.vectors.neural.loading import AS_FLOAT32, EXTRA, load_torch, load_transformers, loading
from porism.vectors.neural.networks import positions_of

PURPOSE = "training an encoder"


def encoder_folder(named: str | os.PathLike[str], index_path: str | os.PathLike[str] | None = None) -> Path:
    """The folder of an encoder or transformer by any of its names; one of the hub is fetched where it is not here.

    :raises ConfigError: there is none of this name, or its folder is incomplete.
    """
    if model_folder(os.fspath(named), index_path) is None:
        Encoder.load(named, index_path=index_path, device="cpu")
    return find_encoder(named, index_path).folder


def open_encoder(
    folder: str | os.PathLike[str], device: Any, pooling: Pooling = "model", length: int | None = None,
    similarity: Similarity = "cos",
) -> Any:
    """A ``SentenceTransformer`` from the folder of one, or of any transformer, whose vectors of tokens are averaged.

    :param pooling: how vectors of tokens become one, if not as the model says.
    :param length: how many tokens it reads at most; as many as it can if None.
    :param similarity: what will compare vectors: for inner products they keep their lengths.
    :raises ConfigError: the model cannot be loaded, is not a transformer, reads fewer tokens, or has several parts.
    :raises MissingExtra: sentence-transformers is not installed.
    """
    load_transformers(PURPOSE)
    library: Any = need("sentence_transformers", EXTRA, PURPOSE)
    modules: Any = need("sentence_transformers.sentence_transformer.modules", EXTRA, PURPOSE)
    with loading(folder, "encoder"), _silent("sentence_transformers"):
        if (Path(folder) / "modules.json").exists():
            model = library.SentenceTransformer(
                os.fspath(folder), device=str(device), local_files_only=True, model_kwargs=AS_FLOAT32
            )
        else:
            transformer = modules.Transformer(os.fspath(folder), model_kwargs=AS_FLOAT32)
            pool = modules.Pooling(transformer.get_embedding_dimension(), "cls" if pooling == "cls" else "mean")
            model = library.SentenceTransformer(modules=[transformer, pool], device=str(device))
    if isinstance(model[0], need("sentence_transformers.base.modules.router", EXTRA, PURPOSE).Router):
        raise ConfigError(
            "the model reads questions and documents by different parts already", where=os.fspath(folder),
            hint="Begin with the model that it was trained from.",
        )
    if pooling != "model":
        pools = [module for module in model.children() if isinstance(module, modules.Pooling)]
        if not pools:
            raise ConfigError("the model has no pooling of tokens to replace", where=os.fspath(folder))
        pools[0].pooling_mode = pooling
    if similarity == "dot":
        kept = [module for module in model.children() if not isinstance(module, modules.Normalize)]
        model = library.SentenceTransformer(modules=kept, device=str(device))
    longest = model.max_seq_length
    if length is not None:
        check_length(length, positions_of(model[0].auto_model), folder)
        model.max_seq_length = length
    elif longest is None:
        model.max_seq_length = 512
    return model


def train_last_layers(model: Any, layers: int, named: str | os.PathLike[str]) -> None:
    """Keeps the weights of a model's transformer as they are, but for its last layers; other parts are trained.

    Without any layer, a linear one behind the model is trained, which begins as the identity.

    :raises ConfigError: it has no such list of layers, or fewer.
    """
    torch = load_torch(PURPOSE)
    network = next(module.auto_model for module in model.modules() if hasattr(module, "auto_model"))
    depth: int = getattr(network.config, "num_hidden_layers", 0)
    lists = [
        module for module in network.modules() if isinstance(module, torch.nn.ModuleList) and len(module) == depth
    ]
    if layers and (not lists or layers > depth):
        has = f"{depth} layers" if lists else "no list of layers that is known"
        raise ConfigError(
            f"the last {layers} layers cannot be trained alone: the transformer has {has}", where=os.fspath(named),
            hint=f"Use at most {depth} layers." if lists else "Leave layers out.",
        )
    network.requires_grad_(False)
    for layer in lists[0][depth - layers:] if layers else ():
        layer.requires_grad_(True)
    if not layers:
        modules: Any = need("sentence_transformers.sentence_transformer.modules", EXTRA, PURPOSE)
        size = model.get_embedding_dimension()
        model.append(modules.Dense(
            size, size, bias=False, activation_function=torch.nn.Identity(), init_weight=torch.eye(size)
        ).to(model.device))


@contextmanager
def _silent(name: str) -> Iterator[None]:
    """Keeps a library from logging what the caller knows."""
    logger = logging.getLogger(name)
    before = logger.level
    logger.setLevel(logging.ERROR)
    try:
        yield
    finally:
        logger.setLevel(before)


def as_read(texts: Sequence[str], network: Any, cut: Cut, prefix: str = "") -> list[str]:
    """Texts with a prefix, and without their middle where the model reads head and tail."""
    column = [f"{prefix}{text}" for text in texts]
    return head_and_tail(column, network.tokenizer, network.max_seq_length) if cut == "head-tail" else column


def head_and_tail(texts: Sequence[str], tokenizer: Any, length: int) -> list[str]:
    """Texts that are too long without their middle, so that the first half of the tokens and the last half remain."""
    room = length - tokenizer.num_special_tokens_to_add()
    tail = room // 2
    read = tokenizer(list(texts), add_special_tokens=False, return_offsets_mapping=True, verbose=False)
    cut = []
    for text, offsets in zip(texts, read["offset_mapping"], strict=True):
        if len(offsets) > room and tail:
            text = f"{text[: offsets[room - tail - 1][1]]} {text[offsets[-tail][0] :]}"
        cut.append(text)
    return cut
