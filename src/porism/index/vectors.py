"""Vectors of documents or formulas beside the segments that have them.

A set of vectors has a name, which identifies its model and settings, and a file in the derived data of each segment.
The file has one row or several for each item (a document or formula), and the digest of the content they encode.

Digests carry vectors over: a segment that a commit or merge makes takes the vectors that other segments on disk have,
and only new content is encoded. :func:`complete_vectors` does that, before readers see a commit or on request.
:func:`open_vectors`, which searches use, computes nothing. After an interruption the rows computed so far wait in a
:class:`~porism.index.vector_rows.PartFile`, and are not computed again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import xxhash
from numpy.typing import NDArray

from porism.errors import ConfigError, IndexCorrupt, IndexVersionError
from porism.index.container import Container
from porism.index.container_writer import ContainerWriter
from porism.index.derived import DERIVED_FOLDER, LAYOUTS
from porism.index.segment import Segment
from porism.index.strings import encode, offsets, ranges
from porism.index.vector_rows import PARTS_FOLDER, NumberType, PartFile, VectorRows
from porism.system.files.durable import make_folder

_PREFIX = "vectors-"
_BATCH_SIZE = 16_384

KEPT_SECONDS = 10.0
"""Computed rows are kept at least about this often."""


class ComputedRows(NamedTuple):
    """``vectors`` (float32, rows × dimensions; or rows of bytes) and the number of rows of each item (int64)."""

    vectors: NDArray[Any]
    counts: NDArray[np.int64]


Compute = Callable[[NDArray[np.int64]], ComputedRows]
"""Maps the numbers of items in a segment to their vectors."""


Split = Callable[[NDArray[np.int64]], Iterable[NDArray[np.int64]]]
"""Divides the numbers of items into those whose vectors are computed at once."""


def one_each(vectors: NDArray[np.float32]) -> ComputedRows:
    """One vector for each item."""
    return ComputedRows(vectors, np.ones(len(vectors), np.int64))


class VectorSpec(NamedTuple):
    """A set of vectors: its ``name``, the ``dimensions`` of a vector, and the type of its ``numbers``."""

    name: str
    dimensions: int
    numbers: NumberType = "float32"


def content_digests(contents: Iterable[str | bytes]) -> NDArray[np.uint64]:
    """The xxh3-64 of each content (uint64)."""
    packed = (content if isinstance(content, bytes) else encode(content) for content in contents)
    return np.fromiter(map(xxhash.xxh3_64_intdigest, packed), np.uint64)


def open_vectors(segment: Segment, spec: VectorSpec, count: int, hint: str = "") -> VectorRows:
    """The vectors of a segment with ``count`` items, memory-mapped; ``hint`` says what to do if they are missing.

    :raises ConfigError: they were not computed, or belong to another segment.
    """
    vectors = _stored(segment, spec, count)
    if vectors is None:
        raise ConfigError(
            f"vectors of {count:,} formulas or documents are missing", where=str(segment.folder),
            hint=hint or f"Compute them: porism check --repair --index {segment.folder.parents[1]}",
        )
    return vectors


def has_vectors(segment: Segment, spec: VectorSpec, count: int) -> bool:
    """Whether the vectors of a segment are stored and complete."""
    return _stored(segment, spec, count) is not None


def vectors_path(segment: Segment, name: str) -> Path:
    """The file for vectors of this name, which need not exist."""
    return segment.derived_path(f"{_PREFIX}{name}")


def complete_vectors(
    segment: Segment, spec: VectorSpec, digests: NDArray[np.uint64], compute: Compute, *, chunk: int = 1_024,
    split: Split = lambda items: [items], on_progress: Callable[[int], None] = lambda count: None,
) -> int:
    """Stores the vectors of a segment if they are missing; returns the number of items that had to be computed.

    ``digests`` identify the contents of its items. Vectors of the same name and content are reused: from other
    segments, merged ones that are not removed yet included, and from an interrupted run. ``split`` says which of a
    ``chunk`` of items are computed at once. Rows are kept after each chunk, every :data:`KEPT_SECONDS`, and when an
    interruption or an error comes. ``on_progress`` receives numbers of items: first those whose vectors exist, then
    those just computed.

    :raises StorageError: the folder cannot be written.
    """
    count = len(digests)
    if has_vectors(segment, spec, count):
        on_progress(count)
        return 0
    part = PartFile(segment.folder.parents[1], spec.name, spec.dimensions, spec.numbers)
    sources, computed = gather(
        part, lambda: rows_of_others(segment, spec.name, lambda derived, count: _rows(derived, spec, count)), digests,
        compute, chunk=chunk, split=split, on_progress=on_progress,
    )
    with writing_vectors(segment, spec.name, digests, {"dimensions": spec.dimensions}) as writer:
        counts = sources.counts(digests)
        if not bool((counts == 1).all()):
            writer.add("offsets", offsets(counts))
        writer.add_chunks("vectors", np.dtype(spec.numbers).type, sources.rows(digests))
        if spec.numbers == "int8":
            writer.add_chunks("scales", np.float32, sources.scales(digests))
    return computed


def gather(
    part: PartFile, others: Callable[[], Iterable[tuple[NDArray[np.uint64], VectorRows]]],
    digests: NDArray[np.uint64], compute: Compute, *, chunk: int, split: Split, on_progress: Callable[[int], None],
) -> tuple[VectorSources, int]:
    """Finds the rows of contents in ``others`` (digests and rows) and in ``part``; computes the missing ones.

    New rows are appended to ``part``. Returns the sources of all rows and the number of contents computed.

    :raises StorageError: the file cannot be written.
    """
    sources = VectorSources([*others(), *filter(None, [part.read()])])
    missing = np.flatnonzero(~sources.have(digests))
    _, first = np.unique(digests[missing], return_index=True)
    missing = missing[np.sort(first)]
    on_progress(len(digests) - len(missing))
    for start in range(0, len(missing), chunk):
        with _keeping(part, digests) as keep:
            for items in split(missing[start : start + chunk]):
                keep(items, compute(items))
                on_progress(len(items))
    if len(missing):
        sources = VectorSources([*others(), *filter(None, [part.read()])])
    return sources, len(missing)


@contextmanager
def _keeping(
    part: PartFile, digests: NDArray[np.uint64]
) -> Iterator[Callable[[NDArray[np.int64], ComputedRows], None]]:
    """What takes the rows of items, and appends them to ``part`` when the block ends, however it does, and every
    :data:`KEPT_SECONDS`."""
    waiting: list[tuple[NDArray[np.int64], ComputedRows]] = []
    since = monotonic()

    def write() -> None:
        if waiting:
            items = np.concatenate([items for items, _ in waiting])
            vectors, counts = (np.concatenate(rows) for rows in zip(*(rows for _, rows in waiting), strict=True))
            waiting.clear()
            part.append(digests[items], counts, vectors)

    def keep(items: NDArray[np.int64], rows: ComputedRows) -> None:
        nonlocal since
        waiting.append((items, rows))
        if monotonic() - since >= KEPT_SECONDS:
            write()
            since = monotonic()

    try:
        yield keep
    finally:
        write()


def forget_parts(index_path: Path, spec: VectorSpec) -> None:
    """Removes the rows of interrupted runs; call it when all segments have their vectors."""
    PartFile(index_path, spec.name, spec.dimensions, spec.numbers).remove()


def remove_vectors(segment: Segment, family: str, keep: Sequence[str] = ()) -> None:
    """Removes the vectors of a segment whose names begin with ``family`` and a hyphen, except those in ``keep``."""
    for file in (segment.folder / DERIVED_FOLDER).glob(f"{_PREFIX}{family}-*.bin"):
        if file.stem.removeprefix(_PREFIX) not in keep:
            with suppress(OSError):  # it has just gone, is in use (Windows) or not ours: it harms nothing
                file.unlink()


def remove_parts(index_path: Path, family: str, keep: Sequence[str] = ()) -> None:
    """Removes the rows of interrupted runs for vectors whose names begin with ``family`` and a hyphen, except those in
    ``keep``."""
    for file in (index_path / PARTS_FOLDER).glob(f"{family}-*.part"):
        if file.stem not in keep:
            with suppress(OSError):  # as above
                file.unlink()


def _stored(segment: Segment, spec: VectorSpec, count: int) -> VectorRows | None:
    derived = segment.open_derived(f"{_PREFIX}{spec.name}")
    return None if derived is None else _rows(derived, spec, count)


def _rows(derived: Container, spec: VectorSpec, count: int) -> VectorRows | None:
    """The rows in a file; None if they do not match ``spec`` and ``count``."""
    try:
        vectors = derived.array("vectors")
        bounds = derived.array("offsets") if "offsets" in derived else np.arange(count + 1, dtype=np.int64)
        scales = derived.array("scales") if spec.numbers == "int8" else None
    except IndexCorrupt:
        return None
    if vectors.dtype != np.dtype(spec.numbers) or len(bounds) != count + 1 or len(vectors) % spec.dimensions:
        return None
    matrix = vectors.reshape(-1, spec.dimensions)
    whole = bounds[0] == 0 and bounds[-1] == len(matrix) and (scales is None or len(scales) == len(matrix))
    same = derived.info.get("info", {}).get("dimensions") == spec.dimensions
    return VectorRows(matrix, bounds, scales) if whole and same else None


def rows_of_others(
    segment: Segment, name: str, read: Callable[[Container, int], VectorRows | None]
) -> Iterator[tuple[NDArray[np.uint64], VectorRows]]:
    """Digests and vectors of this name in other segments on disk, newest segment first.

    ``read`` gives the rows in a file for a number of items, None if they do not match.
    """
    for file in sorted(segment.folder.parent.glob(f"*/{DERIVED_FOLDER}/{_PREFIX}{name}.bin"), reverse=True):
        if file.parents[1].name == segment.folder.name:
            continue
        try:
            derived = Container(file, "derived")
            digests = derived.array("digests")
            rows = read(derived, len(digests))
        except (FileNotFoundError, IndexCorrupt, IndexVersionError):  # then they are computed again
            continue
        if rows is not None and len(digests):
            yield digests, rows


@contextmanager
def writing_vectors(
    segment: Segment, name: str, digests: NDArray[np.uint64], info: Mapping[str, Any]
) -> Iterator[ContainerWriter]:
    """Writes the file for vectors of this name, with the digests of the contents; the block adds the vectors."""
    path = vectors_path(segment, name)
    make_folder(path.parent, parents=False)
    with ContainerWriter(path, "derived", atomic=True) as writer:
        writer.add("digests", digests)
        yield writer
        writer.finish({"segment": list(segment.stamp), "layout": LAYOUTS["vectors"], "info": dict(info)})


class VectorSources:
    """Vectors by digest of their content, from the files of several segments and from a part file."""

    def __init__(self, sources: Sequence[tuple[NDArray[np.uint64], VectorRows]]) -> None:
        self._rows = [rows for _, rows in sources]
        keys = [np.asarray(digests) for digests, _ in sources]
        numbers = [np.full(len(digests), number, np.int32) for number, digests in enumerate(keys)]
        places = [np.arange(len(digests), dtype=np.int64) for digests in keys]
        empty = np.zeros(0, np.uint64)
        self._known, first = np.unique(np.concatenate([empty, *keys]), return_index=True)
        self._number = np.concatenate([np.zeros(0, np.int32), *numbers])[first]
        self._place = np.concatenate([np.zeros(0, np.int64), *places])[first]

    def have(self, digests: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Whether there are vectors of each content (bool)."""
        if not len(self._known):
            return np.zeros(len(digests), np.bool_)
        places = np.minimum(np.searchsorted(self._known, digests), len(self._known) - 1)
        same: NDArray[np.bool_] = self._known[places] == digests
        return same

    def counts(self, digests: NDArray[np.uint64]) -> NDArray[np.int64]:
        """The number of rows of each content; all contents must be known."""
        counts = np.zeros(len(digests), np.int64)
        places = np.searchsorted(self._known, digests)
        for number, rows in enumerate(self._rows):
            mine = self._number[places] == number
            at = self._place[places[mine]]
            counts[mine] = rows.offsets[at + 1] - rows.offsets[at]
        return counts

    def rows(self, digests: NDArray[np.uint64]) -> Iterator[NDArray[np.generic]]:
        """The numbers in the rows of the contents, in the order given, in pieces."""
        for rows, at, count in self._gathered(digests):
            kind = self._rows[0].vectors.dtype
            piece = np.empty((count, self._rows[0].dimensions), kind)
            for number, (target, source) in enumerate(zip(rows, at, strict=True)):
                piece[target] = self._rows[number].vectors[source]
            yield piece.reshape(-1)

    def scales(self, digests: NDArray[np.uint64]) -> Iterator[NDArray[np.float32]]:
        """The scales of the rows that :meth:`rows` gives."""
        for rows, at, count in self._gathered(digests):
            piece = np.empty(count, np.float32)
            for number, (target, source) in enumerate(zip(rows, at, strict=True)):
                scales = self._rows[number].scales
                assert scales is not None
                piece[target] = scales[source]
            yield piece

    def _gathered(
        self, digests: NDArray[np.uint64]
    ) -> Iterator[tuple[list[NDArray[np.int64]], list[NDArray[np.int64]], int]]:
        """For each piece of the contents: by source, the rows of the piece it fills and its own rows; and the size."""
        counts = self.counts(digests)
        for start in range(0, len(digests), _BATCH_SIZE):
            sizes = counts[start : start + _BATCH_SIZE]
            places = np.searchsorted(self._known, digests[start : start + _BATCH_SIZE])
            begins = offsets(sizes)[:-1]
            targets, sources = [], []
            for number, rows in enumerate(self._rows):
                mine = self._number[places] == number
                targets.append(ranges(begins[mine], sizes[mine]))
                sources.append(ranges(rows.offsets[self._place[places[mine]]], sizes[mine]))
            yield targets, sources, int(sizes.sum())
