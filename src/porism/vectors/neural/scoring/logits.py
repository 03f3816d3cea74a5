"""Scorers whose score is a logit of relevance, computed from one pass over what they read: to be used and trained."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.vectors.neural.encoder_model import model_inputs
from porism.vectors.neural.loading import load_torch
from porism.vectors.neural.scoring.base import Scorer, Tokens
from porism.vectors.neural.scoring.model_files import PURPOSE, OpenedModel


class LogitScorer(Scorer):
    """A scorer that computes logits; with two documents its score is their logistic function, a probability."""

    _model: OpenedModel

    @property
    def network(self) -> Any:
        """The model of transformers."""
        return self._model.network

    @abstractmethod
    def relevance(self, inputs: dict[str, Any], network: Any = None) -> Any:
        """The logits (tensor [n]) of what :meth:`inputs` made, with gradients where these are recorded.

        :param network: computes in place of the scorer's own, such as the same one as a trainer wraps it.
        """

    def inputs(self, batch: Sequence[Tokens]) -> dict[str, Any]:
        """What the network reads of a batch, as tensors [n × tokens] on its device."""
        inputs = model_inputs(self._model.tokenizer, [one.ids for one in batch], self.network.device)
        if "token_type_ids" in inputs:
            torch = load_torch(PURPOSE)
            for row, one in enumerate(batch):
                inputs["token_type_ids"][row, : len(one.segments)] = torch.tensor(one.segments)
        return inputs

    def forward(self, batch: Sequence[Tokens]) -> NDArray[np.float64]:
        torch = load_torch(PURPOSE)
        inputs = self.inputs(batch)
        with torch.inference_mode(), self._model.context():
            logits = self.relevance(inputs)
        found: NDArray[np.float64] = logits.detach().to("cpu", torch.float32).numpy().astype(np.float64)
        if self.documents == 1:
            return found
        return 1.0 / (1.0 + np.exp(-np.clip(found, -700, 700)))

    def save(self, folder: Path, length: int) -> None:
        """Writes model and tokenizer into a folder, from which they read ``length`` tokens if nothing else is said."""
        tokenizer = self._model.tokenizer
        tokenizer.model_max_length = length
        self.network.save_pretrained(folder)
        tokenizer.save_pretrained(folder)
