"""Which encodings an index remembers: a file for each in its folder, by name.

A file says everything that new documents or formulas are encoded with, so that an update needs to be told nothing.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Generic, Protocol, TypeVar

import orjson

from porism.errors import ConfigError, IndexCorrupt
from porism.files.artifacts import ArtifactKind
from porism.files.durable import replace_file
from porism.index import Segment
from porism.index.vectors import remove_vectors
from porism.neural.encoder_files import EncoderFiles, find_encoder
from porism.neural.encoder_model import Precision
from porism.neural.encoder_settings import EncoderSettings
from porism.retrieve.encoding import locked
from porism.settings import Settings, read_settings, write_settings


class _Named(Protocol):
    @property
    def name(self) -> str: ...


class Encoding(Protocol):
    """What an index remembers of an encoding: its ``name``, the ``model`` by name or folder, and in ``spec`` the name
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
class Remembered(Generic[E]):
    """All encodings of one kind that an index remembers.

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
        """Removes from segments what was stored of encodings that the index does not remember any more; returns the
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
        with locked(Path(index_path)) as snapshot:
            if remove is None:
                path.unlink()
                self.remove_others(index_path, snapshot.segments)
            else:
                forgotten = self.read(path)
                path.unlink()
                remove(snapshot.segments, forgotten)


class FromFiles:
    """The base of encodings whose model has its files in a folder, with settings of how it reads text."""

    __slots__ = ()

    stored: ClassVar[str]
    """What the index has of the model: ``vectors``."""

    name: str
    model: str
    digest: str
    settings: EncoderSettings
    precision: Precision

    def files(self, index_path: str | os.PathLike[str]) -> EncoderFiles:
        """The files of the model.

        :raises ConfigError: they are not there, or are others than those that documents were encoded with.
        """
        found = find_encoder(self.model, index_path, self.settings)
        if found.digest != self.digest:
            raise ConfigError(
                f"the model {self.model!r} is another than the one whose {self.stored} the index has",
                where=str(index_path), hint=self.again(index_path),
            )
        return found

    @property
    def encoded_by(self) -> dict[str, Any]:
        """The digest of the model and its settings: of two encodings that agree in this, vectors and terms compare."""
        return {"digest": self.digest, **self.settings.to_dict()}

    def check(self, index_path: Path) -> object:
        """Checks that the model is there and the same (:meth:`files`)."""
        return self.files(index_path)

    def again(self, index_path: str | os.PathLike[str]) -> str:
        """What to do where what is stored is missing, or of another model."""
        return f"Encode the documents: porism encode {self.model} --name {self.name} --index {index_path}"


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
