"""An export as it is searched: the engine, what it says of the index, and whether that is this index."""

from __future__ import annotations

from typing import NamedTuple

from porism.backends.base import Backend
from porism.errors import ConfigError, EngineError, counted
from porism.index import Snapshot
from porism.index.joint import JointSnapshot
from porism.retrieve.exported.state import ExportState, index_identity, read_state

EXPORT = "Export it: porism export milvus --index {index}"


class OpenExport(NamedTuple):
    """An engine with the index that was exported to it; ``behind`` says what the engine does not know yet, or is
    empty."""

    backend: Backend
    state: ExportState
    behind: str

    def require(self, table: str, what: str) -> None:
        """Whether a table is there and has all its rows.

        :raises EngineError: it is not, or rows that were acknowledged are gone.
        """
        where = str(self.backend)
        if table not in self.state.tables:
            raise EngineError(
                f"{what} were not exported", where=where,
                hint="Export the model, too: porism export milvus --model MODEL",
            )
        expected, found = self.state.tables[table].rows, self.backend.count(table)
        if found != expected and not self.state.pending:
            raise EngineError(
                f"there are {counted(found, 'row')} of {what}, and {expected:,} were exported", where=where,
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
    where = str(backend)
    text = backend.read_state()
    if text is None:
        raise EngineError("no index was exported here", where=where, hint=EXPORT.format(index=snapshot.path))
    state = read_state(text, where)
    if state.index != index_identity(snapshot):
        raise EngineError(
            f"what was exported here is another index than {snapshot.path}", where=where,
            hint="Name another collection (--collection NAME; collection = NAME in the settings of the model).",
        )
    return OpenExport(backend, state, _behind(state, snapshot))


def _behind(state: ExportState, snapshot: Snapshot) -> str:
    if state.pending:
        return "an export has begun and not ended: results can lack documents; run porism export milvus"
    if state.generation != snapshot.generation:
        return (
            f"commit {state.generation} of the index was exported, and it is at {snapshot.generation}: results can "
            "lack what has changed; run porism export milvus"
        )
    return ""
