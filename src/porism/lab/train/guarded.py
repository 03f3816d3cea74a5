"""What keeps a training alive: smaller parts of batches when memory runs out, and no loss that is not a number.

A trainer of transformers or of sentence-transformers gets both by :func:`guarded`. Their own ``auto_find_batch_size``
begins the training anew with smaller batches, which changes the loss and its in-batch negatives; here batches stay.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from porism.errors import ConfigError
from porism.vectors.neural.loading import first_line, load_torch

OnWarning = Callable[[str], None]
"""Receives sentences about what a training does otherwise than its settings say, such as smaller batches."""

_MEMORY = ("out of memory", "not enough memory", "can't allocate memory", "cannot allocate memory")


def is_out_of_memory(error: BaseException) -> bool:
    """Whether an error says that there is not enough memory, on a GPU or not."""
    if isinstance(error, MemoryError):
        return True
    return isinstance(error, RuntimeError) and any(words in str(error).lower() for words in _MEMORY)


def guarded(base: Any, on_warning: OnWarning) -> Any:
    """A trainer class that computes batches in parts, makes these smaller when memory runs out, and refuses bad losses.

    A batch is a mapping from names to tensors with a row for each example. ``trainer.part`` is how many rows are in
    memory at once (None for all). The loss of a part counts by its share of :meth:`weight` of the batch, so that parts
    add up to what the whole batch gives. A subclass overrides

    - ``part_of`` where a tensor of a batch has examples in other places than its rows,
    - ``weight`` where the loss is not a mean over rows,
    - ``splits`` and ``use_part`` where parts are made in another way, such as cached gradients.

    A model can have ``own_rates``: pattern of the names of parameters → learning rate.
    """

    class Guarded(base):  # type: ignore[misc]  # the base is known when it is imported
        part: int | None = None
        splits = True
        _share = 1.0

        def __init__(self, *, model: Any, args: Any, **more: Any) -> None:
            if rates := getattr(model, "own_rates", None):
                args.learning_rate_mapping = rates
            super().__init__(model=model, args=args, **more)

        def training_step(self, model: Any, inputs: Any, num_items_in_batch: Any = None) -> Any:
            kept = self._gradients()
            while True:
                try:
                    loss = self._in_parts(model, dict(inputs), num_items_in_batch)
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
                on_warning(f"Memory ran out with {rows} rows at once; training goes on with {self.part}.")
            value = float(loss)
            if not math.isfinite(value):
                rate = self.lr_scheduler.get_last_lr()[0]
                raise ConfigError(
                    f"the loss is {value} at step {self.state.global_step + 1}, with a learning rate of {rate:.2g}",
                    hint="Train again with a lower learning rate, or with the precision float32.",
                )
            self.step_losses.append(value * self.current_gradient_accumulation_steps)
            return loss

        def use_part(self, rows: int) -> None:
            """Works with so many rows at once from now on."""

        def batch_rows(self, inputs: Any) -> int:
            return max(len(value) for value in inputs.values() if hasattr(value, "shape") and value.ndim)

        def part_of(self, inputs: Any, start: int, stop: int) -> dict[str, Any]:
            """The rows from ``start`` to ``stop`` of a batch."""
            return {name: value[start:stop] for name, value in inputs.items()}

        def weight(self, inputs: Any) -> float:
            """How much a batch or a part of one counts: the number of what its loss is a mean over."""
            return self.batch_rows(inputs)

        def compute_loss(self, *given: Any, **named: Any) -> Any:
            return super().compute_loss(*given, **named) * self._share

        def _in_parts(self, model: Any, inputs: Any, num_items_in_batch: Any) -> Any:
            rows = self.batch_rows(inputs)
            if not self.splits or self.part is None or self.part >= rows:
                return super().training_step(model, inputs, num_items_in_batch)
            total: Any = 0.0
            whole = max(1, self.weight(inputs))
            try:
                for start in range(0, rows, self.part):
                    some = self.part_of(inputs, start, min(start + self.part, rows))
                    self._share = self.weight(some) / whole
                    if self._share:
                        total = total + super().training_step(model, some, num_items_in_batch)
            finally:
                self._share = 1.0
            return total

        @property
        def step_losses(self) -> list[float]:
            return self.__dict__.setdefault("_step_losses", [])  # type: ignore[no-any-return]

        def _gradients(self) -> list[Any] | None:
            """What gradients earlier batches of the step left; None where there were none."""
            gradients = [parameter.grad for parameter in self.model.parameters()]
            if all(gradient is None for gradient in gradients):
                return None
            return [None if gradient is None else gradient.clone() for gradient in gradients]

        def _forget(self, kept: list[Any] | None) -> None:
            torch = load_torch("training")
            for number, parameter in enumerate(self.model.parameters()):
                parameter.grad = None if kept is None else kept[number]
            if torch.cuda.is_available():
                torch.cuda.empty_cache()

    return Guarded
