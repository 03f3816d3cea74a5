"""What an engine outside Porism knows of the index that was exported to it: one text, beside the tables."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import orjson
import xxhash

from porism.errors import ConfigError, EngineError, pluralise
from porism.index import Snapshot
from porism.index.joint import JointSnapshot
from porism.serve.backends.base import Backend
from porism.serve.exported.views import FrozenStatistics

FORMAT = 1
"""Changes when rows or the state are made differently; what another version wrote is not read."""


class SegmentState(NamedTuple):
    """A segment whose documents are exported: its name, the digest of its file, and how many documents were live."""

    name: str
    digest: int
    live: int


@dataclass(frozen=True)
class TableState:
    """What a table has: ``rows``, and the ``segments`` that they are of, once all are there. ``made_of`` is a digest of
    what a row depends on beside its document."""

    rows: int
    made_of: str
    segments: tuple[SegmentState, ...] = ()


@dataclass(frozen=True)
class ExportState:
    """One exported index: which one it is, the commit (``generation``) and its documents.

    ``pending`` says whether an export to it was begun and did not end. ``exporter`` is who began the last one, empty
    where two did at once. The models of documents and of formulas have the names that they were exported under. The
    state also holds the frozen statistics of the views, the tables by name, and whether there are ``texts`` of
    documents.
    """

    index: str
    generation: int
    documents: int
    pending: bool = False
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    views: Mapping[str, FrozenStatistics] = field(default_factory=dict)
    tables: Mapping[str, TableState] = field(default_factory=dict)
    texts: bool | None = None
    exporter: str = ""
    formula_models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)

    def to_text(self) -> str:
        """What an engine keeps; :func:`read_state` is the inverse."""
        return orjson.dumps({
            "porism_export": FORMAT, "index": self.index, "generation": self.generation,
            "documents": self.documents, "pending": self.pending, "models": self.models,
            "views": {key: view._asdict() for key, view in self.views.items()},
            "tables": {
                name: {"rows": table.rows, "made_of": table.made_of, "segments": list(map(list, table.segments))}
                for name, table in self.tables.items()
            },
            "texts": self.texts, "exporter": self.exporter, "formula_models": self.formula_models,
        }).decode()


def read_state(text: str, where: str) -> ExportState:
    """The state in a text.

    :param where: the engine that has it, for messages.
    :raises EngineError: it was written in another format, or makes no sense.
    """
    hint = "Remove the collections and export again: porism export milvus --recreate"
    try:
        value = orjson.loads(text)
        written = value["porism_export"]
        if written != FORMAT:
            raise EngineError(
                f"what is there was exported by another version of Porism (format {written}, this one has {FORMAT})",
                where=where, hint=hint,
            )
        return ExportState(
            str(value["index"]), int(value["generation"]), int(value["documents"]), bool(value["pending"]),
            dict(value["models"]), {key: FrozenStatistics(**view) for key, view in value["views"].items()},
            {
                name: TableState(
                    int(table["rows"]), str(table["made_of"]),
                    tuple(SegmentState(*segment) for segment in table["segments"]),
                )
                for name, table in value["tables"].items()
            },
            value.get("texts"), str(value.get("exporter", "")), dict(value.get("formula_models", {})),
        )
    except (orjson.JSONDecodeError, KeyError, TypeError, ValueError, AttributeError) as error:
        raise EngineError(f"the state of the export cannot be read ({error!r})", where=where, hint=hint) from error


def index_identity(snapshot: Snapshot) -> str:
    """What tells an index from others, and stays as it changes: when it was made, and how it analyses documents."""
    made = {"created": snapshot.manifest.created, "config": dict(snapshot.config)}
    return xxhash.xxh3_64_hexdigest(orjson.dumps(made, option=orjson.OPT_SORT_KEYS))


EXPORT = "Export it: porism export milvus --index {index}"


FRESH = 5.0
"""Seconds after which a search reads the state again: another process may have exported meanwhile."""


class OpenExport:
    """An engine with the index that was exported to it. Safe to share between threads."""

    def __init__(self, backend: Backend, state: ExportState, generation: int) -> None:
        """``generation`` is the commit that is searched."""
        self.backend = backend
        self._state, self._generation = state, generation
        self._read = time.monotonic()

    @property
    def state(self) -> ExportState:
        """What the engine says of the index, at most :data:`FRESH` seconds ago.

        :raises EngineError: the engine cannot be reached, or has another index by now.
        """
        if time.monotonic() - self._read > FRESH:
            self._state = _state_of(self.backend, self._state.index, "the index that is searched")
            self._read = time.monotonic()
        return self._state

    @property
    def behind(self) -> str:
        """What the engine does not know yet; empty where it knows all."""
        return _behind(self.state, self._generation)

    def require(self, table: str, contents: str, option: str = "--model") -> None:
        """Whether a table is there and has all its rows; ``option`` names the option that exports models of it.

        :raises EngineError: it is not, or rows that were acknowledged are gone.
        """
        where, state = str(self.backend), self.state
        if table not in state.tables:
            raise EngineError(
                f"{contents} were not exported", where=where,
                hint=f"Export the model, too: porism export milvus {option} MODEL",
            )
        expected, count = state.tables[table].rows, self.backend.count(table)
        if count != expected and not state.pending:
            raise EngineError(
                f"there are {pluralise(count, 'row')} of {contents}, and {expected:,} were exported", where=where,
                hint="The engine has lost or gained some. Run porism export milvus: it compares all, and sends what "
                "is missing.",
            )


def open_export(backend: Backend, snapshot: Snapshot) -> OpenExport:
    """The export of an index in an engine.

    :raises ConfigError: the snapshot is of several indexes.
    :raises EngineError: there is none, it is that of another index, or it was written by another version.
    """
    if isinstance(snapshot, JointSnapshot):
        raise ConfigError(
            "an engine has the candidates of one index, not of several searched as one",
            hint="Search one of them, or export an index of all documents.",
        )
    return OpenExport(backend, _state_of(backend, index_identity(snapshot), str(snapshot.path)), snapshot.generation)


def _state_of(backend: Backend, identity: str, index: str) -> ExportState:
    """The state of the export of an index.

    :raises EngineError: there is none, or it is that of another index or version.
    """
    where = str(backend)
    text = backend.read_state()
    if text is None:
        raise EngineError("no index was exported here", where=where, hint=EXPORT.format(index=index))
    state = read_state(text, where)
    if state.index != identity:
        raise EngineError(
            f"what was exported here is another index than {index}", where=where,
            hint="Name another collection (--collection NAME; collection = NAME in the settings of the model).",
        )
    return state


def _behind(state: ExportState, generation: int) -> str:
    if state.pending:
        return "an export has begun and not ended: results can lack documents; run porism export milvus"
    if state.generation != generation:
        return (
            f"commit {state.generation} of the index was exported, and it is at {generation}: results can "
            "lack what has changed; run porism export milvus"
        )
    return ""
