"""How every kind of training makes a trainer, runs it to its end or an interruption, and reports on it.

A further kind of training has settings that extend :class:`porism.lab.train.settings.TrainerSettings`, a report that
extends :class:`TrainerReport`, and a function of this form::

    check_target(target)
    with Checkpoints.of(target, fingerprint(settings, examples), restart=restart) as checkpoints:
        trainer = make_trainer(
            network, Epochs(order, item), collate, loss, settings, device=device, folder=checkpoints.folder,
            on_warning=on_warning,
        )
        outcome = run_trainer(trainer, checkpoints, on_progress=on_progress, checkpoint_seconds=checkpoint_seconds)
        report = MyReport(**outcome.reported(target, started), examples=len(examples))
        if not outcome.interrupted:
            checkpoints.publish(target, network.save_pretrained, report.to_dict())
    return report

A trainer of sentence-transformers takes the place of :func:`make_trainer` as a subclass of
``guarded(library.SomeTrainer, on_warning)`` with :func:`trainer_arguments`.

Whatever is trained so goes on with smaller parts of its batches when memory runs out. A loss that is not a number ends
it with the step and the learning rate. Ctrl-C and SIGTERM end it after a step, with a checkpoint. Checkpoints are
written from time to time, so that a process that is killed loses minutes and no more.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.extras import need
from porism.lab.train.checkpoints import Checkpoints
from porism.lab.train.guarded import OnWarning, guarded
from porism.lab.train.settings import Precision, TrainerSettings
from porism.system.concurrency.interrupts import Interruptions, noted_interruptions
from porism.vectors.neural.loading import EXTRA, load_torch, load_transformers, processor_has_bfloat16

CHECKPOINT_SECONDS = 300.0
"""A checkpoint is written about this often."""

OnProgress = Callable[[int, int], None]
Batch = dict[str, Any]
"""Tensors by name, with a row for each example."""

T = TypeVar("T")

_PURPOSE = "training"
_SHOWN = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class TrainerReport:
    """What was trained: the folder, steps done of how many, and how many of them before this start. Also the mean loss
    of the first and the last steps, the seconds of this start, and whether it was interrupted. Then there is no folder
    yet, and the same call goes on."""

    path: Path
    steps: int
    total: int
    resumed: int
    first_loss: float
    last_loss: float
    seconds: float
    interrupted: bool

    def to_dict(self) -> dict[str, Any]:
        """All but the folder and how far the training is, ready for JSON."""
        left_out = ("path", "total", "resumed", "interrupted")
        return {name: value for name, value in asdict(self).items() if name not in left_out}


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a trainer ran: steps done of how many, how many of them before this start, the loss of each step in order,
    and whether it was interrupted."""

    steps: int
    total: int
    resumed: int
    losses: tuple[float, ...]
    interrupted: bool

    def reported(self, path: Path, started: float) -> dict[str, Any]:
        """What a :class:`TrainerReport` says of it; ``started`` is when the training began, of the monotonic clock.

        The first and last losses are means: of 10 steps each, where there are 20.
        """
        some = max(1, min(_SHOWN, len(self.losses) // 2))
        return {
            "path": path, "steps": self.steps, "total": self.total, "resumed": self.resumed,
            "first_loss": sum(self.losses[:some]) / some, "last_loss": sum(self.losses[-some:]) / some,
            "seconds": time.monotonic() - started, "interrupted": self.interrupted,
        }


class Epochs(Generic[T]):
    """The examples of all epochs in the order in which a trainer reads them.

    Order and examples depend on the seed and the place alone, so that an interrupted training goes on as it would have.

    :param order: the numbers of the examples, one epoch after the other; :func:`shuffled` makes one.
    :param item: makes an example from its number and its place in the order, which tells one epoch from another.
    """

    def __init__(self, order: NDArray[np.int64], item: Callable[[int, int], T]) -> None:
        self._order, self._item = order, item

    def __len__(self) -> int:
        return len(self._order)

    def __getitem__(self, place: int) -> T:
        return self._item(int(self._order[place]), place)


def shuffled(count: int, settings: TrainerSettings) -> NDArray[np.int64]:
    """The numbers of all examples in random order, for each epoch another."""
    draw = np.random.default_rng(settings.seed)
    return np.concatenate([draw.permutation(count) for _ in range(settings.epochs)])


def check_length(length: int | None, longest: int | None, folder: str | os.PathLike[str]) -> None:
    """Checks that the model in a folder, which reads ``longest`` tokens, reads as many as a training needs.

    :raises ConfigError: it does not.
    """
    if length is not None and longest is not None and length > longest:
        raise ConfigError(
            f"the model reads {longest} tokens at most, not {length}", where=os.fspath(folder),
            hint="Use a smaller length.",
        )


def make_trainer(
    network: Any,
    examples: Epochs[T],
    collate: Callable[[Sequence[T]], Batch],
    loss: Callable[[Any, Batch], Any],
    settings: TrainerSettings,
    *,
    device: Any,
    folder: Path,
    on_warning: OnWarning,
    part_of: Callable[[Batch, int, int], Batch] | None = None,
    weight: Callable[[Batch], float] | None = None,
) -> Any:
    """A trainer of transformers that reads examples in the order given, and trains ``network`` in place.

    :param collate: makes a batch of examples.
    :param loss: the mean loss of a model over a batch, as a tensor.
    :param folder: where checkpoints are written.
    :param part_of: the rows from one to before another of a batch; by default of each of its tensors.
    :param weight: what the loss of a batch is a mean over, as a number; by default its rows.
    :raises ConfigError: the device does not have the precision.
    :raises MissingExtra: torch, transformers or accelerate is not installed.
    """
    transformers: Any = load_transformers(_PURPOSE)
    torch = load_torch(_PURPOSE)
    base: Any = transformers.Trainer

    class InOrder(base):  # type: ignore[misc]
        def _get_train_sampler(self, *_: Any) -> Any:
            return torch.utils.data.SequentialSampler(self.train_dataset)

        def compute_loss(self, model: Any, inputs: Any, *_: Any, **__: Any) -> Any:
            return loss(model, inputs)

    arguments = transformers.TrainingArguments(
        max_steps=settings.steps or -1, remove_unused_columns=False, **trainer_arguments(settings, device, folder)
    )
    trainer = guarded(InOrder, on_warning)(model=network, args=arguments, train_dataset=examples, data_collator=collate)
    trainer.model_accepts_loss_kwargs = False  # the loss is a mean, which accumulation has to divide
    trainer.part = settings.micro_batch
    if part_of is not None:
        trainer.part_of = part_of
    if weight is not None:
        trainer.weight = weight
    return trainer


def trainer_arguments(settings: TrainerSettings, device: Any, folder: Path) -> dict[str, Any]:
    """What the arguments of every trainer have in common.

    :raises ConfigError: the device does not have the precision.
    :raises MissingExtra: torch or accelerate is not installed.
    """
    need("accelerate", EXTRA, _PURPOSE)
    return {
        "output_dir": str(folder), "num_train_epochs": 1, "per_device_train_batch_size": settings.batch,
        "gradient_accumulation_steps": settings.accumulate, "learning_rate": settings.learning_rate,
        "warmup_steps": settings.warmup, "weight_decay": settings.decay, "lr_scheduler_type": "linear",
        "seed": settings.seed, "data_seed": settings.seed, "save_strategy": "no", "eval_strategy": "no",
        "logging_strategy": "no", "report_to": "none", "disable_tqdm": True,
        **_precision_arguments(settings.precision, device),
    }


def _precision_arguments(precision: Precision, device: Any) -> dict[str, Any]:
    """The arguments of a trainer for a precision on a device."""
    torch = load_torch(_PURPOSE)
    kind = device.type
    if precision == "auto":
        if kind == "cuda":
            precision = "bfloat16" if torch.cuda.is_bf16_supported() else "float16"
        elif kind == "cpu" and processor_has_bfloat16():
            precision = "bfloat16"
        else:
            precision = "float32"
    if precision == "float16" and kind != "cuda":
        raise ConfigError("float16 needs a GPU of CUDA", hint="Choose auto, bfloat16 or float32.")
    return {"bf16": precision == "bfloat16", "fp16": precision == "float16", "use_cpu": kind == "cpu"}


def _watcher(
    trainer: Any, checkpoints: Checkpoints, interruptions: Interruptions, on_progress: OnProgress, seconds: float
) -> Any:
    """A callback that shows progress, keeps losses in the state, and writes checkpoints in time."""
    callback: Any = load_transformers(_PURPOSE).TrainerCallback

    class Watcher(callback):  # type: ignore[misc]
        def __init__(self) -> None:
            self.kept = time.monotonic()

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            losses = trainer.step_losses
            state.log_history.append({"step": state.global_step, "loss": sum(losses) / max(1, len(losses))})
            losses.clear()
            on_progress(state.global_step, state.max_steps)
            if interruptions.came and state.global_step < state.max_steps:
                control.should_save = control.should_training_stop = True
            elif time.monotonic() - self.kept >= seconds:
                control.should_save = True

        def on_save(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            checkpoints.finish_checkpoint(state.global_step)
            self.kept = time.monotonic()

    return Watcher()


def run_trainer(
    trainer: Any,
    checkpoints: Checkpoints,
    *,
    on_progress: OnProgress = lambda done, total: None,
    checkpoint_seconds: float = CHECKPOINT_SECONDS,
) -> Outcome:
    """Trains to the end or to an interruption, from the last checkpoint on.

    ``trainer`` comes from :func:`make_trainer`, or is of a class that :func:`porism.lab.train.guarded.guarded` made.

    :raises ConfigError: the loss is not finite, or memory does not suffice for one row.
    """
    transformers = load_transformers(_PURPOSE)
    last = checkpoints.last()
    with noted_interruptions() as interruptions:
        for shown in (transformers.PrinterCallback, transformers.ProgressCallback):
            trainer.remove_callback(shown)
        trainer.add_callback(_watcher(trainer, checkpoints, interruptions, on_progress, checkpoint_seconds))
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
        state = trainer.state
        interrupted = interruptions.came and state.global_step < state.max_steps
    losses = tuple(entry["loss"] for entry in state.log_history if "loss" in entry)
    before = 0 if last is None else int(last.name.rpartition("-")[2])
    return Outcome(state.global_step, state.max_steps, before, losses, interrupted)
