"""Training an encoder on pairs: from a model and a list of pairs to the folder of a model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from pathlib import Path
from types import MappingProxyType
from typing import Any

from porism.analysis.model_text import ModelText
from porism.errors import ConfigError, pluralise
from porism.extras import need
from porism.lab.train.checkpoints import Checkpoints, check_target, fingerprint
from porism.lab.train.encoder.collection import (
    CandidatePool,
    TrainingCollection,
    collection_loss,
    find_candidates,
    with_documents,
    with_kept,
)
from porism.lab.train.encoder.examples import PairCollator, plan_batches, usable, without_padding
from porism.lab.train.encoder.late import make_late_loss, open_late_encoder
from porism.lab.train.encoder.model import PURPOSE, open_encoder, train_last_layers
from porism.lab.train.encoder.settings import EncoderTraining, Kind
from porism.lab.train.encoder.sparse import make_sparse_loss, open_sparse
from porism.lab.train.guarded import OnWarning, guarded
from porism.lab.train.pairs.base import Pair
from porism.lab.train.trainers import CHECKPOINT_SECONDS, OnProgress, TrainerReport, run_trainer, trainer_arguments
from porism.settings import write_settings
from porism.vectors.neural.encoder_files import find_encoder
from porism.vectors.neural.encoder_settings import EncoderSettings, read_encoder_settings, write_encoder_settings
from porism.vectors.neural.loading import EXTRA, choose_device, load_torch

_FAMILIES: Mapping[Kind, str] = MappingProxyType({
    "dense": "SentenceTransformer", "colbert": "MultiVectorEncoder", "splade": "SparseEncoder",
})
"""How the names of the trainers of sentence-transformers begin."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EncoderReport(TrainerReport):
    """What was trained, and on how many pairs."""

    pairs: int


def train_encoder(
    pairs: Sequence[Pair],
    model: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    settings: EncoderTraining | None = None,
    *,
    collection: Mapping[str, str] = MappingProxyType({}),
    auxiliary: Sequence[TrainingCollection] = (),
    kept: Sequence[str] = (),
    text: ModelText | None = None,
    device: str = "auto",
    restart: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    on_progress: OnProgress = lambda done, total: None,
    on_warning: OnWarning = lambda warning: None,
) -> EncoderReport:
    """Trains an encoder from the folder ``model`` on pairs, and saves it as a folder, with how it reads text.

    Checkpoints are in ``FOLDER.training`` until the folder is complete; the same call goes on from the last one, unless
    ``restart`` or the pairs, the model or the settings have changed. Ctrl-C and SIGTERM end the training after the step
    that is under way and are noted in the report.

    :param collection: texts of documents by id, for the loss ``collection``: none of topics to be measured with.
    :param auxiliary: other collections with their own pairs, for the loss ``collection``.
    :param kept: questions, of other collections for example, that the trained model shall read as the one before, for
        the loss ``collection``.
    :param text: how the texts of the pairs were written, which is kept with the model.
    :param device: where it trains: ``auto``, ``cpu``, ``cuda``, ….
    :param on_warning: receives sentences on what is done otherwise than the settings say.
    :raises ConfigError: the model, the pairs or the settings do not fit, or the loss is not finite; memory does not
        suffice for one pair, or the folder is not that of a trained model.
    :raises MissingExtra: torch, sentence-transformers, accelerate or datasets is not installed.
    :raises StorageError: the folder cannot be written.
    """
    settings = settings or EncoderTraining()
    started = time.monotonic()
    target = Path(folder)
    check_target(target)
    collections = [
        TrainingCollection(usable(each.pairs, settings), each.collection)
        for each in (TrainingCollection(pairs, collection), *auxiliary)
    ]
    examples = [pair for each in collections for pair in each.pairs]
    if settings.loss != "collection" and (kept or auxiliary):
        raise ConfigError(
            f"the loss {settings.loss} has no questions that keep their vectors, and no other collections",
            hint="Take the loss collection.",
        )
    kept = list(dict.fromkeys(kept))
    batches = plan_batches(examples, settings.batch, settings.epochs, settings.seed, apart=settings.loss == "ranking")
    if settings.steps is not None:
        batches = batches[: settings.steps * settings.accumulate]
    pools: list[CandidatePool] = []
    if settings.loss == "collection":
        pools = [find_candidates(each.pairs, each.collection, settings) for each in collections]
        batches = with_kept(batches, examples, kept, settings)
    rows = ([pair.anchor, pair.positive, pair.negatives, pair.scores, pair.miner] for pair in examples)
    identity = fingerprint(settings, chain([os.path.abspath(model), [pool.digest for pool in pools], kept], rows))
    with Checkpoints.of(target, identity, restart=restart) as checkpoints:
        where = choose_device(device)
        if settings.kind == "colbert":
            network = open_late_encoder(model, where, settings, [pair.positive for pair in examples])
        elif settings.kind == "splade":
            network = open_sparse(model, where, settings, [pair.positive for pair in examples])
        else:
            network = open_encoder(model, where, settings.pooling, settings.length, settings.similarity)
        if settings.layers is not None:
            train_last_layers(network, settings.layers, model)
        original = None
        if settings.original:
            original = {name: value.detach().cpu().clone() for name, value in network.state_dict().items()}
        losses: Callable[[Any, int | None], Any] = partial(make_loss, settings)
        if pools:
            texts = sum(len(pool.texts) for pool in pools)
            on_warning(f"encoding {pluralise(texts, 'text')} that answers are told from")
            reads = settings.max_tokens or read_encoder_settings(model).length
            documents = open_encoder(model, where, settings.pooling, reads)
            losses = _always(collection_loss(network, documents, pools, kept, settings))
        trainer = _trainer(network, examples, kept, batches, settings, where, checkpoints.folder, losses, on_warning)
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress, checkpoint_seconds=checkpoint_seconds)
        report = EncoderReport(pairs=len(examples), **outcome.reported(target, started))
        if not outcome.interrupted:
            if settings.max_tokens is not None:
                network.max_seq_length = settings.max_tokens
            if original is not None:
                _blend(network, original, settings.original)
            if pools:
                network = with_documents(network, documents)
            reading = _reading(model, settings, text, examples)

            def write(folder: Path) -> None:
                network.save_pretrained(str(folder), create_model_card=False)
                write_encoder_settings(folder, reading)

            checkpoints.publish(
                target, write, {"from": os.fspath(model), "settings": write_settings(settings), **report.to_dict()}
            )
    return report


def _trainer(
    network: Any, pairs: Sequence[Pair], kept: Sequence[str], batches: list[list[int]], settings: EncoderTraining,
    device: Any, folder: Path, losses: Callable[[Any, int | None], Any], on_warning: OnWarning,
) -> Any:
    """The trainer of sentence-transformers over planned batches; ``losses`` makes that of a
    model and a number of texts in memory at once."""
    library: Any = need("sentence_transformers", EXTRA, PURPOSE)
    sampling: Any = need("sentence_transformers.base.sampler", EXTRA, PURPOSE)
    datasets: Any = need("datasets", EXTRA, PURPOSE)
    torch = load_torch(PURPOSE)

    class Planned(sampling.DefaultBatchSampler):  # type: ignore[misc]
        def __init__(self, dataset: Any) -> None:
            super().__init__(dataset, batch_size=settings.batch, drop_last=False)

        def __iter__(self) -> Any:
            return iter(batches)

        def __len__(self) -> int:
            return len(batches)

    family = _FAMILIES[settings.kind]

    class EncoderTrainer(guarded(getattr(library, f"{family}Trainer"), on_warning)):  # type: ignore[misc]
        splits = is_row_wise(settings)

        def get_batch_sampler(self, dataset: Any, **_: Any) -> Any:
            return Planned(dataset)

        def add_model_card_callback(self, *_: Any) -> None:
            """Nothing is computed for a model card, which would show texts of the collection."""

        def use_part(self, rows: int) -> None:
            if not self.splits:
                self.loss = self.prepare_loss(losses(self.model, rows), self.model)

        def part_of(self, inputs: Any, start: int, stop: int) -> dict[str, Any]:
            return without_padding(super().part_of(inputs, start, stop))

    arguments = getattr(library, f"{family}TrainingArguments")(
        dataloader_num_workers=0, **trainer_arguments(settings, device, folder)
    )
    torch.manual_seed(settings.seed)
    numbers = datasets.Dataset.from_dict({"number": range(len(pairs) + len(kept))})
    trainer = EncoderTrainer(
        model=network, args=arguments, train_dataset=numbers, loss=losses(network, settings.micro_batch),
        data_collator=PairCollator(network, pairs, kept, settings),
    )
    trainer.part = settings.micro_batch
    return trainer


def _always(loss: Any) -> Callable[[Any, int | None], Any]:
    """One loss, however many texts are in memory at once: its rows do not depend on one another."""
    return lambda model, part: loss


def _blend(network: Any, original: dict[str, Any], share: float) -> None:
    """Moves the weights of a model towards those that it had, in place."""
    state = network.state_dict()
    network.load_state_dict({
        name: value * (1 - share) + original[name].to(value) * share if value.is_floating_point() else value
        for name, value in state.items()
    })


def _reading(
    model: str | os.PathLike[str], settings: EncoderTraining, text: ModelText | None, pairs: Sequence[Pair]
) -> EncoderSettings:
    """How the trained model reads text: as the model before, where training does not say otherwise."""
    before = read_encoder_settings(model)
    length, documents = settings.max_tokens or settings.length, ""
    if settings.loss == "collection":
        length = settings.max_tokens or before.length
        documents = find_encoder(model).digest if settings.pooling == "model" else ""
    kinds = dict.fromkeys(pair.miner for pair in pairs if pair.miner)
    return replace(
        before, text=text or before.text, query_prefix=settings.query_prefix, document_prefix=settings.document_prefix,
        cut=settings.cut, length=length, pooling="model", documents=documents, similarity=settings.similarity,
        trained_on=tuple(dict.fromkeys((*before.trained_on, *kinds))),
    )


def make_loss(settings: EncoderTraining, model: Any, part: int | None) -> Any:
    """The loss of a training; with ``part`` the ranking loss has so many texts in memory at once.

    :raises MissingExtra: sentence-transformers is not installed.
    """
    if settings.kind == "colbert":
        return make_late_loss(model, settings, part)
    if settings.kind == "splade":
        return make_sparse_loss(model, settings, part)
    losses: Any = need("sentence_transformers.sentence_transformer.losses", EXTRA, "training an encoder")
    if settings.loss == "triplet":
        loss = losses.TripletLoss(
            model, distance_metric=losses.TripletDistanceMetric.COSINE, triplet_margin=settings.margin
        )
    elif settings.loss == "margin-mse":
        loss = losses.MarginMSELoss(model)
    else:
        util: Any = need("sentence_transformers.util", EXTRA, "training an encoder")
        compare = util.dot_score if settings.similarity == "dot" else util.cos_sim
        options = {**settings.ranking_options, "similarity_fct": compare}
        if part is None:
            loss = losses.MultipleNegativesRankingLoss(model, **options)
        else:
            loss = losses.CachedMultipleNegativesRankingLoss(model, mini_batch_size=part, **options)
    if settings.matryoshka:
        return losses.MatryoshkaLoss(model, loss, list(settings.matryoshka))
    return loss


def is_row_wise(settings: EncoderTraining) -> bool:
    """Whether the loss of a batch is the mean of those of its pairs, so that a part of it can be computed alone."""
    return settings.loss != "ranking" and settings.kind != "splade"
