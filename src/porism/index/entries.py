"""The rows of a channel's matrix that make up each document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True, slots=True)
class Entries:
    """The matrix rows of each document: ``rows`` (int64) and their ``fields`` (uint16), bounded by ``starts``.

    ``starts`` is int64 of length documents + 1.
    """

    starts: NDArray[np.int64]
    rows: NDArray[np.int64]
    fields: NDArray[np.uint16]

    @classmethod
    def of_text(cls, documents: int, field_count: int) -> Entries:
        """The entries of a text channel: row ``document * field_count + field`` holds one field of a document."""
        return cls(
            np.arange(documents + 1, dtype=np.int64) * field_count,
            np.arange(documents * field_count, dtype=np.int64),
            np.tile(np.arange(field_count, dtype=np.uint16), documents),
        )
