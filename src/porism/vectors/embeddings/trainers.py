"""What training methods have in common: epochs one by one, and a state that can be kept and taken up again."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt, IndexVersionError
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.system.files.durable import make_folder
from porism.vectors.embeddings.settings import Kept, Word2Vec

_STATE = "token-vectors-training"

OnTokens = Callable[[int], None]
"""Receives, now and then, how many more terms of the texts were read; from any thread."""


class Trained(NamedTuple):
    """Terms and their vectors (float32, terms × dimensions)."""

    terms: list[str]
    vectors: NDArray[np.float32]


class Resumable(Protocol):
    """What can be interrupted, and taken up again where it was."""

    def state(self) -> dict[str, NDArray[Any]]:
        """All that going on depends on."""

    def restore(self, state: Mapping[str, NDArray[Any]]) -> None:
        """Goes back to what :meth:`state` gave for the same texts and settings."""


def keep_state(training: Resumable, path: Path, info: Mapping[str, Any]) -> None:
    """Keeps a state in a file, whole or not at all, with its ``fingerprint`` in the information.

    :raises StorageError: the file cannot be written.
    """
    make_folder(path.parent, parents=False)
    with ContainerWriter(path, _STATE, atomic=True) as writer:
        for name, array in training.state().items():
            writer.add(name, array)
        writer.finish(info)


def take_up(training: Resumable, path: Path, fingerprint: str) -> Mapping[str, Any]:
    """Goes back to the state in a file, if it is of the same work; the information kept with it, empty if not."""
    try:
        container = Container(path, _STATE)
        if container.info["fingerprint"] != fingerprint:
            return {}
        training.restore({name: container.array(name) for name in container})
    except (FileNotFoundError, IndexCorrupt, IndexVersionError, KeyError):  # nothing to go on from: begin
        return {}
    return container.info


class Trainer(Resumable, Protocol):
    """A model in training."""

    def train_epoch(self, number: int, on_tokens: OnTokens) -> float | None:
        """Reads the texts once; ``number`` counts epochs from 0. Returns the mean loss of a word, where it is known."""

    def result(self) -> Trained:
        """The vectors that are kept."""


def rate_at(settings: Word2Vec, epoch: float) -> float:
    """The learning rate after so many epochs; falls linearly from ``rate`` to ``last_rate``."""
    return settings.rate - (settings.rate - settings.last_rate) * epoch / settings.epochs


def chosen(inputs: NDArray[np.float32], outputs: NDArray[np.float32], kept: Kept) -> NDArray[np.float32]:
    """The input vectors, the output vectors, or their mean."""
    if kept == "input":
        return inputs
    if kept == "output":
        return outputs
    mean: NDArray[np.float32] = (inputs + outputs) * np.float32(0.5)
    return mean


def check_finite(epoch: int, *matrices: NDArray[np.float32]) -> None:
    """Refuses vectors that training has made useless.

    :raises ConfigError: a number is not finite.
    """
    for matrix in matrices:
        if not np.isfinite(matrix.sum(axis=1)).all():
            raise ConfigError(
                f"training came to numbers that are not finite in epoch {epoch + 1}",
                hint="Train with a smaller learning rate.",
            )
