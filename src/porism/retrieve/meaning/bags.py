"""Bags of terms: the terms of texts by number, each with a weight, in compressed sparse rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from porism.index.strings import offsets, ranges


@dataclass(frozen=True, slots=True, eq=False)
class Bags:
    """Rows of terms: ``starts`` (int64, rows + 1), ``terms`` (int32, from 0) and ``weights`` (float32)."""

    starts: NDArray[np.int64]
    terms: NDArray[np.int32]
    weights: NDArray[np.float32]

    def __post_init__(self) -> None:
        for name, dtype in (("starts", np.int64), ("terms", np.int32), ("weights", np.float32)):
            object.__setattr__(self, name, np.ascontiguousarray(getattr(self, name), dtype))
        sound = len(self.starts) > 0 and self.starts[0] == 0 and bool((np.diff(self.starts) >= 0).all())
        if not sound or not int(self.starts[-1]) == len(self.terms) == len(self.weights):
            raise ValueError("the rows of the bags do not fit their terms and weights")
        if len(self.terms) and int(self.terms.min()) < 0:
            raise ValueError("a bag has a term below 0")

    def __len__(self) -> int:
        return len(self.starts) - 1

    @property
    def width(self) -> int:
        """One more than the highest term: so many rows a table needs."""
        return int(self.terms.max(initial=-1)) + 1

    @property
    def sizes(self) -> NDArray[np.int64]:
        """The number of entries of each row."""
        return np.diff(self.starts)

    def take(self, rows: NDArray[np.integer]) -> Self:
        """The rows at these positions, in the order given."""
        begins, sizes = self.starts[rows], self.sizes[rows]
        source = ranges(begins, sizes)
        return type(self)(offsets(sizes), self.terms[source], self.weights[source])

    def followed_by(self, other: Bags) -> Self:
        """These rows, then those of another."""
        starts = np.concatenate([self.starts, other.starts[1:] + self.starts[-1]])
        return type(self)(
            starts, np.concatenate([self.terms, other.terms]), np.concatenate([self.weights, other.weights])
        )
