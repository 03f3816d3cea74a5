"""Segments that the workers of a cluster build, for one writer to take.

The process that reads the sources writes documents as files into a folder that all workers see, *parts* of the
collection. A worker analyses those of a part, builds a segment of them under a temporary name, and gives it its own
name when it is complete. A part may be built twice, where a worker dies or seems to: the first segment with the name
counts, and it holds the same documents as any other. Where the process that wanted the parts gives up, it removes the
folder; where it is killed, the next writer of the index does.
"""

from __future__ import annotations

import pickle
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
import zstandard
from numpy.typing import NDArray

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.batch import AnalyzedBatch
from porism.errors import ClusterError, Problem
from porism.index.external import build_segment
from porism.index.manifest import SEGMENT_FOLDER
from porism.index.sources import NOBODY
from porism.search.sources.changes import ChangeBatch
from porism.system.concurrency.clusters import SHOWN_SECONDS, Cluster, SharedFolder, shows
from porism.system.files.durable import (
    make_folder,
    remove_tree,
    replace_file,
    storage_errors,
    sync_folder,
    temporary_name,
)
from porism.types import Document

REPORT_FILE = "report.json"
"""What a worker says of a part, beside the segment."""

MIN_CHARACTERS, MAX_CHARACTERS = 1_000_000, 12_000_000
"""Characters of a part: each is a segment, and small ones are merged; a worker has those of a large one in memory."""

PARTS_A_WORKER = 3
"""Where sizes allow, the documents before a part would make so many of its size for each worker, so that all workers
have parts from the beginning, and the last to end keep others waiting a short time."""


class Shipped(NamedTuple):
    """A batch of documents on its way to a worker, with the columns that their segment has of their sources."""

    documents: Sequence[Document]
    owners: NDArray[np.int32]
    digests: NDArray[np.uint64]
    lines: NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class PartTask:
    """What a worker is to build."""

    folder: SharedFolder
    name: str
    config: AnalysisConfig

    @property
    def segment(self) -> Path:
        """The folder of the segment, when it is complete."""
        return Path(self.folder.path) / self.name

    @property
    def documents(self) -> Path:
        """The file of the documents."""
        return Path(self.folder.path) / f"{self.name}.documents"


@dataclass(frozen=True, slots=True)
class BuiltPart:
    """A part that was built: its segment and its batches without the documents.

    It says what was not understood, with the group of the document, and how many documents and formulas there are. It
    also says how many bytes of the sources were read by its end.
    """

    segment: Path
    batches: Sequence[ChangeBatch]
    problems: Sequence[tuple[Problem, int]]
    documents: int
    formulas: int
    position: int


def staging_folder(index: Path) -> Path:
    """A new folder for parts of an index, which the writers of the index remove when they find it."""
    folder = index.absolute() / SEGMENT_FOLDER / f"building-{secrets.token_hex(6)}"
    make_folder(folder)
    return folder


def build_parts(
    cluster: Cluster, folder: Path, config: AnalysisConfig, batches: Iterable[ChangeBatch], position: Sequence[int],
    on_built: Callable[[int, int], None] = lambda documents, position: None,
) -> Iterator[BuiltPart]:
    """Builds segments of all batches, in their order; ``position`` says how many bytes of how many were read by now.

    All are read before the first part is given. Meanwhile ``on_built`` receives how many documents were built already,
    and the bytes read by their end.

    :raises ClusterError: workers cannot do the work.
    """
    shared = cluster.check_folder(folder)
    shipped: list[tuple[PartTask, list[ChangeBatch], int]] = []
    sizes: list[int] = []

    def look() -> None:
        seen = 0
        while seen < len(shipped) and shipped[seen][0].segment.exists():
            seen += 1
        if seen:
            on_built(sum(sizes[:seen]), shipped[seen - 1][2])

    def tasks() -> Iterator[PartTask]:
        for number, part in enumerate(_cut(batches, cluster.workers)):
            task = PartTask(shared, f"part-{number:06}", config)
            _ship(task.documents, part)
            sizes.append(sum(len(batch.documents) for batch in part))
            shipped.append((task, [replace(batch, documents=[], origins=[]) for batch in part], position[0]))
            yield task
            look()

    for number, report in enumerate(cluster.map_parallel(build_part, tasks(), at_once=True)):
        task, part, read_to = shipped[number]
        if not shows(task.segment, SHOWN_SECONDS):
            raise ClusterError(
                f"a worker has built {task.segment}, which does not appear here", where=cluster.address,
                hint="Is the folder of the index one that all machines share?",
            )
        task.documents.unlink(missing_ok=True)
        problems = [(Problem(where, message), owner) for where, message, owner in report["problems"]]
        yield BuiltPart(task.segment, part, problems, report["documents"], report["formulas"], read_to)


def _cut(batches: Iterable[ChangeBatch], workers: int) -> Iterator[list[ChangeBatch]]:
    """Batches by parts. Those without documents go with the ones before."""
    held: list[ChangeBatch] = []
    characters = before = 0
    for batch in batches:
        wanted = min(max(before // (PARTS_A_WORKER * workers), MIN_CHARACTERS), MAX_CHARACTERS)
        if batch.documents and characters >= wanted:
            yield held
            before += characters
            held, characters = [], 0
        held.append(batch)
        characters += batch.characters
    if held:
        yield held


def _ship(path: Path, part: Sequence[ChangeBatch]) -> None:
    shipped = [Shipped(batch.documents, batch.owners, batch.digests, batch.lines) for batch in part if batch.documents]
    replace_file(path, zstandard.ZstdCompressor(1).compress(pickle.dumps(shipped, pickle.HIGHEST_PROTOCOL)))


def build_part(task: PartTask) -> dict[str, Any]:
    """In a worker: builds the segment of a part unless it is there; returns what there is to say of it.

    :raises ClusterError: this worker cannot, or nobody wants the part any more.
    :raises StorageError: the disk is full.
    """
    task.folder.check()
    if not (task.segment / REPORT_FILE).exists():
        _build(task)
    report: dict[str, Any] = orjson.loads((task.segment / REPORT_FILE).read_bytes())
    return report


def _build(task: PartTask) -> None:
    if not shows(task.documents, SHOWN_SECONDS):
        raise ClusterError(f"the file {task.documents} does not appear on this worker")
    shipped: list[Shipped] = pickle.loads(zstandard.ZstdDecompressor().decompress(task.documents.read_bytes()))
    analyzer = Analyzer(task.config)
    analysed: list[AnalyzedBatch] = []
    problems: list[tuple[str, str, int]] = []
    for part in shipped:
        batch, parse_problems = analyzer.analyze(part.documents)
        analysed.append(replace(batch, owners=part.owners, digests=part.digests, lines=part.lines))
        owners = dict(zip((document.id for document in part.documents), part.owners.tolist(), strict=True))
        problems += [(problem.where, problem.what, owners.get(problem.where, NOBODY)) for problem in parse_problems]
    task.folder.check()
    temporary = temporary_name(task.segment)
    try:
        build_segment(temporary, analysed, task.config.to_dict())
        report = {
            "documents": sum(len(batch.ids) for batch in analysed),
            "formulas": sum(len(batch.occurrence_id) for batch in analysed), "problems": problems,
        }
        replace_file(temporary / REPORT_FILE, orjson.dumps(report))
        with storage_errors(task.segment), suppress(FileExistsError):  # another worker was first
            _rename(temporary, task.segment)
            sync_folder(task.segment.parent)
    finally:
        remove_tree(temporary)


def _rename(temporary: Path, name: Path) -> None:
    """Gives a complete folder its name."""
    try:
        temporary.rename(name)
    except OSError as error:
        if name.exists():  # what the system calls it differs
            raise FileExistsError(str(name)) from error
        raise

