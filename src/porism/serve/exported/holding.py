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
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import xxhash

from porism.errors import EngineError, StorageError
from porism.serve.backends.base import Backend
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
    """Changes the tables of an engine, one request of :meth:`engine` after another, while nobody else does."""

    def __init__(self, backend: Backend, state: ExportState) -> None:
        """Writes the ``state`` as pending, with a mark of its own."""
        self.backend = backend
        self.mark = f"process {os.getpid()} on {socket.gethostname()} ({secrets.token_hex(8)})"
        self._text = replace(state, pending=True, exporter=self.mark).to_text()
        self._wrote = False
        backend.write_state(self._text)

    def finish(self, state: ExportState) -> None:
        """Writes what was done."""
        self.engine().write_state(replace(state, exporter=self.mark).to_text())

    def engine(self) -> Backend:
        """The engine, for one change: its state is still the one that this exporter wrote.

        :raises EngineError: it is another.
        """
        text = self.backend.read_state()
        if text == self._text:
            self._wrote = True
            return self.backend
        where = str(self.backend)
        if text is None:
            raise EngineError(
                "the state of the export was removed meanwhile", where=where, hint="Run porism export milvus again."
            )
        state = read_state(text, where)
        if self._wrote:
            self.backend.write_state(replace(state, pending=True, exporter="").to_text())
        raise EngineError(
            f"{state.exporter or 'another process'} has begun to export here, too, and this export has stopped",
            where=where,
            hint="Export from one machine at a time: run porism export milvus again where the newest index is. It "
            "compares all rows.",
        )
