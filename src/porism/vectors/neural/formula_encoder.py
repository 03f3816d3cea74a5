"""An encoder of formulas: from the nodes of an operator tree to one vector, by NumPy alone.

Each node is the sum of the embeddings of what is read of it (:mod:`porism.vectors.neural.formula_nodes`). Layers of
attention
follow, in which a bias for the relation of two nodes is added (Shaw, Uszkoreit and Vaswani, *Self-Attention with
Relative Position Representations*, NAACL 2018). The formula is the mean of its nodes, in another basis, brought to
length 1. So a cosine is a sum over the nodes of the query, which explains it. The network that is trained
(:mod:`porism.lab.train.formulas.network`) computes the same.

A model is a folder: ``model.safetensors`` has the weights, and ``porism.json`` says how they are put together and which
labels they know.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.formula.tree import OperatorNode
from porism.settings import Settings, read_settings, setting, write_settings
from porism.system.files.durable import replace_file
from porism.vectors.neural.encoder_settings import SETTINGS_FILE, json_object
from porism.vectors.neural.formula_nodes import (
    DEPTHS,
    EDGES,
    FEATURES,
    KINDS,
    RELATIONS,
    NodeRows,
    NodeVocabulary,
    node_batch,
)
from porism.vectors.neural.loading import EXTRA

KIND: Literal["formula-encoder"] = "formula-encoder"
"""What ``porism.json`` says that such a model is."""

WEIGHTS_FILE = "model.safetensors"
PURPOSE = "vectors of formulas"

_BATCH_NODES = 8_192
"""Nodes of formulas that are encoded at once, with padding."""

_EPSILON = 1e-5


@dataclass(frozen=True, slots=True)
class FormulaNetwork(Settings):
    """How an encoder of formulas is put together.

    :raises ConfigError: a number is out of its range.
    """

    dimensions: int = setting(128, "Numbers of a vector, of a node and of a formula.")
    layers: int = setting(1, "Layers of attention between nodes.")
    heads: int = setting(4, "Heads of a layer.")
    width: int = setting(256, "Numbers inside a layer.")
    nodes: int = setting(96, "Nodes of a formula that are read.")

    def __post_init__(self) -> None:
        for name in ("dimensions", "heads", "width", "nodes"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} cannot be {getattr(self, name)}", hint="Use a whole number from 1.")
        if self.layers < 0:
            raise ConfigError(f"there cannot be {self.layers} layers", hint="Use 0 or more.")
        if self.dimensions % self.heads:
            raise ConfigError(
                f"{self.dimensions} dimensions cannot be shared by {self.heads} heads",
                hint="Use a multiple of the heads.",
            )


@dataclass(frozen=True, slots=True)
class FormulaModelFile(Settings):
    """What ``porism.json`` says of an encoder of formulas: its ``network``, the ``labels`` that it knows, and the
    ``digest`` of its weights (16 hexadecimal digits)."""

    kind: Literal["formula-encoder"]
    network: FormulaNetwork
    labels: tuple[str, ...]
    digest: str

    @property
    def name(self) -> str:
        """The digest of the weights and of everything else on which vectors depend."""
        whole = orjson.dumps([self.digest, write_settings(self.network), list(self.labels)])
        return xxhash.xxh3_64_hexdigest(whole)


def is_formula_encoder(folder: str | os.PathLike[str]) -> bool:
    """Whether a folder says that it is an encoder of formulas."""
    return json_object(Path(folder) / SETTINGS_FILE).get("kind") == KIND


def read_model_file(folder: str | os.PathLike[str]) -> FormulaModelFile:
    """What a folder says of its encoder of formulas.

    :raises ConfigError: it is none, or ``porism.json`` cannot be read.
    """
    path = Path(folder) / SETTINGS_FILE
    try:
        return read_settings(FormulaModelFile, orjson.loads(path.read_bytes()))
    except (OSError, orjson.JSONDecodeError, ConfigError) as error:
        raise ConfigError(
            f"is not an encoder of formulas ({error})", where=str(path),
            hint="Train one: porism train formula-encoder NAME --index DIR",
        ) from error


def save_formula_encoder(
    folder: str | os.PathLike[str], network: FormulaNetwork, vocabulary: NodeVocabulary,
    weights: dict[str, NDArray[Any]],
) -> FormulaModelFile:
    """Writes an encoder into a folder; returns what ``porism.json`` says.

    :raises MissingExtra: safetensors is not installed.
    :raises StorageError: the folder cannot be written.
    """
    safetensors: Any = need("safetensors.numpy", EXTRA, PURPOSE)
    data: bytes = safetensors.save({name: np.ascontiguousarray(weights[name], np.float32) for name in sorted(weights)})
    about = FormulaModelFile(KIND, network, vocabulary.labels, xxhash.xxh3_64_hexdigest(data))
    place = Path(folder)
    replace_file(place / WEIGHTS_FILE, data)
    replace_file(place / SETTINGS_FILE, orjson.dumps(write_settings(about), option=orjson.OPT_INDENT_2))
    return about


class FormulaEncoder:
    """Encodes formulas by a trained model; immutable, and safe to share between threads."""

    def __init__(self, about: FormulaModelFile, weights: dict[str, NDArray[np.float32]]) -> None:
        """:raises ConfigError: weights are missing, have another shape, or are not finite."""
        self.about, self.network = about, about.network
        self.vocabulary = NodeVocabulary(about.labels)
        self._weights = weights
        for name, shape in weight_shapes(self.network, len(self.vocabulary)).items():
            if name not in weights or weights[name].shape != shape:
                actual = weights[name].shape if name in weights else "missing"
                raise ConfigError(
                    f"the weights do not fit porism.json: {name} is {actual}, not {shape}",
                    hint="Train or copy the model again.",
                )
            if not np.isfinite(weights[name]).all():
                raise ConfigError(f"{name} has numbers that are not finite", hint="Train the model again.")

    def __repr__(self) -> str:
        return f"FormulaEncoder({self.network.dimensions} dimensions, {len(self.vocabulary.labels):,} labels)"

    def rows(self, root: OperatorNode) -> NodeRows:
        """What the encoder reads of an operator tree."""
        return self.vocabulary.rows(root, self.network.nodes)

    def encode(self, roots: Sequence[OperatorNode]) -> NDArray[np.float32]:
        """The vectors of operator trees (float32, trees × dimensions), each of length 1, or 0 where no label is
        known."""
        return self.encode_rows([self.rows(root) for root in roots])

    def encode_rows(self, rows: Sequence[NodeRows]) -> NDArray[np.float32]:
        """The vectors of formulas by what is read of them."""
        vectors = np.zeros((len(rows), self.network.dimensions), np.float32)
        order = sorted((number for number, row in enumerate(rows) if row.known), key=lambda number: rows[number].size)
        start = 0
        while start < len(order):
            stop = start + 1
            while stop < len(order) and (stop + 1 - start) * rows[order[stop]].size <= _BATCH_NODES:
                stop += 1
            chosen = order[start:stop]
            nodes, mask = self._nodes([rows[number] for number in chosen])
            sums = (nodes * mask[:, :, None]).sum(axis=1)
            vectors[chosen] = sums / np.linalg.norm(sums, axis=1, keepdims=True)
            start = stop
        return vectors

    def parts(self, root: OperatorNode) -> NDArray[np.float64]:
        """What each node adds to the vector of a tree (float64, nodes × dimensions); their sum has the length 1."""
        rows = self.rows(root)
        if not rows.known:
            return np.zeros((rows.size, self.network.dimensions))
        nodes = self._nodes([rows])[0][0].astype(np.float64)
        whole: NDArray[np.float64] = nodes / np.linalg.norm(nodes.sum(axis=0))
        return whole

    def _nodes(self, rows: Sequence[NodeRows]) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
        """The vectors of nodes after the last layer (float32, formulas × nodes × dimensions), and which are there."""
        batch = node_batch(rows)
        weights = self._weights
        state = sum(
            (weights[feature][numbers] for feature, numbers in zip(FEATURES, batch.features, strict=True)),
            start=np.float32(0),
        )
        state = self._normal(np.asarray(state, np.float32), "first")
        bias = weights["relation"][batch.relations].transpose(0, 3, 1, 2)
        bias = np.where(batch.mask[:, None, None, :], bias, np.float32(-1e9))
        for layer in range(self.network.layers):
            state = state + self._attention(self._normal(state, f"layers.{layer}.before"), bias, layer)
            state = state + self._wide(self._normal(state, f"layers.{layer}.between"), f"layers.{layer}")
        state = state + self._wide(state, "mix")
        return self._normal(state, "last") @ weights["output"], batch.mask

    def _normal(self, state: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        centred = state - state.mean(axis=-1, keepdims=True)
        spread = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(_EPSILON))
        normal: NDArray[np.float32] = centred / spread * self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return normal

    def _attention(self, state: NDArray[np.float32], bias: NDArray[np.float32], layer: int) -> NDArray[np.float32]:
        formulas, nodes, size = state.shape
        heads = self.network.heads
        mixed = state @ self._weights[f"layers.{layer}.mixed"]
        query, key, value = mixed.reshape(formulas, nodes, 3, heads, size // heads).transpose(2, 0, 3, 1, 4)
        scores = query @ key.transpose(0, 1, 3, 2) / np.float32(np.sqrt(size // heads)) + bias
        scores = np.exp(scores - scores.max(axis=-1, keepdims=True))
        scores /= scores.sum(axis=-1, keepdims=True)
        joined = (scores @ value).transpose(0, 2, 1, 3).reshape(formulas, nodes, size)
        attended: NDArray[np.float32] = joined @ self._weights[f"layers.{layer}.joined"]
        return attended

    def _wide(self, state: NDArray[np.float32], name: str) -> NDArray[np.float32]:
        wide = state @ self._weights[f"{name}.wide"] + self._weights[f"{name}.wide_bias"]
        narrow: NDArray[np.float32] = np.maximum(wide, 0) @ self._weights[f"{name}.narrow"]
        return narrow


def weight_shapes(network: FormulaNetwork, labels: int) -> dict[str, tuple[int, ...]]:
    """The names and shapes of all weights of an encoder with so many rows in its tables of labels."""
    size, width = network.dimensions, network.width
    tables = {
        "label": labels, "kind": 1 + len(KINDS), "depth": DEPTHS, "parent": labels, "edge": EDGES, "above": labels,
        "above_edge": EDGES,
    }
    shapes: dict[str, tuple[int, ...]] = {feature: (tables[feature], size) for feature in FEATURES}
    shapes |= {"relation": (RELATIONS, network.heads), "output": (size, size)}
    normal, wide = ["first", "last"], ["mix"]
    for layer in range(network.layers):
        shapes |= {f"layers.{layer}.mixed": (size, 3 * size), f"layers.{layer}.joined": (size, size)}
        normal += [f"layers.{layer}.before", f"layers.{layer}.between"]
        wide.append(f"layers.{layer}")
    for name in normal:
        shapes |= {f"{name}.weight": (size,), f"{name}.bias": (size,)}
    for name in wide:
        shapes |= {f"{name}.wide": (size, width), f"{name}.wide_bias": (width,), f"{name}.narrow": (width, size)}
    return shapes


def load_formula_encoder(folder: str | os.PathLike[str]) -> FormulaEncoder:
    """The encoder in a folder.

    :raises ConfigError: it is none, is incomplete, or its weights are not those that ``porism.json`` speaks of.
    :raises MissingExtra: safetensors is not installed.
    """
    about = read_model_file(folder)
    path = Path(folder) / WEIGHTS_FILE
    safetensors: Any = need("safetensors.numpy", EXTRA, PURPOSE)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise ConfigError(
            f"the weights cannot be read ({error.strerror or error})", where=str(path),
            hint="Train or copy the model again.",
        ) from error
    if xxhash.xxh3_64_hexdigest(data) != about.digest:
        raise ConfigError(
            "the weights are not those that porism.json speaks of", where=str(path),
            hint="Train or copy the model again.",
        )
    return FormulaEncoder(about, safetensors.load(data))
