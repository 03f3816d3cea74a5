"""Which encodings an index has: a file for each in its folder, by name.

A file says everything that new documents or formulas are encoded with, so that an update needs to be told nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Generic, Protocol, TypeVar

import orjson

from porism.errors import ConfigError, IndexCorrupt
from porism.index import Segment, locked_snapshot
from porism.index.vectors import remove_vectors
from porism.settings import Settings, read_settings, write_settings
from porism.system.files.artifacts import ArtifactKind
from porism.system.files.durable import replace_file


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class Encoding(Protocol):
    """What an index keeps of an encoding: its ``name``, the ``model`` by name or folder, and in ``spec`` the name
    of what is stored of each segment."""

    @property
    def name(self) -> str: ...

    @property
    def model(self) -> str: ...

    @property
    def spec(self) -> _Named: ...

    def check(self, index_path: Path) -> object:
        """Checks that the model is there.

        :raises ConfigError: it is not, or is another than the one that has encoded the index.
        """


E = TypeVar("E", bound=Encoding)
S = TypeVar("S", bound=Settings)


@dataclass(frozen=True, slots=True)
class EncodingStore(Generic[E]):
    """All encodings of one kind that an index has.

    ``kind`` has their files, which ``read`` reads; the names of what is stored of them begin with ``family``.

    :param none: what to say of an index that has none, and ``make`` what to do then, with ``{index}``.
    :param several: how settings name one, with ``{name}``.
    """

    kind: ArtifactKind
    family: str
    read: Callable[[Path], E]
    none: str
    make: str
    several: str

    def all(self, index_path: str | os.PathLike[str]) -> list[E]:
        """The encodings of an index, in the order of their names.

        :raises IndexCorrupt: a file cannot be read.
        """
        return [self.read(path) for path in self.kind.files(index_path)]

    def find(self, index_path: str | os.PathLike[str], name: str = "") -> E:
        """The encoding of this name; the only one where no name is given.

        :raises ConfigError: the index has none, none of this name, or several where no name is given.
        :raises IndexCorrupt: the file cannot be read.
        """
        return self.read(self.kind.chosen(
            index_path, name, none=self.none, several=self.several, make=self.make.format(index=index_path)
        ))

    def remove_others(self, index_path: str | os.PathLike[str], segments: Sequence[Segment]) -> list[str]:
        """Removes from segments what was stored of encodings that the index has no more; returns the
        names of what is kept."""
        keep = [one.spec.name for one in self.all(index_path)]
        for segment in segments:
            remove_vectors(segment, self.family, keep)
        return keep

    def forget(
        self, index_path: str | os.PathLike[str], name: str,
        remove: Callable[[Sequence[Segment], E], object] | None = None,
    ) -> None:
        """Forgets an encoding of an index, and removes what is stored of it.

        :param remove: removes what is stored, by default the vectors alone.
        :raises ConfigError: the index has none of this name.
        :raises IndexLocked: another process writes to it.
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
    """Keeps the record of an encoding as JSON among those of an index; returns the file.

    :raises ConfigError: its name cannot be one.
    :raises StorageError: the folder cannot be written.
    """
    path = kind.prepare(index_path, name)
    replace_file(path, orjson.dumps(write_settings(record), option=orjson.OPT_INDENT_2))
    return path


def record_reader(cls: type[S], noun: str) -> Callable[[Path], S]:
    """What reads the records that :func:`write_record` wrote; ``noun`` is what a file describes, for errors.

    The reader raises IndexCorrupt where a file cannot be read.
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
