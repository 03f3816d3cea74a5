"""One exporter at a time: a lock between processes that have one folder, and a mark in the state for all others.

An exporter writes its mark into the state before it changes anything, and looks for it before every request that writes
and at the end. Where the mark is gone another exporter has begun, of another copy of the index: the first one stops,
and says in the state that rows cannot be trusted, as it may have written some since. So the other one stops, too, and
no state claims what is not there; the next export compares all rows.
"""

from __future__ import annotations

import os
import secrets
import socket
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import xxhash

from porism.errors import EngineError, StorageError
from porism.serve.backends.base import Backend, Rows, Table
from porism.serve.exported.state import ExportState, read_state
from porism.system.files.lock import WriterLock


@contextmanager
def only_exporter(path: Path, backend: Backend) -> Iterator[None]:
    """Keeps other exporters of an index to one engine out while the block runs; the kernel does so no longer when the
    process ends. A folder that cannot be written has no lock.

    :raises IndexLocked: another one holds it.
    """
    name = f"export-{xxhash.xxh3_64_hexdigest(str(backend).encode())}.lock"
    try:
        lock = WriterLock(path / name, f"is exporting this index to {backend}")
    except StorageError:
        if os.access(path, os.W_OK):
            raise
        yield
        return
    try:
        yield
    finally:
        lock.release()


class ExclusiveExporter:
    """Changes the tables of an engine while the state says that nobody else does."""

    def __init__(self, backend: Backend, state: ExportState) -> None:
        """Writes the ``state`` as pending, with a mark of its own."""
        self.backend = backend
        self.mark = f"process {os.getpid()} on {socket.gethostname()} ({secrets.token_hex(8)})"
        self._text = replace(state, pending=True, exporter=self.mark).to_text()
        self._wrote = False
        backend.write_state(self._text)

    def make(self, table: Table) -> None:
        """Makes a table where it is not there."""
        self._check()
        self.backend.make(table)

    def put(self, name: str, rows: Rows) -> None:
        """Adds rows, and replaces those that have the same key."""
        self._check()
        self.backend.put(name, rows)

    def remove(self, name: str, keys: Sequence[str]) -> None:
        """Removes the rows with these keys."""
        self._check()
        self.backend.remove(name, keys)

    def drop(self, name: str) -> None:
        """Removes a table."""
        self._check()
        self.backend.drop(name)

    def finish(self, state: ExportState) -> None:
        """Writes what was done."""
        self._check()
        self.backend.write_state(replace(state, exporter=self.mark).to_text())

    def _check(self) -> None:
        """Whether the state is still the one that this exporter wrote.

        :raises EngineError: it is another.
        """
        text = self.backend.read_state()
        if text == self._text:
            self._wrote = True
            return
        where = str(self.backend)
        if text is None:
            raise EngineError(
                "the state of the export was removed meanwhile", where=where, hint="Run porism export milvus again."
            )
        found = read_state(text, where)
        if self._wrote:
            self.backend.write_state(replace(found, pending=True, exporter="").to_text())
        raise EngineError(
            f"{found.exporter or 'another process'} has begun to export here, too, and this export has stopped",
            where=where,
            hint="Export from one machine at a time: run porism export milvus again where the newest index is. It "
            "compares all rows.",
        )
