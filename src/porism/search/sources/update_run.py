"""One run over the sources of a choice: what it reads, what it does to the index, and what it reports."""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.corpus.lacking import Lacking
from porism.errors import OnProblem, Problem
from porism.index import IndexWriter, Snapshot
from porism.index.sources import MAX_PROBLEMS, NOBODY, FileProblem, Source, SourceTable
from porism.retrieve import SearchModel
from porism.retrieve.meaning.learning import choose_table
from porism.retrieve.meaning.vectors import MeaningChoice
from porism.search.sources.changes import ChangeBatch, CompleteGroup, Tally
from porism.search.sources.choice import Choice
from porism.search.sources.indexing import (
    COMMIT_SECONDS,
    IndexReport,
    Preparation,
    Progress,
    analyze_batches,
    language_origins_in,
    languages_in,
    learn_after_run,
    merge_after_run,
)
from porism.search.sources.parts import build_parts, staging_folder
from porism.search.sources.reading import SourceScan
from porism.system.concurrency.clusters import Cluster, active_cluster
from porism.system.files.durable import remove_tree
from porism.types import Document

Change = Callable[[Document], Document]


@dataclass(frozen=True, slots=True)
class UpdateReport(IndexReport):
    """What an update did: documents added, changed and removed, and files read, as they were, and not readable.

    ``documents`` and ``formulas`` count what was analysed. ``notes`` say what should be known of the sources themselves
    (moved, read with other options, part of another); ``unreachable`` are the names of sources that could not be read,
    whose documents stay. ``new`` is whether the index was made. ``left_out`` counts the files in the sources that no
    reader reads, by their endings, ``lacking`` those whose readers lack an extra.
    """

    added: int = 0
    changed: int = 0
    removed: int = 0
    files_read: int = 0
    files_unchanged: int = 0
    files_failed: int = 0
    unreachable: tuple[str, ...] = ()
    new: bool = False
    left_out: Mapping[str, int] = field(default_factory=dict)
    lacking: Mapping[Lacking, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class UpdateSettings:
    """How an update is done; :func:`porism.search.sources.updating.index_sources` says what each means."""

    config: AnalysisConfig | None
    model: SearchModel
    jobs: int | None
    change: Change | None
    on_problem: OnProblem | None
    on_progress: Callable[[Progress], None] | None
    checksum: bool
    read_all: bool
    strict: bool = False
    remove_missing: bool = False
    cluster: str | None = None
    meaning: MeaningChoice | None = None


class Abandoned(Exception):
    """Ctrl-C came, and nothing is to be committed; has the report."""


@dataclass(slots=True)
class _Known:
    """What the table will say of a source."""

    source: Source
    files: dict[str, Any] = field(default_factory=dict)
    groups: dict[str, Any] = field(default_factory=dict)

    def freeze(self) -> Source:
        return replace(self.source, files=dict(self.files), groups=dict(self.groups))


class UpdateRun:
    """One run over the sources of a choice: pulls batches of documents, and does to the index what they say."""

    def __init__(self, settings: UpdateSettings, choice: Choice, table: SourceTable, snapshot: Snapshot | None) -> None:
        self.settings, self.choice = settings, choice
        self.tally = Tally()
        self._scan = SourceScan(
            choice, table, snapshot, self.tally, self._report, change=settings.change, trusting=not settings.checksum,
            read_all=settings.read_all, strict=settings.strict, remove_missing=settings.remove_missing,
        )
        self._new = snapshot is None
        self._known = {
            name: _Known(source, dict(source.files), dict(source.groups)) for name, source in table.sources.items()
        }
        self._sides: deque[ChangeBatch] = deque()
        self._problems: dict[int, list[FileProblem]] = {}
        self._more_problems: dict[int, int] = {}
        self._problem_count = self._documents = self._formulas = self._most_built = 0
        self._first: list[Document] = []
        self._rest: Iterator[list[Document]] = iter(())

    def begin(self) -> None:
        """Reads the first batch: what is wrong with a source as a whole is raised here."""
        self._rest = self._pull()
        self._first = next(self._rest, [])

    def finish(self, writer: IndexWriter, started: float) -> UpdateReport:
        """Reads the rest and does it all, with commits on the way and one at the end."""
        if self.settings.meaning is not None:
            choose_table(writer.path, self.settings.meaning)
        last_commit = time.monotonic()
        analyzer = Analyzer(AnalysisConfig.from_dict(writer.config, writer.path), languages_in(writer.path))
        prepare = Preparation(self.settings.model, self._encoded, self._report)
        cluster = active_cluster()
        if cluster is not None and self._first:
            return self._finish_on_cluster(cluster, writer, analyzer.config, prepare, started)
        try:
            for batch, problems in analyze_batches(analyzer, self._first, self._rest, self.settings.jobs):
                side = self._sides.popleft()
                owners = dict(zip((document.id for document in side.documents), side.owners.tolist(), strict=True))
                for problem in problems:
                    self._attribute(problem, owners.get(problem.where, NOBODY))
                self._begin_groups(side)
                writer.add(replace(batch, owners=side.owners, digests=side.digests, lines=side.lines))
                self._apply(writer, side)
                self._documents += len(batch.ids)
                self._formulas += len(batch.occurrence_id)
                self._encoded(0, 0)
                if time.monotonic() - last_commit > COMMIT_SECONDS:
                    writer.sources = self._table()
                    writer.commit(before_publish=prepare)
                    last_commit = time.monotonic()
                    if prepare.interrupted:
                        raise KeyboardInterrupt
            for side in self._sides:  # what came after the last document
                self._begin_groups(side)
                self._apply(writer, side)
        except KeyboardInterrupt:
            prepare.interrupted = True
        writer.sources = self._table()
        writer.commit(before_publish=prepare)
        return self._merged(writer, prepare, started)

    def _finish_on_cluster(
        self, cluster: Cluster, writer: IndexWriter, config: AnalysisConfig, prepare: Preparation, started: float
    ) -> UpdateReport:
        """The same with segments that the workers of a cluster build, and one commit."""
        folder = staging_folder(writer.path)
        try:
            parts = build_parts(cluster, folder, config, self._batches(), self._scan.position, self._built)
            for part in parts:
                for problem, owner in part.problems:
                    self._attribute(problem, owner)
                for side in part.batches:
                    self._begin_groups(side)
                writer.take(part.segment)
                for side in part.batches:
                    self._apply(writer, side)
                self._documents += part.documents
                self._formulas += part.formulas
                self._built(self._documents, part.position)
            writer.sources = self._table()
            writer.commit(before_publish=prepare)
        except KeyboardInterrupt:
            raise Abandoned(self.report(writer.path, started, interrupted=True)) from None
        finally:
            remove_tree(folder)
        return self._merged(writer, prepare, started)

    def _merged(self, writer: IndexWriter, prepare: Preparation, started: float) -> UpdateReport:
        """The report, after the segments that the run left have become few."""

        def step(count: int, total: int) -> None:
            if self.settings.on_progress:
                self.settings.on_progress(replace(self._progress(), merged=count, to_merge=total))

        def learn(count: int, total: int) -> None:
            if self.settings.on_progress:
                self.settings.on_progress(replace(self._progress(), learnt=count, to_learn=total))

        notes = merge_after_run(writer, self._documents, prepare, step)
        notes += learn_after_run(writer.path, prepare, learn)
        return replace(self.report(writer.path, started, prepare.interrupted), notes=(*self.choice.notes, *notes))

    def report(self, path: Path, started: float, interrupted: bool) -> UpdateReport:
        """What was done until now."""
        tally = self.tally
        return UpdateReport(
            path, self._documents, self._formulas, self._problem_count, time.monotonic() - started, interrupted,
            tuple(self.choice.notes), language_origins_in(path), tally.added, tally.changed, tally.removed,
            tally.files_read, tally.files_unchanged, tally.files_failed, tuple(tally.unreachable), self._new,
            dict(tally.left_out), dict(tally.lacking),
        )

    def _progress(self) -> Progress:
        """How far it is with what is read."""
        return Progress(self._documents, self._formulas, *self._scan.position)

    def _encoded(self, count: int, total: int) -> None:
        """Says how far it is, also with the vectors of ``count`` of ``total`` things."""
        if self.settings.on_progress:
            self.settings.on_progress(replace(self._progress(), encoded=count, to_encode=total))

    def _built(self, documents: int, position: int) -> None:
        """Says of how many documents there are segments, and how many bytes were read by their end."""
        if self.settings.on_progress and documents > self._most_built:
            self._most_built = documents
            self.settings.on_progress(Progress(documents, self._formulas, position, self._scan.position[1]))

    def _batches(self) -> Iterator[ChangeBatch]:
        """All batches, also those without documents."""
        for _ in chain([self._first], self._rest):
            while self._sides:
                yield self._sides.popleft()
        while self._sides:
            yield self._sides.popleft()

    def _pull(self) -> Iterator[list[Document]]:
        for batch in self._scan.batches():
            self._sides.append(batch)
            if batch.documents:
                yield batch.documents

    def _report(self, problem: Problem) -> None:
        self._problem_count += 1
        if self.settings.on_problem:
            self.settings.on_problem(problem)

    def _attribute(self, problem: Problem, owner: int) -> None:
        """Keeps what analysis could not understand with the group of the document."""
        self._report(problem)
        if owner == NOBODY:
            return
        kept = self._problems.setdefault(owner, [])
        if len(kept) < MAX_PROBLEMS:
            kept.append(FileProblem(problem.where, problem.where, problem.what))
        else:
            self._more_problems[owner] = self._more_problems.get(owner, 0) + 1

    def _begin_groups(self, side: ChangeBatch) -> None:
        """Records the groups that documents of the batch belong to, before the documents are there."""
        for begun in side.begun:
            known = self._of(begun.source)
            before = known.groups.get(begun.name)
            if before is None or before.complete:
                known.groups[begun.name] = replace(before or begun.group, complete=False)

    def _apply(self, writer: IndexWriter, side: ChangeBatch) -> None:
        """Records what is finished once its documents are there, and deletes what a finished group no longer has."""
        self.tally.added += side.added
        self.tally.changed += side.changed
        if side.moved:
            writer.move(list(side.moved), np.fromiter(side.moved.values(), np.int32))
        if not side.finished:
            return
        numbers = np.asarray([
            finished.group.number for finished in side.finished if not finished.kept and finished.group.number >= 0
        ], np.int32)
        ghosts = [doc_id for doc_id in writer.owned(numbers) if not self._scan.ids.has(doc_id)]
        self.tally.removed += writer.delete(ghosts)
        for finished in side.finished:
            self._record(finished)

    def _record(self, finished: CompleteGroup) -> None:
        known = self._of(finished.source)
        if finished.forget:
            self._known.pop(finished.source.name, None)
            return
        if finished.whole:
            known.source = finished.source
            used = {name for group in known.groups.values() for name in group.files}
            known.files = {name: state for name, state in known.files.items() if name in used}
            return
        if finished.gone:
            known.groups.pop(finished.name, None)
            return
        number = finished.group.number
        known.files.update(finished.files)
        if finished.kept and finished.name in known.groups and finished.group.complete:
            return
        problems = [*finished.group.problems, *self._problems.pop(number, [])]
        more = finished.group.more_problems + self._more_problems.pop(number, 0)
        more += max(0, len(problems) - MAX_PROBLEMS)
        known.groups[finished.name] = replace(
            finished.group, problems=tuple(problems[:MAX_PROBLEMS]), more_problems=more
        )

    def _of(self, source: Source) -> _Known:
        known = self._known.get(source.name)
        if known is None:
            known = self._known[source.name] = _Known(replace(source, files={}, groups={}))
        if (source.options, source.format) != (known.source.options, known.source.format):
            known.groups = {name: replace(group, complete=False) for name, group in known.groups.items()}
        known.source = replace(source, read=known.source.read, files={}, groups={})
        return known

    def _table(self) -> SourceTable:
        return SourceTable({name: known.freeze() for name, known in self._known.items()}, self._scan.next_group)


def source_numbers(sources: Sequence[Source]) -> np.ndarray[Any, np.dtype[np.int32]]:
    """The numbers of all groups of sources (int32), by which an index knows whose a document is."""
    return np.asarray([group.number for source in sources for group in source.groups.values()], np.int32)
