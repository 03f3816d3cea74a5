"""Encoders of formulas with random weights, for tests that need some and train none."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from porism.system.files.artifacts import MODELS
from porism.vectors.neural.formula_encoder import (
    FormulaEncoder,
    FormulaModelFile,
    FormulaNetwork,
    save_formula_encoder,
    weight_shapes,
)
from porism.vectors.neural.formula_nodes import NodeVocabulary

SMALL = FormulaNetwork(dimensions=8, layers=1, heads=2, width=12, nodes=40)
LABELS = ("Uplus", "Ueq", "Vx", "Vy", "Va", "N2", "N1", "Osup", "Odivide")


def random_weights(network: FormulaNetwork = SMALL, seed: int = 0) -> dict[str, np.ndarray]:
    """Weights of a network that knows :data:`LABELS`."""
    chance = np.random.default_rng(seed)
    return {
        name: chance.normal(size=shape).astype(np.float32) / 2
        for name, shape in weight_shapes(network, len(NodeVocabulary(LABELS))).items()
    }


def random_encoder(network: FormulaNetwork = SMALL, seed: int = 0) -> FormulaEncoder:
    """An encoder with such weights, in memory."""
    return FormulaEncoder(FormulaModelFile("formula-encoder", network, LABELS, "0"), random_weights(network, seed))


def random_model(index: Path, name: str = "fe", network: FormulaNetwork = SMALL, seed: int = 0) -> Path:
    """The folder of such an encoder among the models of an index."""
    folder = index / MODELS.folder / name
    folder.mkdir(parents=True, exist_ok=True)
    save_formula_encoder(folder, network, NodeVocabulary(LABELS), random_weights(network, seed))
    return folder
