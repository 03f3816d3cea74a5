"""What the training of a reranker minimises. All scores are tensors [examples × rows]; rows that an example does not
have are masked."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from porism.lab.train.reranker.examples import PURPOSE
from porism.lab.train.reranker.settings import RerankerTraining
from porism.lab.train.trainers import Batch
from porism.vectors.neural.loading import load_torch
from porism.vectors.neural.scoring.logits import LogitScorer


def listwise(scores: Any, targets: Any, there: Any) -> Any:
    """The mean cross-entropy of the first row among the rows of its example."""
    masked = scores.masked_fill(~there, float("-inf"))
    return -masked.log_softmax(1)[:, 0].mean()


def binary(scores: Any, targets: Any, there: Any) -> Any:
    """The cross-entropy of each row by itself: its mean over the rows of an example, and then over examples."""
    torch = load_torch(PURPOSE)
    single = torch.nn.functional.binary_cross_entropy_with_logits(scores, targets, reduction="none")
    return _mean(single, there)


def margin_mse(scores: Any, targets: Any, there: Any) -> Any:
    """The squared difference between the margins of the first row over the others and those of the targets."""
    margins, wanted = scores[:, :1] - scores[:, 1:], targets[:, :1] - targets[:, 1:]
    return _mean((margins - wanted) ** 2, there[:, 1:])


def _mean(single: Any, there: Any) -> Any:
    return ((single * there).sum(1) / there.sum(1)).mean()


LOSSES: Mapping[str, Callable[[Any, Any, Any], Any]] = MappingProxyType({
    "listwise": listwise, "binary": binary, "margin-mse": margin_mse,
})


def make_loss(scorer: LogitScorer, settings: RerankerTraining) -> Callable[[Any, Batch], Any]:
    """The loss of a batch, by a model that a trainer may have wrapped."""
    minimised = LOSSES[settings.minimised]

    def loss(model: Any, batch: Batch) -> Any:
        given = dict(batch)
        targets, there = given.pop("targets"), given.pop("there")
        torch = load_torch(PURPOSE)
        read = there.reshape(-1).nonzero()[:, 0]  # rows that only fill a batch up are not computed
        inputs = {name: value.reshape(-1, value.shape[-1])[read] for name, value in given.items()}
        scores = torch.zeros(there.numel(), device=read.device).index_put(
            (read,), scorer.relevance(inputs, model).float()
        )
        return minimised(scores.reshape(there.shape), targets, there)

    return loss
