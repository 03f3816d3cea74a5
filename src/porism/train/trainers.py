"""What all our trainings add to the trainers of transformers and sentence-transformers.

A training that runs out of memory goes on with smaller parts of its batches; a loss that is not a number ends it with
the step and the learning rate; Ctrl-C and SIGTERM end it after a step, with a checkpoint; and checkpoints are written
from time to time, so that a process that is killed loses minutes and no more.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from porism.concurrency.interrupts import Interruptions, noted_interruptions
from porism.errors import ConfigError
from porism.extras import need
from porism.neural.loading import EXTRA, first_line, load_torch, processor_has_bfloat16
from porism.train.checkpoints import Checkpoints

Precision = Literal["auto", "float32", "bfloat16", "float16"]
"""Numbers that training computes with; weights stay float32. ``auto`` takes bfloat16 where the machine has it."""

CHECKPOINT_SECONDS = 300.0
"""A checkpoint is written about this often."""

OnProgress = Callable[[int, int], None]
OnNote = Callable[[str], None]
"""Receives sentences about what a training does otherwise than asked, such as smaller batches."""

_SHOWN = 10
_MEMORY = ("out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory")


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a training went: steps done of how many, how many of them before this start, the loss of each step in order,
    the seconds of this start, and whether it was interrupted."""

    steps: int
    total: int
    resumed: int
    losses: tuple[float, ...]
    seconds: float
    interrupted: bool


def mean_losses(losses: Sequence[float]) -> tuple[float, float]:
    """The mean loss of the first steps and of the last ones: of 10 each, where there are 20."""
    some = max(1, min(_SHOWN, len(losses) // 2))
    return sum(losses[:some]) / some, sum(losses[-some:]) / some


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that there is not enough memory, on a GPU or not."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _MEMORY)


def precision_arguments(precision: Precision, device: Any) -> dict[str, Any]:
    """The arguments of a trainer for a precision on a device.

    :raises ConfigError: the device does not have it.
    """
    torch = load_torch("training")
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


def guarded(base: Any, on_note: OnNote) -> Any:
    """A trainer class that goes on with smaller parts of its batches when memory runs out, and refuses bad losses.

    A model can have ``own_rates``: pattern of the names of parameters → learning rate.

    ``trainer.part`` is how many rows of a batch are in memory at once (None for all). A subclass says in
    ``use_part(rows)`` how it works with fewer.
    """

    class Guarded(base):  # type: ignore[misc]  # the base is known when it is imported
        part: int | None = None

        def __init__(self, *, model: Any, args: Any, **more: Any) -> None:
            if rates := getattr(model, "own_rates", None):
                args.learning_rate_mapping = rates
            super().__init__(model=model, args=args, **more)

        def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any:
            kept = self._gradients()
            while True:
                try:
                    loss = self.part_step(model, dict(inputs), num_items_in_batch)
                    break
                except (RuntimeError, MemoryError) as error:
                    if not is_out_of_memory(error):
                        raise
                    reason = first_line(error)
                self._forget(kept)
                rows = self.part or self.batch_rows(inputs)
                if rows <= 1:
                    raise ConfigError(
                        f"there is not enough memory to train on one pair at a time ({reason})",
                        hint="Use a smaller length or a smaller model.",
                    )
                self.part = rows // 2
                self.use_part(self.part)
                on_note(f"Memory ran out with {rows} rows at once; training goes on with {self.part}.")
            value = float(loss)
            if not math.isfinite(value):
                rate = self.lr_scheduler.get_last_lr()[0]
                raise ConfigError(
                    f"the loss is {value} at step {self.state.global_step + 1}, with a learning rate of {rate:.2g}",
                    hint="Train again with a lower learning rate, or with the precision float32.",
                )
            self.step_losses.append(value * self.current_gradient_accumulation_steps)
            return loss

        def part_step(self, model: Any, inputs: Any, num_items_in_batch: Any) -> Any:
            return super().training_step(model, inputs, num_items_in_batch)

        def use_part(self, rows: int) -> None:
            """Works with so many rows at once from now on."""

        def batch_rows(self, inputs: Any) -> int:
            return max(len(value) for value in inputs.values() if hasattr(value, "shape") and value.ndim)

        @property
        def step_losses(self) -> list[float]:
            return self.__dict__.setdefault("_step_losses", [])  # type: ignore[no-any-return]

        def _gradients(self) -> list[Any] | None:
            """What gradients earlier batches of the step left; None where there were none."""
            found = [parameter.grad for parameter in self.model.parameters()]
            if all(gradient is None for gradient in found):
                return None
            return [None if gradient is None else gradient.clone() for gradient in found]

        def _forget(self, kept: list[Any] | None) -> None:
            torch = load_torch("training")
            for number, parameter in enumerate(self.model.parameters()):
                parameter.grad = None if kept is None else kept[number]
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    return Guarded


def _watcher(
    trainer: Any, checkpoints: Checkpoints, interruptions: Interruptions, on_progress: OnProgress, seconds: float
) -> Any:
    """A callback that shows progress, keeps losses in the state, and writes checkpoints in time."""
    callback: Any = need("transformers", EXTRA, "training").TrainerCallback

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

    ``trainer`` is an object of a class that :func:`guarded` made.

    :raises ConfigError: the loss is not finite, or memory does not suffice for one row.
    """
    transformers: Any = need("transformers", EXTRA, "training")
    started = time.monotonic()
    last = checkpoints.last()
    with noted_interruptions() as interruptions:
        for shown in (transformers.PrinterCallback, transformers.ProgressCallback):
            trainer.remove_callback(shown)
        trainer.add_callback(_watcher(trainer, checkpoints, interruptions, on_progress, checkpoint_seconds))
        trainer.train(resume_from_checkpoint=None if last is None else str(last))
        state = trainer.state
        interrupted = interruptions.came and state.global_step < state.max_steps
    losses = tuple(entry["loss"] for entry in state.log_history if "loss" in entry)
    return Outcome(
        state.global_step, state.max_steps, _step_of(last), losses, time.monotonic() - started, interrupted
    )


def _step_of(checkpoint: Path | None) -> int:
    return 0 if checkpoint is None else int(checkpoint.name.rpartition("-")[2])
