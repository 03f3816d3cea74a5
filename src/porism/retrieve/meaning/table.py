"""A table of vectors on disk: int8 with a scale a row, checksums, and what it was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexCorrupt, IndexVersionError
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.vector_rows import VectorRows, pack
from porism.retrieve.meaning.bags import Bags, add_up

_KIND = "meaning"

NUMBERING = 1
"""Grows when terms get other rows or weights (:mod:`porism.retrieve.meaning.terms`): tables must be trained again."""


class MeaningTable:
    """The vectors of a table's rows; those of the first dimensions alone are vectors, too."""

    def __init__(self, rows: VectorRows, made_of: Mapping[str, Any], digest: str = "") -> None:
        self._rows = rows
        self.made_of = dict(made_of)
        self.digest = digest

    @classmethod
    def open(cls, path: Path, dimensions: int | None = None) -> Self:
        """The table in a file, mapped; all dimensions or the first ones.

        :raises FileNotFoundError: there is none.
        :raises IndexVersionError: another version wrote it, which numbers terms in another way.
        :raises IndexCorrupt: it is damaged.
        """
        container = Container(path, _KIND)
        if container.info.get("numbering") != NUMBERING:
            raise IndexVersionError(
                "the table was trained by another version of Porism", where=str(path), hint="Train it again."
            )
        vectors, scales = container.array("vectors"), container.array("scales")
        made_of = container.info.get("made_of")
        sound = vectors.dtype == np.int8 and vectors.ndim == 2 and scales.dtype == np.float32
        if not sound or scales.shape != (len(vectors),) or not isinstance(made_of, dict):
            raise IndexCorrupt("is not a table of vectors", where=str(path), hint="Train it again.")
        kept = np.ascontiguousarray(vectors[:, :dimensions])
        rows = VectorRows(kept, np.arange(len(kept) + 1), scales)
        return cls(rows, made_of, f"{container.stamp.digest:016x}")

    @classmethod
    def of(cls, vectors: NDArray[np.float32], made_of: Mapping[str, Any]) -> Self:
        """The table of vectors (float32), rounded as in a file."""
        packed, scales = pack(vectors, "int8")
        return cls(VectorRows(packed, np.arange(len(packed) + 1), scales), made_of)

    def write(self, path: Path) -> None:
        """Writes the table; an older one is replaced at the end, all at once.

        :raises StorageError: it cannot be written.
        """
        with ContainerWriter(path, _KIND, atomic=True) as writer:
            writer.add("vectors", self._rows.vectors)
            assert self._rows.scales is not None
            writer.add("scales", self._rows.scales)
            writer.finish({"numbering": NUMBERING, "made_of": self.made_of})

    def __len__(self) -> int:
        return len(self._rows.vectors)

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return self._rows.dimensions

    def decode(self) -> NDArray[np.float32]:
        """All rows (float32), to go on training from."""
        return self._rows.decode(0, len(self))

    def vectors(self, bags: Bags, rows: Bags | None = None) -> NDArray[np.float32]:
        """The vectors of bags, of length 1 (float32); 0 where a bag has no terms.

        :param rows: a bag for each term, of rows of the table; by default terms are rows.
        """
        if rows is None:
            used = bags.turned()
            sums = add_up(used.positions, self._rows.take(used.distinct))
        else:
            used = rows.turned()
            sums = add_up(bags, add_up(used.positions, self._rows.take(used.distinct)))
        lengths = np.sqrt(np.einsum("ij,ij->i", sums, sums))[:, None]
        sums /= np.where(lengths > 0, lengths, np.float32(1))
        return sums
