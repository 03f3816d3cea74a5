"""Sources into an index: reading, analysis in several processes, commits on the way."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.analysis.batch import AnalyzedBatch
from porism.analysis.tokenizers.tokenizer import keep_tokenizers
from porism.corpus import ReaderOptions
from porism.corpus.base import ignore_problem
from porism.corpus.opening import open_sources
from porism.errors import IndexCorrupt, OnProblem, Problem, SourceError, StorageError
from porism.index import IndexWriter, Segment, Snapshot
from porism.index.languages import LanguageOrigins, language_counts, language_origins
from porism.index.manifest import MANIFEST_FILE
from porism.index.mentions import prepare_mentions
from porism.retrieve import DEFAULT_MODEL, SearchModel, prepare_segments
from porism.retrieve.formulas.retriever import prepare_formulas
from porism.retrieve.meaning.learning import choose_table, learn_meanings, learning_is_due
from porism.retrieve.meaning.training import OnBatch
from porism.retrieve.meaning.vectors import MeaningChoice, meaning_vectors
from porism.search.models.vectors import prepare_vectors
from porism.search.sources.changes import BATCH_CHARACTERS, BATCH_DOCUMENTS, character_count
from porism.system.concurrency.processes import default_processes, map_parallel
from porism.types import Document

SERIAL_CHARACTERS = 400_000
"""Sources below this size are analysed in this process: starting others would take longer."""

BUFFER_BYTES = 384 << 20
"""Analysed documents wait in memory up to this size before they become a segment: fewer segments share more."""

COMMIT_SECONDS = 120.0
"""While indexing, what is there is committed about this often, so that an interruption loses little."""


@dataclass(frozen=True, slots=True)
class Progress:
    """Where a long indexing run is: documents and formulas analysed, and bytes read of all bytes (0 where unknown).

    While vectors are computed, ``encoded`` things have theirs of ``to_encode``; while segments are merged at the end,
    ``merged`` steps are done of ``to_merge``; while meanings are learnt, ``learnt`` batches of ``to_learn``.
    """

    documents: int
    formulas: int
    bytes_done: int
    bytes_total: int
    encoded: int = 0
    to_encode: int = 0
    merged: int = 0
    to_merge: int = 0
    learnt: int = 0
    to_learn: int = 0


@dataclass(frozen=True, slots=True)
class IndexReport:
    """What was indexed: documents and distinct formulas a batch, what was skipped, and whether it ran to the end.

    ``notes`` say what else should be known.
    """

    path: Path
    documents: int
    formulas: int
    problems: int
    seconds: float
    interrupted: bool
    notes: tuple[str, ...] = ()
    language_origins: LanguageOrigins = field(default_factory=dict)

    @property
    def languages(self) -> dict[str, int]:
        """Language → documents of the index that are in it, the most frequent first."""
        return {language: sum(counts.values()) for language, counts in self.language_origins.items()}


def index_documents(
    documents: Iterable[Document], path: str | os.PathLike[str], *, config: AnalysisConfig | None = None,
    model: SearchModel = DEFAULT_MODEL, jobs: int | None = None, on_problem: OnProblem | None = None,
    on_progress: Callable[[Progress], None] | None = None, position: Sequence[int] = (0, 0),
    meaning: MeaningChoice | None = None,
) -> IndexReport:
    """Adds documents made in Python to the index at ``path``; they belong to no source, and a document whose id
    the index has replaces the old one. Otherwise as :func:`porism.search.sources.updating.index_sources`.

    ``position`` is read for the progress: bytes done and bytes in all.
    """
    started = last_commit = time.monotonic()
    first, batches = _first_batch(documents)
    problem_count = 0

    def report(problem: Problem) -> None:
        nonlocal problem_count
        problem_count += 1
        if on_problem:
            on_problem(problem)

    done = formulas = 0
    if config is None and not is_index(path):
        config = AnalysisConfig()
    settings = config.to_dict() if config else None
    with IndexWriter(path, config=settings, buffer_bytes=BUFFER_BYTES) as writer:
        if config is not None:
            keep_tokenizers(config.tokenizers, path)
        if meaning is not None:
            choose_table(path, meaning)
        analyzer = Analyzer(AnalysisConfig.from_dict(writer.config, path), languages_in(path))

        def encoded(count: int, total: int) -> None:
            if on_progress:
                on_progress(Progress(done, formulas, position[0], position[1], count, total))

        prepare = Preparation(model, encoded, report)
        try:
            for batch, problems in analyze_batches(analyzer, first, batches, jobs):
                writer.add(batch)
                done += len(batch.ids)
                formulas += len(batch.occurrence_id)
                for problem in problems:
                    report(problem)
                if on_progress:
                    on_progress(Progress(done, formulas, position[0], position[1]))
                if time.monotonic() - last_commit > COMMIT_SECONDS:
                    writer.commit(before_publish=prepare)
                    last_commit = time.monotonic()
                    if prepare.interrupted:
                        break
        except KeyboardInterrupt:
            prepare.interrupted = True
        writer.commit(before_publish=prepare)

        def merged(count: int, total: int) -> None:
            if on_progress:
                on_progress(Progress(done, formulas, position[0], position[1], merged=count, to_merge=total))

        def learnt(count: int, total: int) -> None:
            if on_progress:
                on_progress(Progress(done, formulas, position[0], position[1], learnt=count, to_learn=total))

        notes = (*merge_after_run(writer, done, prepare, merged), *learn_after_run(writer.path, prepare, learnt))
    seconds = time.monotonic() - started
    return IndexReport(
        Path(path), done, formulas, problem_count, seconds, prepare.interrupted, notes, language_origins_in(path)
    )


def languages_in(path: str | os.PathLike[str]) -> dict[str, int]:
    """Language → documents of an index that are in it, the most frequent first."""
    if not is_index(path):
        return {}
    with Snapshot.open(path) as snapshot:
        return language_counts(snapshot)


def language_origins_in(path: str | os.PathLike[str]) -> LanguageOrigins:
    """The languages of the documents of an index, and whether these were stated or detected."""
    if not is_index(path):
        return {}
    with Snapshot.open(path) as snapshot:
        return language_origins(snapshot)


def prepare_for_searches(
    segments: Sequence[Segment], model: SearchModel = DEFAULT_MODEL, on_problem: OnProblem | None = ignore_problem
) -> None:
    """Writes what searches of documents and of formulas read beside the segments: for ``commit(before_publish=…)``.

    What is wrong with a model of vectors goes to ``on_problem``, and is raised where that is None: then its vectors
    stay missing.
    """
    prepare_segments(segments, model)
    prepare_formulas(segments)
    prepare_mentions(segments)
    prepare_vectors(segments, on_problem=on_problem)


class Preparation:
    """:func:`prepare_for_searches` in a run that can be interrupted: Ctrl-C while vectors are computed ends that and
    is noted, so that the documents are committed; what was computed is kept, and search says what is missing.

    A model that cannot be loaded is reported, and leaves its vectors missing too.
    """

    def __init__(self, model: SearchModel, on_encoded: Callable[[int, int], None], on_problem: OnProblem) -> None:
        self.interrupted = False
        self._model, self._on_encoded, self._on_problem = model, on_encoded, on_problem
        self._reported: set[Problem] = set()

    def __call__(self, segments: Sequence[Segment]) -> None:
        prepare_segments(segments, self._model)
        prepare_formulas(segments)
        prepare_mentions(segments)
        if self.interrupted:
            return
        try:
            prepare_vectors(segments, on_progress=self._on_encoded, on_problem=self._report)
        except KeyboardInterrupt:
            self.interrupted = True

    def _report(self, problem: Problem) -> None:
        """Reports a problem, once in all commits of the run."""
        if problem not in self._reported:
            self._reported.add(problem)
            self._on_problem(problem)


def merge_after_run(
    writer: IndexWriter, added: int, prepare: Preparation, on_step: Callable[[int, int], None]
) -> tuple[str, ...]:
    """Merges the segments that a run of ``added`` documents has left, and commits that; all else is committed before.

    Ctrl-C and a full disk leave the segments as they were; the notes that are returned say so. ``on_step`` is called
    with (steps done, steps in all), of which the last is the data that searches read beside the segment.
    """
    if prepare.interrupted:
        return ()
    total = 0

    def step(done: int, steps: int) -> None:
        nonlocal total
        total = steps + 1
        on_step(done, total)

    try:
        writer.merge_after_run(added, on_step=step)
        writer.commit(before_publish=prepare)
    except (KeyboardInterrupt, StorageError) as error:
        writer.rollback()
        why = error.what if isinstance(error, StorageError) else "interrupted"
        return (f"the segments were not merged ({why}); nothing is missing, and porism merge does it later",)
    if total:
        on_step(total, total)
    return ()


def learn_after_run(path: Path, prepare: Preparation, on_batch: OnBatch) -> tuple[str, ...]:
    """Learns meanings from an index that is new or much larger than before; the writer of the index is still open.

    Ctrl-C and a full disk leave the vectors as they were; the notes that are returned say so.
    """
    if prepare.interrupted:
        return ()
    try:
        with Snapshot.open(path) as snapshot:
            for vectors in meaning_vectors(path):  # where nothing else has changed, no commit has made them
                for segment in snapshot.segments:
                    vectors.complete(segment)
                vectors.finish(snapshot.segments)
            documents = snapshot.doc_count
        if learning_is_due(path, documents):
            learn_meanings(path, on_batch=on_batch)
    except (KeyboardInterrupt, StorageError, IndexCorrupt) as error:
        why = error.what if not isinstance(error, KeyboardInterrupt) else "interrupted"
        return (f"no meanings were learnt ({why}); those there are serve; porism update --meaning auto learns more",)
    return ()


def analyze_documents(
    documents: Iterable[Document], analyzer: Analyzer, jobs: int | None = None
) -> Iterator[tuple[AnalyzedBatch, list[Problem]]]:
    """Analyses documents batch after batch, by ``jobs`` processes (all cores by default) where they are many."""
    yield from analyze_batches(analyzer, *_first_batch(documents), jobs)


def is_index(path: str | os.PathLike[str]) -> bool:
    """Whether there is a committed index in the folder."""
    return (Path(path) / MANIFEST_FILE).exists()


def read_documents(
    sources: Sequence[str | os.PathLike[str]], *, format: str | None = None, options: ReaderOptions | None = None,
    on_problem: OnProblem | None = None, on_bytes: Callable[[int, int], None] = lambda done, total: None,
) -> Iterator[Document]:
    """The documents of ``sources`` one after another, as an index of them reads them; nothing is read before the
    first is read. ``on_bytes`` receives how many bytes of how many are read.

    :raises SourceError: a source is missing, empty or of no known format.
    """
    if not sources:
        raise SourceError("no source was named", hint="Name at least one file or folder to read.")
    for source in sources:
        if not Path(source).exists():
            raise SourceError("there is no such file or folder", where=str(source))
    return _documents(sources, format, options, on_problem, on_bytes)


def _documents(
    sources: Sequence[str | os.PathLike[str]], format: str | None, options: ReaderOptions | None,
    on_problem: OnProblem | None, on_bytes: Callable[[int, int], None],
) -> Iterator[Document]:
    paths = [Path(source) for source in sources]
    yield from open_sources(paths, format, options, on_problem or ignore_problem, on_bytes, all_found=True)


def _first_batch(documents: Iterable[Document]) -> tuple[list[Document], Iterator[list[Document]]]:
    """The first batch and the others; reading it before a writer is opened lets a bad source fail with no trace."""
    batches = _in_batches(documents)
    return next(batches, []), batches


def _in_batches(documents: Iterable[Document]) -> Iterator[list[Document]]:
    batch: list[Document] = []
    characters = 0
    for document in documents:
        batch.append(document)
        characters += character_count(document)
        if len(batch) >= BATCH_DOCUMENTS or characters >= BATCH_CHARACTERS:
            yield batch
            batch, characters = [], 0
    if batch:
        yield batch


def _chain(first: list[Document], rest: Iterator[list[Document]]) -> Iterator[list[Document]]:
    if first:
        yield first
    yield from rest


def analyze_batches(
    analyzer: Analyzer, first: list[Document], rest: Iterator[list[Document]], jobs: int | None
) -> Iterator[tuple[AnalyzedBatch, list[Problem]]]:
    """Analyses batches in their order, by ``jobs`` processes (all cores by default) unless ``first`` is small."""
    workers = jobs or default_processes()
    small = len(first) < BATCH_DOCUMENTS and sum(map(character_count, first)) < SERIAL_CHARACTERS
    if workers == 1 or small:
        yield from map(analyzer.analyze, _chain(first, rest))
        return
    yield from map_parallel(partial(_analyze_batch, analyzer), _chain(first, rest), workers)


def _analyze_batch(analyzer: Analyzer, batch: list[Document]) -> tuple[AnalyzedBatch, list[Problem]]:
    return analyzer.analyze(batch)
