"""Encoding documents or formulas, here or on the workers of a cluster.

A task names some documents of a segment. A worker opens the index, encodes them with the encoder that it loads once,
and writes the rows under a temporary name. When all rows are there, they get the task's own name; so a task that runs
again after a worker has died does no harm. Rows go into the index from here, in the order of the documents.
"""

from __future__ import annotations

import io
import secrets
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from porism.errors import ClusterError
from porism.index import Segment, Snapshot
from porism.index.manifest import SEGMENT_FOLDER
from porism.index.vectors import ComputedRows
from porism.system.concurrency.clusters import SHOWN_SECONDS, Cluster, SharedFolder, shows
from porism.system.files.durable import make_folder, remove_tree, replace_file
from porism.vectors.providers import SegmentProvider

WORKER_TASKS = 4
"""So many tasks of each worker are given at once; rows are kept when all of them are there."""

_opened: dict[tuple[str, str, int], tuple[SegmentProvider, Snapshot]] = {}
"""In a worker: what encoded last, which stays loaded."""


@dataclass(frozen=True, slots=True)
class EncodingTask:
    """What a worker is to encode: documents or formulas of a segment of an index, as of a commit, by ``numbers``, with
    the digests of their contents; ``provider`` computes by what the index records of the encoder."""

    folder: SharedFolder
    name: str
    index: str
    generation: int
    provider: type[SegmentProvider]
    record: Any
    device: str
    segment: str
    numbers: NDArray[np.int64]
    digests: NDArray[np.uint64]

    @property
    def file(self) -> Path:
        """The file of the rows, when all are there."""
        return Path(self.folder.path) / self.name


def _computed(
    provider: SegmentProvider, snapshot: Snapshot, cluster: Cluster, shared: SharedFolder,
    segment: Segment, numbers: NDArray[np.int64], digests: NDArray[np.uint64],
) -> ComputedRows:
    """The rows of documents or formulas of a segment, which workers compute, a chunk in each task."""
    chunk = provider.chunk
    tasks = [
        EncodingTask(
            shared, f"{segment.folder.name}-{numbers[start]}.npz", str(snapshot.path.absolute()), snapshot.generation,
            type(provider), provider.record, provider.device, segment.folder.name, numbers[start : start + chunk],
            digests[numbers[start : start + chunk]],
        )
        for start in range(0, len(numbers), chunk)
    ]
    vectors, counts = [], []
    for task, _ in zip(tasks, cluster.map_parallel(encode_part, tasks, at_once=True), strict=True):
        if not shows(task.file, SHOWN_SECONDS):
            raise ClusterError(
                f"a worker has encoded {task.file}, which does not appear here", where=cluster.address,
                hint="Is the folder of the index one that all machines share?",
            )
        with np.load(task.file) as rows:
            vectors.append(rows["vectors"])
            counts.append(rows["counts"])
        task.file.unlink(missing_ok=True)
    return ComputedRows(np.concatenate(vectors), np.concatenate(counts))


def encode_part(task: EncodingTask) -> str:
    """In a worker: encodes the part of a task unless that is done; returns the name of the file of their rows.

    :raises ClusterError: this worker cannot, or nobody wants the rows any more.
    """
    task.folder.check()
    if not task.file.exists():
        provider, snapshot = _open(task)
        segment = next(part for part in snapshot.segments if part.folder.name == task.segment)
        digests = np.zeros(provider.count(segment), np.uint64)
        digests[task.numbers] = task.digests
        rows = provider.compute(segment, task.numbers, digests)
        content = io.BytesIO()
        np.savez(content, vectors=rows.vectors, counts=rows.counts)
        task.folder.check()
        replace_file(task.file, content.getvalue())
    return task.name


def _open(task: EncodingTask) -> tuple[SegmentProvider, Snapshot]:
    """The encoder and the index of a task."""
    provider = task.provider(Path(task.index), task.record, device=task.device)
    key = (task.index, provider.name, task.generation)
    if key not in _opened:
        snapshot = Snapshot.open(task.index)
        if snapshot.generation != task.generation:
            raise ClusterError(f"the index is at commit {snapshot.generation} here, not {task.generation}")
        _opened.clear()
        _opened[key] = provider, snapshot
    return _opened[key]


def encode_segments(
    snapshot: Snapshot, provider: SegmentProvider, on_progress: Callable[[int, int], None],
    cluster: Cluster | None = None,
) -> tuple[int, bool]:
    """Encodes what the segments of an index lack, on a cluster where there is one; returns how many documents or
    formulas that were, and whether Ctrl-C ended it.

    :raises ClusterError: workers cannot do the work.
    """
    total = sum(map(provider.count, snapshot.segments))
    done = encoded = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        on_progress(min(done, total), total)

    with _on_cluster(provider, snapshot, cluster) as complete:
        try:
            for segment in snapshot.segments:
                encoded += complete(segment, step)
            provider.finish(snapshot.segments)
        except KeyboardInterrupt:
            return encoded, True
    return encoded, False


@contextmanager
def _on_cluster(
    provider: SegmentProvider, snapshot: Snapshot, cluster: Cluster | None
) -> Iterator[Callable[[Segment, Callable[[int], None]], int]]:
    """What completes a segment: the provider itself, or workers, whose files are removed when the block ends."""
    if cluster is None:
        yield provider.complete
        return
    folder = snapshot.path.absolute() / SEGMENT_FOLDER / f"building-{secrets.token_hex(6)}"
    make_folder(folder)
    try:
        compute = partial(_computed, provider, snapshot, cluster, cluster.check_folder(folder))
        chunks = WORKER_TASKS * max(1, cluster.workers)
        yield lambda segment, on_progress: provider.complete_by(compute, segment, on_progress, chunks=chunks)
    finally:
        remove_tree(folder)
