"""What an index records of an encoding by a model of texts: the model, how it reads, and the name of what is stored."""

from __future__ import annotations

import os
from abc import abstractmethod
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, ClassVar, TypeVar, get_args

import xxhash

from porism.errors import ConfigError, IndexCorrupt
from porism.index.container import Container
from porism.settings import read_settings
from porism.system.files.artifacts import ArtifactKind
from porism.vectors.neural.encoder_files import EncoderFiles, find_encoder
from porism.vectors.neural.encoder_model import Precision
from porism.vectors.neural.encoder_settings import EncoderSettings


class TextEncoding:
    """The base of records of encodings of documents."""

    __slots__ = ()

    family: ClassVar[str]
    """How the names of what is stored begin."""

    stored: ClassVar[str]
    """What the index has of the model: ``vectors``."""

    name: str
    model: str
    digest: str
    settings: EncoderSettings
    precision: Precision

    @property
    @abstractmethod
    def spec(self) -> Any:
        """The shape of what is stored of documents, by its name."""

    @property
    @abstractmethod
    def form(self) -> str:
        """What the stored rows depend on beside the model and how it reads: their numbers, or a codec."""

    @property
    def stored_name(self) -> str:
        """The name of what is stored: it holds the digest of the model, of how it reads, and of the form."""
        vectors = EncoderFiles(self.model, Path(), self.settings, self.digest).vectors
        return f"{self.family}-{xxhash.xxh3_64_hexdigest(f'{vectors} {self.form}'.encode())}"

    def files(self, index_path: str | os.PathLike[str]) -> EncoderFiles:
        """The files of the model.

        :raises ConfigError: they are not there, or are others than those that documents were encoded with.
        """
        files = find_encoder(self.model, index_path, self.settings)
        if files.digest != self.digest:
            raise ConfigError(
                f"the model {self.model!r} is another than the one whose {self.stored} the index has",
                where=str(index_path), hint=self.again(index_path),
            )
        return files

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


R = TypeVar("R", bound=TextEncoding)


def container_info(
    model: str, digest: str, settings: EncoderSettings, precision: Precision, **more: Any
) -> dict[str, Any]:
    """The information in the file of a record that :func:`container_reader` reads."""
    return {"model": model, "digest": digest, "settings": settings.to_dict(), "precision": precision, **more}


def container_reader(
    cls: Callable[..., R], artifact: ArtifactKind, kind: str, noun: str,
    read: Callable[[Container], Mapping[str, Any]],
) -> Callable[[Path], R]:
    """What reads a record from a container; ``read`` gives the fields that are not those of all records, and ``noun``
    is what a file describes, for errors.

    The reader raises FileNotFoundError where there is no file, and IndexCorrupt where it cannot be read.
    """

    def read_record(path: Path) -> R:
        container = Container(path, kind)
        info = container.info
        try:
            if info["precision"] not in get_args(Precision):
                raise ValueError(f"there is no precision {info['precision']!r}")
            return cls(
                name=artifact.name_of(path), model=str(info["model"]), digest=str(info["digest"]),
                settings=read_settings(EncoderSettings, info["settings"]), precision=info["precision"],
                **read(container),
            )
        except (KeyError, TypeError, ValueError, ConfigError) as error:
            raise IndexCorrupt(
                f"does not describe {noun} ({error})", where=str(path),
                hint="Remove it, and run porism encode again.",
            ) from error

    return read_record
