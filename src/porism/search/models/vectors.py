"""The vectors that an index keeps for models of any kind: computed before readers see a commit, or on request.

What computes them is found by the kinds of retrievers (``vectors`` of :class:`porism.retrieve.kinds.RetrieverKind`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from porism.errors import IndexCorrupt, OnProblem, PorismError, Problem, StorageError
from porism.index import Segment
from porism.index.container import Stamp
from porism.index.vectors import vectors_path
from porism.retrieve.kinds import VectorProvider
from porism.search.models.registry import RETRIEVERS


def prepare_vectors(
    segments: Sequence[Segment], *, on_progress: Callable[[int, int], None] = lambda done, total: None,
    on_problem: OnProblem | None = None,
) -> int:
    """Computes the vectors that segments lack, of everything that computes some for their index; returns how many.

    ``on_progress`` receives how many things have their vectors of how many. What is wrong with one model, or with what
    the index remembers of it, is reported to ``on_problem``, and raised where that is None: its vectors stay missing,
    and searches by it say so.

    :raises StorageError: the folder cannot be written.
    """
    if not segments:
        return 0
    index = segments[0].folder.parents[1]
    computed = 0
    for kind in RETRIEVERS.values():
        providers: Sequence[VectorProvider] = ()
        with _reporting(on_problem, f"vectors of models of the kind {kind.name}"):
            providers = kind.vectors(index)
        for provider in providers:
            with _reporting(on_problem, f"vectors of {provider.origin}"):
                computed += _complete(provider, segments, on_progress)
    return computed


@contextmanager
def _reporting(on_problem: OnProblem | None, where: str) -> Iterator[None]:
    """Reports what is wrong with a model instead of raising it, where somebody takes reports."""
    try:
        yield
    except StorageError:
        raise
    except Exception as error:  # models are code of others, and documents are not kept out because of one
        if on_problem is None:
            raise
        said = str(error) if isinstance(error, PorismError) else f"{type(error).__name__}: {error}"
        on_problem(Problem(where, f"are missing until an update computes them: {said}"))


def _complete(provider: VectorProvider, segments: Sequence[Segment], on_progress: Callable[[int, int], None]) -> int:
    lacking = [segment for segment in segments if not provider.has(segment)]
    total = sum(map(provider.count, lacking))
    done = 0

    def step(count: int) -> None:
        nonlocal done
        done += count
        on_progress(min(done, total), total)

    computed = sum(provider.complete(segment, step) for segment in lacking)
    provider.finish(segments)
    return computed


def missing_vectors(segment_folder: Path, stamp: Stamp) -> Iterator[Path]:
    """The files of vectors that a segment lacks, of kinds without which models cannot search."""
    try:
        segment = Segment(segment_folder, stamp)
    except (IndexCorrupt, FileNotFoundError):  # which is another damage
        return
    for kind in RETRIEVERS.values():
        if not kind.needs_vectors:
            continue
        try:
            providers = kind.vectors(segment_folder.parents[1])
        except IndexCorrupt:  # which is another damage, too
            continue
        for provider in providers:
            path = vectors_path(segment, provider.name)
            if not path.exists():
                yield path
