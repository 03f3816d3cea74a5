"""A table of vectors on disk: int8 with a scale a row, checksums, and what it was trained on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import IndexCorrupt, IndexVersionError
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.vector_rows import VectorRows, pack
from porism.retrieve.meaning.bags import Bags
from porism.retrieve.meaning.sum_kernels import WEIGHT_UNIT, add_up_whole
from porism.system.compiled.kernels import address

_KIND = "meaning"

NUMBERING = 2
"""Grows when terms get other rows or weights (:mod:`porism.retrieve.meaning.terms`): tables must be trained again."""

_UNIT = 1 << 20
"""Numbers of a table are counted in parts of one where they are added up."""

_LARGEST = (1 << 31) - 1


class MeaningTable:
    """The vectors of a table's rows; those of the first dimensions alone are vectors, too."""

    def __init__(self, rows: VectorRows, made_of: Mapping[str, Any], digest: str) -> None:
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
        return cls(rows, made_of, str(container.info.get("digest")))

    @classmethod
    def of(cls, vectors: NDArray[np.float32], made_of: Mapping[str, Any]) -> Self:
        """The table of vectors (float32), rounded as in a file."""
        packed, scales = pack(vectors, "int8")
        assert scales is not None
        digest = xxhash.xxh3_64_hexdigest(packed.tobytes() + vectors.shape[1].to_bytes(4, "little") + scales.tobytes())
        return cls(VectorRows(packed, np.arange(len(packed) + 1), scales), made_of, digest)

    def write(self, path: Path) -> None:
        """Writes the table; an older one is replaced at the end, all at once.

        :raises StorageError: it cannot be written.
        """
        with ContainerWriter(path, _KIND, atomic=True) as writer:
            writer.add("vectors", self._rows.vectors)
            assert self._rows.scales is not None
            writer.add("scales", self._rows.scales)
            writer.finish({"numbering": NUMBERING, "made_of": self.made_of, "digest": self.digest})

    def __len__(self) -> int:
        return len(self._rows.vectors)

    @property
    def dimensions(self) -> int:
        """Numbers of a vector."""
        return self._rows.dimensions

    def decode(self) -> NDArray[np.float32]:
        """All rows (float32), to go on training from."""
        return self._rows.decode(0, len(self))

    def sums(self, bags: Bags) -> NDArray[np.float64]:
        """The sums of the rows of bags (float64), as numbers of the table."""
        used = bags.turned()
        return _sums(used.positions, self._whole(used.distinct)) / (WEIGHT_UNIT * _UNIT)

    def vectors(self, bags: Bags, rows: Bags | None = None) -> NDArray[np.float32]:
        """The vectors of bags, of length 1 (float32); 0 where a bag has no terms.

        They are sums of whole numbers, so that they do not depend on the order of terms.

        :param rows: a bag for each term, of rows of the table; by default terms are rows.
        """
        used = (bags if rows is None else rows).turned()
        sums = _sums(used.positions, self._whole(used.distinct))
        if rows is not None:
            sums = _sums(bags, np.clip(sums // WEIGHT_UNIT, -_LARGEST, _LARGEST).astype(np.int32))
        vectors = sums.astype(np.float64)
        lengths = np.sqrt(np.einsum("ij,ij->i", vectors, vectors))[:, None]
        return (vectors / np.where(lengths > 0, lengths, 1.0)).astype(np.float32)

    def _whole(self, rows: NDArray[np.integer]) -> NDArray[np.int32]:
        """Rows of the table in parts of :data:`_UNIT`."""
        assert self._rows.scales is not None
        scales = np.minimum(np.rint(self._rows.scales[rows].astype(np.float64) * _UNIT), _LARGEST // 128)
        whole: NDArray[np.int32] = self._rows.vectors[rows].astype(np.int32) * scales.astype(np.int32)[:, None]
        return whole


def _sums(bags: Bags, table: NDArray[np.int32]) -> NDArray[np.int64]:
    sums = np.empty((len(bags), table.shape[1]), np.int64)
    add_up_whole(
        len(bags), address(bags.starts), address(bags.terms), address(bags.weights), address(table), table.shape[1],
        address(sums),
    )
    return sums
