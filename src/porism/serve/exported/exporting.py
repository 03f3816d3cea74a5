"""Bringing an engine outside Porism in step with an index: what changed since the last export is sent, and no more.

A segment never changes, so of those that an engine has only deletions matter. Of others, which a commit or a merge has
made, the rows are computed and compared with those of the engine by their stamps; only those that differ are sent. An
export says in the state that it has begun before it changes anything, and what it has done at its end: one that was
interrupted is found so, and the next compares all rows. So does one that finds another number of rows than was
acknowledged. One exporter works at a time (:mod:`porism.serve.exported.holding`).
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from porism.errors import EngineError
from porism.index import Segment, Snapshot
from porism.index.languages import snapshot_analyzer
from porism.search.models.models import model_from, read_model, write_model
from porism.serve.backends.base import Backend, Rows
from porism.serve.exported.holding import ExclusiveExporter, only_exporter
from porism.serve.exported.rows import RowSource, live_units
from porism.serve.exported.sources import sources_of
from porism.serve.exported.state import ExportState, SegmentState, TableState, index_identity, read_state
from porism.serve.exported.views import FrozenStatistics

_BATCH_SIZE = 1_000

TEXTS_AT_FIRST = True
"""Whether a first export has the documents themselves."""


class TableReport(NamedTuple):
    """What an export did to a table: rows that it has now, and rows sent and removed."""

    rows: int
    sent: int
    removed: int


class ExportReport(NamedTuple):
    """What an export did: the commit, its documents, the models of documents and of formulas, and the tables by name.

    It gives the views with the statistics that their weights have, and how far the mean lengths of these are off (a
    share). It also says whether all rows were compared, and gives the seconds.
    """

    generation: int
    documents: int
    models: tuple[str, ...]
    formula_models: tuple[str, ...]
    tables: Mapping[str, TableReport]
    views: Mapping[str, FrozenStatistics]
    drift: float
    compared: bool
    seconds: float


def export_index(
    path: str | os.PathLike[str], backend: Backend, models: Sequence[str] = (), *,
    formula_models: Sequence[str] = (), refresh: bool = False, verify: bool = False, again: bool = False,
    documents: bool | None = None,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> ExportReport:
    """Brings an engine in step with the last commit of an index.

    :param models: the names, or files, of models that are to be searched in the engine, beside those exported before;
        ``default`` where there are none.
    :param formula_models: the same of models that search formulas; if only such are named at first, documents are not
        searched there.
    :param refresh: whether to compute all weights with the present statistics, and to forget the other models.
    :param verify: whether to compare all rows, also where nothing says that some are missing.
    :param again: whether to remove what is there, of whichever index, and to begin anew.
    :param documents: whether the engine gets the documents themselves, for other programs; if not given as in the last
        export, and in a first one.
    :param on_progress: receives how many units are done, tables added up, and how many there are.
    :raises IndexNotFound: there is no index.
    :raises ConfigError: there is no such model, it cannot be exported, or the index lacks what it needs.
    :raises IndexLocked: another process exports the index to the same place.
    :raises EngineError: the engine cannot be reached or refuses, has the export of another index or version, or is
        changed by another exporter meanwhile.
    """
    started = time.perf_counter()
    Snapshot.open(path).close()
    with only_exporter(Path(path), backend), Snapshot.open(path) as snapshot:
        state = ExportState(index_identity(snapshot), 0, 0) if again else _known(backend, snapshot)
        kept = replace(state, models={}, formula_models={}) if refresh and (models or formula_models) else state
        named = {**kept.models, **{name: write_model(read_model(name)) for name in models}}
        of_formulas = {
            **kept.formula_models, **{name: write_model(read_model(name, True), True) for name in formula_models}
        }
        if not named and not of_formulas:
            named = {"default": write_model(read_model("default"))}
        texts = next((choice for choice in (documents, state.texts) if choice is not None), TEXTS_AT_FIRST)
        exported = sources_of(
            snapshot, snapshot_analyzer(snapshot), map(model_from, named.values()),
            [model_from(model, True) for model in of_formulas.values()],
            {} if refresh else state.views, texts,
        )
        compare = verify or state.pending or _lost(backend, state)
        begun = replace(
            state, models=named, formula_models=of_formulas, views={**state.views, **exported.frozen}, texts=texts,
            tables={name: table for name, table in state.tables.items() if name in exported.names},
        )
        holder = ExclusiveExporter(backend, begun)
        for name in backend.tables():
            if again or name not in exported.names:
                holder.engine().drop(name)
        reports = _bring_all(holder, snapshot, exported.sources, {} if compare else state.tables, on_progress)
        segments = tuple(map(segment_state, snapshot.segments))
        holder.finish(replace(
            begun, generation=snapshot.generation, documents=snapshot.doc_count, pending=False, views=exported.frozen,
            tables={
                source.table.name: TableState(reports[source.table.name].rows, source.made_of, segments)
                for source in exported.sources
            },
        ))
        return ExportReport(
            snapshot.generation, snapshot.doc_count, tuple(named), tuple(of_formulas), reports, exported.frozen,
            exported.drift, compare, time.perf_counter() - started,
        )


def _bring_all(
    holder: ExclusiveExporter, snapshot: Snapshot, sources: Sequence[RowSource], known: Mapping[str, TableState],
    on_progress: Callable[[int, int], None],
) -> dict[str, TableReport]:
    """Brings all tables in step."""
    lives = [[live_units(units) for units in source.units] for source in sources]
    steps = _Steps(on_progress, sum(len(live) for of_source in lives for live in of_source))
    return {
        source.table.name: TableSync(holder, snapshot.segments, source, live).bring(known.get(source.table.name), steps)
        for source, live in zip(sources, lives, strict=True)
    }


def _known(backend: Backend, snapshot: Snapshot) -> ExportState:
    """What the engine has of the index; nothing where it has nothing.

    :raises EngineError: it has another index.
    """
    identity = index_identity(snapshot)
    text = backend.read_state()
    if text is None:
        return ExportState(identity, 0, 0)
    state = read_state(text, str(backend))
    if state.index != identity:
        raise EngineError(
            f"another index than {snapshot.path} was exported here", where=str(backend),
            hint="Name another collection (--collection NAME), or remove what is there (--recreate).",
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


class TableSync:
    """Brings one table in step."""

    def __init__(
        self, holder: ExclusiveExporter, segments: Sequence[Segment], source: RowSource, lives:
        Sequence[NDArray[np.int64]]
    ) -> None:
        """``lives`` are the units of each segment that can be found."""
        self._holder, self._backend, self._source = holder, holder.backend, source
        self._segments, self._lives = segments, lives
        self._name = source.table.name

    def bring(self, known: TableState | None, steps: _Steps) -> TableReport:
        """Does it; what is ``known`` of the table is taken to be there."""
        backend, source, name = self._backend, self._source, self._name
        self._holder.engine().make(source.table)
        there = known if known is not None and known.made_of == source.made_of and not source.changing else None
        whole = {(state.name, state.digest) for state in there.segments} if there else set()
        sent = removed = wanted = 0
        for number, (segment, live) in enumerate(zip(self._segments, self._lives, strict=True)):
            wanted += int(source.counts(number)[live].sum())
            if (segment.name, segment.stamp.digest) in whole:
                steps(len(live))
                continue
            left = len(live)
            for batch in source.rows(number, live):
                sent += self._send(batch.rows)
                left -= batch.done
                steps(batch.done)
            steps(left)
        if backend.count(name) != wanted:
            removed = self._remove_dead()
            if backend.count(name) != wanted:
                removed += self._remove_others()
        if sent or removed:
            backend.flush(name)
        count = backend.count(name)
        if count != wanted:
            raise EngineError(
                f"the table {name} has {count:,} rows after the export, and should have {wanted:,}",
                where=str(backend), hint="Run the export again; if that does not help, with --recreate.",
            )
        return TableReport(count, sent, removed)

    def _send(self, rows: Rows) -> int:
        """Sends the rows that the engine does not have so; how many these are."""
        stamp_of: dict[str, int] = {}
        for keys, stamps in self._backend.stamps(self._name, rows.keys):
            stamp_of.update(zip(keys, stamps.tolist(), strict=True))
        wanted = rows.stamps.tolist()
        missing = np.array(
            [number for number, key in enumerate(rows.keys) if stamp_of.get(key) != wanted[number]], np.int64
        )
        if len(missing):
            self._holder.engine().put(self._name, rows.take(missing))
        return len(missing)

    def _remove_dead(self) -> int:
        """Removes the rows that deleted units of the segments had, where the units of these ids do not have them now;
        of how many units."""
        now: dict[str, int] = {}
        dead: dict[str, int] = {}
        for number, units in enumerate(self._source.units):
            gone = np.flatnonzero(~units.live)
            counts = self._source.counts(number)
            for unit_id, count in zip(units.doc_ids(gone), counts[gone].tolist(), strict=True):
                dead[unit_id] = max(dead.get(unit_id, 0), count)
        if not dead:
            return 0
        for number, units in enumerate(self._source.units):
            positions = units.names.find(list(dead))
            counts = self._source.counts(number)
            for unit_id, unit in zip(dead, positions.tolist(), strict=True):
                if unit >= 0 and units.live[unit]:
                    now[unit_id] = int(counts[unit])
        keys = [
            self._source.key(row, unit_id) for unit_id, count in dead.items()
            for row in range(now.get(unit_id, 0), count)
        ]
        before = self._backend.count(self._name)
        for start in range(0, len(keys), _BATCH_SIZE):
            self._holder.engine().remove(self._name, keys[start : start + _BATCH_SIZE])
        return before - self._backend.count(self._name)

    def _remove_others(self) -> int:
        """Removes all rows that no unit has; how many."""
        removed = 0
        for keys, _ in self._backend.stamps(self._name):
            numbers, ids = zip(*map(self._source.read_key, keys), strict=True) if keys else ((), ())
            most = np.zeros(len(ids), np.int64)
            for number, units in enumerate(self._source.units):
                positions = units.names.find(ids)
                there = np.flatnonzero(positions >= 0)
                there = there[units.live[positions[there]]]
                most[there] = self._source.counts(number)[positions[there]]
            others = [key for key, number, count in zip(keys, numbers, most.tolist(), strict=True) if number >= count]
            if others:
                self._holder.engine().remove(self._name, others)
                removed += len(others)
        return removed
