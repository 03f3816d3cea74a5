"""Changing an index: adding, replacing and deleting documents, and committing the changes at once."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from porism.analysis.batch import AnalyzedBatch
from porism.errors import ConfigError, IndexNotFound, StorageError
from porism.index.build import OnStep, write_segment
from porism.index.container import corrupt
from porism.index.external import ExternalSegment, copy_segment, move_segment, open_outside
from porism.index.manifest import (
    LOCK_FILE,
    MANIFEST_FILE,
    SEGMENT_FOLDER,
    Manifest,
    SourcesEntry,
    other_config,
    read_manifest,
    write_manifest,
)
from porism.index.merging import choose_after_run, choose_for_count, choose_tier, clean_index
from porism.index.parts import SegmentInput, SegmentPart
from porism.index.pending import DocumentBuffer, PendingSegment
from porism.index.segment import Segment
from porism.index.snapshot import open_segments, open_sources
from porism.index.sources import NOBODY, SourceTable, unpack_sources, write_sources
from porism.index.strings import Packed
from porism.index.vector_rows import PARTS_FOLDER
from porism.system.concurrency.interrupts import uninterrupted
from porism.system.files.artifacts import MODELS, TOKENIZERS
from porism.system.files.durable import check_room, folder_size, make_folder, remove_tree, storage_errors, sync_folder
from porism.system.files.lock import WriterLock

BUFFER_BYTES = 192 << 20
"""Size of the documents in memory at which they become a segment; building it takes about as much again."""
BUFFER_DOCUMENTS = 200_000

Publish = Callable[[Sequence[Segment]], None]


class IndexWriter:
    """The only writer of an index. Readers see changes after :meth:`commit`.

    As a context manager it commits at the end, or rolls back after an exception. If the process is killed, the last
    commit stays, and the next writer removes whatever else was written. Adding the same documents again is an update,
    so an interrupted job can simply be started again. Ctrl-C takes effect between operations, or within long ones
    before anything has changed: documents added before can still be committed.

    ``config`` is the analysis configuration, which is stored in a new index and must equal that of an existing one.
    ``buffer_bytes`` and ``buffer_documents`` bound the documents in memory.

    :raises IndexLocked: another process is writing.
    :raises IndexNotFound: there is no index and ``create`` is False.
    :raises ConfigError: the index was made with another configuration.
    :raises IndexVersionError: this version does not write the format of the index.
    :raises StorageError: the folder cannot be written, or holds something else than an index.
    """

    def __init__(
        self, path: str | os.PathLike[str], *, config: Mapping[str, Any] | None = None, create: bool = True,
        buffer_bytes: int = BUFFER_BYTES, buffer_documents: int = BUFFER_DOCUMENTS,
    ) -> None:
        self.path = Path(path)
        self._buffer_bytes = buffer_bytes
        self._buffer_documents = buffer_documents
        if not (self.path / MANIFEST_FILE).exists():
            if not create:
                read_manifest(self.path)
            self._make_folder()
        self._lock = WriterLock(self.path / LOCK_FILE)
        try:
            self._load(None if config is None else orjson.loads(orjson.dumps(dict(config))))
        except BaseException:
            self._lock.release()
            raise

    def _make_folder(self) -> None:
        make_folder(self.path)
        with storage_errors(self.path):
            with suppress(PermissionError):  # a parent that is not ours existed before
                sync_folder(self.path.absolute().parent)
            before_the_first_commit = (TOKENIZERS.folder, MODELS.folder, PARTS_FOLDER)
            ours = {MANIFEST_FILE, SEGMENT_FOLDER, LOCK_FILE, *before_the_first_commit}
            others = [
                name for name in os.listdir(self.path)
                if name not in ours and not name.startswith((".", f"{MANIFEST_FILE}.", "sources-"))
            ]
        if others:
            raise StorageError(
                f"the folder is not an index: it holds {min(others)!r}", where=str(self.path),
                hint="Name a folder that is empty or does not exist.",
            )

    def _load(self, config: Mapping[str, Any] | None) -> None:
        """Loads the last committed state and removes files that are not part of it."""
        try:
            self._manifest: Manifest | None = read_manifest(self.path)
        except IndexNotFound:
            self._manifest = None
        if self._manifest is None:
            self._config: Mapping[str, Any] = config or {}
            self._next_segment = 1
            self._held: list[PendingSegment] = []
            self._sources = self._committed_sources = SourceTable()
        else:
            if config is not None and config != self._manifest.config:
                raise other_config(self.path, self._manifest.config, config)
            self._config = self._manifest.config
            self._next_segment = self._manifest.next_segment
            try:
                segments = open_segments(self.path, self._manifest)
                packed = open_sources(self.path, self._manifest)
            except FileNotFoundError as error:
                raise corrupt("is missing", Path(str(error.filename))) from error
            self._held = [
                PendingSegment(segment, entry) for segment, entry in zip(segments, self._manifest.segments, strict=True)
            ]
            self._sources = SourceTable() if packed is None else unpack_sources(packed, self.path)
            self._committed_sources = self._sources
        self._buffer = DocumentBuffer()
        self._lock.check()
        clean_index(self.path, self._manifest, outdated=True)

    def __enter__(self) -> IndexWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        try:
            if kind is None:
                self.commit()
            else:
                self.rollback()
        finally:
            self.close()

    def close(self) -> None:
        """Releases the lock; uncommitted changes are lost."""
        self._held, self._buffer = [], DocumentBuffer()
        self._lock.release()

    @property
    def config(self) -> Mapping[str, Any]:
        """The analysis configuration of the index."""
        return self._config

    @property
    def generation(self) -> int:
        """The number of the last commit, 0 before the first."""
        return self._manifest.generation if self._manifest else 0

    @property
    def doc_count(self) -> int:
        """The number of live documents, uncommitted ones included."""
        return len(self._buffer) + sum(held.segment.live_count for held in self._held)

    @property
    def sources(self) -> SourceTable:
        """The table of sources; a new one is committed with the documents."""
        return self._sources

    @sources.setter
    def sources(self, table: SourceTable) -> None:
        self._sources = table

    def contains(self, ids: Sequence[str]) -> NDArray[np.bool_]:
        """Whether there is a document with each id, committed or not (bool)."""
        known = self._buffer.contains(ids)
        packed = Packed.of(ids)
        for held in self._held:
            known |= held.contains(packed)
        return known

    def owned(self, owners: NDArray[np.integer]) -> list[str]:
        """The ids of the documents of these owners in segments; those in memory are left out."""
        return [doc_id for held in self._held for doc_id in held.owned(owners)]

    def add(self, batch: AnalyzedBatch) -> None:
        """Adds documents, which replace those with the same ids, also within the batch.

        :raises StorageError: the disk is full; the documents stay in memory and :meth:`commit` can be tried again.
        """
        batch.check()
        with uninterrupted():
            self._delete_held(batch.ids)
            self._buffer.add(batch)
        if self._buffer.nbytes >= self._buffer_bytes or len(self._buffer) >= self._buffer_documents:
            self._flush()

    def adopt(self, folder: str | os.PathLike[str]) -> int:
        """Adds a copy of a segment that :func:`porism.index.external.build_segment` built, in any process.

        Its documents replace those with the same ids. Returns their number.

        :raises ConfigError: there is no segment, its configuration differs, or it has documents of sources, which the
            table of this index does not know.
        :raises IndexCorrupt: it was changed since it was built.
        :raises StorageError: the disk is full; the index is unchanged.
        """
        external = self._outside(folder)
        if bool((external.segment.owners != NOBODY).any()):
            raise ConfigError(
                "the segment has documents of sources", where=str(folder), hint="Build it without owners."
            )
        self._hold(copy_segment(external.segment, self._new_folder()))
        return external.segment.doc_count

    def take(self, folder: str | os.PathLike[str]) -> int:
        """Moves a segment on the same file system into the index; see :meth:`adopt`.

        It may have documents of sources, which must be in the table of sources of this commit.
        """
        external = self._outside(folder)
        with uninterrupted():
            self._hold(move_segment(external, self._new_folder()))
        return external.segment.doc_count

    def _outside(self, folder: str | os.PathLike[str]) -> ExternalSegment:
        external = open_outside(folder)
        if orjson.loads(orjson.dumps(external.config)) != self._config:
            raise ConfigError(
                "the segment was made with another analysis configuration", where=str(folder),
                hint="Build it with that of the index: porism.index.IndexWriter.config.",
            )
        return external

    def _new_folder(self) -> Path:
        """The folder of the next segment, after the documents in memory have been written."""
        self._flush()
        self._lock.check()
        return self.path / SEGMENT_FOLDER / f"{self._next_segment:010}"

    def _hold(self, segment: Segment) -> None:
        """Adds a segment in the index folder; its documents replace those with the same ids."""
        with uninterrupted():
            self._delete_held(segment.doc_ids(np.arange(segment.doc_count)))
            self._held.append(PendingSegment(segment))
            self._next_segment += 1

    def delete(self, ids: Iterable[str]) -> int:
        """Returns the number of documents deleted."""
        distinct = list(dict.fromkeys(ids))
        with uninterrupted():
            return self._delete_held(distinct) + self._buffer.delete(distinct)

    def move(self, ids: Sequence[str], lines: NDArray[np.int32]) -> None:
        """Sets the lines at which otherwise unchanged documents of segments begin."""
        packed = Packed.of(ids)
        with uninterrupted():
            for held in self._held:
                held.move(packed, lines)

    def delete_matching(self, key: str, value: str) -> int:
        """Deletes documents whose metadata ``key`` has the value ``value``; returns how many."""
        count = sum(held.delete_matching(key, value) for held in self._held)
        return count + self.delete(self._buffer.matching(key, value))

    def _delete_held(self, ids: Sequence[str]) -> int:
        """Deletes documents of segments; returns how many."""
        packed = Packed.of(ids)
        return sum(held.delete(packed) for held in self._held)

    def _flush(self) -> None:
        """Writes the documents in memory as a segment; they stay in memory if that fails."""
        parts = self._buffer.parts()
        written = [self._write(parts)] if parts else []
        with uninterrupted():
            self._held += written
            self._buffer = DocumentBuffer()

    def _write(self, parts: Sequence[SegmentInput], on_step: OnStep | None = None) -> PendingSegment:
        """Writes a segment of the parts; removes its folder if that fails."""
        self._lock.check()
        folder = self.path / SEGMENT_FOLDER / f"{self._next_segment:010}"
        remove_tree(folder)
        try:
            stamp = write_segment(folder, parts, on_step)
            held = PendingSegment(Segment(folder, stamp))
        except BaseException:
            remove_tree(folder)
            raise
        self._next_segment += 1
        return held

    def merge(self, *, max_segments: int = 1, on_step: OnStep | None = None) -> None:
        """Merges segments, small ones first, until there are at most ``max_segments``, and drops deleted documents.

        Takes time and disk space in proportion to the merged segments. ``on_step`` is called with (steps done, steps in
        all) for each segment that is written.

        :raises StorageError: the disk is full; the segments stay as they were.
        """
        if max_segments < 1:
            raise ValueError(f"max_segments is {max_segments} and must be at least 1")
        self._flush()
        self._merge(choose_for_count([held.segment.live_count for held in self._held], max_segments), on_step)
        for number in range(len(self._held)):
            if self._held[number].deleted:
                self._merge([number], on_step)

    def merge_after_run(self, added: int, *, on_step: OnStep | None = None) -> None:
        """Merges segments after a run that added ``added`` documents (:func:`choose_after_run`).

        :raises StorageError: the disk has no room for the copy, or cannot be written; the segments are unchanged.
        """
        chosen = choose_after_run([held.segment.live_count for held in self._held], added)
        check_room(self.path, sum(folder_size(self._held[number].segment.folder) for number in chosen))
        self._merge(chosen, on_step)

    def _merge(self, chosen: Sequence[int], on_step: OnStep | None = None) -> None:
        """Replaces the chosen segments by one, at the place of the first."""
        if not chosen:
            return
        parts: list[SegmentInput] = [
            SegmentPart(held.segment, held.segment.live)
            for number in chosen if (held := self._held[number]).segment.live_count
        ]
        merged = [self._write(parts, on_step)] if parts else []
        first = min(chosen)
        before, after = self._held[:first], self._held[first:]
        left = [held for number, held in enumerate(after, first) if number not in set(chosen)]
        self._held = before + merged + left

    def _tidy(self) -> None:
        """Keeps the number of segments logarithmic in the number of documents."""
        self._held = [held for held in self._held if held.segment.live_count]
        try:
            while chosen := choose_tier(
                [held.segment.live_count for held in self._held], [held.deleted for held in self._held]
            ):
                self._merge(chosen)
        except StorageError:
            # Merging needs room for a second copy; without it the index has more segments, and is as correct.
            return

    def commit(self, *, before_publish: Publish | None = None) -> int:
        """Makes all changes since the last commit durable and visible at once; returns the generation.

        The generation stays if nothing has changed. ``before_publish`` is called with all segments before readers see
        them, to write derived data that depend on the statistics of all.

        :raises StorageError: the disk is full or the folder cannot be written. The last commit is intact, and this one
            can be tried again.
        """
        self._flush()
        self._tidy()
        if self._manifest is not None and not self._changed(self._manifest):
            return self._manifest.generation
        self._lock.check()
        if before_publish is not None and self._held:
            before_publish([held.segment for held in self._held])
        self._lock.check()
        generation = self.generation + 1
        now = time.time()
        entries = tuple(held.committed(generation) for held in self._held)
        created = self._manifest.created if self._manifest else now
        sources = self._sources_entry(generation)
        manifest = Manifest(generation, created, now, self._next_segment, self._config, entries, sources)
        with uninterrupted():
            self._lock.check()
            write_manifest(self.path, manifest)
            self._manifest = manifest
            self._committed_sources = self._sources
            for held, entry in zip(self._held, entries, strict=True):
                held.entry, held.moved = entry, False
        clean_index(self.path, manifest)
        return generation

    def _changed(self, manifest: Manifest) -> bool:
        if self._sources != self._committed_sources:
            return True
        entries = [held.entry for held in self._held]
        return entries != list(manifest.segments) or any(held.has_changed for held in self._held)

    def _sources_entry(self, generation: int) -> SourcesEntry | None:
        """The manifest's entry for the table of sources; writes the table if it has changed."""
        if self._sources == self._committed_sources:
            return self._manifest.sources if self._manifest else None
        name, stamp = write_sources(self.path, generation, self._sources)
        return SourcesEntry(name, stamp.size, stamp.digest)

    def rollback(self) -> None:
        """Discards all changes since the last commit.

        The state is read from disk again: an interrupted commit counts if its manifest was published.
        """
        self._load(None if self._manifest is not None else self._config)
