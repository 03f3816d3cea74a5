"""Training a table of term vectors on pairs of texts, without torch: NumPy multiplies, compiled kernels do the rest.

The vector of a text is the weighted sum of its terms' vectors, and texts are compared by cosines. In each batch, the
right text of a pair must be nearer to the left one than the other right texts are, and the other way round: the mean of
both cross-entropies of the scaled cosines (Oord et al., *Representation Learning with Contrastive Predictive Coding*,
2018). It is the loss of the first dimensions, too, for tables that are cut (Kusupati et al., *Matryoshka Representation
Learning*, NeurIPS 2022). Rows move by Adam (Kingma and Ba, ICLR 2015) in those batches that have their terms, as those
of ``torch.optim.SparseAdam`` do; a dense Adam would move all rows in each.

On the same batches losses are those of torch to 2e-7 (40 batches of 1,024 pairs, 14,656 terms, 256 dimensions: 1.9 s on
two cores, torch 3.5 s).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import ConfigError
from porism.retrieve.meaning.bags import Bags, add_up, share
from porism.retrieve.meaning.sum_kernels import turn_bags
from porism.retrieve.meaning.training_kernels import add_up_bags, move_rows
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
    """How a table is trained: the mean of the losses of all its ``dimensions`` and of the first ``cuts``, in batches of
    at most ``batch`` pairs; ``scale`` is what cosines are multiplied by. The learning rate falls linearly.

    The defaults were chosen on all development sets together: with a scale of 20, batches of mixed origins, or a
    constant rate, sums with words and structure gain less.

    :raises ConfigError: a setting is out of its range.
    """

    dimensions: int = 128
    cuts: tuple[int, ...] = (64,)
    epochs: int = 3
    batch: int = 1024
    scale: float = 10.0
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
    left: Bags, right: Bags, rows: Bags, table: NDArray[np.float32], settings: TableTraining, *,
    origins: NDArray[np.integer] | None = None, on_batch: OnBatch = lambda done, total: None,
) -> TrainedTable:
    """Trains a copy of ``table`` (float32, rows × dimensions) on the pairs of texts in equal positions.

    Memory: three times that of the table, and some matrices of a batch squared. The result depends on the seed and, by
    what NumPy's products round, on the machine; not on the number of threads. An interruption leaves nothing behind.

    :param rows: a bag for each term, of rows of the table: what its vector is the sum of (:func:`own_rows`).
    :param origins: a number for each pair. A batch has pairs of one origin, so that a text must be found among others
        of its kind.
    :raises ValueError: the texts are not paired, or have terms or rows that are not there.
    """
    if not len(left) == len(right) == (len(left) if origins is None else len(origins)):
        raise ValueError(f"{len(left)} left texts and {len(right)} right ones are no pairs")
    if max(left.width, right.width) > len(rows) or rows.width > len(table) or table.shape[1] != settings.dimensions:
        raise ValueError(f"a table of the shape {table.shape} with rows of {len(rows)} terms does not fit")
    kinds = np.zeros(len(left), np.int64) if origins is None else origins
    random = np.random.default_rng(settings.seed)
    done, losses = 0, []
    with _threads() as threads:
        trainer = TableTrainer(table, rows, settings, threads)
        for _ in range(settings.epochs):
            batches = plan_batches(kinds, settings.batch, random)
            total = settings.epochs * len(batches)
            loss = 0.0
            for pairs in batches:
                loss += trainer.step(left.take(pairs), right.take(pairs), 1 - done / total) * len(pairs)
                done += 1
                on_batch(done, total)
            if batches:
                losses.append(loss / sum(map(len, batches)))
    return TrainedTable(trainer.table, tuple(losses))


def own_rows(terms: int) -> Bags:
    """A row for each term."""
    return Bags(np.arange(terms + 1), np.arange(terms, dtype=np.int32), np.ones(terms, np.float32))


def plan_batches(
    origins: NDArray[np.integer], batch: int, random: np.random.Generator
) -> list[NDArray[np.int64]]:
    """Positions of pairs in random batches of about equal sizes, each of one origin; a single pair is left out."""
    order = random.permutation(len(origins))
    batches: list[NDArray[np.int64]] = []
    for origin in np.unique(origins):
        rows = order[origins[order] == origin]
        batches += (part for part in np.array_split(rows, -(-len(rows) // batch)) if len(part) > 1)
    return [batches[number] for number in random.permutation(len(batches))]


class TableTrainer:
    """A table in training, a batch at a time."""

    def __init__(
        self, table: NDArray[np.float32], rows: Bags, settings: TableTraining,
        threads: ThreadPoolExecutor | None = None,
    ) -> None:
        """``rows`` are those of the table that each term has, as for :func:`train_table`."""
        self.table = np.array(table, np.float32, order="C")
        self._settings = settings
        self._threads = threads
        self._means, self._squares = np.zeros_like(self.table), np.zeros_like(self.table)
        self._rows = rows
        self._slots, self._row_slots = np.zeros(len(rows), np.int32), np.zeros(len(table), np.int32)
        self._steps = 0

    def step(self, left: Bags, right: Bags, part: float = 1.0) -> float:
        """Moves the rows of a batch's terms against the gradient of its loss, which is returned as it was before.

        :param part: of the learning rate.
        """
        settings, threads = self._settings, self._threads
        batch = left.followed_by(right).turned(self._slots)
        rows = self._rows.take(batch.distinct)
        vectors = add_up(batch.positions, add_up(rows, self.table, threads), threads)
        widths = (*settings.cuts, settings.dimensions)
        loss, *gradients = batch_gradients(vectors[: len(left)], vectors[len(left) :], settings.scale, widths)
        self._steps += 1
        self._move(rows, add_up(batch.of_terms, np.concatenate(gradients), threads), part * settings.learning_rate)
        return loss

    def _move(self, bags: Bags, gradients: NDArray[np.float32], rate: float) -> None:
        turned = bags.turned(self._row_slots)
        of_rows, width = turned.of_terms, self.table.shape[1]
        step = rate * (1.0 - _SQUARE_DECAY**self._steps) ** 0.5 / (1.0 - _MEAN_DECAY**self._steps)

        def move(first: int, last: int) -> None:
            scratch = np.empty(width, np.float32)
            move_rows(
                first, last, address(turned.distinct), address(of_rows.starts), address(of_rows.terms),
                address(of_rows.weights), address(gradients), width, address(scratch), address(self.table),
                address(self._means), address(self._squares), step, _MEAN_DECAY, _SQUARE_DECAY, _EPSILON,
            )

        share(move, of_rows, self._threads)


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
    for kernel in (add_up_bags, turn_bags, move_rows):
        kernel.prepare()
    if cores() == 1:
        yield None
        return
    with ThreadPoolExecutor(cores()) as threads:
        yield threads
