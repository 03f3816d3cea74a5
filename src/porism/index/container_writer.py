"""Writes a container: sections with their checksums, then the table of contents."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import numpy as np
import orjson
import xxhash
from numpy.typing import NDArray

from porism.index.container import ALIGNMENT, BLOCK, FOOTER, FORMAT, MAGIC, ONE_CHECKSUM, SMALL_BLOCK, Stamp
from porism.system.files.durable import publish, storage_errors, sync_file, temporary_name
from porism.version import __version__


class _Checksums:
    """Computes the checksums of a section's blocks from bytes that arrive in pieces."""

    def __init__(self, block: int) -> None:
        self.values: list[int] = []
        self._block = block
        self._digest = xxhash.xxh3_64()
        self._filled = 0

    def update(self, data: memoryview) -> None:
        at, size = 0, len(data)
        while at < size:
            piece = data[at : at + self._block - self._filled]
            at += len(piece)
            if len(piece) == self._block:
                self.values.append(xxhash.xxh3_64_intdigest(piece))
                continue
            self._digest.update(piece)
            self._filled += len(piece)
            if self._filled == self._block:
                self.close()

    def close(self) -> None:
        """Ends a block that has begun."""
        if self._filled:
            self.values.append(self._digest.intdigest())
            self._digest.reset()
            self._filled = 0


class ContainerWriter:
    """Writes a container, section by section; a file that was not finished is removed.

    With ``atomic`` the file is written under a temporary name and renamed by :meth:`finish`, replacing an older one.

    :raises StorageError: the disk is full or the folder cannot be written (from every method).
    """

    def __init__(self, path: Path, kind: str, *, atomic: bool = False) -> None:
        self.path = path
        self.kind = kind
        self._target = temporary_name(path) if atomic else path
        self._sections: dict[str, tuple[Any, ...]] = {}
        self._checksums: list[int] = []
        self._position = 0
        self._done = False
        with storage_errors(path):
            self._file: IO[bytes] = open(self._target, "wb", buffering=1 << 20)  # noqa: SIM115 (finish closes it)
        self._write(MAGIC)

    def __enter__(self) -> ContainerWriter:
        return self

    def __exit__(self, *error: object) -> None:
        if not self._done:
            with suppress(OSError):  # flushing the buffer may fail too, and the file is removed anyway
                self._file.close()
            self._target.unlink(missing_ok=True)

    def _write(self, data: bytes | memoryview) -> None:
        with storage_errors(self.path):
            self._file.write(data)
        self._position += len(data)

    def _align(self) -> None:
        self._write(bytes(-self._position % ALIGNMENT))

    def add(self, name: str, array: NDArray[Any], *, small_blocks: bool = False) -> None:
        """Writes an array of numbers or truth values under a name that is new in this file.

        ``small_blocks`` suits arrays from which scattered rows are read: little more than these is compared.
        """
        self._add(name, array.dtype, list(array.shape), [array], SMALL_BLOCK if small_blocks else BLOCK)

    def add_chunks(self, name: str, dtype: type[np.generic], chunks: Iterable[NDArray[Any]]) -> int:
        """Writes a flat array piece by piece; returns its length."""
        return self._add(name, np.dtype(dtype), None, chunks, BLOCK)

    def _add(
        self, name: str, dtype: np.dtype[Any], shape: list[int] | None, chunks: Iterable[NDArray[Any]], block: int
    ) -> int:
        self._align()
        offset, length = self._position, 0
        checksums = _Checksums(block)
        for chunk in chunks:
            flat = np.ascontiguousarray(chunk, dtype).reshape(-1).view(np.uint8)
            self._write(flat.data)
            checksums.update(flat.data)
            length += len(chunk)
        checksums.close()
        own = () if block == BLOCK else (block,)
        self._sections[name] = offset, dtype.str, [length] if shape is None else shape, len(self._checksums), *own
        self._checksums += checksums.values
        return length

    def finish(self, info: Mapping[str, Any]) -> Stamp:
        """Writes the table of contents with ``info`` (JSON-ready) and makes the file durable."""
        self._align()
        at = self._position
        checksums = np.array(self._checksums, ONE_CHECKSUM).tobytes()
        self._write(checksums)
        table = orjson.dumps(
            {
                "format": FORMAT, "written_by": f"porism {__version__}", "kind": self.kind, "info": dict(info),
                "checksums": [at, len(self._checksums), xxhash.xxh3_64_intdigest(checksums)],
                "sections": self._sections,
            },
            option=orjson.OPT_SERIALIZE_NUMPY,
        )
        offset = self._position
        digest = xxhash.xxh3_64_intdigest(table)
        self._write(table)
        self._write(FOOTER.pack(offset, len(table), digest, MAGIC))
        with storage_errors(self.path):
            self._file.flush()
            sync_file(self._file.fileno())
            self._file.close()
            if self._target != self.path:
                publish(self._target, self.path)
        self._done = True
        return Stamp(self._position, digest)
