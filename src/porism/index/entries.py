"""Which rows of a channel's matrix each document is made of."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Entries:
    """Which matrix rows each document is made of.

    ``starts`` is int64 of length documents + 1; ``rows`` int64 and ``fields`` uint16 have one element an entry.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    fields: NDArray[np.uint16]

    @classmethod
    def of_text(cls, documents: int, field_count: int) -> Entries:
        """The entries of a text channel, where row ``document * field_count + field`` is a field's."""
        return cls(
            np.arange(documents + 1, dtype=np.int64) * field_count,
            np.arange(documents * field_count, dtype=np.int64),
            np.tile(np.arange(field_count, dtype=np.uint16), documents),
        )
