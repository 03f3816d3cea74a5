"""Encoders of the usual form, opened with transformers alone: a transformer, pooling, linear layers, a length of 1.

Importing sentence-transformers takes seconds, which a search in a new process would wait for. Folders that it wrote say
of what parts a model is made; where these are the usual ones, vectors are the same without it. Everything else is left
to it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import orjson

from porism.extras import need
from porism.vectors.neural.encoder_settings import PUBLISHED_FILE, json_object
from porism.vectors.neural.loading import EXTRA, load_torch, load_transformers, pretrained
from porism.vectors.neural.networks import open_network

_PURPOSE = "encoding text"

_FAMILIES = frozenset({
    "albert", "bert", "camembert", "distilbert", "electra", "modernbert", "mpnet", "roberta", "xlm-roberta",
})
"""Kinds of transformers (``model_type``) whose last hidden states are what sentence-transformers pools."""

_OF_TRANSFORMER: Mapping[str, Any] = {
    "do_lower_case": False, "transformer_task": "feature-extraction", "module_output_name": "token_embeddings",
    "modality_config": {"text": {"method": "forward", "method_output_name": "last_hidden_state"}},
}
"""Settings of the usual first part; ``max_seq_length`` may be any."""

_POOLINGS: Mapping[str, str] = {"pooling_mode_cls_token": "cls", "pooling_mode_mean_tokens": "mean"}
_OTHER_POOLINGS = tuple(f"pooling_mode_{name}" for name in (
    "max_tokens", "mean_sqrt_len_tokens", "weightedmean_tokens", "lasttoken",
))
_ACTIVATIONS = frozenset({"Identity", "Tanh", "ReLU", "GELU", "SiLU", "Sigmoid"})
_NOT_USUAL = ("adapter_config.json", "router_config.json")


class PlainParts(NamedTuple):
    """What an encoder of the usual form is made of: its ``pooling`` (mean or cls), the ``layers`` behind it, and how
    many tokens it reads (None: its limit).

    ``layers`` is the folder of a linear layer, or None where the vector gets the length 1.
    """

    pooling: str
    layers: tuple[Path | None, ...]
    length: int | None


def plain_parts(folder: Path) -> PlainParts | None:
    """Of what parts the model in a folder is made, None where it has others than the usual."""
    config = json_object(folder / "config.json")
    if config.get("model_type") not in _FAMILIES or "auto_map" in config:
        return None
    if any((folder / name).exists() for name in _NOT_USUAL) or not (folder / "tokenizer.json").exists():
        return None
    if json_object(folder / PUBLISHED_FILE).get("model_type", "SentenceTransformer") != "SentenceTransformer":
        return None
    of_transformer = json_object(folder / "sentence_bert_config.json")
    length = of_transformer.pop("max_seq_length", None)
    length = length if isinstance(length, int) and length > 0 else None
    if any(key not in _OF_TRANSFORMER or value != _OF_TRANSFORMER[key] for key, value in of_transformer.items()):
        return None
    if not (folder / "modules.json").exists():
        return PlainParts("mean", (), length)
    listed = _modules(folder / "modules.json")
    if [kind for kind, _ in listed[:2]] != ["Transformer", "Pooling"] or listed[0][1] not in ("", "."):
        return None
    pooling = _pooling(folder / listed[1][1])
    layers: list[Path | None] = []
    for kind, path in listed[2:]:
        if kind == "Normalize":
            layers.append(None)
        elif kind == "Dense" and _is_plain_layer(folder / path):
            layers.append(folder / path)
        else:
            return None
    return None if pooling is None else PlainParts(pooling, tuple(layers), length)


def open_plain(
    folder: Path, device: Any, pooling: str = "model", precision: str = "float32"
) -> PlainEncoder | None:
    """The model in a folder on a device, None where it has other parts than the usual.

    :param pooling: ``mean`` or ``cls`` in place of its own.
    :param precision: what it will compute with.
    """
    parts = plain_parts(folder)
    if parts is None:
        return None
    transformers = load_transformers(_PURPOSE)
    tokenizer = pretrained(transformers.AutoTokenizer, folder)
    if parts.length:
        tokenizer.model_max_length = parts.length
    transformer = open_network(transformers.AutoModel, folder, device, precision)
    layers = [None if layer is None else _layer(layer, transformer.device) for layer in parts.layers]
    return PlainEncoder(transformer, tokenizer, parts.pooling if pooling == "model" else pooling, layers, parts.length)


class FirstPart(NamedTuple):
    """The transformer of a model, by the names that sentence-transformers has for it."""

    auto_model: Any
    config: Any
    tokenizer: Any
    max_seq_length: int | None


class PlainEncoder:
    """A model that does what the ``SentenceTransformer`` of the same folder does with tokens."""

    def __init__(
        self, transformer: Any, tokenizer: Any, pooling: str, layers: Sequence[Any], max_seq_length: int | None
    ) -> None:
        """``layers`` are modules of torch, or None for the length 1."""
        self._first = FirstPart(transformer, transformer.config, tokenizer, max_seq_length)
        self._transformer = transformer
        self._pooling = pooling
        self._layers = layers
        self._reads = frozenset(signature(transformer.forward).parameters)

    @property
    def device(self) -> Any:
        """Where it computes."""
        return self._transformer.device

    def compute_in(self, numbers: Any) -> None:
        """Keeps the weights of linear layers as numbers of this type of torch, as autocast converts them to at each
        call: results are the same."""
        torch = load_torch(_PURPOSE)
        for module in self._transformer.modules():
            if isinstance(module, torch.nn.Linear):
                module.to(numbers)

    def children(self) -> list[FirstPart]:
        """The part that reads tokens."""
        return [self._first]

    def __call__(self, features: Mapping[str, Any], task: str = "document") -> dict[str, Any]:
        """The vectors (``sentence_embedding``) of tokens as :func:`porism.vectors.neural.encoder_model.model_inputs`
        gives them, the same for any task."""
        torch = load_torch(_PURPOSE)
        read = {name: tensor for name, tensor in features.items() if name in self._reads}
        states = self._transformer(**read, return_dict=True).last_hidden_state
        vectors = states[:, 0] if self._pooling == "cls" else _mean(torch, states, features["attention_mask"])
        for layer in self._layers:
            vectors = torch.nn.functional.normalize(vectors, p=2, dim=1) if layer is None else layer(vectors)
        return {"sentence_embedding": vectors}

    def get_embedding_dimension(self) -> int:
        """Numbers of a vector."""
        linear = [layer[0] for layer in self._layers if layer is not None]
        return int(linear[-1].out_features if linear else self._transformer.config.hidden_size)


def _mean(torch: Any, states: Any, mask: Any) -> Any:
    """The mean of the states of tokens that are not padding, summed up in float32."""
    exact = torch.float32 if states.dtype in (torch.float16, torch.bfloat16) else states.dtype
    there = mask.unsqueeze(-1).to(states.dtype)
    counts = there.sum(dim=1, dtype=exact).clamp(min=1e-9)
    return ((states * there).sum(dim=1, dtype=exact) / counts).to(states.dtype)


def _layer(folder: Path, device: Any) -> Any:
    """The linear layer and its activation that a folder has."""
    torch = load_torch(_PURPOSE)
    config = orjson.loads((folder / "config.json").read_bytes())
    weights = need("safetensors.torch", EXTRA, _PURPOSE).load_file(folder / "model.safetensors")
    linear = torch.nn.Linear(config["in_features"], config["out_features"], bias=config.get("bias", True))
    linear.load_state_dict({name.removeprefix("linear."): numbers for name, numbers in weights.items()})
    activation = getattr(torch.nn, config["activation_function"].rpartition(".")[2])()
    return torch.nn.Sequential(linear, activation).to(device).eval()


def _is_plain_layer(folder: Path) -> bool:
    config = json_object(folder / "config.json")
    package, _, activation = str(config.get("activation_function")).rpartition(".")
    return (
        (folder / "model.safetensors").exists() and {"in_features", "out_features"} <= set(config)
        and package.startswith("torch.nn.modules") and activation in _ACTIVATIONS
        and config.get("module_input_name", "sentence_embedding") == "sentence_embedding"
        and (config.get("module_output_name") or "sentence_embedding") == "sentence_embedding"
        and not config.get("use_residual", False)
    )


def _pooling(folder: Path) -> str | None:
    """The one pooling that a folder names, None where it is not an usual one."""
    config = json_object(folder / "config.json")
    if not config or not config.get("include_prompt", True) or any(map(config.get, _OTHER_POOLINGS)):
        return None
    if "pooling_mode" in config:
        return config["pooling_mode"] if config["pooling_mode"] in _POOLINGS.values() else None
    poolings = [name for key, name in _POOLINGS.items() if config.get(key)]
    return poolings[0] if len(poolings) == 1 else None


def _modules(file: Path) -> list[tuple[str, str]]:
    """The kinds and folders of the parts of a model; nothing where the file does not list them so."""
    try:
        listed = orjson.loads(file.read_bytes())
        return [
            (part["type"].rpartition(".")[2] if part["type"].startswith("sentence_transformers.") else "", part["path"])
            for part in listed
        ]
    except (OSError, orjson.JSONDecodeError, KeyError, TypeError, AttributeError):
        return []
