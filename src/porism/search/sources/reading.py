"""Reading what has changed of the sources of an index: which documents are new, which have changed, which are gone.

A *scan* goes through the groups of each source (files that are read together). A group whose files are as they were is
skipped; of the others each document is compared with what the index has of it, and only what differs is handed out.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from porism.analysis.documents import dump_document
from porism.corpus.base import UnitId
from porism.corpus.groups import CollectionGroup, Item, LazyRecord, ReadGroup
from porism.corpus.opening import IdKeeper, nothing_found, repeated
from porism.corpus.registry import FORMATS, source_groups
from porism.errors import OnProblem, PorismError, Problem, SourceError
from porism.index import Snapshot
from porism.index.snapshot import ABSENT, Origins
from porism.index.sources import MAX_PROBLEMS, NOBODY, FileProblem, Source, SourceFile, SourceGroup, SourceTable
from porism.search.sources.changes import ChangeBatch, CompleteGroup, PartialGroup, Tally, document_digest, line_of
from porism.search.sources.choice import Choice, SourceUpdate
from porism.search.sources.freshness import can_list
from porism.search.sources.open_groups import OpenGroup, ScannedSource
from porism.types import Document

_LOOKED_UP = 512
"""So many documents are looked up in the index at once."""


class SourceScan:
    """Goes through the sources of a choice and hands out, in batches, what the index does not have.

    :param snapshot: the last committed state of the index, None where there is none yet.
    :param report: receives everything that was skipped or could not be parsed.
    :param change: what each document is put through; all groups are read then.
    :param trusting: whether size and time suffice to know that a file has not changed.
    :param read_all: whether all groups are read.
    :param strict: whether a source that cannot be read is an error.
    :param remove_missing: whether a source that is no longer there goes with its documents.
    """

    def __init__(
        self, choice: Choice, table: SourceTable, snapshot: Snapshot | None, tally: Tally, report: OnProblem, *,
        change: Callable[[Document], Document] | None = None, trusting: bool = True, read_all: bool = False,
        strict: bool = False, remove_missing: bool = False,
    ) -> None:
        self._choice, self._snapshot, self._tally, self._report = choice, snapshot, tally, report
        self._change, self._trusting, self._strict, self._remove = change, trusting, strict, remove_missing
        self._read_all = read_all or change is not None
        self.next_group = table.next_group
        self.ids = IdKeeper()
        """The ids of all documents that were found, handed out or not."""
        self.position = [0, 0]
        """Bytes read, and bytes in all."""
        self._owners = {
            group.number: source.name for source in table.sources.values() for group in source.groups.values()
        }
        self._plans: dict[str, ScannedSource] = {}
        self._settled: dict[int, bool] = {}  # group → whether it was read to its end in this run
        self._chunk: list[tuple[OpenGroup, Item | None]] = []
        self._deferred: list[tuple[OpenGroup, Item]] = []
        self._batch = ChangeBatch()

    def batches(self) -> Iterator[ChangeBatch]:
        """The batches, all with documents but perhaps the last.

        :raises SourceError: a new source cannot be read, or has no document.
        """
        plans = [plan for wanted in self._choice.wanted if (plan := self._plan(wanted)) is not None]
        self._plans = {plan.before.name: plan for plan in plans}
        self.position[1] = sum(plan.listing.size for plan in plans if plan.listing is not None)
        for plan in plans:
            yield from self._read_source(plan)
        deferred, self._deferred = self._deferred, []
        for opened, item in deferred:
            opened.deferred -= 1
            self._chunk.append((opened, item))
            if opened.ended and not opened.deferred:
                self._chunk.append((opened, None))
        yield from self._look_up()
        for source in self._choice.absorbed:
            self._forget(source)
        if self._batch.begun or self._batch.finished or self._batch.documents:
            yield self._batch

    def _plan(self, wanted: SourceUpdate) -> ScannedSource | None:
        """What is to be read of a source; None where it cannot be reached."""
        name = wanted.source.name
        try:
            if wanted.unreachable:
                raise SourceError(wanted.unreachable, where=str(wanted.path))
            options = replace(wanted.options, collection=name)
            format = wanted.format
            if format is None and wanted.path.is_file():  # a broken table does not become a text
                format = wanted.source.detected or None
            listing = source_groups(wanted.path, format, options, self._report)
            return ScannedSource(wanted, listing, self._trusting and not (self._read_all or wanted.anew))
        except SourceError as error:
            if self._remove:
                self._forget(wanted.source)
                return None
            if self._strict:
                raise
            self._tally.unreachable.append(name)
            message = f"the source {name} cannot be read ({error.what}); its documents stay"
            self._report(Problem(str(wanted.path), message))
            return None

    def _forget(self, source: Source) -> None:
        for name, group in source.groups.items():
            self._batch.finished.append(CompleteGroup(source, name, group, gone=True))
        self._batch.finished.append(CompleteGroup(source, forget=True))

    def _read_source(self, plan: ScannedSource) -> Iterator[ChangeBatch]:
        assert plan.listing is not None
        base = self.position[0]
        for group in plan.listing.groups:
            begun = base if group.alone else self.position[0]
            yield from self._visit(plan, group, begun)
            if not group.alone:
                states = map(plan.states.now, plan.states.names(group.files[:1]))
                self.position[0] = begun + sum(state.size for state in states if state is not None)
        self.position[0] = base + plan.listing.size
        yield from self._look_up()
        for name, recorded in plan.before.groups.items():
            if name not in plan.seen and plan.means(name) and self._is_gone(plan, name):
                plan.changed = True
                self._settled[recorded.number] = True
                self._batch.finished.append(CompleteGroup(plan.source, name, recorded, gone=True))
        tally = self._tally
        tally.left_out.update(plan.listing.left_out)
        tally.lacking.update(plan.listing.lacking)
        tally.files_read += len(plan.read_files)
        tally.files_unchanged += len(plan.same_files - plan.read_files)
        waiting = any(opened.plan is plan for opened, _ in self._deferred)
        if not plan.documents and not plan.before.groups and not waiting:
            raise nothing_found(plan.wanted.path)
        if plan.changed or not plan.before.read or plan.source != plan.before:
            self._batch.finished.append(CompleteGroup(replace(plan.source, read=time.time()), whole=True))

    def _is_gone(self, plan: ScannedSource, name: str) -> bool:
        """Whether the documents of a group that was not found are to go."""
        states = plan.states
        if not states.is_gone(name) and (name in states.failed or not can_list(plan.root, name)):
            self._failed(plan, name, states.failed.get(name, "its folder cannot be read"))
            return False
        extra = FORMATS.missing_extra(plan.before.groups[name].format, plan.root / name)
        if extra is not None and not states.is_gone(name):
            self._failed(plan, name, f"{extra.command} reads it")
            return False
        return True

    def _failed(self, plan: ScannedSource, name: str, why: str, format: str = "") -> None:
        """Reports a file that cannot be read this time; it keeps its documents."""
        self._tally.files_failed += 1
        recorded = plan.before.groups.get(name)
        stay = "; its documents stay" if recorded is not None and recorded.documents else ""
        problem = Problem(f"{plan.before.name}/{name}", f"cannot be read ({why}){stay}")
        self._report(problem)
        if recorded is None:
            recorded = SourceGroup(self.next_group, format)
            self.next_group += 1
        kept = tuple(entry for entry in recorded.problems if not entry.what.startswith("cannot be read"))
        problems = (*kept[: MAX_PROBLEMS - 1], FileProblem("", problem.where, problem.what))
        group = replace(recorded, complete=False, problems=problems)
        plan.changed = True
        self._settled[group.number] = False
        self._batch.finished.append(CompleteGroup(plan.source, name, group, kept=True))

    def _visit(self, plan: ScannedSource, group: ReadGroup, base: int) -> Iterator[ChangeBatch]:
        """Skips or reads one group."""
        recorded = plan.before.groups.get(group.name)
        plan.seen.add(group.name)
        if recorded is not None and (not plan.means(group.name) or self._is_clean(plan, group, recorded)):
            self._skip(plan, group, recorded)
            return
        if not plan.means(group.name):
            return
        states = plan.states
        lost = [name for name in states.names(group.files) if states.now(name) is None]
        if lost and lost[0] in states.failed:
            self._failed(plan, group.name, states.failed[lost[0]], group.format)
            if recorded is not None and recorded.note is not None:
                group.skip(recorded.note, [plan.root / name for name in recorded.files])
            return
        if lost and not isinstance(group, CollectionGroup):  # it went between listing and reading
            plan.seen.discard(group.name)
            return
        yield from self._read(plan, group, recorded, base)

    def _is_clean(self, plan: ScannedSource, group: ReadGroup, recorded: SourceGroup) -> bool:
        if self._read_all or plan.wanted.anew or not recorded.complete or recorded.format != group.format:
            return False
        if isinstance(group, CollectionGroup) and set(plan.states.names(group.files)) != set(recorded.files):
            return False
        if not all(map(plan.states.unchanged, recorded.files)):
            return False
        return recorded.note is None or group.fits(recorded.note, [plan.root / name for name in recorded.files])

    def _skip(self, plan: ScannedSource, group: ReadGroup, recorded: SourceGroup) -> None:
        if recorded.note is not None:
            group.skip(recorded.note, [plan.root / name for name in recorded.files])
        self._settled[recorded.number] = False
        plan.documents += recorded.documents
        if not plan.means(group.name):
            return
        plan.same_files.update(recorded.files)
        touched = {
            name: state for name in recorded.files
            if (state := plan.states.now(name)) is not None and state != plan.before.files.get(name)
        }
        if touched:
            self._batch.finished.append(CompleteGroup(plan.source, group.name, recorded, touched, kept=True))

    def _read(
        self, plan: ScannedSource, group: ReadGroup, recorded: SourceGroup | None, base: int
    ) -> Iterator[ChangeBatch]:
        number = self.next_group if recorded is None else recorded.number
        if recorded is None:
            self.next_group += 1
        plan.changed = True
        opened = OpenGroup(plan, group, recorded, number)

        def on_problem(problem: Problem) -> None:
            opened.problem("", problem)
            self._report(problem)

        def on_progress(done: int, total: int) -> None:
            self.position[:] = base + done, max(self.position[1], base + total)

        if (
            recorded is not None and recorded.complete and recorded.format == group.format
            and not (self._read_all or plan.wanted.anew)
        ):
            group.recall(recorded.note, lambda ids: self._known(opened, ids))
        try:
            for item in group.items(on_problem, on_progress):
                self._chunk.append((opened, item))
                if len(self._chunk) >= _LOOKED_UP:
                    yield from self._look_up()
        except PorismError as error:
            if group.alone and (self._strict or recorded is None):
                raise
            opened.failed = True
            self._failed(plan, group.name, error.what, group.format)
        plan.read_files.update(plan.states.names(group.files))
        opened.ended = True
        if not opened.failed:
            self._chunk.append((opened, None))

    def _known(self, opened: OpenGroup, ids: Sequence[UnitId]) -> list[tuple[int, int]] | None:
        """The digest and line of each of these documents, None unless the index has all of them from this group."""
        placed = [opened.plan.placer.id(doc_id) for doc_id in ids]
        origins = self._origins(placed)
        if not np.all(origins.owners == opened.number) or any(map(self.ids.has, placed)):
            return None
        return list(zip(origins.digests.tolist(), origins.lines.tolist(), strict=True))

    def _look_up(self) -> Iterator[ChangeBatch]:
        """Compares the documents that wait with the index."""
        chunk, self._chunk = self._chunk, []
        items = [(opened, item) for opened, item in chunk if item is not None]
        ids = [opened.plan.placer.id(item.id) for opened, item in items]
        origins = self._origins(ids)
        place = 0
        for opened, item in chunk:
            if item is None:
                self._end(opened)
                continue
            self._take(opened, item, ids[place], origins, place)
            place += 1
            if self._batch.is_full:
                batch, self._batch = self._batch, ChangeBatch()
                yield batch

    def _origins(self, ids: list[str]) -> Origins:
        if self._snapshot is None:
            size = len(ids)
            return Origins(np.full(size, ABSENT, np.int32), np.zeros(size, np.uint64), np.zeros(size, np.int32))
        return self._snapshot.look_up(ids)

    def _take(self, opened: OpenGroup, item: Item, doc_id: str, origins: Origins, place: int) -> None:
        """Hands out a document unless the index has it as it is."""
        owner = int(origins.owners[place])
        taken = self.ids.has(doc_id)
        if not taken and owner not in (ABSENT, opened.number) and not isinstance(item.id, UnitId):
            verdict = self._holder(owner)
            if verdict is None:
                self._deferred.append((opened, item))
                opened.deferred += 1
                return
            taken = verdict
        if taken:
            own, doc_id = doc_id, self.ids.another(opened.plan.placer.longer_id(item.id, opened.group))
            origins, place = self._origins([doc_id]), 0
            owner = int(origins.owners[0])
            problem = repeated(own, doc_id, opened.plan.placer)
            opened.problem("", problem)
            self._report(problem)
        ours = owner == opened.number
        placer = opened.plan.placer
        document: Document | None
        if isinstance(item, LazyRecord):
            line, digest = item.line, item.digest
            same = ours and int(origins.digests[place]) == digest and self._change is None
            if same:
                document = None
            else:
                document = item.read(lambda problem: self._of_document(opened, doc_id, problem))
                if document is None:  # a record without text
                    return
                document = placer.place(document, doc_id, opened.group, line)
        else:
            document = placer.place(item, doc_id, opened.group)
            line, digest = line_of(document), document_digest(document)
            same = ours and int(origins.digests[place]) == digest and self._change is None
            if same:
                document = None
        if same and int(origins.lines[place]) != line:
            self._batch.moved[doc_id] = line
        self.ids.take(doc_id)
        opened.documents += 1
        opened.plan.documents += 1
        if document is not None and self._change is not None:
            document = self._change(document)
            if ours and self._is_stored(document):
                document = None
        if document is None:
            opened.unchanged(doc_id)
            return
        if ours:
            self._batch.changed += 1
        else:
            self._batch.added += 1
        self._hand_out(opened, document, digest, line)

    def _hand_out(self, opened: OpenGroup, document: Document, digest: int, line: int) -> None:
        batch = self._batch
        if not opened.begun:
            group = SourceGroup(opened.number, opened.group.format, documents=opened.documents)
            batch.begun.append(PartialGroup(opened.plan.source, opened.group.name, opened.recorded or group))
            opened.begun = True
        batch.add(document, opened.number, digest, line)

    def _of_document(self, opened: OpenGroup, doc_id: str, problem: Problem) -> None:
        opened.problem(doc_id, problem)
        self._report(problem)

    def _is_stored(self, document: Document) -> bool:
        """Whether the index has exactly this document."""
        stored = self._snapshot.find(document.id) if self._snapshot is not None else None
        return stored is not None and stored[0].stored(stored[1]) == dump_document(document)

    def _holder(self, owner: int) -> bool | None:
        """Whether a document of this group keeps its id; None where that is not known yet."""
        if owner == NOBODY:
            return True
        if owner in self._settled:
            return not self._settled[owner]
        source = self._owners.get(owner)
        if source is None or any(source == absorbed.name for absorbed in self._choice.absorbed):
            return False
        plan = self._plans.get(source)
        if plan is None or not plan.means(plan.names[owner]):
            return True
        return False if plan.states.is_gone(plan.names[owner]) else None

    def _end(self, opened: OpenGroup) -> None:
        """Records that a group was read to its end, unless some of its documents still wait."""
        self._settled[opened.number] = True
        if opened.deferred:
            return
        group, states = opened.group, opened.plan.states
        names = states.names(group.files)
        files = {
            name: states.after_reading(name, group.digests.get(path, ""))
            for name, path in zip(names, group.files, strict=True)
        }
        unread = [name for name in names if name in states.failed]
        for name in unread:
            files[name] = SourceFile(0, 0, "")
        read = SourceGroup(
            opened.number, group.format, tuple(names), not unread, opened.documents, group.note,
            tuple(opened.problems[:MAX_PROBLEMS]), opened.more_problems,
        )
        if unread:  # what could not be read now keeps its documents
            self._tally.files_failed += 1
            self._report(Problem(f"{opened.plan.before.name}/{unread[0]}", "cannot be read; its documents stay"))
        self._batch.finished.append(CompleteGroup(opened.plan.source, group.name, read, files, kept=bool(unread)))
