"""Bringing an engine outside Porism in step with an index: what changed since the last export is sent, and no more.

A segment never changes, so of those that an engine has only deletions matter. Of others, which a commit or a merge has
made, the rows are computed and compared with those of the engine by their stamps; only those that differ are sent. An
export says in the state that it has begun before it changes anything, and what it has done at its end: one that was
interrupted is found so, and the next compares all rows. So does one that finds another number of rows than was
acknowledged.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from porism.analysis.analyzer import AnalysisConfig, Analyzer
from porism.backends.base import Backend, Rows
from porism.errors import EngineError
from porism.index import Segment, Snapshot
from porism.retrieve.exported.rows import RowSource, live_documents, row_key
from porism.retrieve.exported.sources import sources_of
from porism.retrieve.exported.state import ExportState, SegmentState, TableState, index_identity, read_state
from porism.retrieve.exported.views import Frozen
from porism.retrieve.models import model_from, read_model, write_model

_AT_ONCE = 1_000


class TableReport(NamedTuple):
    """What an export did to a table: rows that it has now, and rows sent and removed."""

    rows: int
    sent: int
    removed: int


class ExportReport(NamedTuple):
    """What an export did: the commit, its documents, the models, the tables by name, the views with the statistics that
    their weights have, how far the mean lengths of these are off (a share), whether all rows were compared, and
    seconds."""

    generation: int
    documents: int
    models: tuple[str, ...]
    tables: Mapping[str, TableReport]
    views: Mapping[str, Frozen]
    drift: float
    compared: bool
    seconds: float


def export_index(
    path: str | os.PathLike[str], backend: Backend, models: Sequence[str] = (), *, refresh: bool = False,
    verify: bool = False, again: bool = False, on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ExportReport:
    """Brings an engine in step with the last commit of an index.

    :param models: the names, or files, of models that are to be searched in the engine, beside those exported before;
        ``default`` where there are none.
    :param refresh: whether to compute all weights with the present statistics, and to forget the other models.
    :param verify: whether to compare all rows, also where nothing says that some are missing.
    :param again: whether to remove what is there, of whichever index, and to begin anew.
    :param on_progress: receives how many documents are done, tables added up, and how many there are.
    :raises ConfigError: there is no such model, it cannot be exported, or the index lacks what it needs.
    :raises EngineError: the engine cannot be reached or refuses, or has the export of another index or version.
    """
    started = time.perf_counter()
    with Snapshot.open(path) as snapshot:
        state = _begin(backend, snapshot, again)
        named = dict(state.models) if not (refresh and models) else {}
        named |= {name: write_model(read_model(name)) for name in models}
        if not named:
            named = {"default": write_model(read_model("default"))}
        analyzer = Analyzer(AnalysisConfig.from_dict(snapshot.config, snapshot.path))
        found = sources_of(
            snapshot, analyzer, map(model_from, named.values()), {} if refresh else state.views
        )
        pending = replace(
            state, pending=True, models=named, views={**state.views, **found.frozen},
            tables={name: table for name, table in state.tables.items() if name in found.names},
        )
        compare = verify or state.pending or _lost(backend, state)
        backend.write_state(pending.to_text())
        for name in backend.tables():
            if name not in found.names:
                backend.drop(name)
        steps = _Steps(on_progress, len(found.sources) * snapshot.doc_count)
        tables: dict[str, TableState] = {}
        reports: dict[str, TableReport] = {}
        for source in found.sources:
            name = source.table.name
            known = None if compare else state.tables.get(name)
            reports[name] = _bring(backend, snapshot, source, known, steps)
            segments = tuple(map(segment_state, snapshot.segments))
            tables[name] = TableState(reports[name].rows, source.made_of, segments)
        done = ExportState(
            state.index, snapshot.generation, snapshot.doc_count, False, named, found.frozen, tables
        )
        backend.write_state(done.to_text())
        return ExportReport(
            snapshot.generation, snapshot.doc_count, tuple(named), reports, found.frozen, found.drift, compare,
            time.perf_counter() - started,
        )


def _begin(backend: Backend, snapshot: Snapshot, again: bool) -> ExportState:
    """What the engine has of the index; nothing where it has nothing.

    :raises EngineError: it has another index.
    """
    identity = index_identity(snapshot)
    nothing = ExportState(identity, 0, 0)
    if again:
        for name in backend.tables():
            backend.drop(name)
        backend.write_state(nothing.to_text())
        return nothing
    text = backend.read_state()
    if text is None:
        return nothing
    state = read_state(text, str(backend))
    if state.index != identity:
        raise EngineError(
            f"another index than {snapshot.path} was exported here", where=str(backend),
            hint="Name another collection (--collection NAME), or remove what is there (--again).",
        )
    return state


def _lost(backend: Backend, state: ExportState) -> bool:
    """Whether a table has another number of rows than was acknowledged."""
    there = set(backend.tables())
    return any(name not in there or backend.count(name) != table.rows for name, table in state.tables.items())


def segment_state(segment: Segment) -> SegmentState:
    """What tells a segment, and what is live of it, from others."""
    return SegmentState(segment.name, segment.stamp.digest, int(np.count_nonzero(segment.live)))


class _Steps:
    """Adds up progress."""

    def __init__(self, on_progress: Callable[[int, int], None], total: int) -> None:
        self._on_progress, self._done, self._total = on_progress, 0, total

    def __call__(self, count: int) -> None:
        self._done += count
        self._on_progress(self._done, self._total)


def _bring(
    backend: Backend, snapshot: Snapshot, source: RowSource, known: TableState | None, steps: _Steps
) -> TableReport:
    """Brings a table in step; what is ``known`` of it is taken to be there."""
    name = source.table.name
    backend.make(source.table)
    there = known if known is not None and known.made_of == source.made_of and not source.changing else None
    whole = {(one.name, one.digest) for one in there.segments} if there else set()
    sent = removed = wanted = 0
    for number, segment in enumerate(snapshot.segments):
        live = live_documents(segment)
        wanted += int(source.counts(number)[live].sum())
        if (segment.name, segment.stamp.digest) in whole:
            steps(len(live))
            continue
        left = len(live)
        for batch in source.rows(number, live):
            sent += _send(backend, name, batch.rows)
            left -= batch.documents
            steps(batch.documents)
        steps(left)
    if backend.count(name) != wanted:
        removed = _remove_dead(backend, snapshot, source)
        if backend.count(name) != wanted:
            removed += _remove_others(backend, snapshot, source)
    if sent or removed:
        backend.settle(name)
    found = backend.count(name)
    if found != wanted:
        raise EngineError(
            f"the table {name} has {found:,} rows after the export, and should have {wanted:,}", where=str(backend),
            hint="Run the export again; if it stays so, with --again.",
        )
    return TableReport(found, sent, removed)


def _send(backend: Backend, name: str, rows: Rows) -> int:
    """Sends the rows that the engine does not have so; how many these are."""
    found: dict[str, int] = {}
    for keys, stamps in backend.stamps(name, rows.keys):
        found.update(zip(keys, stamps.tolist(), strict=True))
    wanted = rows.stamps.tolist()
    missing = np.array(
        [number for number, key in enumerate(rows.keys) if found.get(key) != wanted[number]], np.int64
    )
    if len(missing):
        backend.put(name, rows.take(missing))
    return len(missing)


def _keys(source: RowSource, doc_id: str, start: int, stop: int) -> list[str]:
    """The keys of rows ``start`` to before ``stop`` of a document."""
    if source.table.dimensions:
        return [row_key(row, doc_id) for row in range(start, stop)]
    return [doc_id] if start < stop else []


def _read_key(source: RowSource, key: str) -> tuple[int, str]:
    """The number of a row among those of its document, and the document's id."""
    if not source.table.dimensions:
        return 0, key
    number, _, doc_id = key.partition(":")
    return int(number), doc_id


def _remove_dead(backend: Backend, snapshot: Snapshot, source: RowSource) -> int:
    """Removes the rows that deleted documents of the segments had, where the documents of these ids do not have them
    now; of how many documents."""
    now: dict[str, int] = {}
    dead: dict[str, int] = {}
    for number, segment in enumerate(snapshot.segments):
        gone = np.flatnonzero(~segment.live)
        counts = source.counts(number)
        for doc_id, count in zip(segment.doc_ids(gone), counts[gone].tolist(), strict=True):
            dead[doc_id] = max(dead.get(doc_id, 0), count)
    if not dead:
        return 0
    for number, segment in enumerate(snapshot.segments):
        found = segment.names.find(list(dead))
        counts = source.counts(number)
        for doc_id, unit in zip(dead, found.tolist(), strict=True):
            if unit >= 0 and segment.live[unit]:
                now[doc_id] = int(counts[unit])
    keys = [key for doc_id, count in dead.items() for key in _keys(source, doc_id, now.get(doc_id, 0), count)]
    before = backend.count(source.table.name)
    for start in range(0, len(keys), _AT_ONCE):
        backend.remove(source.table.name, keys[start : start + _AT_ONCE])
    return before - backend.count(source.table.name)


def _remove_others(backend: Backend, snapshot: Snapshot, source: RowSource) -> int:
    """Removes all rows that no document has; how many."""
    name, removed = source.table.name, 0
    for keys, _ in backend.stamps(name):
        numbers, ids = zip(*(_read_key(source, key) for key in keys), strict=True) if keys else ((), ())
        most = np.zeros(len(ids), np.int64)
        for number, segment in enumerate(snapshot.segments):
            found = segment.names.find(ids)
            there = np.flatnonzero(found >= 0)
            there = there[segment.live[found[there]]]
            most[there] = source.counts(number)[found[there]]
        others = [key for key, number, count in zip(keys, numbers, most.tolist(), strict=True) if number >= count]
        if others:
            backend.remove(name, others)
            removed += len(others)
    return removed
