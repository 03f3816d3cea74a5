"""The encodings of an index: a record for each in its folder, by name.

A record has all settings of an encoding, so that an update needs no options to encode new documents or formulas.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import orjson

from porism.errors import ConfigError, IndexCorrupt
from porism.index import Segment, locked_snapshot
from porism.index.vectors import remove_parts, remove_vectors
from porism.settings import Settings, read_settings, write_settings
from porism.system.files.artifacts import ArtifactKind
from porism.system.files.durable import replace_file


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class Encoding(Protocol):
    """The record of an encoding: its ``name``, its ``model`` (a name or folder), and the ``spec`` of its vectors."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def spec(self) -> _Named: ...

    def check(self, index_path: Path) -> object:
        """Checks that the model exists and is unchanged.

        :raises ConfigError: it is missing, or is not the one that encoded the index.
        """


E = TypeVar("E", bound=Encoding)
S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, slots=True)
class EncodingStore(Generic[E]):
    """The encodings of one kind in indexes.

    ``read`` reads the files of ``kind``; the names of their vectors begin with ``family``.

    :param none: the message for an index without encodings; ``make`` is the hint, with ``{index}``.
    :param several: how settings name an encoding, with ``{name}``.
    """

    kind: ArtifactKind
    family: str
    read: Callable[[Path], E]
    none: str
    make: str
    several: str

    def all(self, index_path: str | os.PathLike[str]) -> list[E]:
        """The encodings of an index, sorted by name.

        :raises IndexCorrupt: a file cannot be read.
        """
        return [self.read(path) for path in self.kind.files(index_path)]

    def find(self, index_path: str | os.PathLike[str], name: str = "") -> E:
        """The encoding of this name; an empty name stands for the only one.

        :raises ConfigError: there is no such encoding, or no name was given and there are several.
        :raises IndexCorrupt: the file cannot be read.
        """
        return self.read(self.kind.chosen(
            index_path, name, none=self.none, several=self.several, make=self.make.format(index=index_path)
        ))

    def remove_others(self, index_path: str | os.PathLike[str], segments: Sequence[Segment]) -> None:
        """Removes vectors of encodings that the index no longer has, and what interrupted runs have left of them."""
        keep = [record.spec.name for record in self.all(index_path)]
        for segment in segments:
            remove_vectors(segment, self.family, keep)
        remove_parts(Path(index_path), self.family, keep)

    @contextmanager
    def replacing(self, index_path: str | os.PathLike[str], name: str) -> Iterator[E | None]:
        """Gives the encoding of this name, None where there is none that can be read; the block replaces its record.

        Where the block fails, the record is as before. An interruption is no failure: the next commit goes on with it.
        """
        path = self.kind.path(index_path, name)
        before, record = path.read_bytes() if path.exists() else None, None
        with suppress(FileNotFoundError, IndexCorrupt):
            record = self.read(path)
        try:
            yield record
        except Exception:
            if before is None:
                path.unlink(missing_ok=True)
            else:
                replace_file(path, before)
            raise

    def forget(
        self, index_path: str | os.PathLike[str], name: str,
        remove: Callable[[Sequence[Segment], E], object] | None = None,
    ) -> None:
        """Removes an encoding and its stored data from an index.

        :param remove: removes the stored data; by default only vectors are.
        :raises ConfigError: the index has no encoding of this name.
        :raises IndexLocked: another process is writing.
        """
        path = self.kind.path(index_path, name)
        if not path.exists():
            raise self.kind.missing(index_path, name)
        with locked_snapshot(Path(index_path)) as snapshot:
            if remove is None:
                path.unlink()
                self.remove_others(index_path, snapshot.segments)
            else:
                forgotten = self.read(path)
                path.unlink()
                remove(snapshot.segments, forgotten)


def write_record(kind: ArtifactKind, index_path: str | os.PathLike[str], name: str, record: Settings) -> Path:
    """Stores the record of an encoding as JSON in an index; returns the file.

    :raises ConfigError: the name is not valid.
    :raises StorageError: the folder cannot be written.
    """
    path = kind.prepare(index_path, name)
    replace_file(path, orjson.dumps(write_settings(record), option=orjson.OPT_INDENT_2))
    return path


def record_reader(cls: type[S], noun: str) -> Callable[[Path], S]:
    """A reader of records that :func:`write_record` wrote; ``noun`` names the content of a file in errors.

    The reader raises IndexCorrupt if a file cannot be read.
    """

    def read(path: Path) -> S:
        try:
            return read_settings(cls, orjson.loads(path.read_bytes()))
        except (orjson.JSONDecodeError, ConfigError) as error:
            raise IndexCorrupt(
                f"does not describe {noun} ({error})", where=str(path),
                hint="Remove it, and run porism encode again.",
            ) from error

    return read
