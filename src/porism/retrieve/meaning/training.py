"""Training a table of term vectors on pairs of texts, without torch: NumPy multiplies, compiled kernels do the rest.

The vector of a text is the weighted sum of its terms' vectors, and texts are compared by cosines. In each batch, the
right text of a pair must be nearer to the left one than the other right texts are, and the other way round: the mean of
both cross-entropies of the scaled cosines (Oord et al., *Representation Learning with Contrastive Predictive Coding*,
2018). It is the loss of the first dimensions, too, for tables that are cut (Kusupati et al., *Matryoshka Representation
Learning*, NeurIPS 2022). Rows move by Adam (Kingma and Ba, ICLR 2015) in those batches that have their terms, as those
of ``torch.optim.SparseAdam`` do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.training_kernels import add_up_bags, group_terms, move_rows
from porism.settings import Settings
from porism.system.compiled.building import cores
from porism.system.compiled.kernels import address

OnBatch = Callable[[int, int], None]
"""Receives (batches done, batches in total)."""

MAX_SCALE = 40.0
"""Exponentials of cosines times this fit into float32 without a look at the largest."""

_MEAN_DECAY, _SQUARE_DECAY, _EPSILON = 0.9, 0.999, 1e-8
_SHORTEST = 1e-12
"""Shorter vectors are not made longer than 1 divided by this, as by torch's ``normalize``."""


@dataclass(frozen=True, slots=True)
class TableTraining(Settings):
    """How a table is trained: ``dimensions`` of which the first ``cuts`` have the loss, too; ``scale`` of cosines.

    :raises ConfigError: a setting is out of its range.
    """

    dimensions: int = 256
    cuts: tuple[int, ...] = ()
    epochs: int = 3
    batch: int = 1024
    scale: float = 20.0
    learning_rate: float = 0.01
    seed: int = 1

    def __post_init__(self) -> None:
        object.__setattr__(self, "cuts", tuple(self.cuts))
        for name in ("dimensions", "epochs"):
            if getattr(self, name) < 1:
                raise ConfigError(f"{name} cannot be {getattr(self, name)}", hint="Use a whole number from 1.")
        if self.batch < 2:
            raise ConfigError(f"batches of {self.batch} have nothing to compare with", hint="Use 2 or more.")
        if not all(0 < cut < self.dimensions for cut in self.cuts):
            raise ConfigError(f"cuts must be from 1 to {self.dimensions - 1}", hint="Leave out the others.")
        if not 0 < self.scale <= MAX_SCALE:
            raise ConfigError(f"the scale cannot be {self.scale:g}", hint=f"Use a number up to {MAX_SCALE:g}.")
        if not self.learning_rate > 0:
            raise ConfigError(f"a learning rate is above 0, not {self.learning_rate:g}", hint="Try 0.01.")


class Gradients(NamedTuple):
    """A loss and its derivatives by the vectors of the left and right texts (float32, texts × dimensions)."""

    loss: float
    left: NDArray[np.float32]
    right: NDArray[np.float32]


@dataclass(frozen=True, slots=True, eq=False)
class TrainedTable:
    """The ``vectors`` of terms (float32), and the mean loss of each epoch."""

    vectors: NDArray[np.float32]
    losses: tuple[float, ...]


def random_table(terms: int, dimensions: int, seed: int = 1) -> NDArray[np.float32]:
    """Vectors that nothing is known of: normally distributed, of length 1 on average."""
    table = np.random.default_rng(seed).standard_normal((terms, dimensions), np.float32)
    table *= np.float32(dimensions**-0.5)
    return table


def train_table(
    left: Bags, right: Bags, table: NDArray[np.float32], settings: TableTraining | None = None, *,
    on_batch: OnBatch = lambda done, total: None,
) -> TrainedTable:
    """Trains a copy of ``table`` (float32, terms × dimensions) on the pairs of texts of equal positions.

    Memory: three times that of the table, and that of a batch squared. The result depends on the seed and, by what
    NumPy's products round, on the machine; not on the number of threads of the kernels. Each text has a term; a batch
    that is not full ends an epoch unless it is the only one. An interruption leaves nothing behind.

    :raises ValueError: the texts are not paired, or have terms that the table does not have.
    """
    settings = settings or TableTraining(dimensions=table.shape[1])
    if len(left) != len(right):
        raise ValueError(f"{len(left)} left texts and {len(right)} right ones are no pairs")
    if max(left.width, right.width) > len(table) or table.shape[1] != settings.dimensions:
        raise ValueError(f"the table has the shape {table.shape}, which does not fit")
    random = np.random.default_rng(settings.seed)
    size = min(settings.batch, len(left))
    batches = len(left) // size if size > 1 else 0
    done, losses = 0, []
    with _threads() as threads:
        trainer = TableTrainer(table, settings, threads)
        for _ in range(settings.epochs if batches else 0):
            order = random.permutation(len(left))
            total = 0.0
            for batch in range(batches):
                rows = order[batch * size : (batch + 1) * size]
                total += trainer.step(left.take(rows), right.take(rows))
                done += 1
                on_batch(done, batches * settings.epochs)
            losses.append(total / batches)
    return TrainedTable(trainer.table, tuple(losses))


class TableTrainer:
    """A table in training, a batch at a time."""

    def __init__(
        self, table: NDArray[np.float32], settings: TableTraining, threads: ThreadPoolExecutor | None = None
    ) -> None:
        self.table = np.array(table, np.float32, order="C")
        self._settings = settings
        self._threads = threads
        self._parts = cores() if threads else 1
        self._means, self._squares = np.zeros_like(self.table), np.zeros_like(self.table)
        self._slots = np.zeros(len(self.table), np.int32)
        self._steps = 0

    def vectors(self, bags: Bags) -> NDArray[np.float32]:
        """The vectors of bags (float32), not normalised."""
        return add_up(bags, self.table, self._share)

    def step(self, left: Bags, right: Bags) -> float:
        """Moves the rows of a batch's terms against the gradient of its loss, which is returned as it was before."""
        settings = self._settings
        loss, *gradients = batch_gradients(
            self.vectors(left), self.vectors(right), settings.scale, (*settings.cuts, settings.dimensions)
        )
        self._steps += 1
        self._move(left.followed_by(right), np.concatenate(gradients))
        return loss

    def _move(self, bags: Bags, gradients: NDArray[np.float32]) -> None:
        entries, width = len(bags.terms), self.table.shape[1]
        distinct, bounds = np.empty(entries, np.int32), np.empty(entries + 1, np.int64)
        bag_of, entry_of = np.empty(entries, np.int32), np.empty(entries, np.int32)
        count = group_terms(
            len(bags), address(bags.starts), address(bags.terms), address(self._slots), address(distinct),
            address(bounds), address(bag_of), address(entry_of),
        )
        corrected = (1.0 - _SQUARE_DECAY**self._steps) ** 0.5 / (1.0 - _MEAN_DECAY**self._steps)

        def move(first: int, last: int) -> None:
            scratch = np.empty(width, np.float32)
            move_rows(
                first, last, address(distinct), address(bounds), address(bag_of), address(entry_of),
                address(bags.weights), address(gradients), width, address(scratch), address(self.table),
                address(self._means), address(self._squares), self._settings.learning_rate * corrected, _MEAN_DECAY,
                _SQUARE_DECAY, _EPSILON,
            )

        self._share(move, bounds[: count + 1])

    def _share(self, work: Callable[[int, int], None], bounds: NDArray[np.int64]) -> None:
        """Does the work on ranges of about as many entries each, of things whose entries ``bounds`` tells, in threads.

        :raises Exception: what a thread raised; all have ended then.
        """
        if self._threads is None:
            work(0, len(bounds) - 1)
            return
        ends = np.searchsorted(bounds, np.linspace(0, bounds[-1], self._parts + 1)).tolist()
        ends[-1] = len(bounds) - 1
        tasks = [self._threads.submit(work, first, last) for first, last in zip(ends, ends[1:], strict=False)]
        for task in tasks:
            task.result()


Share = Callable[[Callable[[int, int], None], NDArray[np.int64]], None]
"""Calls a function for ranges that cover all things between bounds."""


def _at_once(work: Callable[[int, int], None], bounds: NDArray[np.int64]) -> None:
    work(0, len(bounds) - 1)


def add_up(bags: Bags, table: NDArray[np.float32], share: Share = _at_once) -> NDArray[np.float32]:
    """The weighted sum of the rows of each bag's terms (float32, bags × dimensions)."""
    vectors = np.empty((len(bags), table.shape[1]), np.float32)
    arrays = (
        address(bags.starts), address(bags.terms), address(bags.weights), address(table), table.shape[1],
        address(vectors),
    )
    share(lambda first, last: add_up_bags(first, last, *arrays), bags.starts)
    return vectors


def batch_gradients(
    left: NDArray[np.float32], right: NDArray[np.float32], scale: float, widths: Sequence[int]
) -> Gradients:
    """The mean loss of the first dimensions of vectors, ``widths`` at a time, and its derivatives.

    :param left: vectors of the left texts (float32), not normalised; ``right``: of their partners in equal rows.
    """
    loss = 0.0
    by_left, by_right = np.zeros_like(left), np.zeros_like(right)
    for width in widths:
        near, lengths = _normalised(left[:, :width])
        far, far_lengths = _normalised(right[:, :width])
        own, slopes = _cross_entropy(near @ far.T, scale)
        loss += own / len(widths)
        slopes *= np.float32(1 / len(widths))
        by_left[:, :width] += _before_normalising(slopes @ far, near, lengths)
        by_right[:, :width] += _before_normalising(slopes.T @ near, far, far_lengths)
    return Gradients(loss, by_left, by_right)


def _cross_entropy(cosines: NDArray[np.float32], scale: float) -> tuple[float, NDArray[np.float32]]:
    """The mean of the cross-entropies of rows and columns, whose right classes are on the diagonal, and its derivative
    by the cosines; it takes their place."""
    count = len(cosines)
    right = np.float64(scale) * (np.diagonal(cosines).astype(np.float64) - 1)
    shares = cosines
    shares -= np.float32(1)
    shares *= np.float32(scale)
    np.exp(shares, out=shares)
    rows, columns = shares.sum(axis=1), shares.sum(axis=0)
    loss = float((np.log(rows) + np.log(columns)).sum(dtype=np.float64) / 2 - right.sum()) / count
    shares *= (1 / rows)[:, None] + 1 / columns
    shares *= np.float32(scale / (2 * count))
    shares.flat[:: count + 1] -= np.float32(scale / count)
    return loss, shares


def _normalised(vectors: NDArray[np.float32]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """Vectors of length 1, and the lengths that they had (a column)."""
    lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
    lengths = np.maximum(lengths, np.float32(_SHORTEST))
    return vectors / lengths, lengths


def _before_normalising(
    slopes: NDArray[np.float32], units: NDArray[np.float32], lengths: NDArray[np.float32]
) -> NDArray[np.float32]:
    """Derivatives by vectors, from those by the ``units`` that normalising made of them."""
    along = np.einsum("ij,ij->i", slopes, units)[:, None]
    result: NDArray[np.float32] = (slopes - along * units) / lengths
    return result


@contextmanager
def _threads() -> Iterator[ThreadPoolExecutor | None]:
    """Threads for the kernels, which release the interpreter; None where there is one core."""
    for kernel in (add_up_bags, group_terms, move_rows):
        kernel.prepare()
    if cores() == 1:
        yield None
        return
    with ThreadPoolExecutor(cores()) as threads:
        yield threads
