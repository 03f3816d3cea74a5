"""Training an encoder of formulas: from the formulas of an index to the folder of a model."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.lab.train.checkpoints import Checkpoints, check_target, fingerprint
from porism.lab.train.formulas.examples import FormulaExample, FormulaExamples, digest_examples, formula_examples
from porism.lab.train.formulas.network import PURPOSE, contrastive_loss, make_network, weights_of
from porism.lab.train.formulas.settings import FormulaTraining
from porism.lab.train.guarded import OnWarning
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
from porism.vectors.neural.formula_encoder import FormulaEncoder, FormulaModelFile, save_formula_encoder
from porism.vectors.neural.formula_nodes import NodeRows, node_batch
from porism.vectors.neural.loading import choose_device, load_torch

_WINDOW = 16
"""So many batches are drawn together, and each gets formulas of about the same length."""


@dataclass(frozen=True, slots=True)
class HeldOutAccuracy:
    """Shares of the formulas held out. To those in ``found``, their equal formula is the nearest of all equal ones; to
    those in ``apart`` it is nearer than a nearly equal one."""

    found: float
    apart: float


@dataclass(frozen=True, slots=True, kw_only=True)
class FormulaReport(TrainerReport):
    """What was trained, and on what: how many ``formulas`` have variants, how many were ``excluded`` as those of
    topics, and how many have no variants (``alone``). Then the accuracy on formulas held out ``before`` and
    ``after``."""

    formulas: int
    excluded: int
    alone: int
    before: HeldOutAccuracy | None
    after: HeldOutAccuracy | None


def train_formula_encoder(
    index_path: str | os.PathLike[str],
    folder: str | os.PathLike[str],
    settings: FormulaTraining | None = None,
    *,
    topics: Sequence[Path] = (),
    jobs: int | None = None,
    device: str = "auto",
    restart: bool = False,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
    on_reading: Callable[[int, int], None] = lambda done, total: None,
    on_progress: OnProgress = lambda done, total: None,
    on_warning: OnWarning = lambda warning: None,
) -> FormulaReport:
    """Trains an encoder on the formulas of an index and variants of them, and saves it as a folder.

    Interruptions, memory and losses are treated as by :func:`porism.lab.train.encoder.training.train_encoder`.

    :param topics: files of topics, whose formulas are not trained on.
    :param jobs: processes that make variants; all processors by default.
    :param on_reading: receives of how many formulas variants were made, of how many.
    :raises ConfigError: the index has too few formulas, the loss is not finite, or the folder is there and is no
        trained model.
    :raises MissingExtra: torch, transformers or accelerate is not installed.
    :raises StorageError: the folder cannot be written.
    """
    settings = settings or FormulaTraining()
    started = time.monotonic()
    load_torch(PURPOSE)
    target = Path(folder)
    check_target(target)
    where = choose_device(device)
    made = formula_examples(index_path, settings, topics=topics, jobs=jobs, on_progress=on_reading)
    trained, held_out = _split(made.examples, settings)
    identity = fingerprint(settings, [list(made.vocabulary.labels), digest_examples(made.examples)])
    with Checkpoints.of(target, identity, restart=restart) as checkpoints:
        network = make_network(settings.network, len(made.vocabulary), settings.seed)
        before = _accuracy(made, settings, network, held_out)
        trainer = make_trainer(
            network.to(where), _epochs(trained, settings), _collate, partial(_loss, settings), settings, device=where,
            folder=checkpoints.folder, on_warning=on_warning, part_of=_part_of,
        )
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress, checkpoint_seconds=checkpoint_seconds)
        report = FormulaReport(
            formulas=len(made.examples), excluded=made.excluded, alone=made.alone, before=before,
            after=None if outcome.interrupted else _accuracy(made, settings, network, held_out),
            **outcome.reported(target, started),
        )
        if not outcome.interrupted:
            checkpoints.publish(
                target,
                lambda folder: save_formula_encoder(folder, settings.network, made.vocabulary, weights_of(network)),
                {"settings": write_settings(settings), **report.to_dict()},
            )
    return report


def _split(
    examples: Sequence[FormulaExample], settings: FormulaTraining
) -> tuple[list[FormulaExample], list[FormulaExample]]:
    """The examples that are trained on, and those that are held out: a tenth at most."""
    order = np.random.default_rng(settings.seed).permutation(len(examples)).tolist()
    count = min(settings.held_out, len(examples) // 10)
    return [examples[number] for number in sorted(order[count:])], [examples[number] for number in order[:count]]


def _accuracy(
    made: FormulaExamples, settings: FormulaTraining, network: Any, held_out: Sequence[FormulaExample]
) -> HeldOutAccuracy | None:
    """How well the network tells the held out formulas; None where there are none."""
    if not held_out:
        return None
    about = FormulaModelFile("formula-encoder", settings.network, made.vocabulary.labels, "")
    encoder = FormulaEncoder(about, weights_of(network))
    formulas = encoder.encode_rows([example.formula for example in held_out])
    equal = encoder.encode_rows([example.equal[0] for example in held_out])
    cosines = formulas @ equal.T
    own = cosines.diagonal()
    groups = [set(example.groups) for example in held_out]
    for row, mine in enumerate(groups):
        for column, theirs in enumerate(groups):
            if row != column and mine & theirs:
                cosines[row, column] = -1
    with_other = [number for number, example in enumerate(held_out) if example.different]
    different = encoder.encode_rows([held_out[number].different[0] for number in with_other])
    near = (formulas[with_other] * different).sum(axis=1)
    apart = float((own[with_other] > near).mean()) if with_other else 1.0
    return HeldOutAccuracy(float((own >= cosines.max(axis=1)).mean()), apart)


_Item = tuple[FormulaExample, NodeRows, NodeRows | None]
"""An example with one of its equal formulas, and one that is nearly equal, if it has any."""


def _epochs(examples: Sequence[FormulaExample], settings: FormulaTraining) -> Epochs[_Item]:
    """The examples of all epochs, each with an equal and a different one by chance."""
    draw = np.random.default_rng(settings.seed)
    lengths = np.array([example.formula.size for example in examples])

    def item(number: int, place: int) -> _Item:
        example, choice = examples[number], np.random.default_rng((settings.seed, place))
        equal = example.equal[choice.integers(len(example.equal))]
        if choice.random() < settings.identical:
            equal = example.formula
        different = example.different[choice.integers(len(example.different))] if example.different else None
        return example, equal, different

    return Epochs(np.concatenate([_epoch(lengths, settings.batch, draw) for _ in range(settings.epochs)]), item)


def _epoch(lengths: NDArray[np.int64], batch: int, draw: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of all examples by chance, so that those of a batch have about the same length."""
    order = draw.permutation(len(lengths))
    batches: list[NDArray[np.int64]] = []
    for start in range(0, len(order), batch * _WINDOW):
        some = order[start : start + batch * _WINDOW]
        some = some[np.argsort(lengths[some], kind="stable")]
        batches += [some[first : first + batch] for first in range(0, len(some), batch)]
    full = [numbers for numbers in batches if len(numbers) == batch]  # a shorter one would move the borders after it
    rest = [numbers for numbers in batches if len(numbers) < batch]
    return np.concatenate([*(full[number] for number in draw.permutation(len(full)).tolist()), *rest])


def _collate(items: Sequence[_Item]) -> dict[str, Any]:
    """A batch: the nodes of formulas, of equal ones and of different ones, and which of the batch are equal."""
    torch = load_torch(PURPOSE)
    tensors: dict[str, Any] = {}
    sides = {
        "formula": [example.formula for example, _, _ in items],
        "equal": [equal for _, equal, _ in items],
        "different": [example.formula if other is None else other for example, _, other in items],
    }
    for name, rows in sides.items():
        batch = node_batch(rows)
        tensors[f"{name}_features"] = torch.from_numpy(np.ascontiguousarray(batch.features.transpose(1, 0, 2)))
        tensors[f"{name}_relations"] = torch.from_numpy(batch.relations)
        tensors[f"{name}_mask"] = torch.from_numpy(batch.mask)
    tensors["has_different"] = torch.tensor([other is not None for _, _, other in items])
    members: dict[int, list[int]] = {}
    for number, (example, _, _) in enumerate(items):
        for group in example.groups:
            members.setdefault(group, []).append(number)
    same = np.zeros((len(items), len(items)), np.bool_)
    for numbers in members.values():
        same[np.ix_(numbers, numbers)] = True
    np.fill_diagonal(same, False)
    tensors["same"] = torch.from_numpy(same)
    return tensors


def _part_of(batch: Batch, start: int, stop: int) -> Batch:
    """The rows of a batch; which formulas are the ``same`` is a square of rows."""
    some = {name: value[start:stop] for name, value in batch.items()}
    some["same"] = some["same"][:, start:stop]
    return some


def _loss(settings: FormulaTraining, model: Any, batch: Batch) -> Any:
    formula, equal, different = (
        model(*(batch[f"{side}_{part}"] for part in ("features", "relations", "mask")))
        for side in ("formula", "equal", "different")
    )
    return contrastive_loss(
        formula, equal, different, batch["has_different"], batch["same"], settings.temperature, settings.hard
    )
