"""The vectors that an index keeps for models of any kind: computed before readers see a commit, or on request.

What computes them is found by the kinds of retrievers (``vectors`` of :class:`porism.retrieve.kinds.RetrieverKind`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from porism.errors import ConfigError, IndexCorrupt, MissingExtra, OnProblem, Problem
from porism.index import Segment
from porism.index.container import Stamp
from porism.index.vectors import vectors_path
from porism.retrieve.kinds import VectorProvider
from porism.retrieve.registry import RETRIEVERS


def vector_providers(index_path: Path) -> Iterator[VectorProvider]:
    """What computes vectors for an index."""
    for kind in RETRIEVERS.values():
        yield from kind.vectors(index_path)


def prepare_vectors(
    segments: Sequence[Segment],
    *,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_problem: OnProblem | None = None,
) -> int:
    """Computes the vectors that segments lack, of everything that computes some for their index; returns how many.

    ``on_progress`` receives how many things have their vectors of how many. What is wrong with one model is reported to
    ``on_problem``, and raised where that is None: its vectors stay missing, and searches by it say so.

    :raises StorageError: the folder cannot be written.
    """
    if not segments:
        return 0
    computed = 0
    for provider in vector_providers(segments[0].folder.parents[1]):
        lacking = [segment for segment in segments if not provider.has(segment)]
        try:
            computed += _complete(provider, lacking, on_progress)
            provider.finish(segments)
        except (ConfigError, MissingExtra) as error:
            if on_problem is None:
                raise
            on_problem(Problem(f"vectors of {provider.origin}", str(error)))
    return computed


def _complete(
    provider: VectorProvider, segments: Sequence[Segment], on_progress: Callable[[int, int], None]
) -> int:
    total = sum(map(provider.count, segments))
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        on_progress(min(done, total), total)

    return sum(provider.complete(segment, step) for segment in segments)


def missing_vectors(segment_folder: Path, stamp: Stamp) -> Iterator[Path]:
    """The files of vectors that a segment lacks."""
    try:
        segment = Segment(segment_folder, stamp)
    except (IndexCorrupt, FileNotFoundError):  # which is another damage
        return
    for kind in RETRIEVERS.values():
        try:
            providers = kind.vectors(segment_folder.parents[1])
        except IndexCorrupt:  # which is another damage, too
            continue
        for provider in providers:
            path = vectors_path(segment, provider.name)
            if not path.exists():
                yield path
