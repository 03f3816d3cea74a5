"""The network of an encoder of formulas in torch, and the loss that trains it."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.vectors.neural.formula_encoder import FormulaNetwork, weight_shapes
from porism.vectors.neural.formula_nodes import FEATURES
from porism.vectors.neural.loading import load_torch

PURPOSE = "training an encoder of formulas"

_SAME = -1e4
"""The logit of formulas of the batch that are equal to the anchor, and so are not negatives."""


def make_network(network: FormulaNetwork, labels: int, seed: int) -> Any:
    """A new network with so many rows in its tables of labels, whose weights are drawn by the seed.

    It computes what :class:`porism.vectors.neural.formula_encoder.FormulaEncoder` does.
    """
    torch = load_torch(PURPOSE)
    functional = torch.nn.functional
    draw = torch.Generator().manual_seed(seed)

    module: Any = torch.nn.Module

    class Network(module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            for name, shape in weight_shapes(network, labels).items():
                self.register_parameter(_inner(name), torch.nn.Parameter(_initial(torch, name, shape, draw)))

        def weight(self, name: str) -> Any:
            return getattr(self, _inner(name))

        def forward(self, features: Any, relations: Any, mask: Any) -> Any:
            """Vectors of length 1 (formulas × dimensions) from features (formulas × features × nodes)."""
            state = sum(self.weight(name)[features[:, number]] for number, name in enumerate(FEATURES))
            state = self.normal(state, "first")
            bias = self.weight("relation")[relations].permute(0, 3, 1, 2)
            bias = bias.masked_fill(~mask[:, None, None, :], -1e9)
            for layer in range(network.layers):
                state = state + self.attention(self.normal(state, f"layers.{layer}.before"), bias, layer)
                state = state + self.wide(self.normal(state, f"layers.{layer}.between"), f"layers.{layer}")
            state = self.normal(state + self.wide(state, "mix"), "last") @ self.weight("output")
            return functional.normalize((state * mask[:, :, None]).sum(dim=1), dim=1)

        def normal(self, state: Any, name: str) -> Any:
            weight, bias = self.weight(f"{name}.weight"), self.weight(f"{name}.bias")
            return functional.layer_norm(state, (network.dimensions,), weight, bias)

        def attention(self, state: Any, bias: Any, layer: int) -> Any:
            formulas, nodes, size = state.shape
            mixed = (state @ self.weight(f"layers.{layer}.mixed")).view(formulas, nodes, 3, network.heads, -1)
            query, key, value = mixed.permute(2, 0, 3, 1, 4)
            joined = functional.scaled_dot_product_attention(query, key, value, attn_mask=bias.to(query.dtype))
            return joined.transpose(1, 2).reshape(formulas, nodes, size) @ self.weight(f"layers.{layer}.joined")

        def wide(self, state: Any, name: str) -> Any:
            inner = functional.relu(state @ self.weight(f"{name}.wide") + self.weight(f"{name}.wide_bias"))
            return inner @ self.weight(f"{name}.narrow")

    return Network()


def weights_of(made: Any) -> dict[str, NDArray[np.float32]]:
    """The weights of a network, by the names that its folder gives them."""
    return {name.replace("__", "."): value.detach().float().cpu().numpy() for name, value in made.state_dict().items()}


def contrastive_loss(
    anchors: Any, positives: Any, negatives: Any, has_negative: Any, same: Any, temperature: float, hard: float
) -> Any:
    """Cross-entropy of each formula's equal one among all of the batch, of both sides (InfoNCE: van den Oord et al.
    2018, equation 4), with the nearly equal formula of each anchor among those that the anchor does not find.

    :param negatives: one for each anchor, which counts ``hard`` times, where ``has_negative`` (bool) says so.
    :param same: which two formulas of the batch are equal (bool, formulas × formulas; not the diagonal).
    """
    torch = load_torch(PURPOSE)
    right = torch.arange(len(anchors), device=anchors.device)
    logits = (anchors @ positives.T / temperature).masked_fill(same, _SAME)
    near = (anchors @ negatives.T).diagonal() / temperature + (math.log(hard) if hard else 0.0)
    near = near.masked_fill(~has_negative if hard else torch.ones_like(has_negative), _SAME)
    cross_entropy = torch.nn.functional.cross_entropy
    forward = cross_entropy(torch.cat([logits, near[:, None]], dim=1), right)
    return (forward + cross_entropy(logits.T, right)) / 2


def _inner(name: str) -> str:
    """A name without dots, which torch does not allow."""
    return name.replace(".", "__")


def _initial(torch: Any, name: str, shape: tuple[int, ...], draw: Any) -> Any:
    if name.endswith("weight"):
        return torch.ones(shape)
    if name.endswith("bias") or name == "relation":
        return torch.zeros(shape)
    if name in FEATURES:
        spread = {"label": 0.5, "depth": 0.1}.get(name, 0.3)
    else:
        spread = 1 / math.sqrt(shape[0])
    return torch.randn(shape, generator=draw) * spread
