"""An export as it is searched: the engine, what it says of the index, and whether that is this index."""

from __future__ import annotations

import time

from porism.errors import ConfigError, EngineError, pluralise
from porism.index import Snapshot
from porism.index.joint import JointSnapshot
from porism.serve.backends.base import Backend
from porism.serve.exported.state import ExportState, index_identity, read_state

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

    def require(self, table: str, what: str, option: str = "--model") -> None:
        """Whether a table is there and has all its rows; ``option`` names the option that exports models of it.

        :raises EngineError: it is not, or rows that were acknowledged are gone.
        """
        where, state = str(self.backend), self.state
        if table not in state.tables:
            raise EngineError(
                f"{what} were not exported", where=where,
                hint=f"Export the model, too: porism export milvus {option} MODEL",
            )
        expected, found = state.tables[table].rows, self.backend.count(table)
        if found != expected and not state.pending:
            raise EngineError(
                f"there are {pluralise(found, 'row')} of {what}, and {expected:,} were exported", where=where,
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
