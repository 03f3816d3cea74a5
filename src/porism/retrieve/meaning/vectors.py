"""The vectors of the documents of an index, by the table that it has learnt or by the general one."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from porism.errors import IndexVersionError
from porism.index import Segment
from porism.index.strings import offsets
from porism.index.vector_rows import VectorRows, pack
from porism.index.vectors import (
    ComputedRows,
    VectorSpec,
    complete_vectors,
    content_digests,
    forget_parts,
    has_vectors,
    remove_vectors,
)
from porism.retrieve.meaning.documents import SegmentTerms
from porism.retrieve.meaning.table import MeaningTable
from porism.system.files.artifacts import MODELS

MODEL = "meaning"
"""The name of the table among the models of an index."""

GENERAL_FILE = Path(__file__).with_name("general.bin")
"""The table that comes with Porism (``benchmarks/meaning``)."""

MeaningChoice = Literal["auto", "general", "off"]
"""By which table documents have vectors: one that the index has learnt, where that is better than the general one; the
general one; or none."""

_CHUNK = 8_192


@lru_cache(maxsize=1)
def general_table() -> MeaningTable:
    """The table that comes with Porism."""
    return MeaningTable.open(GENERAL_FILE)


def stored_table(index_path: Path) -> MeaningTable | None:
    """What an index has learnt, or that it has not: its ``made_of`` says which table is used (own, general, off).

    None where the index has never tried, or another version numbered the terms.

    :raises IndexCorrupt: it is damaged.
    """
    try:
        return MeaningTable.open(MODELS.path(index_path, MODEL))
    except (FileNotFoundError, IndexVersionError):
        return None


def open_table(index_path: Path) -> MeaningTable | None:
    """The table by which the documents of an index have vectors; None where that is switched off.

    :raises IndexCorrupt: it is damaged.
    """
    stored = stored_table(index_path)
    used = "general" if stored is None else stored.made_of.get("use")
    return stored if used == "own" else general_table() if used == "general" else None


def describe_table(index_path: Path) -> str:
    """By which table the documents of an index have vectors, and how good it is.

    :raises IndexCorrupt: it is damaged.
    """
    stored = stored_table(index_path)
    made_of = {} if stored is None else stored.made_of
    used = made_of.get("use", "general")
    known = {"own": "a table learnt from the documents", "general": "the general table", "off": "off"}[used]
    if not made_of.get("held_out"):
        return known
    return (
        f"{known} (mean reciprocal rank of {made_of['held_out']:,} held-out texts: {made_of['found']:.3f} as learnt "
        f"from {made_of['pairs'] - made_of['held_out']:,}, {made_of['found_by_the_general']:.3f} by the general table)"
    )


def meaning_vectors(index_path: Path) -> tuple[MeaningVectors, ...]:
    """What computes the vectors of the documents of an index; nothing where they are switched off.

    :raises IndexCorrupt: the table is damaged.
    """
    table = open_table(index_path)
    return () if table is None else (MeaningVectors(index_path, table),)


class MeaningVectors:
    """Computes the vectors of documents (int8, of length 1) by a table; a
    :class:`~porism.retrieve.kinds.VectorProvider`."""

    origin = "the meanings of terms"

    def __init__(self, index_path: Path, table: MeaningTable) -> None:
        self._index_path = index_path
        self.table = table
        self.spec = VectorSpec(f"{MODEL}-{table.digest}", table.dimensions, "int8")
        self.name = self.spec.name

    def has(self, segment: Segment) -> bool:
        return has_vectors(segment, self.spec, segment.doc_count)

    def count(self, segment: Segment) -> int:
        return segment.doc_count

    def complete(self, segment: Segment, on_progress: Callable[[int], None] = lambda count: None) -> int:
        if self.has(segment):
            return 0
        digests = content_digests(map(segment.stored, range(segment.doc_count)))
        terms = SegmentTerms(segment)

        def compute(documents: NDArray[np.int64]) -> ComputedRows:
            return terms.vectors(documents, self.table)

        return complete_vectors(segment, self.spec, digests, compute, chunk=_CHUNK, on_progress=on_progress)

    def computed(self, segment: Segment) -> VectorRows:
        """The vectors of a segment, as they would be stored."""
        rows = SegmentTerms(segment).vectors(np.arange(segment.doc_count), self.table)
        packed, scales = pack(rows.vectors, "int8")
        return VectorRows(packed, offsets(rows.counts), scales)

    def finish(self, segments: Sequence[Segment]) -> None:
        """Removes the vectors of tables before this one."""
        forget_parts(self._index_path, self.spec)
        for segment in segments:
            remove_vectors(segment, MODEL, [self.name])
