"""Networks of transformers, or in ONNX: opened whole, in numbers that they can compute in, and how much they read."""

from __future__ import annotations

import os
from typing import Any

from porism.errors import ConfigError, pluralise
from porism.vectors.neural.encoder_files import onnx_file
from porism.vectors.neural.loading import COPY_AGAIN, load_transformers, loading, pretrained, quiet
from porism.vectors.neural.onnx_network import PURPOSE, OnnxNetwork

MAX_INPUT = 512
"""Tokens that a model reads where neither it nor its tokenizer says how many it can."""

NO_LIMIT = 1 << 20
"""What tokenizers without a limit say is some number above this."""

_ADVISED = ("n_positions", "max_source_positions", "max_encoder_position_embeddings")
"""What configurations call the length that a model was trained with, which it can exceed."""

_POSITION_LAYER = "position_embeddings"
"""What transformers calls a layer with a vector for each position."""

_POOLER = "pooler"
"""The part of an encoder that no vector here is computed with; many files have no weights of it."""

_SHOWN_WEIGHTS = 3


def load_model(
    kind: str, model: str | os.PathLike[str], device: Any, purpose: str, precision: str = "float32"
) -> Any:
    """A model by name or folder on a device, in evaluation mode; ``kind`` is a class of transformers: ``AutoModel``.

    :param precision: what it will compute with, if not with the numbers of its weights.
    :raises ConfigError: it cannot be loaded, is of another kind, or does not fit on the device.
    :raises MissingExtra: transformers is not installed.
    """
    transformers = load_transformers(purpose)
    with loading(model, "model"), quiet(transformers):
        return open_network(getattr(transformers, kind), model, device, precision)


def open_network(kind: Any, model: str | os.PathLike[str], device: Any, precision: str = "float32") -> Any:
    """What a class of transformers makes of a model, on a device and in evaluation mode.

    :raises ConfigError: files of the model lack weights, which would be random, or its configuration is of another.
    :raises MissingExtra: it is in ONNX, and onnxruntime is not installed.
    """
    file = onnx_file(model)
    if file is not None:
        if precision not in ("auto", "float32"):
            raise ConfigError(
                f"a network in ONNX computes with the numbers of its file, not in {precision}", where=str(file),
                hint="Leave the precision out.",
            )
        return OnnxNetwork(kind, file, pretrained(load_transformers(PURPOSE).AutoConfig, model))
    network, told = pretrained(
        kind, model, dtype=weight_type(device, precision), output_loading_info=True, ignore_mismatched_sizes=True
    )
    if told["mismatched_keys"]:
        name, stored, wanted = min(told["mismatched_keys"])
        raise ConfigError(
            f"config.json does not fit the weights: {name} is {tuple(stored)} in the files, {tuple(wanted)} by it",
            where=str(model), hint=COPY_AGAIN,
        )
    unread = _POOLER if kind.__name__ == "AutoModel" else None
    missing = sorted(name for name in told["missing_keys"] if unread not in name.split("."))
    if missing:
        shown = ", ".join(missing[:_SHOWN_WEIGHTS]) + (", …" if len(missing) > _SHOWN_WEIGHTS else "")
        raise ConfigError(
            f"the files of the model lack {pluralise(len(missing), 'weight')} ({shown}), which would be random numbers",
            where=str(model),
            hint="Take a model that was trained for this, as an encoder or a cross-encoder, or copy it again.",
        )
    return network.to(device).eval()


def weight_type(device: Any, precision: str) -> str:
    """The numbers in which weights are kept in memory: those of the files where a GPU computes with 16 bits, else
    float32, in which all layers of all models can compute."""
    on_gpu = getattr(device, "type", str(device)) != "cpu"
    return "auto" if on_gpu and precision in ("auto", "bfloat16", "float16") else "float32"


def longest_input(tokenizer: Any, network: Any) -> int:
    """Tokens, special ones too, that a model can read at once, as its tokenizer, its configuration and its positions
    say; ``tokenizer`` is None where it is not asked."""
    config = getattr(network, "config", None)
    limits = [tokenizer.model_max_length if tokenizer is not None else NO_LIMIT, positions_of(network)]
    limits += [getattr(config, name, None) for name in _ADVISED]
    return min((limit for limit in limits if isinstance(limit, int) and 0 < limit < NO_LIMIT), default=MAX_INPUT)


def positions_of(network: Any) -> int | None:
    """How many tokens a network of transformers has positions for; None if any number.

    Where positions begin after that of the padding token, as RoBERTa's do, fewer tokens have one than there are.
    """
    positions = getattr(getattr(network, "config", None), "max_position_embeddings", None)
    if not isinstance(positions, int) or positions < 1:
        return None
    skipped = [
        layer.padding_idx + 1 for name, layer in network.named_modules()
        if name.endswith(_POSITION_LAYER) and getattr(layer, "padding_idx", None) is not None
    ]
    return positions - max(skipped, default=0)
